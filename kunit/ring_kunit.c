// SPDX-License-Identifier: GPL-2.0
/*
 * Returns from other CPUs, by the stack, by XDP, and by anyone.
 */
#include <linux/bpf.h>
#include <linux/completion.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/netdevice.h>
#include <net/net_namespace.h>
#include <net/xdp.h>
#include "../page_pool/ring.h"
#include "common.h"

static void comes_home_from_other_cpu(struct kunit *test)
{
	struct rxpool *pool = test_pool(1);
	struct page *page, *again;
	unsigned int i;

	for (i = 0; i < 200; i++) {
		page = rxpool_alloc(pool, GFP_KERNEL);
		rxpool_release(pool, page, 0);
		free_on_other_cpu(packet(page, 0, 1000));
		KUNIT_EXPECT_EQ(test, stats_of(pool).in_flight, 0);
	}
	/* drain: all that were allocated are there */
	KUNIT_EXPECT_EQ(test, rxpool_alloc_bulk(pool, pages, TEST_CAPACITY, GFP_KERNEL),
			TEST_CAPACITY);
	KUNIT_EXPECT_EQ(test, stats_of(pool).burst, 0);
	KUNIT_EXPECT_EQ(test, stats_of(pool).lost, 0);
	KUNIT_EXPECT_EQ(test, stats_of(pool).return_ring, 200);
	again = pages[0];
	KUNIT_EXPECT_EQ(test, page_ref_count(again), 1);
	rxpool_release_bulk(pool, pages, TEST_CAPACITY, 1);
	rxpool_destroy(pool);
}

static void full_set_lands_without_loss(struct kunit *test)
{
	struct rxpool *pool = test_pool(1);
	unsigned int i, round;

	for (round = 0; round < 5; round++) {
		KUNIT_ASSERT_EQ(test, rxpool_alloc_bulk(pool, pages, TEST_CAPACITY,
							GFP_KERNEL), TEST_CAPACITY);
		rxpool_release_bulk(pool, pages, TEST_CAPACITY, 0);
		for (i = 0; i < TEST_CAPACITY; i++)
			kfree_skb(packet(pages[i], 0, 100));
		KUNIT_EXPECT_EQ(test, stats_of(pool).in_flight, 0);
	}
	KUNIT_EXPECT_EQ(test, stats_of(pool).from_buddy, TEST_CAPACITY);
	KUNIT_EXPECT_EQ(test, stats_of(pool).lost, 0);
	rxpool_destroy(pool);
}

static void put_from_anywhere(struct kunit *test)
{
	struct rxpool *pool = test_pool(2);
	unsigned int i;

	KUNIT_ASSERT_EQ(test, rxpool_alloc_bulk(pool, pages, TEST_MANY, GFP_KERNEL),
			TEST_MANY);
	for (i = 0; i < TEST_MANY; i++)
		rxpool_release(pool, pages[i], 1);
	for (i = 0; i < 10; i++)
		rxpool_put(pages[i]);
	/* retained and burst pages mixed */
	rxpool_put_bulk(pool, pages + 10, TEST_MANY - 10);
	KUNIT_EXPECT_EQ(test, stats_of(pool).in_flight, 0);
	KUNIT_EXPECT_EQ(test, rxpool_alloc_bulk(pool, pages, TEST_CAPACITY, GFP_KERNEL),
			TEST_CAPACITY);
	KUNIT_EXPECT_EQ(test, stats_of(pool).burst, TEST_MANY - TEST_CAPACITY);
	KUNIT_EXPECT_EQ(test, stats_of(pool).return_ring, TEST_CAPACITY);
	rxpool_release_bulk(pool, pages, TEST_CAPACITY, 2);
	rxpool_destroy(pool);
}

/* XDP's bulk return goes to the ring of the rxq, whatever the page's stamp says, so
 * burst pages land among the retained ones.
 */
