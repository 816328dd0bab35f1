// SPDX-License-Identifier: GPL-2.0
/*
 * iommu=1: DMA operations of our own.  I/O addresses are indexes into a table
 * of pages; an access to a page that is not mapped at that moment, or not in
 * that direction, is refused.  Freed ranges are reused first in, first out,
 * so that a stale address stays stale for as long as possible.
 */
#include <linux/dma-map-ops.h>
#include <linux/mm.h>
#include <linux/scatterlist.h>
#include <linux/vmalloc.h>

#include "cxsim.h"

/*
 * No RAM is at either place.  The low one is for what a driver maps before it
 * says that it can use more than 32 bits.
 */
#define IOVA_BASE	BIT_ULL(40)
#define IOVA_LOW	0xc0000000ULL
#define IOVA_PAGES	BIT(18)		/* fills the low place */
#define IOVA_ORDERS	12		/* up to 8 MiB in one mapping */

#define SLOT_READ	BIT(0)		/* the device may read */
#define SLOT_WRITE	BIT(1)
#define SLOT_FIRST	BIT(2)		/* first page of a mapping */
#define SLOT_LOW	BIT(3)		/* mapped at the low place */

struct slot {
	u64 entry;		/* physical page | SLOT_ bits, 0: not mapped */
	u32 len;		/* bytes, in the first page of a mapping */
	u32 next;		/* next free range of this order */
};

struct free_list {
	spinlock_t lock;	/* list and, for fresh ranges, nothing else */
	u32 head, tail;		/* 0: empty; slot 0 is never given out */
};

struct cxsim_iommu {
	u64 base;
	atomic_t fresh;		/* slots beyond were never used */
	struct free_list free[IOVA_ORDERS];
	atomic64_t count[CXSIM_MAPS];
	struct slot *slot;
};

static struct cxsim_iommu *dev_iommu(struct device *dev)
{
	struct cxsim *f = dev_get_platdata(dev);

	return f->iommu;
}

/* The table entry of a page that is mapped at addr, 0 if none is. */
static u64 slot_get(struct cxsim_iommu *m, u64 addr, u32 *index)
{
	u64 low = addr < IOVA_BASE ? SLOT_LOW : 0;
	u64 i = (addr - (low ? IOVA_LOW : m->base)) >> PAGE_SHIFT;
	u64 entry;

	if (i >= IOVA_PAGES)
		return 0;
	*index = i;
	entry = READ_ONCE(m->slot[i].entry);
	return (entry & SLOT_LOW) == low ? entry : 0;
}

static u32 take_range(struct cxsim_iommu *m, unsigned int order)
{
	struct free_list *l = &m->free[order];
	unsigned long flags;
	u32 i;

	spin_lock_irqsave(&l->lock, flags);
	i = l->head;
	if (i) {
		l->head = m->slot[i].next;
		if (!l->head)
			l->tail = 0;
	}
	spin_unlock_irqrestore(&l->lock, flags);
	if (i)
		return i;

	/* Ranges are aligned to nothing but pages: hardware does not care. */
	i = atomic_fetch_add(1U << order, &m->fresh);
	if (i + (1U << order) > IOVA_PAGES) {
		atomic_sub(1U << order, &m->fresh);
		return 0;
	}
	return i;
}

static void give_range(struct cxsim_iommu *m, u32 i, unsigned int order)
{
	struct free_list *l = &m->free[order];
	unsigned long flags;

	m->slot[i].next = 0;
	spin_lock_irqsave(&l->lock, flags);
	if (l->tail)
		m->slot[l->tail].next = i;
	else
		l->head = i;
	l->tail = i;
	spin_unlock_irqrestore(&l->lock, flags);
}

