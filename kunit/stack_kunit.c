// SPDX-License-Identifier: GPL-2.0
/*
 * What the network stack does to packets between receive and free. Each page comes
 * home, or is counted as lost, once.
 */
#include <linux/if_ether.h>
#include <linux/mm.h>
#include <linux/skbuff.h>
#include "common.h"

/* Each makes of one or two packets those in the list. */

static void op_nothing(struct sk_buff *skb, struct sk_buff *other, struct sk_buff_head *out)
{
	__skb_queue_tail(out, skb);
	__skb_queue_tail(out, other);
}

static void op_clone(struct sk_buff *skb, struct sk_buff *other, struct sk_buff_head *out)
{
	__skb_queue_tail(out, skb_clone(skb, GFP_KERNEL | __GFP_NOFAIL));
	op_nothing(skb, other, out);
}

/* A new head on the same pages, by plain page references. */
static void op_copy_head(struct sk_buff *skb, struct sk_buff *other, struct sk_buff_head *out)
{
	__skb_queue_tail(out, pskb_copy(skb, GFP_KERNEL | __GFP_NOFAIL));
	op_nothing(skb, other, out);
}

static void op_copy(struct sk_buff *skb, struct sk_buff *other, struct sk_buff_head *out)
{
	__skb_queue_tail(out, skb_copy(skb, GFP_KERNEL | __GFP_NOFAIL));
	op_nothing(skb, other, out);
}

static void op_linearize(struct sk_buff *skb, struct sk_buff *other, struct sk_buff_head *out)
{
	WARN_ON(skb_linearize(skb));
	op_nothing(skb, other, out);
}

static void op_pull(struct sk_buff *skb, struct sk_buff *other, struct sk_buff_head *out)
{
	WARN_ON(!__pskb_pull_tail(skb, 64));
	op_nothing(skb, other, out);
}

static void op_trim(struct sk_buff *skb, struct sk_buff *other, struct sk_buff_head *out)
{
	WARN_ON(pskb_trim(skb, 0));
	op_nothing(skb, other, out);
}

/* A packet tap holds a clone while the other is changed. */
static void op_clone_trim(struct sk_buff *skb, struct sk_buff *other, struct sk_buff_head *out)
{
	__skb_queue_tail(out, skb_clone(skb, GFP_KERNEL | __GFP_NOFAIL));
	op_trim(skb, other, out);
}

static void coalesce(struct sk_buff *to, struct sk_buff *from, struct sk_buff_head *out)
{
	bool stolen;
	int delta;

	__skb_queue_tail(out, to);
	if (skb_try_coalesce(to, from, &stolen, &delta))
		kfree_skb_partial(from, stolen);
	else
		__skb_queue_tail(out, from);
}

static void op_coalesce(struct sk_buff *skb, struct sk_buff *other, struct sk_buff_head *out)
{
	coalesce(skb, other, out);
}

static void op_coalesce_clone(struct sk_buff *skb, struct sk_buff *other,
			      struct sk_buff_head *out)
{
	__skb_queue_tail(out, skb_clone(other, GFP_KERNEL | __GFP_NOFAIL));
	coalesce(skb, other, out);
}

static struct sk_buff *plain_packet(void)
{
	struct sk_buff *skb = alloc_skb(128, GFP_KERNEL | __GFP_NOFAIL);

	skb_add_rx_frag(skb, 0, alloc_page(GFP_KERNEL | __GFP_NOFAIL), 0, 100, 100);
	return skb;
}

static void op_coalesce_plain(struct sk_buff *skb, struct sk_buff *other,
			      struct sk_buff_head *out)
{
	coalesce(skb, plain_packet(), out);
	coalesce(plain_packet(), other, out);
}

static const struct {
	const char *what;
	void (*op)(struct sk_buff *skb, struct sk_buff *other, struct sk_buff_head *out);
} ops[] = {
	{ "nothing", op_nothing },
	{ "clone", op_clone },
	{ "copy of the head", op_copy_head },
	{ "copy", op_copy },
	{ "linearize", op_linearize },
	{ "pull", op_pull },
	{ "trim", op_trim },
	{ "clone and trim", op_clone_trim },
	{ "coalesce", op_coalesce },
	{ "coalesce a clone", op_coalesce_clone },
	{ "coalesce with plain pages", op_coalesce_plain },
};

static void free_in_order(struct sk_buff_head *list, bool backwards)
{
	struct sk_buff *skb;

	while ((skb = backwards ? __skb_dequeue_tail(list) : __skb_dequeue(list)))
		free_on_other_cpu(skb);
}

static void packets_are_worked_on(struct kunit *test)
{
	struct rxpool_params params = test_params(TEST_BIAS);
	struct sk_buff_head out;
	struct rxpool *pool;
	struct page *page[2];
	struct sk_buff *skb[2];
	unsigned int i, j, backwards, late;

	params.capacity = 16;
	pool = rxpool_create(&params);
	KUNIT_ASSERT_TRUE(test, !IS_ERR(pool));
	__skb_queue_head_init(&out);
	for (i = 0; i < ARRAY_SIZE(ops); i++)
		for (backwards = 0; backwards < 2; backwards++)
			for (late = 0; late < 2; late++) {
				u64 lost = stats_of(pool).lost;

				KUNIT_ASSERT_EQ(test, rxpool_alloc_bulk(pool, page, 2,
									GFP_KERNEL), 2);
				for (j = 0; j < 2; j++) {
					skb[j] = packet(page[j], 0, 1000);
					if (!late)
						rxpool_release(pool, page[j],
							       TEST_BIAS - 1);
				}
				ops[i].op(skb[0], skb[1], &out);
				free_in_order(&out, backwards);
				for (j = 0; late && j < 2; j++)
					rxpool_release(pool, page[j], TEST_BIAS - 1);
				KUNIT_EXPECT_EQ(test, stats_of(pool).in_flight, 0);
				/* drain, and let losses show */
				KUNIT_ASSERT_EQ(test, rxpool_alloc_bulk(pool, pages, 20,
									GFP_KERNEL), 20);
				rxpool_release_bulk(pool, pages, 20, TEST_BIAS);
				expect_identities(test, pool, 0, 0);
				lost = stats_of(pool).lost - lost;
				if (lost)
					pr_info("%s: %llu lost\n", ops[i].what, lost);
				KUNIT_EXPECT_LE(test, lost, 2);
			}
	rxpool_destroy(pool);
}

static struct kunit_case stack_cases[] = {
	KUNIT_CASE(packets_are_worked_on),
	{}
};

struct kunit_suite stack_suite = {
	.name = "rxpool_stack",
	.init = pool_test_init,
	.exit = pool_test_exit,
	.test_cases = stack_cases,
};
