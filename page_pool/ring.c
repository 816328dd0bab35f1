// SPDX-License-Identifier: GPL-2.0
/*
 * One recycle ring: a struct page_pool that never allocates. A page stamped
 * with it lands in its ptr_ring when the stack, or XDP, drops the last
 * reference, on whatever CPU. This file alone knows the inside of page_pool.
 *
 * pages_state_hold_cnt - pages_state_release_cnt is kept at the number of pages
 * that carry the ring's stamp. We write the hold count only; the kernel
 * increments the release count when it takes a stamp away because the page
 * cannot be landed: somebody holds a page reference, or the ring is full.
 */
#include <linux/error-injection.h>
#include <linux/prefetch.h>
#include <linux/ptr_ring.h>
#include "ring.h"

struct page_pool *rxpool_ring_create(struct rxpool *pool, unsigned int size,
				     unsigned long kind)
{
	/* No PP_FLAG_DMA_*: a page may come home after the device is gone. */
	struct page_pool_params params = {
		.flags = RXPOOL_PP_FLAGS(pool->bias),
		.pool_size = size,
		.nid = pool->nid,
		.init_arg = (void *)pool + kind,
	};
	struct page_pool *pp = page_pool_create(&params);

	if (IS_ERR(pp))
		return pp;

	/* A full cache makes the kernel's "direct" returns, made by whoever
	 * claims to be this queue's NAPI, land in the ring like all others.
	 */
	pp->alloc.count = PP_ALLOC_CACHE_SIZE;
	return pp;
}

ALLOW_ERROR_INJECTION(rxpool_ring_create, ERRNO);

/*
 * No page may carry the stamp any more. A CPU that landed the last one may still
 * hold the ring's producer lock: page_pool_destroy() waits for it.
 */
void rxpool_ring_destroy(struct page_pool *pp)
{
	pp->alloc.count = 0;
	/* An XDP return may have counted a page on its rxq's ring instead. */
	WRITE_ONCE(pp->pages_state_hold_cnt,
		   atomic_read(&pp->pages_state_release_cnt));
	page_pool_destroy(pp);
}

void rxpool_ring_stamp(struct page_pool *pp, struct page *page, long refs)
{
	/* Set outright: pages of a split block have stale words here. Only the
	 * mark of a page from the emergency reserve, in the same word, stays.
	 */
	unsigned long reserve = page_is_pfmemalloc(page) ? BIT(1) : 0;

	WRITE_ONCE(page->pp, pp);
	WRITE_ONCE(page->pp_magic, PP_SIGNATURE | reserve);
	atomic_long_set(rxpool_refs(page), refs);
	WRITE_ONCE(pp->pages_state_hold_cnt, pp->pages_state_hold_cnt + 1);
}

/* The allocator takes a stamped page for a leaked one, so unstamp before. */
void rxpool_ring_unstamp(struct page *page)
{
	struct page_pool *pp = page->pp;

	/* Who still holds the page may be looking whether it is a tail page. */
	WRITE_ONCE(page->pp_magic, 0);
	WRITE_ONCE(page->pp, NULL);
	WRITE_ONCE(pp->pages_state_hold_cnt, pp->pages_state_hold_cnt - 1);
}

/*
 * No lock: the owner, and after it the dead pool's work, is the only consumer.
 * Pairs with the smp_wmb() in __ptr_ring_produce().
 */
unsigned int rxpool_ring_drain(struct page_pool *pp, struct page **pages,
			       unsigned int n)
{
	return __ptr_ring_consume_batched(&pp->ring, (void **)pages, n);
}

/* Are there n pages? Reads a slot that draining them reads anyway. */
bool rxpool_ring_has(const struct page_pool *pp, unsigned int n)
{
	const struct ptr_ring *ring = &pp->ring;
	unsigned int last = ring->consumer_head + n - 1;

	if (last >= ring->size)
		last -= ring->size;
	return READ_ONCE(ring->queue[last]);
}

/*
 * What the kernel does with returned pages, for many at a time. The slots were cleared
 * by the owner, so all their cache lines are fetched at once.
 */
void rxpool_ring_land(struct page_pool *pp, struct page **pages, unsigned int n)
{
	struct ptr_ring *ring = &pp->ring;
	unsigned int i, slot;

	/* Never behind the last one, so what wraps around is left out. */
	slot = data_race(READ_ONCE(ring->producer));
	for (i = 0; i < n && slot + i < ring->size; i += SMP_CACHE_BYTES / sizeof(void *))
		prefetchw(&ring->queue[slot + i]);

	spin_lock_bh(&ring->producer_lock);
	for (i = 0; i < n; i++)
		if (__ptr_ring_produce(ring, pages[i]))
			break;
	spin_unlock_bh(&ring->producer_lock);
	/* The pool may be gone: only pages that could not land are still ours. */
	for (; i < n; i++)
		rxpool_put_unrefed(pages[i]);
}

/* Racy by nature, for statistics only. */
unsigned int rxpool_ring_landed(const struct page_pool *pp)
{
	const struct ptr_ring *ring = &pp->ring;
	int head = READ_ONCE(ring->consumer_head);
	/* The producer counts it up with a plain store. */
	int tail = data_race(READ_ONCE(ring->producer));

	if (head == tail)
		return READ_ONCE(ring->queue[head]) ? ring->size : 0;
	return tail > head ? tail - head : tail + ring->size - head;
}

/* Pages whose stamp the kernel has taken, ever. */
unsigned int rxpool_ring_released(const struct page_pool *pp)
{
	return atomic_read(&pp->pages_state_release_cnt);
}

int rxpool_ring_outstanding(const struct page_pool *pp)
{
	return READ_ONCE(pp->pages_state_hold_cnt) -
	       atomic_read(&pp->pages_state_release_cnt);
}
