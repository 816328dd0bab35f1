// SPDX-License-Identifier: GPL-2.0
/*
 * A buddy allocator as the kernel's: free blocks by order under the zone's lock, and in
 * front of it a list of single pages per CPU, filled and emptied by the batch.
 */
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

#define PCP_BATCH	63
#define PCP_HIGH	(6 * PCP_BATCH)

struct page *mem_map;
char *mem_base;
unsigned long mem_pages;

static struct {
	spinlock_t lock;	/* all below; nests inside a CPU's */
	struct list_head free[MAX_ORDER];
	u64 locks, pages;
} zone ____cacheline_aligned;

static struct pcp {
	spinlock_t lock;	/* more than one thread may carry a CPU's number */
	int count;
	int free_factor;	/* frees without an allocation between make larger batches */
	struct list_head list;
	u64 allocated, freed;
} ____cacheline_aligned pcps[NR_CPUS];

/* A free block's first page says so, and of which order it is. */
#define MAPCOUNT_NONE	(-1)
#define MAPCOUNT_BUDDY	(-129)

/* What is free must not be touched. */
#ifdef __SANITIZE_ADDRESS__
static void poison(struct page *page, unsigned long pages)
{
	ASAN_POISON_MEMORY_REGION(page_address(page), pages << PAGE_SHIFT);
}

static void unpoison(struct page *page, unsigned long pages)
{
	ASAN_UNPOISON_MEMORY_REGION(page_address(page), pages << PAGE_SHIFT);
}
#else
static inline void poison(struct page *page, unsigned long pages)
{
}

static inline void unpoison(struct page *page, unsigned long pages)
{
}
#endif

static bool is_free_block(const struct page *page, unsigned int order)
{
	return page < mem_map + mem_pages && page->private == order &&
	       atomic_read(&page->_mapcount) == MAPCOUNT_BUDDY;
}

static void add_block(struct page *page, unsigned int order)
{
	page->private = order;
	atomic_set(&page->_mapcount, MAPCOUNT_BUDDY);
	list_add(&page->lru, &zone.free[order]);
}

static void take_block(struct page *page)
{
	list_del(&page->lru);
	page->private = 0;
	atomic_set(&page->_mapcount, MAPCOUNT_NONE);
}

static struct page *zone_take(unsigned int order)
{
	unsigned int have;
	struct page *page;

	for (have = order; have < MAX_ORDER; have++)
		if (!list_empty(&zone.free[have]))
			break;
	if (have == MAX_ORDER)
		return NULL;
	page = list_first_entry(&zone.free[have], struct page, lru);
	take_block(page);
	while (have-- > order)
		add_block(page + (1UL << have), have);
	zone.pages += 1UL << order;
	return page;
}

static void zone_give(struct page *page, unsigned int order)
{
	zone.pages += 1UL << order;
	for (; order < MAX_ORDER - 1; order++) {
		unsigned long number = page - mem_map;
		struct page *buddy = mem_map + (number ^ 1UL << order);

		if (!is_free_block(buddy, order))
			break;
		take_block(buddy);
		page = min(page, buddy);
	}
	add_block(page, order);
}

static void zone_lock(void)
{
	spin_lock(&zone.lock);
	zone.locks++;
}

/* As after the start: all is free, and nothing is known of who had it. */
void shim_memory_reset(void)
{
	unsigned long i;

	memset(&zone, 0, sizeof(zone));
	for (i = 0; i < MAX_ORDER; i++)
		INIT_LIST_HEAD(&zone.free[i]);
	memset(pcps, 0, sizeof(pcps));
	for (i = 0; i < NR_CPUS; i++)
		INIT_LIST_HEAD(&pcps[i].list);
	memset(mem_map, 0, mem_pages * sizeof(*mem_map));
	for (i = 0; i < mem_pages; i++)
		atomic_set(&mem_map[i]._mapcount, MAPCOUNT_NONE);
	for (i = 0; i < mem_pages; i += 1UL << (MAX_ORDER - 1))
		zone_give(mem_map + i, MAX_ORDER - 1);
}

void shim_memory_init(unsigned long pages)
{
	BUG_ON(pages % (1UL << (MAX_ORDER - 1)));
	mem_pages = pages;
	mem_base = shim_huge(pages << PAGE_SHIFT);
	mem_map = shim_huge(pages * sizeof(*mem_map));
	poison(mem_map, pages);
	shim_memory_reset();
}

static void prepare_new(struct page *page)
{
	BUG_ON(page_ref_count(page));
	page->private = 0;
	page->lru.next = current->flags & PF_MEMALLOC ? (void *)BIT(1) : NULL;
	atomic_set(&page->_refcount, 1);
	unpoison(page, 1);
}

/* Called with the CPU's lock. */
static struct page *pcp_take(struct pcp *pcp)
{
	struct page *page;
	int i;

