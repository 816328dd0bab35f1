/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Recycle rings. With ring.c the only code that looks into struct page_pool.
 */
#ifndef _RXPOOL_RING_H
#define _RXPOOL_RING_H

#include "compat.h"
#include "pool.h"

/* ring.c: one ring */
struct page_pool *rxpool_ring_create(struct rxpool *pool, unsigned int size,
				     unsigned long kind);
void rxpool_ring_destroy(struct page_pool *pp);
void rxpool_ring_stamp(struct page_pool *pp, struct page *page, long refs);
void rxpool_ring_unstamp(struct page *page);
bool rxpool_ring_has(const struct page_pool *pp, unsigned int n);
unsigned int rxpool_ring_drain(struct page_pool *pp, struct page **pages,
			       unsigned int n);
void rxpool_ring_land(struct page_pool *pp, struct page **pages, unsigned int n);
unsigned int rxpool_ring_landed(const struct page_pool *pp);
unsigned int rxpool_ring_released(const struct page_pool *pp);
int rxpool_ring_outstanding(const struct page_pool *pp);

/* shards.c: those of the retained pages, or all of a pool */
int rxpool_shards_create(struct rxpool *pool, unsigned int shards);
void rxpool_shards_destroy(struct rxpool *pool);
unsigned int rxpool_shards_drain(struct rxpool *pool, struct page **pages,
				 unsigned int need, unsigned int n);
void rxpool_shards_rearrange(struct rxpool *pool, struct page **pages, unsigned int n);
void rxpool_shards_land(struct rxpool *pool, struct page **pages, unsigned int n);
bool rxpool_stamp_kept(const struct rxpool *pool, const struct page *page);
unsigned int rxpool_landed(const struct rxpool *pool);
unsigned int rxpool_released(const struct rxpool *pool);
int rxpool_outstanding(const struct rxpool *pool);

/* The ring that a batch, by its number, belongs to. */
static inline struct page_pool *rxpool_shard_of(const struct rxpool *pool,
						unsigned int batch)
{
	return pool->shard[batch >> pool->run & (pool->shards - 1)];
}

/* A ring knows its pool, and in the lowest bit what pages it is for, so that one
 * comparison tells a retained page.
 */
#define RXPOOL_RING_RETAINED	0UL
#define RXPOOL_RING_BURST	1UL

/* The pool that a page is stamped for, of a page known to be stamped. */
static inline struct rxpool *rxpool_of(const struct page *page)
{
	unsigned long arg = (unsigned long)rxpool_init_arg(READ_ONCE(page->pp));

	return (struct rxpool *)(arg & ~RXPOOL_RING_BURST);
}

/*
 * For pages the caller holds: the stamp of one that the pool has lost can be that
 * of another pool by now, and of one that ends.
 */
static inline bool rxpool_owns(const struct rxpool *pool, const struct page *page)
{
	return (READ_ONCE(page->pp_magic) & ~3UL) == PP_SIGNATURE &&
	       rxpool_of(page) == pool;
}

static inline bool rxpool_retains(const struct rxpool *pool,
				  const struct page *page)
{
	return (READ_ONCE(page->pp_magic) & ~3UL) == PP_SIGNATURE &&
	       rxpool_init_arg(READ_ONCE(page->pp)) == pool;
}

#endif /* _RXPOOL_RING_H */
