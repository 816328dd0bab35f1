// SPDX-License-Identifier: GPL-2.0
/*
 * Pages that carry several packets.
 */
#include <linux/mm.h>
#include "common.h"

/* N of the page's strides go to the stack; it frees before or after release. */
static void fragments_drain_to_zero(struct kunit *test)
{
	static const unsigned int used[] = { 0, 1, 2, 16, TEST_BIAS - 1 };
	struct rxpool *pool = test_pool(TEST_BIAS);
	struct sk_buff *skbs[TEST_BIAS];
	unsigned int u, i, early;

	for (u = 0; u < ARRAY_SIZE(used); u++) {
		for (early = 0; early <= used[u]; early += 1 + used[u] / 8) {
			struct page *page = rxpool_alloc(pool, GFP_KERNEL);
			u64 owner = stats_of(pool).return_owner;

			for (i = 0; i < used[u]; i++)
				skbs[i] = packet(page, i * 64, 64);
			for (i = 0; i < early; i++)
				free_on_other_cpu(skbs[i]);
			rxpool_release(pool, page, TEST_BIAS - used[u]);
			KUNIT_EXPECT_EQ(test, stats_of(pool).return_owner - owner,
					early == used[u]);
			for (i = early; i < used[u]; i++) {
				KUNIT_EXPECT_EQ(test, stats_of(pool).in_flight, 1);
				kfree_skb(skbs[i]);
			}
			KUNIT_EXPECT_EQ(test, stats_of(pool).in_flight, 0);
		}
	}
	KUNIT_EXPECT_EQ(test, stats_of(pool).lost, 0);
	rxpool_destroy(pool);
}

static struct kunit_case fragments_cases[] = {
	KUNIT_CASE(fragments_drain_to_zero),
	{}
};

struct kunit_suite fragments_suite = {
	.name = "rxpool_fragments",
	.init = pool_test_init,
	.exit = pool_test_exit,
	.test_cases = fragments_cases,
};