static void xdp_frames_come_home(struct kunit *test)
{
	struct rxpool *pool = test_pool(1);
	struct net_device *dev = init_net.loopback_dev;
	static struct xdp_frame *frames[TEST_MANY];
	static struct page *again[TEST_CAPACITY];
	struct xdp_rxq_info rxq = {};
	struct xdp_frame_bulk bulk;
	struct xdp_buff xdp;
	unsigned int i;

	KUNIT_ASSERT_EQ(test, xdp_rxq_info_reg(&rxq, dev, 0, 0), 0);
	KUNIT_ASSERT_EQ(test, rxpool_xdp_register(pool, &rxq), 0);
	KUNIT_ASSERT_EQ(test, rxpool_alloc_bulk(pool, pages, TEST_MANY, GFP_KERNEL),
			TEST_MANY);
	for (i = 0; i < TEST_MANY; i++) {
		rxpool_release(pool, pages[i], 0);
		xdp_init_buff(&xdp, PAGE_SIZE, &rxq);
		xdp_prepare_buff(&xdp, page_address(pages[i]),
				 XDP_PACKET_HEADROOM, 100, false);
		frames[i] = xdp_convert_buff_to_frame(&xdp);
		KUNIT_ASSERT_TRUE(test, frames[i]);
	}
	/* the last one stays out until the pool is destroyed, with its page held */
	local_bh_disable();
	rcu_read_lock();
	xdp_frame_bulk_init(&bulk);
	for (i = 0; i < TEST_MANY - 1; i++) {
		if (i % 3 == 0)
			xdp_return_frame(frames[i]);
		else if (i % 3 == 1)
			rxpool_return_in_napi(frames[i]);
		else
			xdp_return_frame_bulk(frames[i], &bulk);
	}
	xdp_flush_frame_bulk(&bulk);
	rcu_read_unlock();
	local_bh_enable();
	KUNIT_EXPECT_EQ(test, stats_of(pool).in_flight, 1);

	/* no burst page became a retained one, and no retained one was lost */
	KUNIT_EXPECT_EQ(test, rxpool_alloc_bulk(pool, again, TEST_CAPACITY, GFP_KERNEL),
			TEST_CAPACITY);
	for (i = 0; i < TEST_CAPACITY; i++)
		KUNIT_EXPECT_TRUE(test, rxpool_page_retained(pool, again[i]));
	KUNIT_EXPECT_EQ(test, stats_of(pool).lost, 0);
	KUNIT_EXPECT_EQ(test, stats_of(pool).burst, TEST_MANY - TEST_CAPACITY);
	KUNIT_EXPECT_EQ(test, stats_of(pool).in_flight, TEST_CAPACITY + 1);
	rxpool_release_bulk(pool, again, TEST_CAPACITY, 1);

	/* counted on the rxq's ring, though stamped with the other */
	get_page(pages[TEST_MANY - 1]);
	rxpool_destroy(pool);
	KUNIT_EXPECT_EQ(test, rxpool_count_pools(true), 1);
	rcu_read_lock();
	xdp_frame_bulk_init(&bulk);
	xdp_return_frame_bulk(frames[TEST_MANY - 1], &bulk);
	xdp_flush_frame_bulk(&bulk);
	rcu_read_unlock();
	put_page(pages[TEST_MANY - 1]);
	xdp_rxq_info_unreg(&rxq);
	KUNIT_EXPECT_TRUE(test, dead_pools_gone());
	KUNIT_EXPECT_EQ(test, rxpool_count_pools(false) + rxpool_count_pools(true), 0);
}

/* Pages that were allocated together stay in one ring, and leave it together. */
/* All pages once, batch by batch. Return: how many rings they are stamped for. */
static unsigned int hand_out_batches(struct kunit *test, struct rxpool *pool)
{
	const struct page_pool *seen[TEST_CAPACITY / 64];
	unsigned int i, shard, shards = 0;

	for (i = 0; i < TEST_CAPACITY; i++) {
		if (i % 64 == 0)
			KUNIT_ASSERT_EQ(test, rxpool_alloc_bulk(pool, pages + i, 64,
								GFP_KERNEL), 64);
		KUNIT_EXPECT_TRUE(test, pages[i]->pp == pages[i / 64 * 64]->pp);
		for (shard = 0; shard < shards; shard++)
			if (seen[shard] == pages[i]->pp)
				break;
		if (shard == shards)
			seen[shards++] = pages[i]->pp;
	}
	rxpool_release_bulk(pool, pages, TEST_CAPACITY, 0);
	return shards;
}

/* All batches to one ring while one CPU returns them, each to another while several do. */
static void batches_share_a_shard(struct kunit *test)
{
	struct rxpool_params params = test_params(1);
	unsigned int i, round, shards = 0, n = TEST_CAPACITY / 64;
	struct rxpool *pool;

	params.shards = n;
	pool = rxpool_create(&params);
	KUNIT_ASSERT_TRUE(test, !IS_ERR(pool));
	for (round = 0; round < 20; round++) {
		KUNIT_EXPECT_EQ(test, hand_out_batches(test, pool), 1);
		for (i = 0; i < TEST_CAPACITY; i++)
			rxpool_put(pages[i]);
	}
	/* page by page from all batches, as if each had a reader of its own */
	for (round = 0; round < 100 && shards < n - 1; round++) {
		shards = hand_out_batches(test, pool);
		for (i = 0; i < TEST_CAPACITY; i++)
			rxpool_put(pages[i % n * 64 + i / n]);
	}
	KUNIT_EXPECT_GE(test, shards, n - 1);
	/* some seconds later */
	pool->short_until = jiffies - 1;
	for (round = 0; round < 40 && shards > 2; round++) {
		shards = hand_out_batches(test, pool);
		for (i = 0; i < TEST_CAPACITY; i++)
			rxpool_put(pages[i]);
	}
	KUNIT_EXPECT_LE(test, shards, 2);
	KUNIT_EXPECT_EQ(test, stats_of(pool).from_buddy, TEST_CAPACITY);
	rxpool_destroy(pool);
}

