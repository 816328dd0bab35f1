// SPDX-License-Identifier: GPL-2.0
/*
 * Pages that go home through the ring of the CPU that reads their flow.
 */
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/mm.h>
#include <linux/uio.h>
#include <linux/workqueue.h>
#include "../page_pool/ring.h"
#include "common.h"

/* Of two flows, with what tells flows apart in the upper bits. */
#define FLOW	0x5eed0001U
#define FLOW2	0xfeed0002U
/* Of one that is read, but holds no page of a pool, and of one that is not read. */
#define FLOW_PLAIN	0x9eed0003U
#define FLOW_UNREAD	0x3eed0001U

/* What a socket's reader does. */
static long read_packet(void *data)
{
	struct sk_buff *skb = data;
	struct iov_iter iter;
	struct kvec kvec;
	u8 buffer[64];

	kvec.iov_base = buffer;
	kvec.iov_len = sizeof(buffer);
	iov_iter_kvec(&iter, READ, &kvec, 1, sizeof(buffer));
	if (skb_copy_datagram_iter(skb, 0, &iter, sizeof(buffer)))
		pr_err("a packet could not be read\n");
	kfree_skb(skb);
	return 0;
}

/* One packet's way. Return: the stamp its page had. */
static struct page_pool *receive(struct rxpool *pool, u32 flow, int reader)
{
	struct page *page = rxpool_alloc(pool, GFP_KERNEL);
	struct page_pool *stamp;
	struct sk_buff *skb;

	rxpool_steer(pool, page, flow);
	stamp = page->pp;
	skb = packet(page, 0, 64);
	skb_set_hash(skb, flow, PKT_HASH_TYPE_L4);
	rxpool_release(pool, page, 0);
	work_on_cpu(reader, read_packet, skb);
	return stamp;
}

static void receive_plain(int reader)
{
	struct sk_buff *skb = packet(alloc_page(GFP_KERNEL | __GFP_NOFAIL), 0, 64);

	skb->pp_recycle = 0;
	skb_set_hash(skb, FLOW_PLAIN, PKT_HASH_TYPE_L4);
	work_on_cpu(reader, read_packet, skb);
}

static void expect_unknown(struct kunit *test, struct rxpool *pool, u32 flow)
{
	struct page *page = rxpool_alloc(pool, GFP_KERNEL);
	u64 steered = stats_of(pool).steered;
	unsigned int i;

	/* wherever it might go */
	for (i = 0; i < pool->shards; i++) {
		page->pp = pool->shard[i];
		rxpool_steer(pool, page, flow);
		KUNIT_EXPECT_TRUE(test, page->pp == pool->shard[i]);
	}
	KUNIT_EXPECT_EQ(test, stats_of(pool).steered, steered);
	rxpool_release(pool, page, 1);
}

static struct page_pool *ring_of(const struct rxpool *pool, int cpu)
{
	return pool->shard[cpu & (pool->shards - 1)];
}

/* Does either flow take a page to its reader's ring? */
static bool both_known(struct rxpool *pool, int reader, int reader2)
{
	struct page *page = rxpool_alloc(pool, GFP_KERNEL);
	bool known = true;
	unsigned int i;

	for (i = 0; i < 4; i++) {
		rxpool_steer(pool, page, i % 2 ? FLOW2 : FLOW);
		known &= page->pp == ring_of(pool, i % 2 ? reader2 : reader);
	}
	rxpool_release(pool, page, 1);
	return known;
}

/* What earlier pools have learned is still known. */
static void learn(struct kunit *test, struct rxpool *pool, int reader, int reader2)
{
	unsigned int i;

	for (i = 0; i < 1000; i++) {
		if (both_known(pool, reader, reader2))
			return;
		if (i % 100 == 0)
			rxpool_learn();
		receive(pool, FLOW, reader);
		receive(pool, FLOW2, reader2);
		receive(pool, 0, reader2);
		receive_plain(reader);
		usleep_range(1000, 2000);
	}
	KUNIT_FAIL(test, "nothing was learned");
}

/* CPUs that do not share a ring. */
static int far_cpu(int here)
{
	int cpu;

	for_each_online_cpu(cpu)
		if (cpu % RXPOOL_SHARDS_DEFAULT != here % RXPOOL_SHARDS_DEFAULT)
			return cpu;
	return here;
}

static void learns_readers(struct kunit *test)
{
	int here = raw_smp_processor_id(), there = far_cpu(here);
	struct rxpool *pool;
	unsigned int i;

	/* pages of many rings */
	pool = test_pool(1);
	rxpool_alloc_bulk(pool, pages, TEST_CAPACITY, GFP_KERNEL);
	rxpool_release_bulk(pool, pages, TEST_CAPACITY, 1);

	learn(test, pool, there, here);
	for (i = 0; i < TEST_CAPACITY; i++) {
		KUNIT_EXPECT_TRUE(test, receive(pool, FLOW, there) == ring_of(pool, there));
		KUNIT_EXPECT_TRUE(test, receive(pool, FLOW2, here) == ring_of(pool, here));
	}
	KUNIT_EXPECT_GE(test, stats_of(pool).steered, 1);
	expect_unknown(test, pool, FLOW_PLAIN);
	expect_unknown(test, pool, FLOW_UNREAD);
	expect_unknown(test, pool, 0);
	/* the readers change places */
	learn(test, pool, here, there);

	KUNIT_EXPECT_EQ(test, rxpool_alloc_bulk(pool, pages, TEST_CAPACITY, GFP_KERNEL),
			TEST_CAPACITY);
	rxpool_release_bulk(pool, pages, TEST_CAPACITY, 1);
	expect_identities(test, pool, 0, 0);
	KUNIT_EXPECT_EQ(test, stats_of(pool).lost, 0);
	KUNIT_EXPECT_EQ(test, stats_of(pool).from_buddy, TEST_CAPACITY);
	rxpool_destroy(pool);
}

static void leaves_burst_pages_alone(struct kunit *test)
{
	int here = raw_smp_processor_id();
	struct rxpool *pool = test_pool(1);
	unsigned int i;

	learn(test, pool, far_cpu(here), here);
	KUNIT_ASSERT_EQ(test, rxpool_alloc_bulk(pool, pages, TEST_MANY, GFP_KERNEL),
			TEST_MANY);
	for (i = 0; i < TEST_MANY; i++) {
		bool retained = rxpool_page_retained(pool, pages[i]);

		rxpool_steer(pool, pages[i], FLOW);
		KUNIT_EXPECT_EQ(test, rxpool_page_retained(pool, pages[i]), retained);
		rxpool_release(pool, pages[i], 0);
		rxpool_put(pages[i]);
	}
	KUNIT_EXPECT_EQ(test, stats_of(pool).in_flight, 0);
	rxpool_destroy(pool);
	KUNIT_EXPECT_EQ(test, rxpool_count_pools(true), 0);
}

static struct kunit_case steer_cases[] = {
	KUNIT_CASE(learns_readers),
	KUNIT_CASE(leaves_burst_pages_alone),
	{}
};

struct kunit_suite steer_suite = {
	.name = "rxpool_steer",
	.init = pool_test_init,
	.exit = pool_test_exit,
	.test_cases = steer_cases,
};