static dma_addr_t iommu_map(struct cxsim_iommu *m, u64 mask, phys_addr_t pa,
			    size_t size, enum dma_data_direction dir)
{
	u32 off = pa & ~PAGE_MASK;
	u32 n = PAGE_ALIGN(off + size) >> PAGE_SHIFT;
	u64 base = m->base, bits = 0;
	u32 i, k;

	if (!size || order_base_2(n) >= IOVA_ORDERS)
		return DMA_MAPPING_ERROR;
	i = take_range(m, order_base_2(n));
	if (!i)
		return DMA_MAPPING_ERROR;
	if (base + ((u64)IOVA_PAGES << PAGE_SHIFT) > mask) {
		base = IOVA_LOW;
		bits = SLOT_LOW;
	}
	if (dir == DMA_TO_DEVICE || dir == DMA_BIDIRECTIONAL)
		bits |= SLOT_READ;
	if (dir == DMA_FROM_DEVICE || dir == DMA_BIDIRECTIONAL)
		bits |= SLOT_WRITE;
	m->slot[i].len = size;
	for (k = 0; k < n; k++)
		WRITE_ONCE(m->slot[i + k].entry, ((pa & PAGE_MASK) +
			   ((u64)k << PAGE_SHIFT)) | bits |
			   (k ? 0 : SLOT_FIRST));
	atomic64_inc(&m->count[CXSIM_MAPPED]);
	return base + ((u64)i << PAGE_SHIFT) + off;
}

static void bad(struct cxsim_iommu *m, int which, const char *what, u64 addr,
		size_t size)
{
	if (atomic64_inc_return(&m->count[which]) == 1)
		pr_warn("cxsim: %s: address 0x%llx length %zu\n", what, addr,
			size);
}

static phys_addr_t iommu_unmap(struct cxsim_iommu *m, dma_addr_t addr,
			       size_t size)
{
	phys_addr_t pa;
	u64 entry;
	u32 i, n, k;

	if (!(slot_get(m, addr, &i) & SLOT_FIRST)) {
		bad(m, CXSIM_BAD_UNMAP, "unmap of what is not mapped", addr,
		    size);
		return 0;
	}
	if (m->slot[i].len != size)
		bad(m, CXSIM_BAD_UNMAP, "unmap with another length", addr,
		    size);
	n = PAGE_ALIGN((addr & ~PAGE_MASK) + m->slot[i].len) >> PAGE_SHIFT;
	/* Of two unmaps at the same time one finds the entry empty. */
	entry = xchg(&m->slot[i].entry, 0);
	if (!entry) {
		bad(m, CXSIM_BAD_UNMAP, "unmapped twice", addr, size);
		return 0;
	}
	pa = (entry & PAGE_MASK) + (addr & ~PAGE_MASK);
	for (k = 1; k < n; k++)
		WRITE_ONCE(m->slot[i + k].entry, 0);
	give_range(m, i, order_base_2(n));
	atomic64_dec(&m->count[CXSIM_MAPPED]);
	return pa;
}

void *cxsim_iommu_at(struct cxsim *f, u64 addr, u32 len, bool write)
{
	u32 i;
	u64 entry = slot_get(f->iommu, addr, &i);

	if (unlikely(!(entry & (write ? SLOT_WRITE : SLOT_READ)))) {
		cxsim_refuse(f, entry ? "mapped for the other direction" :
			     "I/O address not mapped", addr, len);
		return NULL;
	}
	return phys_to_virt((entry & PAGE_MASK) + (addr & ~PAGE_MASK));
}

static void *cxsim_dma_alloc(struct device *dev, size_t size,
			     dma_addr_t *handle, gfp_t gfp, unsigned long attrs)
{
	struct cxsim_iommu *m = dev_iommu(dev);
	struct page *page;

	page = alloc_pages_node(dev_to_node(dev),
				(gfp | __GFP_ZERO) & ~__GFP_COMP,
				get_order(size));
	if (!page)
		return NULL;
	*handle = iommu_map(m, dev->coherent_dma_mask, page_to_phys(page),
			    PAGE_ALIGN(size), DMA_BIDIRECTIONAL);
	if (*handle == DMA_MAPPING_ERROR) {
		__free_pages(page, get_order(size));
		return NULL;
	}
	return page_address(page);
}

static void cxsim_dma_free(struct device *dev, size_t size, void *cpu_addr,
			   dma_addr_t handle, unsigned long attrs)
{
	iommu_unmap(dev_iommu(dev), handle, PAGE_ALIGN(size));
	free_pages((unsigned long)cpu_addr, get_order(size));
}

