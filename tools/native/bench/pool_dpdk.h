/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The competitor: DPDK's mempool, a ring with a cache for each core. It keeps no
 * references and takes nothing from a page allocator; an element stands for a page.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <rte_eal.h>
#include <rte_lcore.h>
#include <rte_mempool.h>

#define CACHE	256

struct page;

struct pool {
	struct rte_mempool *mp;
};

static void bench_init(void)
{
	static char *arguments[] = {
		"bench", "--no-huge", "--no-pci", "--no-telemetry", "--no-shconf",
		"-m", "64", "-l", "0", "--log-level", "error",
	};

	if (rte_eal_init(sizeof(arguments) / sizeof(arguments[0]), arguments) < 0)
		abort();
}

static void bench_thread(int cpu)
{
	if (cpu && rte_thread_register())
		abort();
}

static void owner_enter(void)
{
}

static void owner_leave(void)
{
}

static void pool_create(struct pool *pool, unsigned int ring, unsigned int retained, bool fragments)
{
	if (fragments) {
		fprintf(stderr, "no fragments\n");
		exit(2);
	}
	/* What lies in the caches is not to be had by others. */
	pool->mp = rte_mempool_create("bench", retained + 4 * CACHE, 64, CACHE, 0, NULL, NULL,
				      NULL, NULL, SOCKET_ID_ANY, 0);
	if (!pool->mp)
		abort();
}

static inline void pool_alloc_bulk(struct pool *pool, struct page **pages, unsigned int n)
{
	if (rte_mempool_get_bulk(pool->mp, (void **)pages, n))
		abort();
}

static inline struct page *pool_alloc(struct pool *pool)
{
	struct page *page;

	pool_alloc_bulk(pool, &page, 1);
	return page;
}

static inline void pool_put_bulk(struct pool *pool, struct page **pages, unsigned int n)
{
	rte_mempool_put_bulk(pool->mp, (void **)pages, n);
}

static inline void pool_put(struct pool *pool, struct page *page)
{
	rte_mempool_put(pool->mp, page);
}

static inline void pool_recycle(struct pool *pool, struct page *page)
{
	pool_put(pool, page);
}

static inline void pool_recycle_bulk(struct pool *pool, struct page **pages,
				     unsigned int n)
{
	pool_put_bulk(pool, pages, n);
}

/* It cannot make use of it. */
static inline void pool_steer(struct pool *pool, struct page *page, unsigned int flow)
{
}

static inline void pool_copied(unsigned int flow)
{
}

static inline void pool_give(struct pool *pool, struct page **pages, unsigned int n,
			     unsigned int given)
{
}

static uint64_t buddy_pages(void)
{
	return 0;
}

static uint64_t buddy_locks(void)
{
	return 0;
}
