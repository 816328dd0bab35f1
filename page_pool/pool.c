// SPDX-License-Identifier: GPL-2.0
/*
 * The pool: create, hand out, take back.
 */
#define pr_fmt(fmt) "rxpool: " fmt

#include <linux/device.h>
#include <linux/dma-mapping.h>
#include <linux/log2.h>
#include <linux/module.h>
#include <linux/prefetch.h>
#include <linux/slab.h>
#include <net/xdp.h>
#include "ring.h"

/* A whole page keeps its single reference on its way, and without syncs nothing of
 * struct page needs to be touched at hand-out: its cache line stays where it is.
 */
static bool rxpool_prepares(const struct rxpool *pool)
{
	return unlikely(pool->bias > 1) || unlikely(pool->dma_sync);
}

/* Syncs that become necessary later, with a burst page's mapping, are that page's only:
 * the retained ones keep the mappings that they have.
 */
static void rxpool_set_fresh(struct rxpool *pool, struct page **fresh)
{
	pool->fresh = fresh;
	pool->plain = rxpool_prepares(pool) || pool->debug ? pool->end : fresh;
}

static bool rxpool_params_valid(const struct rxpool_params *p)
{
	if (!p) {
		pr_err("params is NULL\n");
		return false;
	}
	if (!p->name || !*p->name) {
		pr_err("params.name is empty: give each queue's pool a name\n");
		return false;
	}
	if (!p->dev) {
		pr_err("%s: params.dev is NULL\n", p->name);
		return false;
	}
	if (!p->dev->dma_mask || !*p->dev->dma_mask) {
		pr_err("%s: params.dev %s has no DMA mask: call dma_set_mask_and_coherent() first\n",
		       p->name, dev_name(p->dev));
		return false;
	}
	if (p->dma_dir != DMA_FROM_DEVICE && p->dma_dir != DMA_BIDIRECTIONAL) {
		pr_err("%s: params.dma_dir %d is neither DMA_FROM_DEVICE nor DMA_BIDIRECTIONAL\n",
		       p->name, p->dma_dir);
		return false;
	}
	if (p->nid != NUMA_NO_NODE &&
	    (p->nid < 0 || p->nid >= MAX_NUMNODES || !node_online(p->nid))) {
		pr_err("%s: params.nid %d is not an online node\n",
		       p->name, p->nid);
		return false;
	}
	if (!p->capacity || p->capacity > RXPOOL_CAPACITY_MAX) {
		pr_err("%s: params.capacity %u is not within 1..%u pages\n",
		       p->name, p->capacity, RXPOOL_CAPACITY_MAX);
		return false;
	}
	if (!p->bias || p->bias > RXPOOL_BIAS_MAX) {
		pr_err("%s: params.bias %u is not within 1..%u\n",
		       p->name, p->bias, RXPOOL_BIAS_MAX);
		return false;
	}
	if (p->offset >= PAGE_SIZE) {
		pr_err("%s: params.offset %u is beyond the page\n",
		       p->name, p->offset);
		return false;
	}
	if (p->max_len > PAGE_SIZE - p->offset) {
		pr_err("%s: params.max_len %u from offset %u is beyond the page\n",
		       p->name, p->max_len, p->offset);
		return false;
	}
	if (p->shards > RXPOOL_SHARDS_MAX ||
	    (p->shards && !is_power_of_2(p->shards))) {
		pr_err("%s: params.shards %u is not a power of two up to %u\n",
		       p->name, p->shards, RXPOOL_SHARDS_MAX);
		return false;
	}
	return true;
}

/**
 * rxpool_create() - make the pool of one receive queue
 * @params: see &struct rxpool_params; not needed after the call
 *
 * No page is allocated yet. The module stays loaded until the pool is gone,
 * which is when it was destroyed and its last page has come back.
 *
 * Context: process, may sleep.
 * Return: the pool; ERR_PTR(-EINVAL) with a message that names the parameter;
 * ERR_PTR(-ENOMEM).
 */
struct rxpool *rxpool_create(const struct rxpool_params *params)
{
	struct rxpool *pool;
	int err = -ENOMEM;

	if (!rxpool_params_valid(params))
		return ERR_PTR(-EINVAL);

	pool = kzalloc_node(sizeof(*pool), GFP_KERNEL, params->nid);
	if (!pool)
		return ERR_PTR(-ENOMEM);

