/* SPDX-License-Identifier: GPL-2.0 */
/*
 * struct page and the page allocator. Every competitor takes its pages from this one.
 */
#ifndef _SHIM_PAGE_H
#define _SHIM_PAGE_H

#define PAGE_SHIFT		12
#define PAGE_SIZE		BIT(PAGE_SHIFT)
#define PAGE_MASK		(~(PAGE_SIZE - 1))
#define offset_in_page(p)	((unsigned long)(p) & ~PAGE_MASK)
#define MAX_ORDER		11
#define NODES_PGSHIFT		54
#define NODES_MASK		1023UL

struct page_pool;

/* 64 bytes, and what the pools use is where the kernel has it. */
struct page {
	unsigned long flags;
	union {
		struct {
			struct list_head lru;
			void *mapping;
			unsigned long index;
			unsigned long private;
		};
		struct {
			unsigned long pp_magic;
			struct page_pool *pp;
			unsigned long _pp_mapping_pad;
			unsigned long dma_addr;
			union {
				unsigned long dma_addr_upper;
				atomic_long_t pp_frag_count;	/* 6.1 */
				atomic_long_t pp_ref_count;	/* 6.12 */
			};
		};
		struct {
			unsigned long compound_head;
		};
	};
	atomic_t _mapcount;
	atomic_t _refcount;
	unsigned long memcg_data;
} ____cacheline_aligned;

static_assert(sizeof(struct page) == 64);

/* Constant once shim_memory_init() ran, like vmemmap_base and page_offset_base. */
extern struct page *mem_map;
extern char *mem_base;
extern unsigned long mem_pages;
#define PFN_BASE		0x100000UL

void shim_memory_init(unsigned long pages);
void shim_memory_reset(void);

/* What the allocator was asked for, by everybody since the start. */
struct buddy_counters {
	u64 allocated;		/* pages */
	u64 freed;		/* pages */
	u64 zone_locks;		/* acquisitions of the zone's lock */
	u64 zone_pages;		/* pages moved under it */
};

struct buddy_counters buddy_count(void);

static inline struct page *pfn_to_page(unsigned long pfn)
{
	return mem_map + (pfn - PFN_BASE);
}

static inline unsigned long page_to_pfn(const struct page *page)
{
	return page - mem_map + PFN_BASE;
}

static inline void *page_address(const struct page *page)
{
	return mem_base + ((page - mem_map) << PAGE_SHIFT);
}

static inline struct page *virt_to_page(const void *p)
{
	return mem_map + (((const char *)p - mem_base) >> PAGE_SHIFT);
}

static inline struct page *__compound_head(const struct page *page)
{
	unsigned long head = READ_ONCE(page->compound_head);

	return unlikely(head & 1) ? (struct page *)(head - 1) : (struct page *)page;
}

#define compound_head(page)	__compound_head(page)

static inline struct page *virt_to_head_page(const void *p)
{
	return compound_head(virt_to_page(p));
}

static inline int page_to_nid(const struct page *page)
{
	return page->flags >> NODES_PGSHIFT & NODES_MASK;
}

static inline phys_addr_t page_to_phys(const struct page *page)
{
	return (phys_addr_t)page_to_pfn(page) << PAGE_SHIFT;
}

static inline bool page_is_pfmemalloc(const struct page *page)
{
	return (unsigned long)page->lru.next & BIT(1);
}

static inline int page_ref_count(const struct page *page)
{
	return atomic_read(&page->_refcount);
}

static inline void page_ref_inc(struct page *page)
{
	atomic_inc(&page->_refcount);
}

static inline void get_page(struct page *page)
{
	page_ref_inc(compound_head(page));
}

struct page *alloc_pages_node(int nid, gfp_t gfp, unsigned int order);
unsigned long alloc_pages_bulk_array_node(gfp_t gfp, int nid, unsigned long n,
					  struct page **pages);
void free_unref_page(struct page *page);
void __free_pages(struct page *page, unsigned int order);

#define alloc_pages(gfp, order)	alloc_pages_node(NUMA_NO_NODE, gfp, order)
#define alloc_page(gfp)		alloc_pages(gfp, 0)
#define __free_page(page)	__free_pages(page, 0)

static inline void put_page(struct page *page)
{
	page = compound_head(page);
	if (atomic_dec_and_test(&page->_refcount))
		free_unref_page(page);
}

/* What 6.12 makes of the stamp, see its include/linux/mm.h. */
#define PAGE_OFFSET		0xffff888000000000UL
#define PP_DMA_INDEX_SHIFT	(1 + __fls(PP_SIGNATURE - POISON_POINTER_DELTA))
#define PP_DMA_INDEX_BITS	MIN(32, __ffs(POISON_POINTER_DELTA) - PP_DMA_INDEX_SHIFT)
#define PP_DMA_INDEX_MASK	GENMASK(PP_DMA_INDEX_BITS + PP_DMA_INDEX_SHIFT - 1, \
					PP_DMA_INDEX_SHIFT)
#define PP_MAGIC_MASK		(~(PP_DMA_INDEX_MASK | 3UL))

static inline bool page_pool_page_is_pp(const struct page *page)
{
	return (page->pp_magic & PP_MAGIC_MASK) == PP_SIGNATURE;
}

#endif /* _SHIM_PAGE_H */
