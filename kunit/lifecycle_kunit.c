// SPDX-License-Identifier: GPL-2.0
/*
 * Parameters, creation, and the end of a pool with and without pages in flight.
 */
#include <linux/delay.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include "common.h"

static void refuses_bad_params(struct kunit *test)
{
	static const struct {
		const char *what;
		size_t offset;
		unsigned int value;
	} bad[] = {
#define BAD(field, v) { #field, offsetof(struct rxpool_params, field), v }
		BAD(dma_dir, DMA_TO_DEVICE),
		BAD(dma_dir, DMA_NONE),
		BAD(nid, -7),
		BAD(nid, MAX_NUMNODES),
		BAD(capacity, 0),
		BAD(capacity, RXPOOL_CAPACITY_MAX + 1),
		BAD(bias, 0),
		BAD(bias, RXPOOL_BIAS_MAX + 1),
		BAD(offset, PAGE_SIZE),
		BAD(max_len, PAGE_SIZE + 1),
		BAD(shards, 3),
		BAD(shards, RXPOOL_SHARDS_MAX + 1),
#undef BAD
	};
	struct rxpool_params params;
	u64 no_mask = 0, *mask;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		params = test_params(1);
		*(unsigned int *)((void *)&params + bad[i].offset) = bad[i].value;
		KUNIT_EXPECT_EQ(test, PTR_ERR(rxpool_create(&params)), -EINVAL);
	}
	params = test_params(1);
	params.offset = 256;
	params.max_len = PAGE_SIZE - 255;
	KUNIT_EXPECT_EQ(test, PTR_ERR(rxpool_create(&params)), -EINVAL);
	params = test_params(1);
	params.name = "";
	KUNIT_EXPECT_EQ(test, PTR_ERR(rxpool_create(&params)), -EINVAL);
	params.name = NULL;
	KUNIT_EXPECT_EQ(test, PTR_ERR(rxpool_create(&params)), -EINVAL);
	params = test_params(1);
	params.dev = NULL;
	KUNIT_EXPECT_EQ(test, PTR_ERR(rxpool_create(&params)), -EINVAL);
	KUNIT_EXPECT_EQ(test, PTR_ERR(rxpool_create(NULL)), -EINVAL);
	params = test_params(1);
	mask = testdev.dev->dma_mask;
	testdev.dev->dma_mask = &no_mask;
	KUNIT_EXPECT_EQ(test, PTR_ERR(rxpool_create(&params)), -EINVAL);
	testdev.dev->dma_mask = NULL;
	KUNIT_EXPECT_EQ(test, PTR_ERR(rxpool_create(&params)), -EINVAL);
	testdev.dev->dma_mask = mask;
	KUNIT_EXPECT_EQ(test, rxpool_count_pools(false), 0);
}

static void destroy_of_nothing(struct kunit *test)
{
	struct rxpool *pool = test_pool(1);

	rxpool_destroy(NULL);
	rxpool_destroy(ERR_PTR(-ENOMEM));
	KUNIT_ASSERT_TRUE(test, !IS_ERR(pool));
	KUNIT_EXPECT_EQ(test, rxpool_count_pools(false), 1);
	rxpool_destroy(pool);
	KUNIT_EXPECT_EQ(test, rxpool_count_pools(false), 0);
	KUNIT_EXPECT_EQ(test, rxpool_count_pools(true), 0);
}

static void destroy_unmaps_pages_in_flight(struct kunit *test)
{
	struct rxpool *pool = test_pool(TEST_BIAS);
	static struct sk_buff *skbs[TEST_MANY];
	unsigned int i;

	KUNIT_ASSERT_EQ(test, rxpool_alloc_bulk(pool, pages, TEST_MANY, GFP_KERNEL),
			TEST_MANY);
	for (i = 0; i < TEST_MANY; i++) {
		skbs[i] = packet(pages[i], 0, 100);
		memset(page_address(pages[i]), i, 100);
		rxpool_release(pool, pages[i], TEST_BIAS - 1);
	}
	rxpool_destroy(pool);
	KUNIT_EXPECT_EQ(test, atomic_read(&testdev.mapped), 0);
	KUNIT_EXPECT_EQ(test, rxpool_count_pools(true), 1);
	msleep(600);
	KUNIT_EXPECT_EQ(test, rxpool_count_pools(true), 1);
	for (i = 0; i < TEST_MANY; i++) {
		u8 *data = page_address(pages[i]);

		KUNIT_EXPECT_EQ(test, data[0], (u8)i);
		KUNIT_EXPECT_EQ(test, data[99], (u8)i);
		if (i % 3)
			kfree_skb(skbs[i]);
		else
			free_on_other_cpu(skbs[i]);
	}
	KUNIT_EXPECT_TRUE(test, dead_pools_gone());
}

static void destroy_forgets_lost_pages(struct kunit *test)
{
	struct rxpool *pool = test_pool(1);
	struct sk_buff *skb;

	rxpool_alloc_bulk(pool, pages, 2, GFP_KERNEL);
	rxpool_release_bulk(pool, pages, 2, 0);
	get_page(pages[0]);
	kfree_skb(packet(pages[0], 0, 100));
	get_page(pages[1]);
	skb = packet(pages[1], 0, 100);
	rxpool_destroy(pool);
	KUNIT_EXPECT_EQ(test, atomic_read(&testdev.mapped), 0);
	KUNIT_EXPECT_EQ(test, rxpool_count_pools(true), 1);
	kfree_skb(skb);
	KUNIT_EXPECT_TRUE(test, dead_pools_gone());
	put_page(pages[0]);
	put_page(pages[1]);
}