	pool->dev = params->dev;
	pool->dma_dir = params->dma_dir;
	pool->capacity = params->capacity;
	pool->bias = params->bias;
	pool->offset = params->offset;
	pool->max_len = params->max_len ?: PAGE_SIZE - params->offset;
	pool->nid = params->nid;
	strscpy(pool->name, params->name, sizeof(pool->name));

	err = rxpool_debug_create(pool, params->debug);
	if (err)
		goto err_pool;
	err = -ENOMEM;

	pool->stack = kvmalloc_array(pool->capacity, sizeof(*pool->stack),
				     GFP_KERNEL);
	if (!pool->stack)
		goto err_debug;
	pool->top = pool->stack;
	pool->end = pool->stack + pool->capacity;
	pool->run = RXPOOL_RUN_LONG;
	rxpool_set_fresh(pool, pool->stack);

	pool->chunks = kvmalloc_array(pool->capacity, sizeof(*pool->chunks),
				      GFP_KERNEL);
	if (!pool->chunks)
		goto err_stack;

	err = rxpool_shards_create(pool, params->shards);
	if (err)
		goto err_chunks;

	pool->burst_pp = rxpool_ring_create(pool, RXPOOL_BURST_RING,
					    RXPOOL_RING_BURST);
	if (IS_ERR(pool->burst_pp)) {
		err = PTR_ERR(pool->burst_pp);
		goto err_shards;
	}

	__module_get(THIS_MODULE);
	mutex_lock(&rxpool_lock);
	list_add_tail(&pool->node, &rxpool_pools);
	mutex_unlock(&rxpool_lock);
	return pool;

err_shards:
	rxpool_shards_destroy(pool);
err_chunks:
	kvfree(pool->chunks);
err_stack:
	kvfree(pool->stack);
err_debug:
	rxpool_debug_free(pool);
err_pool:
	kfree(pool);
	return ERR_PTR(err);
}
EXPORT_SYMBOL_GPL(rxpool_create);

/* Everything of a pool but its pages, which are gone. */
void rxpool_free(struct rxpool *pool)
{
	rxpool_ring_destroy(pool->burst_pp);
	rxpool_shards_destroy(pool);
	kvfree(pool->chunks);
	kvfree(pool->stack);
	rxpool_debug_free(pool);
	kfree(pool);
}

static unsigned int rxpool_take_idle(struct rxpool *pool, struct page **pages,
				     unsigned int n)
{
	struct page **top = pool->top;

	n = min_t(unsigned int, n, top - pool->stack);
	top -= n;
	memcpy(pages, top, n * sizeof(*pages));
	WRITE_ONCE(pool->top, top);
	if (unlikely(top < pool->fresh)) {
		rxpool_count(pool, first, pool->fresh - top);
		rxpool_set_fresh(pool, top);
	}
	rxpool_count(pool, popped, n);
	return n;
}

static void rxpool_free_burst(struct rxpool *pool, struct page *page)
{
	if (rxpool_debugged(pool))
		rxpool_debug_gone(pool, page);
	rxpool_ring_unstamp(page);
	put_page(page);
}

/*
 * XDP's returns go to the ring of the rxq, whatever the page is stamped with,
 * so burst pages can land among the retained ones.
 */
static unsigned int rxpool_sort_out_burst(struct rxpool *pool,
					  struct page **pages, unsigned int n)
{
	unsigned int i, kept = 0;

	for (i = 0; i < n; i++) {
		if (unlikely(pages[i]->pp == pool->burst_pp))
			rxpool_free_burst(pool, pages[i]);
		else
			pages[kept++] = pages[i];
	}
	return kept;
}

/* Called with an empty stack.
 *
 * Landed pages are not looked at unless a burst page may be among them: their
 * struct page is in the cache of the CPU that returned them.
 */
static void rxpool_drain_shards(struct rxpool *pool, unsigned int need)
{
	unsigned int n, drained, got;
	struct page **to;

	do {
		to = pool->top;
		n = min_t(unsigned int, max(need, RXPOOL_BATCH), pool->end - to);
		drained = rxpool_shards_drain(pool, to, min(need, n), n);
		got = drained;
		if (rxpool_debugged(pool))
			got = rxpool_debug_landed(pool, to, got);
		if (unlikely(rxpool_ring_outstanding(pool->burst_pp)))
			got = rxpool_sort_out_burst(pool, to, got);
		if (unlikely(pool->rearrange))
			rxpool_shards_rearrange(pool, to, got);

		WRITE_ONCE(pool->top, to + got);
		rxpool_count(pool, return_ring, got);
		need -= min(need, got);
	} while (unlikely(got < drained && need));
}