static dma_addr_t cxsim_map_page(struct device *dev, struct page *page,
				 unsigned long offset, size_t size,
				 enum dma_data_direction dir,
				 unsigned long attrs)
{
	return iommu_map(dev_iommu(dev), dma_get_mask(dev),
			 page_to_phys(page) + offset, size, dir);
}

static void cxsim_unmap_page(struct device *dev, dma_addr_t addr, size_t size,
			     enum dma_data_direction dir, unsigned long attrs)
{
	iommu_unmap(dev_iommu(dev), addr, size);
}

static void cxsim_unmap_sg(struct device *dev, struct scatterlist *sgl,
			   int nents, enum dma_data_direction dir,
			   unsigned long attrs)
{
	struct scatterlist *sg;
	int i;

	for_each_sg(sgl, sg, nents, i)
		iommu_unmap(dev_iommu(dev), sg_dma_address(sg),
			    sg_dma_len(sg));
}

static int cxsim_map_sg(struct device *dev, struct scatterlist *sgl, int nents,
			enum dma_data_direction dir, unsigned long attrs)
{
	struct scatterlist *sg;
	int i;

	for_each_sg(sgl, sg, nents, i) {
		sg_dma_address(sg) = iommu_map(dev_iommu(dev),
					       dma_get_mask(dev), sg_phys(sg),
					       sg->length, dir);
		if (sg_dma_address(sg) == DMA_MAPPING_ERROR) {
			cxsim_unmap_sg(dev, sgl, i, dir, attrs);
			return -EIO;
		}
		sg_dma_len(sg) = sg->length;
	}
	return nents;
}

/* The machine is coherent: a sync only proves that the page is mapped. */
static void cxsim_sync(struct device *dev, dma_addr_t addr, size_t size,
		       enum dma_data_direction dir)
{
	struct cxsim_iommu *m = dev_iommu(dev);
	u32 i;

	if (!slot_get(m, addr, &i))
		bad(m, CXSIM_BAD_SYNC, "sync of what is not mapped", addr,
		    size);
}

static const struct dma_map_ops cxsim_dma_ops = {
	.alloc = cxsim_dma_alloc,
	.free = cxsim_dma_free,
	.map_page = cxsim_map_page,
	.unmap_page = cxsim_unmap_page,
	.map_sg = cxsim_map_sg,
	.unmap_sg = cxsim_unmap_sg,
	.sync_single_for_cpu = cxsim_sync,
	.sync_single_for_device = cxsim_sync,
};

int cxsim_iommu_init(struct cxsim *f)
{
	struct cxsim_iommu *m;
	int i;

	m = kzalloc(sizeof(*m), GFP_KERNEL);
	if (!m)
		return -ENOMEM;
	m->slot = vzalloc(array_size(IOVA_PAGES, sizeof(*m->slot)));
	if (!m->slot) {
		kfree(m);
		return -ENOMEM;
	}
	/* Functions do not share addresses: one may not use the other's. */
	m->base = IOVA_BASE * (f->index + 1);
	atomic_set(&m->fresh, 1);
	for (i = 0; i < IOVA_ORDERS; i++)
		spin_lock_init(&m->free[i].lock);
	f->iommu = m;
	return 0;
}

/* Before a driver can bind. */
void cxsim_iommu_attach(struct cxsim *f)
{
	if (!f->iommu)
		return;
	f->pdev->dev.platform_data = f;
	set_dma_ops(&f->pdev->dev, &cxsim_dma_ops);
}

/* The driver is gone: so must be its mappings. */
void cxsim_iommu_unbound(struct cxsim *f)
{
	struct cxsim_iommu *m = f->iommu;
	u64 n = m ? atomic64_read(&m->count[CXSIM_MAPPED]) : 0;

	if (!n)
		return;
	atomic64_add(n, &m->count[CXSIM_LEFT]);
	pr_warn("cxsim: function %s: %llu mappings left after unbind\n",
		f->name, n);
}

u64 cxsim_iommu_count(struct cxsim *f, int which)
{
	return f->iommu ? atomic64_read(&f->iommu->count[which]) : 0;
}

void cxsim_iommu_exit(struct cxsim *f)
{
	if (!f->iommu)
		return;
	vfree(f->iommu->slot);
	kfree(f->iommu);
	f->iommu = NULL;
}
