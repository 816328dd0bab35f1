/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The pool's own structures. Drivers see only <rxpool.h>.
 *
 * Invariant, at any moment the owner can look:
 *
 *	retained = idle + landed in a ring + handed out + lost, not yet noticed
 *
 * where only idle, as the height of the stack, and retained are stored; the others
 * follow from them and from the recycle rings' counters.
 */
#ifndef _RXPOOL_POOL_H
#define _RXPOOL_POOL_H

#include <linux/jump_label.h>
#include <linux/list.h>
#include <linux/workqueue.h>
#include <rxpool.h>

struct page_pool;
struct rxpool_debug;

/* Pages moved at a time: a striding-RQ descriptor of mlx5 has as many. */
#define RXPOOL_BATCH		64U
/* Batches that one ring gets in a row, as a power of two. A single CPU that returns them
 * does so at least cost to one ring, so most pools use only one for a start; short runs
 * keep several CPUs out of each other's way.
 */
#define RXPOOL_RUN_LONG		6U
#define RXPOOL_RUN_SHORT	0U
/* Idle burst pages kept for the next burst; what exceeds it is freed. */
#define RXPOOL_BURST_RING	64U
#define RXPOOL_NAME_LEN		32
/* Owner calls between two checks of the whole pool, with the debug option. */
#define RXPOOL_CHECK_INTERVAL	4096

/*
 * A chunk is what was taken from the page allocator and mapped at once. It owns
 * the mapping: page->dma_addr is a copy for the driver, and cannot be trusted
 * once the page was lost.
 */
struct rxpool_chunk {
	struct page *page;
	dma_addr_t dma;
};

struct rxpool_counters {
	u64 popped;		/* idle pages, handed out */
	u64 grown;		/* new pages on the stack */
	u64 first;		/* retained pages handed out for the first time */
	u64 from_buddy;
	u64 burst;
	u64 lost;
	u64 return_ring;
	u64 dma_map;
	u64 alloc_failed;
	u64 steered;
};

struct rxpool {
	/* Constant after create. */
	struct page **stack;		/* idle pages, capacity entries */
	struct page **end;		/* of stack */
	struct page_pool *burst_pp;	/* recycle ring of the burst pages */
	unsigned int capacity;
	unsigned int bias;
	unsigned int shards;		/* a power of two */
	struct page_pool *shard[RXPOOL_SHARDS_MAX];	/* recycle rings of retained pages */
	struct rxpool_chunk *chunks;	/* capacity entries, first retained used */
	struct device *dev;
	enum dma_data_direction dma_dir;
	unsigned int offset;
	unsigned int max_len;
	int nid;
	struct rxpool_debug *debug;	/* NULL unless watched */

	/* Written by the owner only; statistics read it from anywhere. */
	struct page **top ____cacheline_aligned_in_smp; /* of the stack: one behind */
	struct page **fresh;		/* end of its lowest entries, never handed out */
	struct page **plain;		/* what lies above needs nothing but to be taken */
	unsigned int retained;
	unsigned int turn;		/* batch that is drained next, decides the ring */
	unsigned int run;		/* RXPOOL_RUN_* */
	unsigned int rearrange;		/* pages whose stamp is to follow the run */
	unsigned int drains;
	unsigned int lost_seen;		/* rings' count when last searched */
	unsigned int burst_posted;	/* burst pages with a mapping */
	unsigned int lost_owed;		/* losses known of and not yet found */
	unsigned long lost_since;	/* jiffies when one was last added */
	struct page_pool *unchanged;	/* written instead of a stamp that stays */
	bool dma_sync;			/* some mapping needs syncs; sticky */
	struct rxpool_counters count;
	struct page *mark, *mark_next;	/* were drained side by side */
	struct page_pool *mark_ring;	/* from here */
	u64 mark_steered;		/* count.steered at that time */
	unsigned int marked;		/* drains at that time */
	unsigned int mixed;		/* score: CPUs return into one ring at a time */
	unsigned long short_until;	/* jiffies, for short runs */

	/* Written by whoever misuses the pool, so hardly ever. */
	atomic_t misuse;

	/* Written by create and destroy, then by the dead pools' work. */
	struct list_head node ____cacheline_aligned_in_smp; /* rxpool_lock */
	struct delayed_work dead_work;
	unsigned long dead_since;	/* jiffies, 0 while alive */
	char name[RXPOOL_NAME_LEN];
};

/* The owner is the only writer, so a plain sum does; readers see no torn value. */
#define rxpool_count(pool, counter, n) do {				\
	u64 *__c = &(pool)->count.counter;				\
									\
	WRITE_ONCE(*__c, *__c + (n));					\
} while (0)

static inline unsigned int rxpool_idle(const struct rxpool *pool)
{
	return READ_ONCE(pool->top) - pool->stack;
}

static inline void rxpool_misused(struct rxpool *pool)
{
	atomic_inc(&pool->misuse);
}

/* chunk.c: the table of mappings */
int rxpool_map_page(struct rxpool *pool, struct page *page, dma_addr_t *dma);
void rxpool_unmap_page(struct rxpool *pool, dma_addr_t dma);
bool rxpool_chunk_add(struct rxpool *pool, struct page *page);
void rxpool_chunk_unmap_all(struct rxpool *pool);
void rxpool_chunk_forget_lost(struct rxpool *pool);

/* debug.c: the run-time debug option */
DECLARE_STATIC_KEY_FALSE(rxpool_debug_key);
int rxpool_debug_create(struct rxpool *pool, bool wanted);
void rxpool_debug_free(struct rxpool *pool);
void rxpool_debug_destroy(struct rxpool *pool);
bool rxpool_debug_owner_enter(struct rxpool *pool);
void rxpool_debug_owner_exit(struct rxpool *pool);
unsigned int rxpool_debug_new_pages(struct rxpool *pool, struct page **pages,
				    unsigned int n);
void rxpool_debug_handed_out(struct rxpool *pool, struct page **pages,
			     unsigned int n);
bool rxpool_debug_may_release(struct rxpool *pool, struct page *page,
			      unsigned int unused);
void rxpool_debug_idle(struct rxpool *pool, struct page *page);
unsigned int rxpool_debug_landed(struct rxpool *pool, struct page **pages,
				 unsigned int n);
void rxpool_debug_gone(struct rxpool *pool, struct page *page);
bool rxpool_debug_may_put(struct page *page);

/* The key is on while there is any such pool, so all this costs a nop without. */
static inline bool rxpool_debugged(const struct rxpool *pool)
{
	return static_branch_unlikely(&rxpool_debug_key) && pool->debug;
}

/* False if somebody else is the owner now. */
static inline bool rxpool_owner_enter(struct rxpool *pool)
{
	return !rxpool_debugged(pool) || rxpool_debug_owner_enter(pool);
}

static inline void rxpool_owner_exit(struct rxpool *pool)
{
	if (rxpool_debugged(pool))
		rxpool_debug_owner_exit(pool);
}

/* teardown.c: live and dead pools */
extern struct mutex rxpool_lock;
extern struct list_head rxpool_pools;
int rxpool_teardown_init(void);
void rxpool_teardown_exit(void);
void rxpool_free(struct rxpool *pool);

/* steer.c */
void rxpool_steer_watch(bool contended);
void rxpool_steer_init(void);
void rxpool_steer_exit(void);

/* stats.c */
unsigned int rxpool_in_flight(const struct rxpool *pool);
void rxpool_debugfs_init(void);
void rxpool_debugfs_exit(void);

#endif /* _RXPOOL_POOL_H */