/* Up to n pages, of which the first need are worth an effort. */
static unsigned int rxpool_take_buddy(struct rxpool *pool, struct page **pages,
				      unsigned int n, unsigned int need,
				      gfp_t gfp)
{
	unsigned int got;

	/* The bulk allocator fills the entries that are NULL. It gives up early,
	 * with a single page, long before memory is gone: below the low
	 * watermark, or when it cannot have the lock at once.
	 */
	memset(pages, 0, n * sizeof(*pages));
	got = alloc_pages_bulk_array_node(gfp, pool->nid, n, pages);
	while (unlikely(got < need)) {
		pages[got] = alloc_pages_node(pool->nid, gfp, 0);
		if (!pages[got])
			break;
		got++;
	}
	rxpool_count(pool, from_buddy, got);

	/* One of these pages may be one that we owned and lost since we last
	 * looked: it must leave the table before it enters it again.
	 */
	rxpool_chunk_forget_lost(pool);
	if (rxpool_debugged(pool))
		got = rxpool_debug_new_pages(pool, pages, got);
	return got;
}

/* Called with an empty stack, which serves as the array to allocate into. */
static void rxpool_grow(struct rxpool *pool, unsigned int need, gfp_t gfp)
{
	struct page **raw = pool->stack;
	unsigned int i, n, got, kept = 0;

	/* Lost pages must not use up the capacity. */
	if (pool->capacity - pool->retained < need)
		rxpool_chunk_forget_lost(pool);
	n = min(max(need, RXPOOL_BATCH), pool->capacity - pool->retained);
	if (!n)
		return;

	got = rxpool_take_buddy(pool, raw, n, min(n, need), gfp);
	for (i = 0; i < got; i++) {
		struct page *page = raw[i];

		/* Emergency reserves must not be retained. */
		if (unlikely(page_is_pfmemalloc(page)) ||
		    unlikely(!rxpool_chunk_add(pool, page)))
			put_page(page);
		else
			raw[kept++] = page;
	}
	WRITE_ONCE(pool->top, raw + kept);
	rxpool_count(pool, grown, kept);
	rxpool_set_fresh(pool, raw + kept);
}

static unsigned int rxpool_take_burst(struct rxpool *pool, struct page **pages,
				      unsigned int n, gfp_t gfp)
{
	unsigned int i, got, kept = 0;
	dma_addr_t dma;

	got = rxpool_ring_drain(pool->burst_pp, pages, n);
	if (rxpool_debugged(pool))
		got = rxpool_debug_landed(pool, pages, got);
	for (i = 0; i < got; i++)
		rxpool_ring_unstamp(pages[i]);
	if (got < n)
		got += rxpool_take_buddy(pool, pages + got, n - got, n - got,
					 gfp);

	for (i = 0; i < got; i++) {
		struct page *page = pages[i];

		if (unlikely(rxpool_map_page(pool, page, &dma))) {
			put_page(page);
			continue;
		}
		page->dma_addr = dma;
		rxpool_ring_stamp(pool->burst_pp, page, pool->bias);
		pages[kept++] = page;
	}
	pool->burst_posted += kept;
	rxpool_count(pool, burst, kept);
	return kept;
}

static noinline unsigned int rxpool_alloc_slow(struct rxpool *pool,
					       struct page **pages,
					       unsigned int n, gfp_t gfp)
{
	unsigned int got;

	rxpool_drain_shards(pool, n);
	got = rxpool_take_idle(pool, pages, n);
	if (likely(got == n))
		return got;

	/* Nobody reads a warning about a dropped packet's page. */
	gfp |= __GFP_NOWARN;
	rxpool_grow(pool, n - got, gfp);
	got += rxpool_take_idle(pool, pages + got, n - got);
	if (got < n)
		got += rxpool_take_burst(pool, pages + got, n - got, gfp);
	if (got < n)
		rxpool_count(pool, alloc_failed, n - got);
	return got;
}

static __always_inline void rxpool_prepare(struct rxpool *pool, struct page *page)
{
	if (atomic_long_read(rxpool_refs(page)) != pool->bias)
		atomic_long_set(rxpool_refs(page), pool->bias);
	if (pool->dma_sync)
		rxpool_sync_for_device(pool, page, pool->offset, pool->max_len);
}

