/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The competitor: rxpool, on the recycle ring of the kernel that it was compiled with.
 */
#include <rxpool.h>

struct pool {
	struct rxpool *rx;
	unsigned int bias;
};

static u64 pool_dma_mask = ~0ULL;
static struct device pool_dev = { .init_name = "bench", .dma_mask = &pool_dma_mask };

static void pool_create(struct pool *pool, unsigned int ring, unsigned int retained, bool fragments)
{
	struct rxpool_params params = {
		.name = "bench",
		.dev = &pool_dev,
		.dma_dir = DMA_FROM_DEVICE,
		.nid = 0,
		.capacity = min(retained, RXPOOL_CAPACITY_MAX),
		.bias = fragments ? 64 : 1,
	};

	pool->rx = rxpool_create(&params);
	BUG_ON(IS_ERR(pool->rx));
	pool->bias = params.bias;
}

static __always_inline struct page *pool_alloc(struct pool *pool)
{
	return rxpool_alloc(pool->rx, GFP_ATOMIC);
}

static __always_inline void pool_alloc_bulk(struct pool *pool, struct page **pages,
					    unsigned int n)
{
	if (rxpool_alloc_bulk(pool->rx, pages, n, GFP_ATOMIC) != n)
		abort();
}

static __always_inline void pool_recycle(struct pool *pool, struct page *page)
{
	rxpool_release(pool->rx, page, pool->bias);
}

static __always_inline void pool_recycle_bulk(struct pool *pool, struct page **pages,
					      unsigned int n)
{
	rxpool_release_bulk(pool->rx, pages, n, pool->bias);
}

/* Flows are small numbers here. Hashes differ in their upper bits, too. */
static __always_inline u32 flow_hash(unsigned int flow)
{
	return (flow + 1) * 0x10010001U;
}

/* A page's packet has come. */
static __always_inline void pool_steer(struct pool *pool, struct page *page, unsigned int flow)
{
	rxpool_steer(pool->rx, page, flow_hash(flow));
}

/* A packet is copied to its reader. */
static __always_inline void pool_copied(unsigned int flow)
{
	struct sk_buff skb = { .pp_recycle = true, .hash = flow_hash(flow) };

	trace_skb_copy_datagram_iovec(&skb, 0);
}

/* The driver is done with pages of which the stack has some references each. */
static __always_inline void pool_give(struct pool *pool, struct page **pages, unsigned int n,
				      unsigned int given)
{
	rxpool_release_bulk(pool->rx, pages, n, pool->bias - given);
}

static __always_inline void pool_put_bulk(struct pool *pool, struct page **pages, unsigned int n)
{
	rxpool_put_bulk(pool->rx, pages, n);
}

#include "pool_kernel.h"
