// SPDX-License-Identifier: GPL-2.0
/*
 * The recycle ring: a struct page_pool that never allocates. A page stamped
 * with it lands in its ptr_ring when the stack, or XDP, drops the last
 * reference, on whatever CPU. This file alone knows the inside of page_pool.
 *
 * pages_state_hold_cnt - pages_state_release_cnt is kept at the number of pages
 * that carry the ring's stamp. We write the hold count only; the kernel
 * increments the release count when it takes a stamp away because the page
 * cannot be landed: somebody holds a page reference, or the ring is full.
 */
#include <linux/cpumask.h>
#include <linux/error-injection.h>
#include <linux/prefetch.h>
#include <linux/ptr_ring.h>
#include "ring.h"

/* Drains between two looks at a lock. */
#define RXPOOL_WATCH_INTERVAL	64

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

/* A pool so small that it moves in single batches has nothing to spread. */
static unsigned int rxpool_shards_default(const struct rxpool *pool)
{
	if (num_possible_cpus() == 1 || pool->capacity <= RXPOOL_BATCH)
		return 1;
	return RXPOOL_SHARDS_DEFAULT;
}

/*
 * Several rings, because CPUs that return pages into the same one fight for its
 * lock. Each can hold all retained pages: any number of them may come home by the
 * same way.
 */
int rxpool_shards_create(struct rxpool *pool, unsigned int shards)
{
	unsigned int size = pool->capacity + RXPOOL_RING_SLACK;

	if (!shards)
		shards = rxpool_shards_default(pool);
	while (pool->shards < shards) {
		struct page_pool *pp = rxpool_ring_create(pool, size,
							  RXPOOL_RING_RETAINED);

		if (IS_ERR(pp)) {
			rxpool_shards_destroy(pool);
			return PTR_ERR(pp);
		}
		pool->shard[pool->shards++] = pp;
	}
	return 0;
}

void rxpool_shards_destroy(struct rxpool *pool)
{
	while (pool->shards)
		rxpool_ring_destroy(pool->shard[--pool->shards]);
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
 * Does a page still carry a stamp of the pool? Compares the word and does not look
 * behind it, since the page may be anybody's.
 */
bool rxpool_stamp_kept(const struct rxpool *pool, const struct page *page)
{
	const struct page_pool *pp = READ_ONCE(page->pp);
	unsigned int i;

	if ((READ_ONCE(page->pp_magic) & ~3UL) != PP_SIGNATURE)
		return false;
	for (i = 0; i < pool->shards; i++)
		if (pool->shard[i] == pp)
			return true;
	return false;
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
static bool rxpool_ring_has(const struct page_pool *pp, unsigned int n)
{
	const struct ptr_ring *ring = &pp->ring;
	unsigned int last = ring->consumer_head + n - 1;

	if (last >= ring->size)
		last -= ring->size;
	return READ_ONCE(ring->queue[last]);
}

/*
 * Now and then the owner looks whether CPUs wait for the lock of the ring that it
 * drains. Not each time: that costs a cache line which the others are about to
 * write.
 */
static void rxpool_watch(struct rxpool *pool)
{
	struct ptr_ring *ring = &rxpool_shard_of(pool, pool->turn)->ring;

	if (unlikely(++pool->drains % RXPOOL_WATCH_INTERVAL == 0) && pool->shards > 1)
		rxpool_steer_watch(spin_is_contended(&ring->producer_lock));
}

/*
 * At least need pages if there are as many, at most n, n >= need. Rings take turns,
 * and one that has enough goes first: pages that are drained together are handed
 * out together and often come back together, and a CPU that returns them takes one
 * lock for all if they are of one ring.
 */
unsigned int rxpool_shards_drain(struct rxpool *pool, struct page **pages,
				 unsigned int need, unsigned int n)
{
	unsigned int i, got = 0;

	rxpool_watch(pool);
	for (i = 0; i < pool->shards; i++) {
		struct page_pool *pp = rxpool_shard_of(pool, pool->turn);

		if (rxpool_ring_has(pp, need)) {
			pool->turn++;
			return rxpool_ring_drain(pp, pages, n);
		}
		pool->turn = round_down(pool->turn, RXPOOL_RUN) + RXPOOL_RUN;
	}
	for (i = 0; i < pool->shards && got < need; i++) {
		got += rxpool_ring_drain(rxpool_shard_of(pool, pool->turn),
					 pages + got, n - got);
		pool->turn += RXPOOL_RUN;
	}
	return got;
}

/*
 * What the kernel does with returned pages, for many at a time. Any ring will do,
 * whatever the stamps: that of this CPU is hardly used by others. The slots
 * were cleared by the owner, so all their cache lines are fetched at once.
 */
void rxpool_shards_land(struct rxpool *pool, struct page **pages, unsigned int n)
{
	struct page_pool *pp = pool->shard[raw_smp_processor_id() & (pool->shards - 1)];
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
static unsigned int rxpool_ring_landed(const struct page_pool *pp)
{
	const struct ptr_ring *ring = &pp->ring;
	int head = READ_ONCE(ring->consumer_head);
	/* The producer counts it up with a plain store. */
	int tail = data_race(READ_ONCE(ring->producer));

	if (head == tail)
		return READ_ONCE(ring->queue[head]) ? ring->size : 0;
	return tail > head ? tail - head : tail + ring->size - head;
}

unsigned int rxpool_landed(const struct rxpool *pool)
{
	unsigned int i, landed = rxpool_ring_landed(pool->burst_pp);

	for (i = 0; i < pool->shards; i++)
		landed += rxpool_ring_landed(pool->shard[i]);
	return landed;
}

/* Retained pages whose stamp the kernel has taken, ever. Burst pages that XDP
 * returned to a retained page's ring are counted, too.
 */
unsigned int rxpool_released(const struct rxpool *pool)
{
	unsigned int i, released = 0;

	for (i = 0; i < pool->shards; i++)
		released += atomic_read(&pool->shard[i]->pages_state_release_cnt);
	return released;
}

int rxpool_ring_outstanding(const struct page_pool *pp)
{
	return READ_ONCE(pp->pages_state_hold_cnt) -
	       atomic_read(&pp->pages_state_release_cnt);
}

/*
 * Pages that carry a stamp of the pool. XDP returns count on the ring of their rxq,
 * whatever the page's stamp, so one ring's number may be off and even negative. The
 * sum is exact, or too large while pages are being lost: all numbers only fall.
 */
int rxpool_outstanding(const struct rxpool *pool)
{
	int n = rxpool_ring_outstanding(pool->burst_pp);
	unsigned int i;

	for (i = 0; i < pool->shards; i++)
		n += rxpool_ring_outstanding(pool->shard[i]);
	return n;
}
