/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Work queues: a thread each, that runs what is due.
 */
#ifndef _SHIM_WORK_H
#define _SHIM_WORK_H

struct work_struct;
struct workqueue_struct;

struct work_struct {
	struct list_head entry;
	void (*func)(struct work_struct *work);
	unsigned long pending;
};

/* As large as the kernel's, which decides what shares a cache line in struct page_pool. */
struct delayed_work {
	struct work_struct work;
	u64 due;		/* of local_clock() */
	u8 unused[48];
};

static_assert(sizeof(struct delayed_work) == 88);

#define to_delayed_work(w)	container_of(w, struct delayed_work, work)
#define INIT_WORK(w, f)		do { (w)->func = (f); (w)->pending = 0; } while (0)
#define INIT_DELAYED_WORK(d, f)	INIT_WORK(&(d)->work, f)
#define DECLARE_DELAYED_WORK(d, f)	struct delayed_work d = { .work.func = (f) }
#define WQ_UNBOUND		0
#define WQ_MEM_RECLAIM		0

struct workqueue_struct *alloc_workqueue(const char *name, unsigned int flags, int max);
void destroy_workqueue(struct workqueue_struct *wq);
bool queue_delayed_work(struct workqueue_struct *wq, struct delayed_work *work,
			unsigned long delay);
bool schedule_delayed_work(struct delayed_work *work, unsigned long delay);
void cancel_delayed_work_sync(struct delayed_work *work);

/* An interrupt of this CPU, at once. */
struct irq_work {
	void (*func)(struct irq_work *work);
};

#define IRQ_WORK_INIT_HARD(f)	((struct irq_work){ .func = (f) })
#define irq_work_sync(work)	do { } while (0)

static inline bool irq_work_queue(struct irq_work *work)
{
	preempt_count() += HARDIRQ_OFFSET;
	work->func(work);
	preempt_count() -= HARDIRQ_OFFSET;
	return true;
}

#endif /* _SHIM_WORK_H */
