// SPDX-License-Identifier: GPL-2.0
/*
 * Statistics.
 */
#include <linux/ethtool.h>
#include <linux/mm.h>
#include <linux/prandom.h>
#include <linux/slab.h>
#include "common.h"

static void ethtool_names_and_values_match(struct kunit *test)
{
	struct rxpool_stats s = { .alloc = 10000, .recycled = 9995 }, sum = {};
	int i, n = rxpool_ethtool_count();
	u8 *names = kcalloc(n, ETH_GSTRING_LEN, GFP_KERNEL);
	u64 *values = kcalloc(n, sizeof(u64), GFP_KERNEL);

	KUNIT_ASSERT_TRUE(test, names && values);
	KUNIT_EXPECT_TRUE(test, rxpool_ethtool_strings(names, "rx128_pool_") ==
			  names + n * ETH_GSTRING_LEN);
	rxpool_add_stats(&sum, &s);
	KUNIT_EXPECT_TRUE(test, rxpool_ethtool_values(values, &sum) == values + n);
	KUNIT_EXPECT_EQ(test, values[0], 10000);
	KUNIT_EXPECT_EQ(test, values[n - 1], 9995);
	for (i = 0; i < n; i++)
		KUNIT_EXPECT_LE(test, strlen(names + i * ETH_GSTRING_LEN),
				ETH_GSTRING_LEN - 2);
	rxpool_add_stats(&sum, &s);
	KUNIT_EXPECT_EQ(test, sum.recycled, 2 * 9995);
	/* no traffic, no rate */
	rxpool_ethtool_values(values, &(struct rxpool_stats){});
	KUNIT_EXPECT_EQ(test, values[n - 1], 0);
	kfree(names);
	kfree(values);
}

/* One to four packets of each page, freed at some time; here and there one is held. */
static void identities_hold_at_every_step(struct kunit *test)
{
	struct rxpool *pool = test_pool(TEST_BIAS);
	static struct sk_buff *skbs[TEST_MANY * 4];
	unsigned int i, j, n, count, round;
	struct rxpool_stats s;
	struct rnd_state rnd;

	prandom_seed_state(&rnd, 1);
	for (round = 0; round < test_rounds(50); round++) {
		n = rxpool_alloc_bulk(pool, pages, 1 + prandom_u32_state(&rnd) % TEST_MANY,
				      GFP_KERNEL);
		KUNIT_EXPECT_EQ(test, stats_of(pool).in_flight, n);
		for (i = 0, count = 0; i < n; i++) {
			unsigned int used = 1 + prandom_u32_state(&rnd) % 4;

			for (j = 0; j < used; j++)
				skbs[count++] = packet(pages[i], j * 64, 64);
			rxpool_release(pool, pages[i], TEST_BIAS - used);
			if (prandom_u32_state(&rnd) % 16)
				pages[i] = NULL;
			else
				get_page(pages[i]);
		}
		KUNIT_EXPECT_EQ(test, stats_of(pool).in_flight, n);
		while (count)
			kfree_skb(skbs[--count]);
		for (i = 0; i < n; i++)
			if (pages[i])
				put_page(pages[i]);
		KUNIT_EXPECT_EQ(test, stats_of(pool).in_flight, 0);
		KUNIT_ASSERT_EQ(test, rxpool_alloc_bulk(pool, pages, TEST_MANY, GFP_KERNEL),
				TEST_MANY);
		expect_identities(test, pool, TEST_CAPACITY, TEST_MANY - TEST_CAPACITY);
		rxpool_release_bulk(pool, pages, TEST_MANY, TEST_BIAS);
		expect_identities(test, pool, 0, 0);
		s = stats_of(pool);
		KUNIT_EXPECT_EQ(test, s.retained, TEST_CAPACITY);
		KUNIT_EXPECT_EQ(test, (u64)atomic_read(&testdev.mapped), s.retained);
		KUNIT_EXPECT_LE(test, s.recycled, s.alloc);
	}
	KUNIT_EXPECT_GE(test, s.lost, test_rounds(50));
	rxpool_destroy(pool);
}

static struct kunit_case stats_cases[] = {
	KUNIT_CASE(ethtool_names_and_values_match),
	KUNIT_CASE(identities_hold_at_every_step),
	{}
};

struct kunit_suite stats_suite = {
	.name = "rxpool_stats",
	.init = pool_test_init,
	.exit = pool_test_exit,
	.test_cases = stats_cases,
};