/* Who freed the pages wrote to them last: all cache lines are asked for at once. */
static noinline void rxpool_prepare_bulk(struct rxpool *pool, struct page **pages,
					 unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		prefetchw(rxpool_refs(pages[i]));
	for (i = 0; i < n; i++)
		rxpool_prepare(pool, pages[i]);
}

/**
 * rxpool_alloc_bulk() - hand out pages to the device
 * @pool: the queue's pool
 * @pages: where to put them
 * @n: how many
 * @gfp: for pages that the allocator must supply, usually %GFP_ATOMIC; recycled
 *	pages are not zeroed, so %__GFP_ZERO is of no use
 *
 * The pages are mapped, synced for the device, and carry &rxpool_params.bias
 * references each, all the caller's. Give each back with rxpool_release().
 *
 * Context: the owner: the queue's NAPI, or process context while it is disabled.
 * Return: how many were handed out; fewer than @n only if memory or mappings are
 * short, and counted in &rxpool_stats.alloc_failed. The first ones of @pages.
 */
unsigned int rxpool_alloc_bulk(struct rxpool *pool, struct page **pages,
			       unsigned int n, gfp_t gfp)
{
	unsigned int got = 0;

	if (likely(rxpool_owner_enter(pool))) {
		got = rxpool_take_idle(pool, pages, n);
		if (unlikely(got < n))
			got += rxpool_alloc_slow(pool, pages + got, n - got, gfp);
		if (rxpool_debugged(pool))
			rxpool_debug_handed_out(pool, pages, got);

		if (rxpool_prepares(pool))
			rxpool_prepare_bulk(pool, pages, got);
	}
	rxpool_owner_exit(pool);
	return got;
}
EXPORT_SYMBOL_GPL(rxpool_alloc_bulk);

static __always_inline struct page *rxpool_pop(struct rxpool *pool, struct page **top)
{
	struct page *page = *--top;

	WRITE_ONCE(pool->top, top);
	rxpool_count(pool, popped, 1);
	return page;
}

static noinline struct page *rxpool_alloc_otherwise(struct rxpool *pool, gfp_t gfp)
{
	struct page *page;

	if (pool->top > pool->fresh && !rxpool_debugged(pool)) {
		page = rxpool_pop(pool, pool->top);
		rxpool_prepare(pool, page);
		return page;
	}
	return rxpool_alloc_bulk(pool, &page, 1, gfp) ? page : NULL;
}

/**
 * rxpool_alloc() - hand out one page to the device
 * @pool: the queue's pool
 * @gfp: for a page that the allocator must supply, usually %GFP_ATOMIC
 *
 * Context: the owner, as for rxpool_alloc_bulk().
 * Return: a page as from rxpool_alloc_bulk(), or NULL.
 */
struct page *rxpool_alloc(struct rxpool *pool, gfp_t gfp)
{
	struct page **top = pool->top;

	if (unlikely(top <= pool->plain))
		return rxpool_alloc_otherwise(pool, gfp);
	return rxpool_pop(pool, top);
}
EXPORT_SYMBOL_GPL(rxpool_alloc);

static noinline __cold void rxpool_release_burst(struct rxpool *pool,
						 struct page *page,
						 unsigned int unused)
{
	if (WARN_ONCE(!rxpool_owns(pool, page),
		      "rxpool: %s: page is not of this pool: released twice, or with the last reference given away before\n",
		      pool->name)) {
		rxpool_misused(pool);
		return;
	}
	rxpool_unmap_page(pool, page->dma_addr);
	pool->burst_posted--;
	if (unused && rxpool_unref(page, unused))
		rxpool_free_burst(pool, page);
}

/* Somebody holds on to the page itself. */
static noinline __cold void rxpool_lose(struct rxpool *pool, struct page *page)
{
	rxpool_ring_unstamp(page);
	pool->lost_owed++;
	put_page(page);
}

/* Return: whether the page is idle now and belongs on the stack. */
static __always_inline bool rxpool_comes_back(struct rxpool *pool,
					      struct page *page,
					      unsigned int unused)
{
	if (unlikely(!rxpool_retains(pool, page))) {
		rxpool_release_burst(pool, page, unused);
		return false;
	}
	/* All of them: nobody else has any, so there is nothing to count. */
	if (likely(unused == pool->bias))
		goto last;
	if (!unused || !rxpool_unref(page, unused))
		return false;
last:
	if (unlikely(page_ref_count(page) != 1)) {
		rxpool_lose(pool, page);
		return false;
	}
	return true;
}

