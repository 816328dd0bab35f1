// SPDX-License-Identifier: GPL-2.0
/*
 * The owner's side: hand out, release, refill, and what happens when that fails.
 */
#include <linux/mm.h>
#include "common.h"

static void owner_recycles_one(struct kunit *test)
{
	struct rxpool *pool = test_pool(1);
	struct page *first = rxpool_alloc(pool, GFP_KERNEL), *page = first;
	struct rxpool_stats s;
	unsigned int i;

	for (i = 0; i < 1000; i++) {
		KUNIT_EXPECT_TRUE(test, page == first);
		KUNIT_EXPECT_EQ(test, page_ref_count(page), 1);
		rxpool_release(pool, page, 1);
		page = rxpool_alloc(pool, GFP_KERNEL);
	}
	rxpool_release(pool, page, 1);
	s = stats_of(pool);
	KUNIT_EXPECT_EQ(test, s.alloc, 1001);
	KUNIT_EXPECT_EQ(test, s.recycled, 1000);
	KUNIT_EXPECT_EQ(test, s.return_owner, 1001);
	KUNIT_EXPECT_EQ(test, s.burst, 0);
	KUNIT_EXPECT_EQ(test, s.in_flight, 0);
	KUNIT_EXPECT_EQ(test, s.dma_map, s.retained);
	KUNIT_EXPECT_EQ(test, s.from_buddy, s.retained);
	rxpool_destroy(pool);
}

/* Pages that need no sync take a shorter way out. */
static void owner_recycles_coherent(struct kunit *test)
{
	struct page *page, *other;
	struct rxpool *pool;
	unsigned int i;

	testdev_make_coherent();
	pool = test_pool(1);
	for (i = 0; i < 1000; i++) {
		page = rxpool_alloc(pool, GFP_KERNEL);
		other = rxpool_alloc(pool, GFP_KERNEL);
		KUNIT_EXPECT_TRUE(test, page != other);
		KUNIT_EXPECT_EQ(test, page_ref_count(page), 1);
		KUNIT_EXPECT_TRUE(test, rxpool_page_retained(pool, page));
		rxpool_release(pool, other, 1);
		rxpool_release(pool, page, i % 2);
		if (i % 2 == 0)
			kfree_skb(packet(page, 0, 100));
	}
	KUNIT_EXPECT_EQ(test, atomic_read(&testdev.synced_device), 0);
	KUNIT_EXPECT_EQ(test, stats_of(pool).alloc, 2000);
	KUNIT_EXPECT_EQ(test, stats_of(pool).return_owner, 1500);
	KUNIT_EXPECT_EQ(test, stats_of(pool).in_flight, 0);
	rxpool_destroy(pool);
}

static void owner_recycles_bulk(struct kunit *test)
{
	struct rxpool *pool = test_pool(TEST_BIAS);
	unsigned int i, n;

	for (i = 0; i < test_rounds(500); i++) {
		n = i ? 1 + i % TEST_CAPACITY : TEST_CAPACITY;
		KUNIT_ASSERT_EQ(test, rxpool_alloc_bulk(pool, pages, n, GFP_KERNEL), n);
		KUNIT_EXPECT_EQ(test, stats_of(pool).in_flight, n);
		rxpool_release_bulk(pool, pages, n, TEST_BIAS);
	}
	KUNIT_EXPECT_EQ(test, stats_of(pool).retained, TEST_CAPACITY);
	KUNIT_EXPECT_EQ(test, stats_of(pool).dma_map, TEST_CAPACITY);
	KUNIT_EXPECT_EQ(test, stats_of(pool).return_owner, stats_of(pool).alloc);
	rxpool_destroy(pool);
}

static void syncs_what_may_be_written(struct kunit *test)
{
	struct rxpool_params params = test_params(1);
	struct rxpool *pool;
	struct page *page;

	params.offset = 256;
	params.max_len = 1536;
	pool = rxpool_create(&params);
	page = rxpool_alloc(pool, GFP_KERNEL);
	KUNIT_EXPECT_EQ(test, atomic_read(&testdev.synced_device), 1536);
	rxpool_sync_for_cpu(pool, page, 256, 100);
	KUNIT_EXPECT_EQ(test, atomic_read(&testdev.synced_cpu), 100);
	rxpool_release(pool, page, 1);
	/* and again when it is handed out again */
	page = rxpool_alloc(pool, GFP_KERNEL);
	KUNIT_EXPECT_EQ(test, atomic_read(&testdev.synced_device), 2 * 1536);
	rxpool_sync_for_device(pool, page, 0, PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, atomic_read(&testdev.synced_device),
			2 * 1536 + (int)PAGE_SIZE);
	rxpool_release(pool, page, 1);
	rxpool_destroy(pool);
}