/* A NAPI that got a new pool frees packets of the old one: "directly", as its owner. */
static void old_pool_is_not_the_new_owner(struct kunit *test)
{
	struct rxpool *old = test_pool(1), *pool;
	struct sk_buff *skbs[32];
	unsigned int i;

	KUNIT_ASSERT_EQ(test, rxpool_alloc_bulk(old, pages, 32, GFP_KERNEL), 32);
	for (i = 0; i < 32; i++) {
		rxpool_release(old, pages[i], 0);
		skbs[i] = packet(pages[i], 0, 100);
	}
	rxpool_destroy(old);
	pool = test_pool(1);
	KUNIT_EXPECT_EQ(test, rxpool_count_pools(true), 1);
	local_bh_disable();
	for (i = 0; i < 32; i++)
		napi_consume_skb(skbs[i], 1);
	local_bh_enable();
	KUNIT_EXPECT_TRUE(test, dead_pools_gone());
	KUNIT_ASSERT_EQ(test, rxpool_alloc_bulk(pool, pages, 1, GFP_KERNEL), 1);
	rxpool_release(pool, pages[0], 1);
	KUNIT_EXPECT_EQ(test, stats_of(pool).in_flight, 0);
	KUNIT_EXPECT_EQ(test, stats_of(pool).return_ring, 0);
	rxpool_destroy(pool);
}

static void many_pools_end_in_any_order(struct kunit *test)
{
	static struct rxpool *pools[50];
	static struct sk_buff *skbs[50];
	struct page *page;
	unsigned int i;

	for (i = 0; i < 50; i++) {
		pools[i] = test_pool(1);
		KUNIT_ASSERT_TRUE(test, !IS_ERR(pools[i]));
		page = rxpool_alloc(pools[i], GFP_KERNEL);
		rxpool_release(pools[i], page, 0);
		skbs[i] = packet(page, 0, 100);
	}
	KUNIT_EXPECT_EQ(test, rxpool_count_pools(false), 50);
	for (i = 0; i < 50; i += 2)
		rxpool_destroy(pools[i]);
	KUNIT_EXPECT_EQ(test, rxpool_count_pools(false), 25);
	KUNIT_EXPECT_EQ(test, rxpool_count_pools(true), 25);
	for (i = 0; i < 50; i++)
		free_on_other_cpu(skbs[49 - i]);
	for (i = 1; i < 50; i += 2)
		rxpool_destroy(pools[i]);
	KUNIT_EXPECT_TRUE(test, dead_pools_gone());
}

/* 64 MB: neither its tables nor its rings may need what a busy machine lacks. */
static void largest_pool(struct kunit *test)
{
	struct rxpool_params params = test_params(1);
	struct page **all = kvmalloc_array(RXPOOL_CAPACITY_MAX, sizeof(*all), GFP_KERNEL);
	unsigned int round, i, n = test_rounds(RXPOOL_CAPACITY_MAX);
	struct rxpool *pool;

	params.capacity = RXPOOL_CAPACITY_MAX;
	pool = rxpool_create(&params);
	KUNIT_ASSERT_TRUE(test, all && !IS_ERR(pool));
	for (round = 0; round < 2; round++) {
		KUNIT_EXPECT_EQ(test, rxpool_alloc_bulk(pool, all, n, GFP_KERNEL), n);
		for (i = 0; i < n; i++)
			rxpool_release(pool, all[i], 0);
		for (i = 0; i < n; i += 64) {
			rxpool_put_bulk(pool, all + i, min(64U, n - i));
			cond_resched();
		}
	}
	KUNIT_EXPECT_EQ(test, stats_of(pool).lost, 0);
	KUNIT_EXPECT_EQ(test, stats_of(pool).burst, 0);
	KUNIT_EXPECT_EQ(test, stats_of(pool).retained, n);
	rxpool_destroy(pool);
	kvfree(all);
}

#ifdef RXPOOL_FAIL_NTH
static void create_unwinds_each_step(struct kunit *test)
{
	unsigned int n, left = 0, failed = 0;
	struct rxpool *pool;

	for (n = 1; n < 400 && !left; n++) {
		current->fail_nth = DIV_ROUND_UP(n, 2);
		pool = n % 2 ? test_pool(1) : debug_pool(1);
		left = current->fail_nth;
		current->fail_nth = 0;
		if (IS_ERR(pool)) {
			KUNIT_EXPECT_EQ(test, PTR_ERR(pool), -ENOMEM);
			failed++;
		} else {
			rxpool_destroy(pool);
		}
		KUNIT_EXPECT_EQ(test, rxpool_count_pools(false), 0);
	}
	if (!failed)
		kunit_skip(test, RXPOOL_FAIL_NTH);
	KUNIT_EXPECT_TRUE(test, left);
	KUNIT_EXPECT_GE(test, failed, 3);
}
#endif

static struct kunit_case lifecycle_cases[] = {
	KUNIT_CASE(refuses_bad_params),
	KUNIT_CASE(destroy_of_nothing),
	KUNIT_CASE(destroy_unmaps_pages_in_flight),
	KUNIT_CASE(destroy_forgets_lost_pages),
	KUNIT_CASE(old_pool_is_not_the_new_owner),
	KUNIT_CASE(many_pools_end_in_any_order),
	KUNIT_CASE(largest_pool),
#ifdef RXPOOL_FAIL_NTH
	KUNIT_CASE(create_unwinds_each_step),
#endif
	{}
};

struct kunit_suite lifecycle_suite = {
	.name = "rxpool_lifecycle",
	.init = pool_test_init,
	.exit = pool_test_exit,
	.test_cases = lifecycle_cases,
};
