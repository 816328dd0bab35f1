// SPDX-License-Identifier: GPL-2.0
/*
 * All at once: an owner, readers on other CPUs, some of which hold pages.
 */
#include <linux/delay.h>
#include <linux/if_vlan.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/prandom.h>
#include "common.h"

struct reader {
	struct sk_buff_head queue;
	struct task_struct *task;
	unsigned int bad;
	u32 seed;
};

static int reader_thread(void *arg)
{
	struct reader *reader = arg;
	struct rnd_state rnd;

	prandom_seed_state(&rnd, reader->seed);
	while (!kthread_should_stop() || !skb_queue_empty(&reader->queue)) {
		struct sk_buff *skb = skb_dequeue(&reader->queue);
		struct page *held = NULL;
		skb_frag_t *frag;

		if (!skb) {
			usleep_range(50, 100);
			continue;
		}
		frag = &skb_shinfo(skb)->frags[0];
		if (*(u64 *)skb_frag_address(frag) != *(u64 *)skb->cb)
			reader->bad++;
		if (prandom_u32_state(&rnd) % 64 == 0) {
			held = skb_frag_page(frag);
			get_page(held);
		}
		kfree_skb(skb);
		if (held)
			put_page(held);
		cond_resched();
	}
	return 0;
}

#define STRESS_READERS	4
#define STRESS_STRIDES	8
#ifndef STRESS_PAGES
#define STRESS_PAGES	(test_rounds(10) == 10 ? 100000 : 1000)
#endif

static void stress_many_readers(struct kunit *test)
{
	static struct reader readers[STRESS_READERS];
	struct rxpool *pool = test_pool(TEST_BIAS);
	struct rxpool_stats s;
	struct rnd_state rnd;
	u64 cookie = 0, done;
	unsigned int i, j, n, bad = 0;

	prandom_seed_state(&rnd, 42);
	for (i = 0; i < STRESS_READERS; i++) {
		skb_queue_head_init(&readers[i].queue);
		readers[i].bad = 0;
		readers[i].seed = i + 1;
		readers[i].task = kthread_run(reader_thread, &readers[i],
					      "rxpool_reader/%u", i);
		KUNIT_ASSERT_TRUE(test, !IS_ERR(readers[i].task));
	}
	for (done = 0; done < STRESS_PAGES; done += n) {
		unsigned int want = 1 + prandom_u32_state(&rnd) % 64;
		unsigned int queued = 0;

		n = rxpool_alloc_bulk(pool, pages, want, GFP_KERNEL);
		for (i = 0; i < n; i++) {
			unsigned int used = prandom_u32_state(&rnd) % STRESS_STRIDES;

			for (j = 0; j < used; j++) {
				struct sk_buff *skb = packet(pages[i], j * 512, 512);

				cookie++;
				*(u64 *)skb->cb = cookie;
				*(u64 *)skb_frag_address(&skb_shinfo(skb)->frags[0]) = cookie;
				skb_queue_tail(&readers[prandom_u32_state(&rnd) %
							STRESS_READERS].queue, skb);
			}
			rxpool_release(pool, pages[i], TEST_BIAS - used);
		}
		/* hold back now and then, so that bursts come and go */
		for (i = 0; i < STRESS_READERS; i++)
			queued += skb_queue_len(&readers[i].queue);
		if (queued > 4 * TEST_CAPACITY)
			usleep_range(500, 1000);
		cond_resched();
	}
	for (i = 0; i < STRESS_READERS; i++) {
		kthread_stop(readers[i].task);
		bad += readers[i].bad;
	}
	KUNIT_EXPECT_EQ(test, bad, 0);
	KUNIT_EXPECT_EQ(test, stats_of(pool).in_flight, 0);
	/* bring home what landed, and let the losses show */
	n = rxpool_alloc_bulk(pool, pages, TEST_MANY, GFP_KERNEL);
	rxpool_release_bulk(pool, pages, n, TEST_BIAS);
	s = stats_of(pool);
	KUNIT_EXPECT_GE(test, s.lost, 1);
	KUNIT_EXPECT_EQ(test, s.alloc - s.burst,
			s.return_owner + s.return_ring + s.lost);
	KUNIT_EXPECT_EQ(test, (u64)atomic_read(&testdev.mapped), s.retained);
	KUNIT_EXPECT_EQ(test, (u64)atomic_read(&testdev.maps), s.dma_map);
	rxpool_destroy(pool);
	KUNIT_EXPECT_EQ(test, rxpool_count_pools(true), 0);
}

static struct kunit_case stress_cases[] = {
	KUNIT_CASE(stress_many_readers),
	{}
};

struct kunit_suite stress_suite = {
	.name = "rxpool_stress",
	.init = pool_test_init,
	.exit = pool_test_exit,
	.test_cases = stress_cases,
};
