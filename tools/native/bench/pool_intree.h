/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The competitor: the kernel's own pool as a driver uses it. Pages are mapped by the
 * pool; the sync of non-coherent machines is left out, which flatters it.
 */
#include "compat.h"

struct pool {
	struct page_pool *pp;
	unsigned int bias;	/* 0: whole pages */
};

static struct device pool_dev = { .init_name = "bench" };

static void pool_create(struct pool *pool, unsigned int ring, unsigned int retained, bool fragments)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 12, 0)
	unsigned int flags = PP_FLAG_DMA_MAP | (fragments ? PP_FLAG_PAGE_FRAG : 0);
#else
	unsigned int flags = PP_FLAG_DMA_MAP;
#endif
	struct page_pool_params params = {
		.flags = flags,
		.pool_size = ring,
		.nid = 0,
		.dev = &pool_dev,
		.dma_dir = DMA_FROM_DEVICE,
	};

	pool->pp = page_pool_create(&params);
	BUG_ON(IS_ERR(pool->pp));
	pool->bias = fragments ? 64 : 0;
}

static __always_inline struct page *pool_alloc(struct pool *pool)
{
	struct page *page = page_pool_alloc_pages(pool->pp, GFP_ATOMIC | __GFP_NOWARN);

	if (pool->bias)
		page_pool_fragment_page(page, pool->bias);
	return page;
}

/* There is no such call, so drivers loop. */
static __always_inline void pool_alloc_bulk(struct pool *pool, struct page **pages,
					    unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		pages[i] = pool_alloc(pool);
}

static __always_inline void pool_recycle(struct pool *pool, struct page *page)
{
	page_pool_recycle_direct(pool->pp, page);
}

static __always_inline void pool_recycle_bulk(struct pool *pool, struct page **pages,
					      unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		pool_recycle(pool, pages[i]);
}

/* It cannot make use of it. */
static inline void pool_steer(struct pool *pool, struct page *page, unsigned int flow)
{
}

static inline void pool_copied(unsigned int flow)
{
}

/* The driver is done with pages of which the stack has some references each. */
static __always_inline void pool_give(struct pool *pool, struct page **pages, unsigned int n,
				      unsigned int given)
{
	unsigned int i;

	if (!pool->bias)
		return;
	for (i = 0; i < n; i++)
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 12, 0)
		if (!page_pool_defrag_page(pages[i], pool->bias - given))
			page_pool_put_defragged_page(pool->pp, pages[i], -1, true);
#else
		if (!page_pool_unref_page(pages[i], pool->bias - given))
			page_pool_put_unrefed_page(pool->pp, pages[i], -1, true);
#endif
}

static __always_inline void pool_put_bulk(struct pool *pool, struct page **pages, unsigned int n)
{
	void **data = (void **)pages;
	unsigned int i;

	for (i = 0; i < n; i++)
		data[i] = page_address(pages[i]);
	page_pool_put_page_bulk(pool->pp, data, n);
}

#include "pool_kernel.h"
