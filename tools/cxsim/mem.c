// SPDX-License-Identifier: GPL-2.0
/*
 * Memory as the device sees it: device addresses, rings made of pages of
 * them, doorbell records.  Everything the device reads or writes passes
 * cxsim_dma(), which refuses what the driver did not map.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <net/checksum.h>

#include "cxsim.h"

#define CXSIM_REFUSED_LOGGED	8

/* Each function logs its first refusals only; the count goes on. */
void cxsim_refuse(struct cxsim *f, const char *what, u64 addr, u32 len)
{
	if (atomic64_inc_return(&f->refused) > CXSIM_REFUSED_LOGGED)
		return;
	pr_warn("cxsim: refused access: function %s: %s: address 0x%llx length %u\n",
		f->name, what, addr, len);
}

/* Memory at a device address: within one page, or the caller knows better. */
void *cxsim_dma(struct cxsim *f, u64 addr, u32 len, bool write)
{
	if (unlikely((addr & ~PAGE_MASK) + len > PAGE_SIZE)) {
		cxsim_refuse(f, "crosses a page", addr, len);
		return NULL;
	}
	if (f->iommu)
		return cxsim_iommu_at(f, addr, len, write);
	if (unlikely(!addr || addr >> MAX_PHYSMEM_BITS ||
		     !pfn_valid(PHYS_PFN(addr)))) {
		cxsim_refuse(f, "not memory", addr, len);
		return NULL;
	}
	return phys_to_virt(addr);
}

/* pas: big-endian page addresses as commands carry them */
int cxsim_ring_init(struct cxsim_ring *r, const void *pas, u32 npages,
		    u8 page_shift, u32 offset)
{
	const __be64 *p = pas;
	u32 i;

	r->pas = kvcalloc(npages, sizeof(*r->pas), GFP_KERNEL);
	if (!r->pas)
		return -ENOMEM;
	for (i = 0; i < npages; i++)
		r->pas[i] = be64_to_cpu(p[i]) & PAGE_MASK;
	r->npages = npages;
	r->page_shift = page_shift;
	r->offset = offset;
	return 0;
}

void cxsim_ring_free(struct cxsim_ring *r)
{
	kvfree(r->pas);
	r->pas = NULL;
}

void *cxsim_ring_at(struct cxsim *f, const struct cxsim_ring *r, u32 off,
		    u32 len, bool write)
{
	u32 page;

	off += r->offset;
	page = off >> r->page_shift;
	if (unlikely(page >= r->npages)) {
		cxsim_refuse(f, "outside a ring", off, len);
		return NULL;
	}
	off &= (1U << r->page_shift) - 1;
	return cxsim_dma(f, r->pas[page] + off, len, write);
}

__be32 *cxsim_dbr(struct cxsim *f, u64 dbr, int idx)
{
	return cxsim_dma(f, dbr + idx * sizeof(__be32), sizeof(__be32), false);
}

/*
 * Copy and add to a checksum whose next byte is at offset.  The checksumming
 * copy works in 8-byte words; an emulator executes "rep movsb", which is what
 * memcpy() becomes on recent CPUs, byte by byte.
 */
__wsum cxsim_copy_sum(void *dst, const void *src, u32 len, __wsum sum,
		      u32 offset)
{
	return csum_block_add(sum, csum_partial_copy_nocheck(src, dst, len),
			      offset);
}
