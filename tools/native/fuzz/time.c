// SPDX-License-Identifier: GPL-2.0
/*
 * Time that passes when it is told to, and what is due then. With it a sequence of
 * operations always does the same. No call chains: finding them is most of the time.
 */
#include "world.h"

static u64 now = 1000 * NSEC_PER_SEC;
static LIST_HEAD(works);

struct workqueue_struct {
	int unused;
};

u64 local_clock(void)
{
	return now;
}

unsigned long shim_jiffies(void)
{
	return now / (NSEC_PER_SEC / HZ);
}

void msleep(unsigned int ms)
{
	now += ms * 1000000ULL;
}

void usleep_range(unsigned long from, unsigned long to)
{
	now += from * 1000;
}

struct workqueue_struct *alloc_workqueue(const char *name, unsigned int flags, int max)
{
	static struct workqueue_struct only;

	return &only;
}

void destroy_workqueue(struct workqueue_struct *wq)
{
}

bool queue_delayed_work(struct workqueue_struct *wq, struct delayed_work *work,
			unsigned long delay)
{
	if (work->work.pending)
		return false;
	work->work.pending = 1;
	work->due = now + delay * (NSEC_PER_SEC / HZ);
	list_add_tail(&work->work.entry, &works);
	return true;
}

bool schedule_delayed_work(struct delayed_work *work, unsigned long delay)
{
	return queue_delayed_work(NULL, work, delay);
}

void cancel_delayed_work_sync(struct delayed_work *work)
{
	if (work->work.pending)
		list_del(&work->work.entry);
	work->work.pending = 0;
}

static struct delayed_work *first_due(u64 until)
{
	struct delayed_work *first = NULL, *work;

	list_for_each_entry(work, &works, work.entry)
		if (work->due <= until && (!first || work->due < first->due))
			first = work;
	return first;
}

static void run(struct delayed_work *work)
{
	list_del(&work->work.entry);
	work->work.pending = 0;
	work->work.func(&work->work);
}

/* Another CPU is faster than this one: all works run that wait for their time. */
void fuzz_meanwhile(void)
{
	struct delayed_work *work, *next;
	LIST_HEAD(list);

	list_splice_init(&works, &list);
	list_for_each_entry_safe(work, next, &list, work.entry)
		run(work);
}

void fuzz_advance(u64 ns)
{
	u64 until = now + ns;
	struct delayed_work *work;

	while ((work = first_due(until))) {
		now = max(now, work->due);
		run(work);
	}
	now = until;
}

void dump_stack(void)
{
}

unsigned int stack_trace_save(unsigned long *entries, unsigned int n, unsigned int skip)
{
	return 0;
}