static void mapping_failure_heals(struct kunit *test)
{
	struct rxpool *pool = test_pool(1);

	testdev.maps_left = 0;
	KUNIT_EXPECT_EQ(test, rxpool_alloc_bulk(pool, pages, 10, GFP_KERNEL), 0);
	KUNIT_EXPECT_EQ(test, stats_of(pool).alloc_failed, 10);
	KUNIT_EXPECT_EQ(test, stats_of(pool).retained, 0);
	testdev.maps_left = -1;
	KUNIT_EXPECT_EQ(test, rxpool_alloc_bulk(pool, pages, 10, GFP_KERNEL), 10);
	rxpool_release_bulk(pool, pages, 10, 1);
	KUNIT_EXPECT_EQ(test, stats_of(pool).in_flight, 0);
	rxpool_destroy(pool);
}

/*
 * The bulk allocator gives a single page when it is asked to charge a memory
 * cgroup, as it does when memory is short. tools/test/guest/pool.sh makes a
 * cgroup, without which this is just another allocation.
 */
static void short_bulk_is_filled_up(struct kunit *test)
{
	struct rxpool *pool = test_pool(1);

	/* below the capacity, across it, and at it */
	KUNIT_EXPECT_EQ(test, rxpool_alloc_bulk(pool, pages, 64, GFP_KERNEL_ACCOUNT), 64);
	KUNIT_EXPECT_EQ(test, rxpool_alloc_bulk(pool, pages + 64, TEST_MANY - 64,
						GFP_KERNEL_ACCOUNT), TEST_MANY - 64);
	KUNIT_EXPECT_EQ(test, stats_of(pool).burst, TEST_MANY - TEST_CAPACITY);
	KUNIT_EXPECT_EQ(test, stats_of(pool).alloc_failed, 0);
	rxpool_release_bulk(pool, pages, TEST_MANY, 1);
	rxpool_destroy(pool);
}

#ifdef RXPOOL_FAIL_NTH
/* Of the pool, the page allocator, or the mapping: mostly the pool finds another way.
 * What came out is whole, the rest is counted, and the next call makes up for it.
 */
static void alloc_fails_at_every_step(struct kunit *test)
{
	unsigned int n, i, got, retained, left = 0, steps = 0;
	struct rxpool *pool;

	/* by turns with a pool that is watched, which allocates records, too */
	for (n = 1; n < 50000 && !left; n += 1 + n / 8) {
		atomic_set(&testdev.maps, 0);
		pool = n % 2 ? test_pool(TEST_BIAS) : debug_pool(TEST_BIAS);
		KUNIT_ASSERT_TRUE(test, !IS_ERR(pool));
		current->fail_nth = n;
		got = rxpool_alloc_bulk(pool, pages, TEST_MANY, GFP_ATOMIC);
		left = current->fail_nth;
		current->fail_nth = 0;
		steps += !left;
		for (i = 0, retained = 0; i < got; i++)
			retained += rxpool_page_retained(pool, pages[i]);
		expect_identities(test, pool, retained, got - retained);
		KUNIT_EXPECT_EQ(test, stats_of(pool).alloc_failed, TEST_MANY - got);
		KUNIT_EXPECT_EQ(test, rxpool_alloc_bulk(pool, pages + got, TEST_MANY - got,
							GFP_KERNEL), TEST_MANY - got);
		rxpool_release_bulk(pool, pages, TEST_MANY, TEST_BIAS);
		expect_identities(test, pool, 0, 0);
		rxpool_destroy(pool);
	}
	if (!steps)
		kunit_skip(test, RXPOOL_FAIL_NTH);
	KUNIT_EXPECT_TRUE(test, left);
	KUNIT_EXPECT_GE(test, steps, 5);
}
#endif

static struct kunit_case owner_cases[] = {
	KUNIT_CASE(owner_recycles_one),
	KUNIT_CASE(owner_recycles_coherent),
	KUNIT_CASE(owner_recycles_bulk),
	KUNIT_CASE(syncs_what_may_be_written),
	KUNIT_CASE(mapping_failure_heals),
	KUNIT_CASE(short_bulk_is_filled_up),
#ifdef RXPOOL_FAIL_NTH
	KUNIT_CASE(alloc_fails_at_every_step),
#endif
	{}
};

struct kunit_suite owner_suite = {
	.name = "rxpool_owner",
	.init = pool_test_init,
	.exit = pool_test_exit,
	.test_cases = owner_cases,
};
