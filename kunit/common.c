// SPDX-License-Identifier: GPL-2.0
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/mm.h>
#include <linux/workqueue.h>
#include "common.h"

struct page *pages[TEST_MANY];

struct rxpool_params test_params(unsigned int bias)
{
	return (struct rxpool_params) {
		.name = "test",
		.dev = testdev.dev,
		.dma_dir = DMA_BIDIRECTIONAL,
		.nid = NUMA_NO_NODE,
		.capacity = TEST_CAPACITY,
		.bias = bias,
	};
}

struct rxpool *test_pool(unsigned int bias)
{
	struct rxpool_params params = test_params(bias);

	return rxpool_create(&params);
}

/* Reports of misuse are looked for by its name. */
struct rxpool *debug_pool(unsigned int bias)
{
	struct rxpool_params params = test_params(bias);

	params.name = "debug-test";
	params.debug = true;
	return rxpool_create(&params);
}

int pool_test_init(struct kunit *test)
{
	return testdev_create();
}

/* Whatever a case did, nothing may stay mapped and nothing be mapped wrongly. */
void pool_test_exit(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, atomic_read(&testdev.mapped), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&testdev.errors), 0);
	KUNIT_EXPECT_EQ(test, rxpool_count_pools(false), 0);
	testdev_remove();
}

struct rxpool_stats stats_of(struct rxpool *pool)
{
	struct rxpool_stats stats;

	rxpool_get_stats(pool, &stats);
	return stats;
}

/* Of retained pages, at a quiet moment with nothing landed and not drained. */
void expect_identities(struct kunit *test, struct rxpool *pool,
		       unsigned int retained_out, unsigned int burst_out)
{
	struct rxpool_stats s = stats_of(pool);

	KUNIT_EXPECT_EQ(test, s.in_flight, (u64)(retained_out + burst_out));
	KUNIT_EXPECT_EQ(test, s.alloc - s.burst,
			s.return_owner + s.return_ring + s.lost + retained_out);
	KUNIT_EXPECT_EQ(test, s.retained_bytes, s.retained * PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, s.dma_map, (u64)atomic_read(&testdev.maps));
	KUNIT_EXPECT_EQ(test, s.misuse, 0);
}

bool dead_pools_gone(void)
{
	unsigned int i;

	for (i = 0; i < 100; i++) {
		if (!rxpool_count_pools(true))
			return true;
		msleep(100);
	}
	return false;
}

struct sk_buff *packet(struct page *page, unsigned int offset, unsigned int len)
{
	struct sk_buff *skb = alloc_skb(128, GFP_KERNEL | __GFP_NOFAIL);

	skb_add_rx_frag(skb, 0, page, offset, len, len);
	rxpool_mark_skb(skb);
	return skb;
}

static long free_packet(void *skb)
{
	kfree_skb(skb);
	return 0;
}

int other_cpu(void)
{
	return cpumask_any_but(cpu_online_mask, raw_smp_processor_id());
}

void free_on_other_cpu(struct sk_buff *skb)
{
	work_on_cpu(other_cpu(), free_packet, skb);
}
