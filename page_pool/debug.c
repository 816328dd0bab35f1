// SPDX-License-Identifier: GPL-2.0
/*
 * The run-time debug option: each page of a pool has a record of where it is and
 * who moved it last, so that misuse is named, refused and counted, instead of
 * showing much later as a corrupted packet.
 */
#define pr_fmt(fmt) "rxpool: " fmt

#include <linux/hardirq.h>
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/stacktrace.h>
#include <linux/string.h>
#include <linux/xarray.h>
#include "ring.h"

#define RXPOOL_POISON		0xd5
#define RXPOOL_TRACE_DEPTH	8
/* Reports of one pool; the rest is only counted. */
#define RXPOOL_REPORTS		10

DEFINE_STATIC_KEY_FALSE(rxpool_debug_key);

static bool rxpool_debug_new;
module_param_named(debug, rxpool_debug_new, bool, 0644);
MODULE_PARM_DESC(debug, "watch the pages of pools created from now on, at a cost");

enum rxpool_page_state {
	RXPOOL_PAGE_IDLE,	/* on the owner's stack, poisoned */
	RXPOOL_PAGE_OUT,	/* handed out and not released */
	RXPOOL_PAGE_RELEASED,	/* the stack has it, or it has landed */
	RXPOOL_PAGE_GONE,	/* lost or freed, its traces tell how it ended */
	RXPOOL_PAGE_REFUSED,	/* misused: kept away from everybody */
};

struct rxpool_trace {
	const char *what;	/* NULL if there is none */
	u64 when;		/* ns, of local_clock() */
	int cpu;
	pid_t pid;
	char comm[TASK_COMM_LEN];
	unsigned int depth;
	unsigned long entries[RXPOOL_TRACE_DEPTH];
};

/* Of one page, kept until its pool is freed. */
struct rxpool_record {
	enum rxpool_page_state state;
	unsigned int seen;	/* number of the check that met it in the stack */
	struct rxpool_trace out;
	struct rxpool_trace back;
	struct rxpool_trace put;	/* the latest rxpool_put() */
};

struct rxpool_debug {
	struct xarray records;		/* by page frame number */
	spinlock_t lock;		/* the records' contents */
	atomic_t inside;		/* owner calls under way */
	struct rxpool_trace owner;	/* the one that came first */
	unsigned int calls;
	unsigned int check;		/* number of the latest check */
	atomic_t reports;
};

int rxpool_debug_create(struct rxpool *pool, bool wanted)
{
	struct rxpool_debug *d;

	if (!wanted && !READ_ONCE(rxpool_debug_new))
		return 0;
	d = kzalloc(sizeof(*d), GFP_KERNEL);
	if (!d)
		return -ENOMEM;
	xa_init(&d->records);
	spin_lock_init(&d->lock);
	pool->debug = d;
	static_branch_inc(&rxpool_debug_key);
	return 0;
}

void rxpool_debug_free(struct rxpool *pool)
{
	struct rxpool_debug *d = pool->debug;
	struct rxpool_record *record;
	unsigned long pfn;

	if (!d)
		return;
	static_branch_dec(&rxpool_debug_key);
	xa_for_each(&d->records, pfn, record)
		kfree(record);
	xa_destroy(&d->records);
	kfree(d);
}

/* Skips itself and the hook that called. */
static void rxpool_trace_save(struct rxpool_trace *trace, const char *what)
{
	trace->what = what;
	trace->when = local_clock();
	trace->cpu = raw_smp_processor_id();
	trace->pid = current->pid;
	strscpy(trace->comm, current->comm, sizeof(trace->comm));
	trace->depth = stack_trace_save(trace->entries, RXPOOL_TRACE_DEPTH, 2);
}

static void rxpool_trace_print(const struct rxpool_trace *trace)
{
	unsigned int i;

	if (!trace->what)
		return;
	pr_err("  %s %llu us ago on CPU %d by %s/%d:\n", trace->what,
	       (local_clock() - trace->when) / NSEC_PER_USEC, trace->cpu,
	       trace->comm, trace->pid);
	for (i = 0; i < trace->depth; i++)
		pr_err("    %pS\n", (void *)trace->entries[i]);
}

