// SPDX-License-Identifier: GPL-2.0
/*
 * A pool's recycle rings for retained pages: several, because CPUs that return pages
 * into the same one fight for its lock.
 */
#include <linux/cpumask.h>
#include <linux/jiffies.h>
#include "ring.h"

/* Drains between two looks at the time. */
#define RXPOOL_WATCH_INTERVAL	64
/* How long a pool keeps its batches apart once CPUs were seen to get in each other's way. */
#define RXPOOL_SHORT_TIME	(10 * HZ)
#define RXPOOL_MIXED_MAX	6
/* Drains from one look at the order to the next while all is well, and until a page is no
 * longer waited for.
 */
#define RXPOOL_MARK_INTERVAL	32
#define RXPOOL_MARK_EXPIRES	64

/* A pool so small that it moves in single batches has nothing to spread. */
static unsigned int rxpool_shards_default(const struct rxpool *pool)
{
	if (num_possible_cpus() == 1 || pool->capacity <= RXPOOL_BATCH)
		return 1;
	return RXPOOL_SHARDS_DEFAULT;
}

/* Each can hold all retained pages: any number of them may come home by the same way. */
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

static void rxpool_set_run(struct rxpool *pool, unsigned int run)
{
	pool->run = run;
	pool->rearrange = 2 * pool->retained;
	pool->mixed = 0;
	pool->mark = NULL;
}

/*
 * After the run's length has changed: stamps batch by batch. Some batch may come by more
 * often than another, so this goes on for twice as many pages as there are.
 */
void rxpool_shards_rearrange(struct rxpool *pool, struct page **pages, unsigned int n)
{
	struct page_pool *pp = rxpool_shard_of(pool, pool->rearrange / RXPOOL_BATCH);
	unsigned int i;

	for (i = 0; i < n; i++)
		WRITE_ONCE(pages[i]->pp, pp);
	pool->rearrange -= min(n, pool->rearrange);
}

/* Steered pages have gone other ways, which says nothing. */
static void rxpool_judge(struct rxpool *pool, bool together)
{
	if (pool->count.steered != pool->mark_steered)
		return;
	if (together) {
		pool->mixed -= min(pool->mixed, 1U);
		return;
	}
	pool->mixed += 2;
	if (pool->mixed < RXPOOL_MIXED_MAX)
		return;
	rxpool_set_run(pool, RXPOOL_RUN_SHORT);
	pool->short_until = jiffies + RXPOOL_SHORT_TIME;
	rxpool_steer_watch(true);
}

/* A neighbour of the first or the last may not have been drained. */
static void rxpool_find_mark(struct rxpool *pool, struct page **pages, unsigned int n)
{
	const struct page *mark = pool->mark;
	unsigned int i;

	for (i = 1; i + 1 < n; i++) {
		if (pages[i] != mark)
			continue;
		pool->mark = NULL;
		rxpool_judge(pool, pages[i - 1] == pool->mark_next ||
			     pages[i + 1] == pool->mark_next);
		return;
	}
}

/*
 * Neighbours in the ring are handed out together and mostly freed together. If they come
 * home with others between them, several CPUs were in the ring at that time.
 */
static void rxpool_watch_order(struct rxpool *pool, struct page_pool *pp,
			       struct page **pages, unsigned int n)
{
	if (pool->run == RXPOOL_RUN_SHORT || pool->shards == 1)
		return;
	if (pool->mark) {
		if (pp == pool->mark_ring)
			rxpool_find_mark(pool, pages, n);
		if (pool->drains - pool->marked < RXPOOL_MARK_EXPIRES)
			return;
	}
	if (n < 4 || (!pool->mixed && pool->drains - pool->marked < RXPOOL_MARK_INTERVAL))
		return;
	pool->mark = pages[n / 2];
	pool->mark_next = pages[n / 2 + 1];
	pool->mark_ring = pp;
	pool->mark_steered = pool->count.steered;
	pool->marked = pool->drains;
}

static void rxpool_watch_time(struct rxpool *pool)
{
	if (likely(++pool->drains % RXPOOL_WATCH_INTERVAL) || pool->shards == 1)
		return;
	if (pool->run == RXPOOL_RUN_SHORT && time_after(jiffies, pool->short_until))
		rxpool_set_run(pool, RXPOOL_RUN_LONG);
	rxpool_steer_watch(false);
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
	unsigned int i, run, got = 0;

	rxpool_watch_time(pool);
	run = 1U << pool->run;
	for (i = 0; i < pool->shards; i++) {
		struct page_pool *pp = rxpool_shard_of(pool, pool->turn);

		if (rxpool_ring_has(pp, need)) {
			pool->turn++;
			got = rxpool_ring_drain(pp, pages, n);
			rxpool_watch_order(pool, pp, pages, got);
			return got;
		}
		pool->turn = round_down(pool->turn, run) + run;
	}
	for (i = 0; i < pool->shards && got < need; i++) {
		got += rxpool_ring_drain(rxpool_shard_of(pool, pool->turn),
					 pages + got, n - got);
		pool->turn += run;
	}
	return got;
}

/* Any ring will do, whatever the stamps: that of this CPU is hardly used by others. */
void rxpool_shards_land(struct rxpool *pool, struct page **pages, unsigned int n)
{
	rxpool_ring_land(pool->shard[raw_smp_processor_id() & (pool->shards - 1)], pages, n);
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
		released += rxpool_ring_released(pool->shard[i]);
	return released;
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