	if (list_empty(&pcp->list)) {
		zone_lock();
		for (i = 0; i < PCP_BATCH; i++) {
			page = zone_take(0);
			if (!page)
				break;
			list_add_tail(&page->lru, &pcp->list);
			pcp->count++;
		}
		spin_unlock(&zone.lock);
		if (list_empty(&pcp->list))
			return NULL;
	}
	page = list_first_entry(&pcp->list, struct page, lru);
	list_del(&page->lru);
	pcp->count--;
	pcp->allocated++;
	return page;
}

static struct page *take_large(unsigned int order, gfp_t gfp)
{
	struct page *page;
	unsigned long i;

	zone_lock();
	page = zone_take(order);
	spin_unlock(&zone.lock);
	if (!page)
		return NULL;
	prepare_new(page);
	unpoison(page, 1UL << order);
	page->private = order;
	for (i = 1; gfp & __GFP_COMP && i < 1UL << order; i++)
		page[i].compound_head = (unsigned long)page | 1;
	return page;
}

noinline struct page *alloc_pages_node(int nid, gfp_t gfp, unsigned int order)
{
	struct pcp *pcp = &pcps[smp_processor_id()];
	struct page *page = NULL;

	if (order) {
		page = take_large(order, gfp);
	} else if (!shim_alloc_fails(gfp)) {
		spin_lock(&pcp->lock);
		pcp->free_factor >>= 1;
		page = pcp_take(pcp);
		spin_unlock(&pcp->lock);
		if (page)
			prepare_new(page);
	}
	if (page && gfp & __GFP_ZERO)
		memset(page_address(page), 0, PAGE_SIZE << order);
	return page;
}

/* Fills the entries that are NULL. Accounted pages come one at a time, as in the kernel. */
noinline unsigned long alloc_pages_bulk_array_node(gfp_t gfp, int nid, unsigned long n,
						   struct page **pages)
{
	struct pcp *pcp = &pcps[smp_processor_id()];
	unsigned long i, done = 0;

	while (done < n && pages[done])
		done++;
	if (gfp & __GFP_ACCOUNT && done < n) {
		pages[done] = alloc_pages_node(nid, gfp, 0);
		return done + !!pages[done];
	}
	spin_lock(&pcp->lock);
	for (i = done; i < n; i++) {
		if (!pages[i]) {
			pages[i] = shim_alloc_fails(gfp) ? NULL : pcp_take(pcp);
			if (!pages[i])
				break;
			prepare_new(pages[i]);
		}
		done++;
	}
	spin_unlock(&pcp->lock);
	return done;
}

static void prepare_free(struct page *page, unsigned int order)
{
	poison(page, 1UL << order);
	WARN(page_ref_count(page) || page_pool_page_is_pp(page),
	     "bad page: freed with %d references, stamp %lx\n", page_ref_count(page),
	     page->pp_magic);
}

/* One page, to its CPU's list. */
noinline void free_unref_page(struct page *page)
{
	struct pcp *pcp = &pcps[smp_processor_id()];
	unsigned int order = page->private;
	int n;

	if (unlikely(order && order < MAX_ORDER && page[1].compound_head & 1)) {
		__free_pages(page, order);
		return;
	}
	prepare_free(page, 0);
	spin_lock(&pcp->lock);
	pcp->freed++;
	list_add(&page->lru, &pcp->list);
	if (++pcp->count >= PCP_HIGH) {
		n = min(PCP_BATCH << pcp->free_factor, PCP_HIGH - PCP_BATCH);
		if (PCP_BATCH << pcp->free_factor < PCP_HIGH - PCP_BATCH)
			pcp->free_factor++;
		zone_lock();
		for (; n; n--) {
			page = list_last_entry(&pcp->list, struct page, lru);
			list_del(&page->lru);
			pcp->count--;
			zone_give(page, 0);
		}
		spin_unlock(&zone.lock);
	}
	spin_unlock(&pcp->lock);
}

void __free_pages(struct page *page, unsigned int order)
{
	unsigned long i;

	if (!order) {
		put_page(page);
		return;
	}
	if (page_ref_count(page) && !atomic_dec_and_test(&page->_refcount))
		return;
	prepare_free(page, order);
	for (i = 1; i < 1UL << order; i++)
		page[i].compound_head = 0;
	zone_lock();
	zone_give(page, order);
	spin_unlock(&zone.lock);
}

/* At a quiet moment. */
struct buddy_counters buddy_count(void)
{
	struct buddy_counters sum = { .zone_locks = zone.locks, .zone_pages = zone.pages };
	unsigned int i;

	for (i = 0; i < NR_CPUS; i++) {
		sum.allocated += pcps[i].allocated;
		sum.freed += pcps[i].freed;
	}
	return sum;
}