static noinline __cold void rxpool_stack_overflows(struct rxpool *pool)
{
	WARN_ONCE(1, "rxpool: %s: more pages returned than handed out: a double release\n",
		  pool->name);
	rxpool_misused(pool);
}

static __always_inline void rxpool_owner_release(struct rxpool *pool,
						 struct page *page,
						 unsigned int unused)
{
	struct page **top = pool->top;

	if (!rxpool_comes_back(pool, page, unused))
		return;
	if (unlikely(top == pool->end)) {
		rxpool_stack_overflows(pool);
		return;
	}
	*top = page;
	WRITE_ONCE(pool->top, top + 1);
}

/* The caller claims to be the owner and is not: nothing of the owner's is touched.
 * A burst page would need that, and is leaked.
 */
static void rxpool_stranger_release(struct rxpool *pool, struct page *page,
				    unsigned int unused)
{
	if (!unused || !rxpool_retains(pool, page))
		return;
	/* While one reference is left this cannot be the last. */
	if (unused > 1)
		rxpool_unref(page, unused - 1);
	rxpool_put(page);
}

static noinline void rxpool_watched_release(struct rxpool *pool,
					    struct page *page,
					    unsigned int unused)
{
	bool owner = rxpool_debug_owner_enter(pool);
	bool may = rxpool_debug_may_release(pool, page, unused);
	unsigned int idle = rxpool_idle(pool);

	if (may && owner) {
		rxpool_owner_release(pool, page, unused);
		if (rxpool_idle(pool) > idle)
			rxpool_debug_idle(pool, page);
	} else if (may) {
		rxpool_stranger_release(pool, page, unused);
	}
	rxpool_debug_owner_exit(pool);
}

/**
 * rxpool_release() - the device is done with a page
 * @pool: the pool that handed it out
 * @page: the page
 * @unused: how many of its references were not given away, 0 to
 *	&rxpool_params.bias
 *
 * Exactly once for each page handed out. The device must not write to the page
 * any more, and what packets brought must have been synced for the CPU: a burst
 * page's mapping ends here, without a sync. If the stack has given back all
 * others, or none was given away, the page is reused at once, otherwise as soon
 * as the last comes back.
 *
 * With @unused 0 the caller holds nothing of the page afterwards, so it must be
 * called before the last reference goes to the stack.
 *
 * Context: the owner, as for rxpool_alloc_bulk().
 */
void rxpool_release(struct rxpool *pool, struct page *page, unsigned int unused)
{
	if (rxpool_debugged(pool))
		rxpool_watched_release(pool, page, unused);
	else
		rxpool_owner_release(pool, page, unused);
}
EXPORT_SYMBOL_GPL(rxpool_release);

/**
 * rxpool_release_bulk() - rxpool_release() for several pages
 * @pool: the pool that handed them out
 * @pages: the pages
 * @n: how many
 * @unused: references of each that were not given away
 *
 * Context: the owner, as for rxpool_alloc_bulk().
 */
void rxpool_release_bulk(struct rxpool *pool, struct page **pages,
			 unsigned int n, unsigned int unused)
{
	struct page **top = pool->top;
	unsigned int i;

	if (rxpool_debugged(pool)) {
		for (i = 0; i < n; i++)
			rxpool_watched_release(pool, pages[i], unused);
		return;
	}

	/* Nothing comes back, and nothing is mapped for this use only. */
	if (!unused && !pool->burst_posted)
		return;

	if (unlikely(n > pool->end - top)) {
		for (i = 0; i < n; i++)
			rxpool_owner_release(pool, pages[i], unused);
		return;
	}

	/* The stack's height stays in a register until all are done. */
	for (i = 0; i < n; i++)
		if (rxpool_comes_back(pool, pages[i], unused))
			*top++ = pages[i];
	WRITE_ONCE(pool->top, top);
}
EXPORT_SYMBOL_GPL(rxpool_release_bulk);

/**
 * rxpool_put() - drop one reference of a page
 * @page: a page that a pool handed out, destroyed or not
 *
 * What the stack does when it frees a fragment; for drivers that hold a
 * reference after rxpool_release(), e.g. until XDP_TX completes.
 *
 * Context: any but hard IRQ and NMI.
 */
