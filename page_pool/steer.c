// SPDX-License-Identifier: GPL-2.0
/*
 * On which CPU a flow's pages come free, so that they can be sent home through a
 * ring that no other CPU uses at the time.
 *
 * RFS knows where it is configured. Otherwise it is learned: now and then, while there
 * is traffic, a tracepoint tells for some milliseconds which CPU copies a packet of
 * which flow to its reader, and soon frees it. What was learned stays in use until
 * the next time, as an advice: a page that is sent to the wrong ring is as good
 * there as in any.
 */
#include <linux/jump_label.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/skbuff.h>
#include <linux/tracepoint.h>
#include "ring.h"

#define RXPOOL_FLOWS		4096U	/* a power of two */
#define RXPOOL_LEARN_TIME	msecs_to_jiffies(20)
/* From the end of one time to the start of the next: longer each time, but for the
 * shortest while CPUs still wait for each other.
 */
#define RXPOOL_LEARN_PAUSE_MIN	HZ
#define RXPOOL_LEARN_PAUSE_MAX	(64 * HZ)

/* On as soon as some flow's reader is known. */
DEFINE_STATIC_KEY_FALSE(rxpool_steer_key);
EXPORT_SYMBOL_GPL(rxpool_steer_key);

/*
 * By hash: its upper bits, to tell flows apart, and the CPU in the lower ones. Any
 * reading CPU writes while learning, any owner reads. No order matters: an entry
 * is one word.
 */
static u32 rxpool_flows[RXPOOL_FLOWS];
static u32 rxpool_cpu_mask;
static bool rxpool_may_learn = true;	/* the user's */

/* Written by the work alone, but for module init and exit. */
static struct tracepoint *rxpool_copy_tp;
static bool rxpool_learning;
static unsigned long rxpool_learned;	/* jiffies when it ended last */
static unsigned long rxpool_pause = RXPOOL_LEARN_PAUSE_MIN;
static void rxpool_learn_work(struct work_struct *work);
static DECLARE_DELAYED_WORK(rxpool_learn_dwork, rxpool_learn_work);

static int rxpool_learned_cpu(u32 hash)
{
	u32 flow = READ_ONCE(rxpool_flows[hash % RXPOOL_FLOWS]);

	/* An entry nobody has written is of no flow: those have a hash. */
	if (!flow || (flow ^ hash) & ~rxpool_cpu_mask)
		return -1;
	return flow & rxpool_cpu_mask;
}

void __rxpool_steer(struct rxpool *pool, struct page *page, u32 hash)
{
	struct page_pool *pp, **to, *now = page->pp;
	int cpu = rxpool_rfs_cpu(hash);

	if (cpu < 0)
		cpu = rxpool_learned_cpu(hash);
	if (cpu < 0)
		return;

	pp = pool->shard[cpu & (pool->shards - 1)];
	if (unlikely(now == pool->burst_pp))
		return;
	/* Nobody can predict whether it changes, so this is no branch. */
	to = now == pp ? &pool->unchanged : &page->pp;
	WRITE_ONCE(*to, pp);
	rxpool_count(pool, steered, now != pp);
}
EXPORT_SYMBOL_GPL(__rxpool_steer);

/* Called by the tracepoint, with preemption disabled. */
static void rxpool_copied(void *unused, const struct sk_buff *skb, int len)
{
	u32 hash = skb->hash, *flow = &rxpool_flows[hash % RXPOOL_FLOWS];
	u32 now = (hash & ~rxpool_cpu_mask) | smp_processor_id();

	/* Without the mark it holds no page of a pool. */
	if (skb->pp_recycle && hash & ~rxpool_cpu_mask && READ_ONCE(*flow) != now)
		WRITE_ONCE(*flow, now);
}

static void rxpool_learn_end(void)
{
	tracepoint_probe_unregister(rxpool_copy_tp, rxpool_copied, NULL);
	rxpool_learning = false;
}

static void rxpool_learn_work(struct work_struct *work)
{
	if (!rxpool_learning) {
		if (rxpool_rfs_configured()) {
			static_branch_enable(&rxpool_steer_key);
			return;
		}
		if (!rxpool_copy_tp ||
		    tracepoint_probe_register(rxpool_copy_tp, rxpool_copied, NULL))
			return;
		rxpool_learning = true;
		schedule_delayed_work(&rxpool_learn_dwork, RXPOOL_LEARN_TIME);
		return;
	}

	rxpool_learn_end();
	static_branch_enable(&rxpool_steer_key);
	WRITE_ONCE(rxpool_learned, jiffies);
	WRITE_ONCE(rxpool_pause, min_t(unsigned long, 2 * rxpool_pause,
				       RXPOOL_LEARN_PAUSE_MAX));
}

/**
 * rxpool_learn() - learn anew which CPUs read which flows
 *
 * Happens by itself, see Documentation/internals.rst. For tests, and for those who
 * know that readers have just moved. Does nothing while it is learning.
 *
 * Context: any but NMI.
 */
void rxpool_learn(void)
{
	schedule_delayed_work(&rxpool_learn_dwork, 0);
}
EXPORT_SYMBOL_GPL(rxpool_learn);

/* There is traffic; contended: CPUs wait for a ring. Context: the owner's. */
void rxpool_steer_watch(bool contended)
{
	unsigned long pause = READ_ONCE(rxpool_pause);

	if (contended)
		pause = RXPOOL_LEARN_PAUSE_MIN;
	if (READ_ONCE(rxpool_may_learn) &&
	    time_after_eq(jiffies, READ_ONCE(rxpool_learned) + pause))
		rxpool_learn();
}

static int rxpool_learn_set(const char *value, const struct kernel_param *param)
{
	int err = param_set_bool(value, param);

	if (!err && READ_ONCE(rxpool_may_learn))
		rxpool_learn();
	return err;
}

static const struct kernel_param_ops rxpool_learn_ops = {
	.flags = KERNEL_PARAM_OPS_FL_NOARG,
	.set = rxpool_learn_set,
	.get = param_get_bool,
};
module_param_cb(learn, &rxpool_learn_ops, &rxpool_may_learn, 0644);
MODULE_PARM_DESC(learn, "find out now and then which CPUs read which flows; writing Y does so now");

static void rxpool_find_tracepoint(struct tracepoint *tp, void *unused)
{
	if (!strcmp(tp->name, "skb_copy_datagram_iovec"))
		rxpool_copy_tp = tp;
}

void rxpool_steer_init(void)
{
	rxpool_cpu_mask = roundup_pow_of_two(nr_cpu_ids) - 1;
	/* The first packets are as good as any. */
	rxpool_learned = jiffies - RXPOOL_LEARN_PAUSE_MIN;
	for_each_kernel_tracepoint(rxpool_find_tracepoint, NULL);
}

/* No pool is left, so nobody queues the work again. */
void rxpool_steer_exit(void)
{
	cancel_delayed_work_sync(&rxpool_learn_dwork);
	if (rxpool_learning)
		rxpool_learn_end();
	tracepoint_synchronize_unregister();
}