struct returner {
	struct completion *go;
	struct sk_buff_head queue;
	struct rxpool *pool;
	struct page *pages[2 * TEST_CAPACITY];
	unsigned int n;
	struct completion done;
};

static int returner_thread(void *arg)
{
	struct returner *r = arg;
	unsigned int i;

	wait_for_completion(r->go);
	skb_queue_purge(&r->queue);
	for (i = 0; i < r->n; i += 16)
		rxpool_put_bulk(r->pool, r->pages + i, min(16U, r->n - i));
	complete(&r->done);
	return 0;
}

static void give_to(struct returner *r, struct page *page, unsigned int offset, bool bulk)
{
	if (bulk)
		r->pages[r->n++] = page;
	else
		skb_queue_tail(&r->queue, packet(page, offset, 100));
}

/* Two readers of one queue's packets, by turns; or two that return a driver's pages. */
static void return_at_once(struct kunit *test, bool bulk)
{
	struct rxpool_params params = test_params(2);
	static struct returner r[2];
	struct task_struct *task;
	struct rxpool *pool;
	unsigned int i, round;

	/* bulk returns do not mind the stamp: in the same ring */
	params.shards = bulk;
	pool = rxpool_create(&params);
	KUNIT_ASSERT_TRUE(test, !IS_ERR(pool));
	for (round = 0; round < test_rounds(20); round++) {
		DECLARE_COMPLETION_ONSTACK(go);

		KUNIT_ASSERT_EQ(test, rxpool_alloc_bulk(pool, pages, TEST_CAPACITY,
							GFP_KERNEL), TEST_CAPACITY);
		for (i = 0; i < 2; i++) {
			r[i].go = &go;
			r[i].pool = pool;
			r[i].n = 0;
			skb_queue_head_init(&r[i].queue);
			init_completion(&r[i].done);
		}
		for (i = 0; i < TEST_CAPACITY; i++) {
			give_to(&r[i % 2], pages[i], 0, bulk);
			give_to(&r[(i / 2) % 2], pages[i], 2048, bulk);
			rxpool_release(pool, pages[i], 0);
		}
		for (i = 0; i < 2; i++) {
			task = kthread_create(returner_thread, &r[i], "rxpool_return/%u", i);
			KUNIT_ASSERT_TRUE(test, !IS_ERR(task));
			kthread_bind(task, i);
			wake_up_process(task);
		}
		complete_all(&go);
		for (i = 0; i < 2; i++)
			wait_for_completion(&r[i].done);
		KUNIT_EXPECT_EQ(test, stats_of(pool).in_flight, 0);
	}
	KUNIT_EXPECT_EQ(test, rxpool_alloc_bulk(pool, pages, TEST_CAPACITY, GFP_KERNEL),
			TEST_CAPACITY);
	rxpool_release_bulk(pool, pages, TEST_CAPACITY, 2);
	expect_identities(test, pool, 0, 0);
	KUNIT_EXPECT_EQ(test, stats_of(pool).return_ring, test_rounds(20) * TEST_CAPACITY);
	KUNIT_EXPECT_EQ(test, stats_of(pool).from_buddy, TEST_CAPACITY);
	rxpool_destroy(pool);
}

static void two_cpus_return_at_once(struct kunit *test)
{
	return_at_once(test, false);
}

static void two_cpus_put_bulk_at_once(struct kunit *test)
{
	return_at_once(test, true);
}

static struct kunit_case ring_cases[] = {
	KUNIT_CASE(comes_home_from_other_cpu),
	KUNIT_CASE(full_set_lands_without_loss),
	KUNIT_CASE(two_cpus_return_at_once),
	KUNIT_CASE(two_cpus_put_bulk_at_once),
	KUNIT_CASE(put_from_anywhere),
	KUNIT_CASE(batches_share_a_shard),
	KUNIT_CASE(xdp_frames_come_home),
	{}
};

struct kunit_suite ring_suite = {
	.name = "rxpool_ring",
	.init = pool_test_init,
	.exit = pool_test_exit,
	.test_cases = ring_cases,
};
