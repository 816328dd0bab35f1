// SPDX-License-Identifier: GPL-2.0
/*
 * Burst pages, and pages that the stack does not give back.
 */
#include <linux/mm.h>
#include "common.h"

static void burst_maps_for_one_use(struct kunit *test)
{
	struct rxpool *pool = test_pool(1);
	unsigned int i, n, round;

	for (round = 0; round < 3; round++) {
		n = rxpool_alloc_bulk(pool, pages, TEST_MANY, GFP_KERNEL);
		KUNIT_ASSERT_EQ(test, n, TEST_MANY);
		KUNIT_EXPECT_EQ(test, atomic_read(&testdev.mapped), TEST_MANY);
		for (i = 0; i < n; i++)
			KUNIT_EXPECT_EQ(test, rxpool_page_retained(pool, pages[i]),
					i < TEST_CAPACITY);
		for (i = 0; i < n; i++) {
			rxpool_release(pool, pages[i], i % 2);
			if (i % 2 == 0)
				kfree_skb(packet(pages[i], 0, 100));
		}
		KUNIT_EXPECT_EQ(test, atomic_read(&testdev.mapped), TEST_CAPACITY);
		KUNIT_EXPECT_EQ(test, stats_of(pool).retained, TEST_CAPACITY);
		KUNIT_EXPECT_EQ(test, stats_of(pool).in_flight, 0);
	}
	KUNIT_EXPECT_EQ(test, stats_of(pool).burst, 3 * (TEST_MANY - TEST_CAPACITY));
	rxpool_destroy(pool);
}

static void held_page_is_lost_once(struct kunit *test)
{
	struct rxpool *pool = test_pool(1);
	unsigned int i;

	rxpool_alloc_bulk(pool, pages, 64, GFP_KERNEL);
	for (i = 0; i < 64; i++)
		if (i % 8 == 0)
			get_page(pages[i]);
	for (i = 0; i < 64; i++) {
		if (i % 16 == 0) {
			/* found out by the owner */
			rxpool_release(pool, pages[i], 1);
		} else if (i % 32 == 8) {
			rxpool_release(pool, pages[i], 0);
			rxpool_put_bulk(pool, pages + i, 1);
		} else {
			rxpool_release(pool, pages[i], 0);
			free_on_other_cpu(packet(pages[i], 0, 100));
		}
	}
	KUNIT_EXPECT_EQ(test, stats_of(pool).in_flight, 0);
	for (i = 0; i < 64; i += 8) {
		KUNIT_EXPECT_EQ(test, page_ref_count(pages[i]), 1);
		KUNIT_EXPECT_EQ(test, pages[i]->pp_magic, 0);
	}
	/* the next page from the allocator shows the loss */
	KUNIT_EXPECT_EQ(test, rxpool_alloc_bulk(pool, pages + 64, TEST_CAPACITY,
						GFP_KERNEL), TEST_CAPACITY);
	KUNIT_EXPECT_EQ(test, stats_of(pool).lost, 8);
	KUNIT_EXPECT_EQ(test, stats_of(pool).retained, TEST_CAPACITY);
	KUNIT_EXPECT_EQ(test, atomic_read(&testdev.mapped), TEST_CAPACITY);
	rxpool_release_bulk(pool, pages + 64, TEST_CAPACITY, 1);
	for (i = 0; i < 64; i += 8)
		put_page(pages[i]);
	rxpool_destroy(pool);
}

/* A lost page that the allocator gives back to the very pool that lost it. */
static void lost_page_returns_as_new(struct kunit *test)
{
	struct rxpool *pool = test_pool(1);
	unsigned int i, round;

	for (round = 0; round < test_rounds(50); round++) {
		unsigned int n = rxpool_alloc_bulk(pool, pages, TEST_CAPACITY, GFP_KERNEL);

		KUNIT_ASSERT_EQ(test, n, TEST_CAPACITY);
		for (i = 0; i < n; i++) {
			struct page *page = pages[i];

			rxpool_release(pool, page, 0);
			get_page(page);
			kfree_skb(packet(page, 0, 100));
			put_page(page);
		}
	}
	rxpool_alloc_bulk(pool, pages, 1, GFP_KERNEL);
	KUNIT_EXPECT_EQ(test, stats_of(pool).lost, test_rounds(50) * TEST_CAPACITY);
	rxpool_release(pool, pages[0], 1);
	rxpool_destroy(pool);
}

static void reserve_page_is_not_kept(struct kunit *test)
{
	struct rxpool *pool = test_pool(1);
	struct page *page = rxpool_alloc(pool, GFP_KERNEL);

	/* the mark that the allocator makes on pages of its emergency reserve */
	page->pp_magic |= BIT(1);
	KUNIT_EXPECT_TRUE(test, page_is_pfmemalloc(page));
	rxpool_release(pool, page, 0);
	kfree_skb(packet(page, 0, 100));
	KUNIT_EXPECT_EQ(test, stats_of(pool).in_flight, 0);
	rxpool_alloc_bulk(pool, pages, TEST_CAPACITY, GFP_KERNEL);
	KUNIT_EXPECT_EQ(test, stats_of(pool).lost, 1);
	rxpool_release_bulk(pool, pages, TEST_CAPACITY, 1);
	rxpool_destroy(pool);
}

static struct kunit_case loss_cases[] = {
	KUNIT_CASE(burst_maps_for_one_use),
	KUNIT_CASE(held_page_is_lost_once),
	KUNIT_CASE(lost_page_returns_as_new),
	KUNIT_CASE(reserve_page_is_not_kept),
	{}
};

struct kunit_suite loss_suite = {
	.name = "rxpool_loss",
	.init = pool_test_init,
	.exit = pool_test_exit,
	.test_cases = loss_cases,
};
