// SPDX-License-Identifier: GPL-2.0
/*
 * Pools that live, and pools that wait for pages which the stack still holds.
 *
 * rxpool_destroy() takes every mapping away, so a late page needs nothing of the
 * device: it lands in its ring, and the work below gives it to the page
 * allocator. A pool waits for as long as it takes: some process may keep a packet
 * unread for days, and there is nothing to repair about that.
 */
#include <linux/export.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>
#include "ring.h"

#define RXPOOL_DEAD_INTERVAL	(HZ / 4)

/* Protects rxpool_pools, and node and dead_since of its members. */
DEFINE_MUTEX(rxpool_lock);
LIST_HEAD(rxpool_pools);

static struct workqueue_struct *rxpool_wq;

static void rxpool_free_landed(struct rxpool *pool, struct page_pool *pp)
{
	struct page *pages[RXPOOL_BATCH];
	unsigned int i, n;

	while ((n = rxpool_ring_drain(pp, pages, RXPOOL_BATCH))) {
		if (rxpool_debugged(pool))
			n = rxpool_debug_landed(pool, pages, n);
		for (i = 0; i < n; i++) {
			rxpool_ring_unstamp(pages[i]);
			put_page(pages[i]);
		}
	}
}

/* Return: whether any page is still to come. */
static bool rxpool_awaits_pages(struct rxpool *pool)
{
	unsigned int i;

	for (i = 0; i < pool->shards; i++)
		rxpool_free_landed(pool, pool->shard[i]);
	rxpool_free_landed(pool, pool->burst_pp);
	return rxpool_outstanding(pool);
}

static void rxpool_bury(struct rxpool *pool)
{
	mutex_lock(&rxpool_lock);
	list_del(&pool->node);
	mutex_unlock(&rxpool_lock);
	rxpool_free(pool);
	/* Module exit waits for this work before the code goes away. */
	module_put(THIS_MODULE);
}

static void rxpool_dead_work(struct work_struct *work)
{
	struct rxpool *pool = container_of(to_delayed_work(work), struct rxpool,
					   dead_work);

	if (rxpool_awaits_pages(pool))
		queue_delayed_work(rxpool_wq, &pool->dead_work,
				   RXPOOL_DEAD_INTERVAL);
	else
		rxpool_bury(pool);
}

/**
 * rxpool_destroy() - end a pool
 * @pool: the pool, NULL or ERR_PTR() is harmless
 *
 * The device must have stopped, transmits from rxpool_dma_addr() included, and
 * every page posted to it must have been released. All mappings are gone when
 * this returns, whatever the stack still holds; those pages go to the page
 * allocator as they come back. Until then the pool is listed in debugfs under
 * rxpool/pools as dead, with its age, and the module stays loaded.
 *
 * Context: process, may sleep; the owner must have stopped.
 */
void rxpool_destroy(struct rxpool *pool)
{
	unsigned int i, idle;

	if (IS_ERR_OR_NULL(pool))
		return;

	WARN_ONCE(pool->burst_posted,
		  "rxpool: %s: destroyed with %u pages not released, their mappings leak\n",
		  pool->name, pool->burst_posted);

	rxpool_chunk_forget_lost(pool);
	if (rxpool_debugged(pool))
		rxpool_debug_destroy(pool);
	rxpool_chunk_unmap_all(pool);
	pool->dev = NULL;

	idle = rxpool_idle(pool);
	for (i = 0; i < idle; i++) {
		rxpool_ring_unstamp(pool->stack[i]);
		put_page(pool->stack[i]);
	}
	pool->top = pool->stack;

	if (!rxpool_awaits_pages(pool)) {
		rxpool_bury(pool);
		return;
	}

	mutex_lock(&rxpool_lock);
	/* 0 means alive */
	pool->dead_since = jiffies ?: 1;
	mutex_unlock(&rxpool_lock);
	INIT_DELAYED_WORK(&pool->dead_work, rxpool_dead_work);
	queue_delayed_work(rxpool_wq, &pool->dead_work, RXPOOL_DEAD_INTERVAL);
}
EXPORT_SYMBOL_GPL(rxpool_destroy);

/**
 * rxpool_count_pools() - how many pools there are
 * @dead: count those that were destroyed and wait for pages in flight, otherwise
 *	those in use
 *
 * Context: process, may sleep.
 * Return: pools of all drivers.
 */
unsigned int rxpool_count_pools(bool dead)
{
	struct rxpool *pool;
	unsigned int n = 0;

	mutex_lock(&rxpool_lock);
	list_for_each_entry(pool, &rxpool_pools, node)
		n += !!pool->dead_since == dead;
	mutex_unlock(&rxpool_lock);
	return n;
}
EXPORT_SYMBOL_GPL(rxpool_count_pools);

int rxpool_teardown_init(void)
{
	rxpool_wq = alloc_workqueue("rxpool", WQ_UNBOUND, 0);
	return rxpool_wq ? 0 : -ENOMEM;
}

void rxpool_teardown_exit(void)
{
	destroy_workqueue(rxpool_wq);
}