/* record: NULL if it is not about one page */
static void rxpool_report(struct rxpool *pool, const struct page *page,
			  const struct rxpool_record *record, const char *what)
{
	rxpool_misused(pool);
	if (atomic_inc_return(&pool->debug->reports) > RXPOOL_REPORTS)
		return;
	if (page)
		pr_err("BUG: %s: %s: page frame 0x%lx, %d page references, %ld of the pool\n",
		       pool->name, what, page_to_pfn(page), page_ref_count(page),
		       atomic_long_read(rxpool_refs((struct page *)page)));
	else
		pr_err("BUG: %s: %s\n", pool->name, what);
	if (record) {
		rxpool_trace_print(&record->out);
		rxpool_trace_print(&record->back);
		rxpool_trace_print(&record->put);
	}
	pr_err("  and now:\n");
	dump_stack();
}

static struct rxpool_record *rxpool_record(struct rxpool *pool,
					   const struct page *page)
{
	return xa_load(&pool->debug->records, page_to_pfn(page));
}

static void rxpool_poison(struct page *page)
{
	memset(page_address(page), RXPOOL_POISON, PAGE_SIZE);
}

static bool rxpool_debug_new_page(struct rxpool *pool, struct page *page)
{
	struct rxpool_record *record = rxpool_record(pool, page);

	if (!record) {
		record = kzalloc(sizeof(*record), GFP_ATOMIC | __GFP_NOWARN);
		if (!record)
			return false;
		if (xa_err(xa_store(&pool->debug->records, page_to_pfn(page), record,
				    GFP_ATOMIC | __GFP_NOWARN))) {
			kfree(record);
			return false;
		}
	}
	spin_lock_bh(&pool->debug->lock);
	memset(record, 0, sizeof(*record));
	spin_unlock_bh(&pool->debug->lock);
	rxpool_poison(page);
	return true;
}

/* Pages that the pool has just taken from the allocator. Keeps those that it could
 * make a record for; returns how many.
 */
unsigned int rxpool_debug_new_pages(struct rxpool *pool, struct page **pages,
				    unsigned int n)
{
	unsigned int i, kept = 0;

	for (i = 0; i < n; i++) {
		if (rxpool_debug_new_page(pool, pages[i]))
			pages[kept++] = pages[i];
		else
			put_page(pages[i]);
	}
	return kept;
}

/* The whole pool, seen by its owner: what pool.h calls the invariant. */
static void rxpool_debug_check(struct rxpool *pool)
{
	struct rxpool_debug *d = pool->debug;
	struct rxpool_record *record;
	unsigned int i, height = rxpool_idle(pool), idle = 0;
	struct page *page;

	d->check++;
	for (i = 0; i < height; i++) {
		page = pool->stack[i];
		record = rxpool_record(pool, page);
		if (!record || record->state != RXPOOL_PAGE_IDLE ||
		    record->seen == d->check || page_ref_count(page) != 1 ||
		    !rxpool_retains(pool, page)) {
			rxpool_report(pool, page, record,
				      "an idle page is in use or listed twice");
			return;
		}
		record->seen = d->check;
	}
	for (i = 0; i < pool->retained; i++) {
		page = pool->chunks[i].page;
		record = rxpool_record(pool, page);
		if (!rxpool_stamp_kept(pool, page))
			continue;	/* lost, and not yet noticed */
		if (!record || record->state == RXPOOL_PAGE_GONE ||
		    page->dma_addr != pool->chunks[i].dma) {
			rxpool_report(pool, page, record,
				      "a retained page's mapping was overwritten");
			return;
		}
		idle += record->state == RXPOOL_PAGE_IDLE;
	}
	if (idle != height || pool->retained > pool->capacity)
		rxpool_report(pool, NULL, NULL, "idle and retained pages do not add up");
}

/* Return: whether the caller may be the owner. */
bool rxpool_debug_owner_enter(struct rxpool *pool)
{
	struct rxpool_debug *d = pool->debug;

	if (in_hardirq() || in_nmi()) {
		rxpool_report(pool, NULL, NULL, "owner call in hard IRQ or NMI");
		atomic_inc(&d->inside);
		return false;
	}
	if (atomic_inc_return(&d->inside) > 1) {
		rxpool_report(pool, NULL, NULL, "two owners at a time");
		rxpool_trace_print(&d->owner);
		return false;
	}
	rxpool_trace_save(&d->owner, "the other came in");
	if (++d->calls % RXPOOL_CHECK_INTERVAL == 0)
		rxpool_debug_check(pool);
	return true;
}

void rxpool_debug_owner_exit(struct rxpool *pool)
{
	atomic_dec(&pool->debug->inside);
}