void rxpool_put(struct page *page)
{
	if (WARN_ONCE((page->pp_magic & ~3UL) != PP_SIGNATURE,
		      "rxpool: put of a page that is in no pool: put twice\n"))
		return;
	if (static_branch_unlikely(&rxpool_debug_key) &&
	    !rxpool_debug_may_put(page))
		return;
	page_pool_put_full_page(page->pp, page, false);
}
EXPORT_SYMBOL_GPL(rxpool_put);

/**
 * rxpool_put_bulk() - drop one reference of each of several pages
 * @pool: the pool that handed them out, destroyed or not
 * @pages: the pages; overwritten
 * @n: how many
 *
 * Takes a recycle ring's lock once, with softirqs disabled for the time that
 * the @n pages take, so some 64 are a good number.
 *
 * Context: any but hard IRQ and NMI.
 */
void rxpool_put_bulk(struct rxpool *pool, struct page **pages, unsigned int n)
{
	unsigned int i, landing = 0;

	for (i = 0; i < n; i++) {
		struct page *page = pages[i];

		if (!rxpool_retains(pool, page) || rxpool_debugged(pool)) {
			rxpool_put(page);
			continue;
		}
		if (pool->bias > 1 && !rxpool_unref(page, 1))
			continue;
		if (likely(page_ref_count(page) == 1))
			pages[landing++] = page;
		else
			rxpool_put_unrefed(page);
	}
	/* With none, the last page has come back, and the pool may be gone. */
	if (landing)
		rxpool_shards_land(pool, pages, landing);
}
EXPORT_SYMBOL_GPL(rxpool_put_bulk);

/**
 * rxpool_page_retained() - does a page keep its mapping after release
 * @pool: the pool that handed it out
 * @page: a page of it that the caller holds a reference of
 *
 * XDP_TX may transmit a retained page through rxpool_dma_addr(); a burst page
 * must be mapped anew, since its mapping ends with rxpool_release().
 *
 * Context: any.
 * Return: true for a retained page, false for a burst page.
 */
bool rxpool_page_retained(const struct rxpool *pool, const struct page *page)
{
	return rxpool_retains(pool, page);
}
EXPORT_SYMBOL_GPL(rxpool_page_retained);

/**
 * rxpool_sync_for_cpu() - make what the device wrote visible to the CPU
 * @pool: the pool that handed the page out
 * @page: the page, not yet released
 * @offset: bytes from the start of the page
 * @len: bytes
 *
 * Context: any.
 */
void rxpool_sync_for_cpu(const struct rxpool *pool, const struct page *page,
			 unsigned int offset, unsigned int len)
{
	if (pool->dma_sync)
		dma_sync_single_range_for_cpu(pool->dev, rxpool_dma_addr(page),
					      offset, len, pool->dma_dir);
}
EXPORT_SYMBOL_GPL(rxpool_sync_for_cpu);

/**
 * rxpool_sync_for_device() - give a part of a page back to the device
 * @pool: the pool that handed the page out
 * @page: the page, not yet released
 * @offset: bytes from the start of the page
 * @len: bytes
 *
 * Pages are handed out synced; this is for a buffer that is posted again without
 * having gone back to the pool, or transmitted by XDP_TX.
 *
 * Context: any.
 */
void rxpool_sync_for_device(const struct rxpool *pool, const struct page *page,
			    unsigned int offset, unsigned int len)
{
	if (pool->dma_sync)
		dma_sync_single_range_for_device(pool->dev,
						 rxpool_dma_addr(page), offset,
						 len, pool->dma_dir);
}
EXPORT_SYMBOL_GPL(rxpool_sync_for_device);

/**
 * rxpool_xdp_register() - let XDP return frames of this pool
 * @pool: the queue's pool
 * @rxq: the queue, registered with xdp_rxq_info_reg()
 *
 * Undone by xdp_rxq_info_unreg(), before or after rxpool_destroy().
 *
 * Context: process, may sleep.
 * Return: 0 or the error of xdp_rxq_info_reg_mem_model().
 */
int rxpool_xdp_register(struct rxpool *pool, struct xdp_rxq_info *rxq)
{
	return xdp_rxq_info_reg_mem_model(rxq, MEM_TYPE_PAGE_POOL, pool->shard[0]);
}
EXPORT_SYMBOL_GPL(rxpool_xdp_register);