void rxpool_debug_handed_out(struct rxpool *pool, struct page **pages,
			     unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		struct rxpool_record *record = rxpool_record(pool, pages[i]);
		u8 *data = page_address(pages[i]);
		u8 *bad = memchr_inv(data, RXPOOL_POISON, PAGE_SIZE);

		if (bad) {
			rxpool_report(pool, pages[i], record, "written to while idle");
			pr_err("  %u bytes from its start: 0x%02x\n",
			       (unsigned int)(bad - data), *bad);
		}
		spin_lock_bh(&pool->debug->lock);
		record->state = RXPOOL_PAGE_OUT;
		rxpool_trace_save(&record->out, "handed out");
		spin_unlock_bh(&pool->debug->lock);
	}
}

/* Return: whether the release may go on. */
bool rxpool_debug_may_release(struct rxpool *pool, struct page *page,
			      unsigned int unused)
{
	struct rxpool_record *record = rxpool_record(pool, page);
	const char *what = NULL;

	if (record && record->state == RXPOOL_PAGE_REFUSED)
		return false;
	if (!record)
		what = "release of a page that is not of this pool";
	else if (record->state != RXPOOL_PAGE_OUT)
		what = "released twice";
	else if (unused > pool->bias)
		what = "released with more references than it has";
	else if (!rxpool_owns(pool, page))
		what = "released after its last reference was given away";
	else if (atomic_long_read(rxpool_refs(page)) < unused)
		what = "references were returned twice while it was handed out";
	if (what) {
		rxpool_report(pool, page, record, what);
		if (record && record->state == RXPOOL_PAGE_OUT)
			record->state = RXPOOL_PAGE_REFUSED;
		return false;
	}
	spin_lock_bh(&pool->debug->lock);
	record->state = RXPOOL_PAGE_RELEASED;
	rxpool_trace_save(&record->back, "released");
	spin_unlock_bh(&pool->debug->lock);
	return true;
}

/* The page is on its way to the stack of idle ones. */
void rxpool_debug_idle(struct rxpool *pool, struct page *page)
{
	rxpool_record(pool, page)->state = RXPOOL_PAGE_IDLE;
	rxpool_poison(page);
}

/* Keeps of the landed pages those that had to land; returns how many. */
unsigned int rxpool_debug_landed(struct rxpool *pool, struct page **pages,
				 unsigned int n)
{
	unsigned int i, kept = 0;

	for (i = 0; i < n; i++) {
		struct rxpool_record *record = rxpool_record(pool, pages[i]);

		if (record->state == RXPOOL_PAGE_RELEASED) {
			rxpool_debug_idle(pool, pages[i]);
			pages[kept++] = pages[i];
			continue;
		}
		if (record->state == RXPOOL_PAGE_OUT) {
			rxpool_report(pool, pages[i], record,
				      "came home while it was handed out");
			record->state = RXPOOL_PAGE_REFUSED;
		} else {
			rxpool_report(pool, pages[i], record, "returned twice");
		}
	}
	return kept;
}

/* A lost or a freed page. */
void rxpool_debug_gone(struct rxpool *pool, struct page *page)
{
	rxpool_record(pool, page)->state = RXPOOL_PAGE_GONE;
}

/* Return: whether the put may go on. Any context but hard IRQ and NMI. */
bool rxpool_debug_may_put(struct page *page)
{
	struct rxpool *pool = rxpool_of(page);
	struct rxpool_record *record;

	if (!pool->debug)
		return true;
	record = rxpool_record(pool, page);
	if (record->state == RXPOOL_PAGE_IDLE) {
		rxpool_report(pool, page, record, "put of a page that is back already");
		return false;
	}
	spin_lock_bh(&pool->debug->lock);
	rxpool_trace_save(&record->put, "put");
	spin_unlock_bh(&pool->debug->lock);
	return true;
}

/* Before destroy: what misuse has refused is nobody's, and is leaked on purpose. */
void rxpool_debug_destroy(struct rxpool *pool)
{
	struct rxpool_record *record;
	unsigned long pfn;

	rxpool_debug_check(pool);
	xa_for_each(&pool->debug->records, pfn, record)
		if (record->state == RXPOOL_PAGE_REFUSED &&
		    rxpool_owns(pool, pfn_to_page(pfn)))
			rxpool_ring_unstamp(pfn_to_page(pfn));
}
