// SPDX-License-Identifier: GPL-2.0
/*
 * The pool's debug option: each kind of misuse, made on purpose, is reported, counted
 * and does no harm. The reports go to the kernel log; there, both returns must be named.
 */
#include <linux/irq_work.h>
#include <linux/mm.h>
#include <linux/workqueue.h>
#include "../page_pool/ring.h"
#include "common.h"

/* All pages of the pool, each once and whole. */
static void expect_sane(struct kunit *test, struct rxpool *pool, unsigned int bias,
			unsigned int misuses)
{
	static struct page *all[TEST_CAPACITY];
	unsigned int i, j, n, twice = 0;

	n = rxpool_alloc_bulk(pool, all, TEST_CAPACITY, GFP_KERNEL);
	KUNIT_EXPECT_EQ(test, n, TEST_CAPACITY);
	for (i = 0; i < n; i++) {
		KUNIT_EXPECT_EQ(test, page_ref_count(all[i]), 1);
		for (j = 0; j < i; j++)
			twice += all[i] == all[j];
	}
	KUNIT_EXPECT_EQ(test, twice, 0);
	rxpool_release_bulk(pool, all, n, bias);
	KUNIT_EXPECT_EQ(test, stats_of(pool).misuse, misuses);
}

/* Their names have to be in the report. */
static noinline void first_return(struct rxpool *pool, struct page *page, unsigned int unused)
{
	rxpool_release(pool, page, unused);
	barrier();
}

static noinline void second_return(struct rxpool *pool, struct page *page, unsigned int unused)
{
	rxpool_release_bulk(pool, &page, 1, unused);
	barrier();
}

static void release_twice(struct kunit *test)
{
	struct rxpool *pool = debug_pool(TEST_BIAS);
	struct page *page = rxpool_alloc(pool, GFP_KERNEL);
	struct sk_buff *skb;

	/* it is idle */
	first_return(pool, page, TEST_BIAS);
	second_return(pool, page, TEST_BIAS);
	expect_sane(test, pool, TEST_BIAS, 1);

	/* the stack has it */
	page = rxpool_alloc(pool, GFP_KERNEL);
	skb = packet(page, 0, 100);
	first_return(pool, page, TEST_BIAS - 1);
	second_return(pool, page, TEST_BIAS - 1);
	KUNIT_EXPECT_EQ(test, stats_of(pool).in_flight, 1);
	kfree_skb(skb);
	expect_sane(test, pool, TEST_BIAS, 2);

	/* it has landed */
	page = rxpool_alloc(pool, GFP_KERNEL);
	skb = packet(page, 0, 100);
	first_return(pool, page, TEST_BIAS - 1);
	kfree_skb(skb);
	second_return(pool, page, TEST_BIAS);
	expect_sane(test, pool, TEST_BIAS, 3);
	rxpool_destroy(pool);
}

static void release_burst_twice(struct kunit *test)
{
	struct rxpool *pool = debug_pool(1);

	KUNIT_ASSERT_EQ(test, rxpool_alloc_bulk(pool, pages, TEST_MANY, GFP_KERNEL), TEST_MANY);
	first_return(pool, pages[TEST_CAPACITY], 1);
	second_return(pool, pages[TEST_CAPACITY], 1);
	rxpool_release_bulk(pool, pages, TEST_CAPACITY, 1);
	rxpool_release_bulk(pool, pages + TEST_CAPACITY + 1, TEST_MANY - TEST_CAPACITY - 1, 1);
	expect_sane(test, pool, 1, 1);
	rxpool_destroy(pool);
}

static void release_of_foreign_page(struct kunit *test)
{
	struct rxpool *pool = debug_pool(1), *other = test_pool(1);
	struct page *page = rxpool_alloc(other, GFP_KERNEL), *plain = alloc_page(GFP_KERNEL);

	rxpool_release(pool, page, 1);
	rxpool_release(pool, plain, 1);
	KUNIT_EXPECT_EQ(test, page_ref_count(plain), 1);
	__free_page(plain);
	rxpool_release(other, page, 1);
	expect_identities(test, other, 0, 0);
	expect_sane(test, pool, 1, 2);
	rxpool_destroy(other);
	rxpool_destroy(pool);
}

static void release_of_too_many_references(struct kunit *test)
{
	struct rxpool *pool = debug_pool(2);
	struct page *page[2];

	KUNIT_ASSERT_EQ(test, rxpool_alloc_bulk(pool, page, 2, GFP_KERNEL), 2);
	rxpool_release(pool, page[0], 3);
	/* one was given away, and came back, yet the driver says it has both */
	rxpool_put(page[1]);
	rxpool_release(pool, page[1], 2);
	KUNIT_EXPECT_EQ(test, stats_of(pool).misuse, 2);
	/* refused pages stay away; what the driver does with them next is no news */
	rxpool_release(pool, page[0], 2);
	KUNIT_EXPECT_EQ(test, stats_of(pool).misuse, 2);
	KUNIT_EXPECT_EQ(test, stats_of(pool).in_flight, 2);
	rxpool_destroy(pool);
	KUNIT_EXPECT_EQ(test, rxpool_count_pools(true), 0);
}

static noinline void first_put(struct page *page)
{
	rxpool_put(page);
	barrier();
}

static noinline void second_put(struct rxpool *pool, struct page *page)
{
	rxpool_put_bulk(pool, &page, 1);
	barrier();
}

static void put_twice(struct kunit *test)
{
	struct rxpool *pool = debug_pool(2);
	struct page *page = rxpool_alloc(pool, GFP_KERNEL);

	/* it lands twice, which shows when the owner looks */
	rxpool_release(pool, page, 1);
	first_put(page);
	second_put(pool, page);
	expect_sane(test, pool, 2, 1);

	/* it is idle by then */
	page = rxpool_alloc(pool, GFP_KERNEL);
	rxpool_release(pool, page, 1);
	first_put(page);
	KUNIT_ASSERT_EQ(test, rxpool_alloc_bulk(pool, pages, TEST_CAPACITY, GFP_KERNEL),
			TEST_CAPACITY);
	rxpool_release_bulk(pool, pages, TEST_CAPACITY, 2);
	second_put(pool, page);
	expect_sane(test, pool, 2, 2);
	rxpool_destroy(pool);
}

/* All references are given back while the device still has the page. */
static void comes_home_too_early(struct kunit *test)
{
	struct rxpool *pool = debug_pool(2);
	struct page *page = rxpool_alloc(pool, GFP_KERNEL);

	rxpool_put(page);
	rxpool_put(page);
	expect_sane(test, pool, 2, 1);
	KUNIT_EXPECT_EQ(test, stats_of(pool).in_flight, 1);
	rxpool_destroy(pool);
	KUNIT_EXPECT_EQ(test, rxpool_count_pools(true), 0);
}

static void write_after_return(struct kunit *test)
{
	struct rxpool *pool = debug_pool(1);
	struct page *page = rxpool_alloc(pool, GFP_KERNEL);

	memset(page_address(page), 1, PAGE_SIZE);
	rxpool_release(pool, page, 1);
	expect_sane(test, pool, 1, 0);
	*(u8 *)(page_address(page) + 123) = 1;
	expect_sane(test, pool, 1, 1);
	rxpool_destroy(pool);
}

/* In the middle of a hand-out, another CPU claims to be the owner. */

static struct rxpool *contested;
static struct page *contested_pages[3];

static long claim(void *unused)
{
	struct page *page;

	/* nothing to be had, and the page is returned as by anyone */
	if (rxpool_alloc_bulk(contested, &page, 1, GFP_KERNEL))
		pr_err("a stranger got a page\n");
	rxpool_release(contested, contested_pages[0], TEST_BIAS);
	rxpool_release(contested, contested_pages[1], 1);
	rxpool_release(contested, contested_pages[2], 0);
	return 0;
}

static void claim_elsewhere(void)
{
	testdev.on_map = NULL;
	work_on_cpu(other_cpu(), claim, NULL);
}

static void owner_on_two_cpus(struct kunit *test)
{
	struct rxpool *pool = debug_pool(TEST_BIAS);
	unsigned int i, n;

	contested = pool;
	KUNIT_ASSERT_EQ(test, rxpool_alloc_bulk(pool, contested_pages, 3, GFP_KERNEL), 3);
	testdev.on_map = claim_elsewhere;
	n = rxpool_alloc_bulk(pool, pages, TEST_CAPACITY - 3, GFP_KERNEL);
	KUNIT_EXPECT_EQ(test, n, TEST_CAPACITY - 3);
	KUNIT_EXPECT_TRUE(test, !testdev.on_map);
	KUNIT_EXPECT_EQ(test, stats_of(pool).misuse, 4);
	rxpool_release_bulk(pool, pages, n, TEST_BIAS);
	KUNIT_EXPECT_EQ(test, stats_of(pool).in_flight, 2);
	for (i = 1; i < TEST_BIAS; i++)
		rxpool_put(contested_pages[1]);
	for (i = 0; i < TEST_BIAS; i++)
		rxpool_put(contested_pages[2]);
	KUNIT_EXPECT_EQ(test, stats_of(pool).in_flight, 0);
	expect_sane(test, pool, TEST_BIAS, 4);
	KUNIT_EXPECT_EQ(test, stats_of(pool).return_ring, 3);
	rxpool_destroy(pool);
}

static void claim_in_irq(struct irq_work *work)
{
	struct page *page;

	if (rxpool_alloc_bulk(contested, &page, 1, GFP_ATOMIC))
		pr_err("a hard IRQ got a page\n");
}

static void owner_in_hard_irq(struct kunit *test)
{
	struct irq_work work = IRQ_WORK_INIT_HARD(claim_in_irq);
	struct rxpool *pool = debug_pool(1);

	contested = pool;
	irq_work_queue(&work);
	irq_work_sync(&work);
	expect_sane(test, pool, 1, 1);
	rxpool_destroy(pool);
}

/* Something overwrites what the pool relies on: the check of the whole pool finds it. */

static void wait_for_check(struct rxpool *pool)
{
	unsigned int i;

	for (i = 0; i < RXPOOL_CHECK_INTERVAL; i++)
		rxpool_alloc_bulk(pool, pages, 0, GFP_KERNEL);
}

static void expect_found(struct kunit *test, struct rxpool *pool, unsigned int misuses)
{
	KUNIT_EXPECT_EQ(test, stats_of(pool).misuse, misuses - 1);
	wait_for_check(pool);
	KUNIT_EXPECT_EQ(test, stats_of(pool).misuse, misuses);
}

static void damage_is_found(struct kunit *test)
{
	struct rxpool *pool = debug_pool(1);
	struct page *out, *was, **idle;

	KUNIT_ASSERT_EQ(test, rxpool_alloc_bulk(pool, pages, 3, GFP_KERNEL), 3);
	out = pages[0];
	rxpool_release_bulk(pool, pages + 1, 2, 1);
	wait_for_check(pool);
	idle = pool->top - 2;

	get_page(idle[0]);
	expect_found(test, pool, 1);
	put_page(idle[0]);

	idle[0]->pp_magic = 0;
	expect_found(test, pool, 2);
	idle[0]->pp_magic = PP_SIGNATURE;

	was = idle[0];
	idle[0] = out;
	expect_found(test, pool, 3);
	idle[0] = idle[1];
	expect_found(test, pool, 4);
	idle[0] = was;

	out->dma_addr++;
	expect_found(test, pool, 5);
	out->dma_addr--;

	pool->top--;
	expect_found(test, pool, 6);
	pool->top++;

	wait_for_check(pool);
	KUNIT_EXPECT_EQ(test, stats_of(pool).misuse, 6);
	rxpool_release(pool, out, 1);
	expect_sane(test, pool, 1, 6);
	rxpool_destroy(pool);
}

/* A watched pool's pages outlive it. */
static void comes_home_late(struct kunit *test)
{
	struct rxpool *pool = debug_pool(1);
	struct page *page = rxpool_alloc(pool, GFP_KERNEL);

	rxpool_release(pool, page, 0);
	rxpool_destroy(pool);
	KUNIT_EXPECT_EQ(test, rxpool_count_pools(true), 1);
	rxpool_put(page);
	KUNIT_EXPECT_TRUE(test, dead_pools_gone());
}

/* Right use, a lot of it: no report. */
static void no_false_alarm(struct kunit *test)
{
	struct rxpool *pool = debug_pool(TEST_BIAS);
	unsigned int i, j, n, round;

	for (round = 0; round < test_rounds(200); round++) {
		n = rxpool_alloc_bulk(pool, pages, 1 + round * 7 % TEST_MANY, GFP_KERNEL);
		for (i = 0; i < n; i++) {
			struct sk_buff *skb[4];

			for (j = 0; j < i % 5; j++)
				skb[j] = packet(pages[i], j * 64, 64);
			if (i % 3 == 0)
				get_page(pages[i]);
			if (i % 2)
				rxpool_release(pool, pages[i], TEST_BIAS - i % 5);
			for (j = 0; j < i % 5; j++)
				kfree_skb(skb[j]);
			if (i % 2 == 0)
				rxpool_release(pool, pages[i], TEST_BIAS - i % 5);
			if (i % 3 == 0)
				put_page(pages[i]);
		}
	}
	expect_sane(test, pool, TEST_BIAS, 0);
	expect_identities(test, pool, 0, 0);
	rxpool_destroy(pool);
}

/* What is noticed without the option does no harm either; it warns once each. */
static void misuse_unwatched(struct kunit *test)
{
	struct rxpool_params params = test_params(1);
	struct page *page, *foreign = alloc_page(GFP_KERNEL);
	struct rxpool *pool;

	params.name = "debug-test";
	params.capacity = 1;
	pool = rxpool_create(&params);
	KUNIT_ASSERT_TRUE(test, !IS_ERR(pool));
	page = rxpool_alloc(pool, GFP_KERNEL);
	rxpool_release(pool, page, 1);
	rxpool_release(pool, page, 1);
	KUNIT_EXPECT_EQ(test, stats_of(pool).misuse, 1);
	rxpool_release_bulk(pool, &page, 1, 1);
	KUNIT_EXPECT_EQ(test, stats_of(pool).misuse, 2);
	KUNIT_EXPECT_TRUE(test, rxpool_alloc(pool, GFP_KERNEL) == page);
	rxpool_release(pool, foreign, 1);
	KUNIT_EXPECT_EQ(test, stats_of(pool).misuse, 3);
	KUNIT_EXPECT_EQ(test, page_ref_count(foreign), 1);
	rxpool_release(pool, page, 1);
	KUNIT_EXPECT_EQ(test, stats_of(pool).in_flight, 0);
	rxpool_destroy(pool);
	put_page(foreign);
}

static struct kunit_case debug_cases[] = {
	KUNIT_CASE(misuse_unwatched),
	KUNIT_CASE(release_twice),
	KUNIT_CASE(release_burst_twice),
	KUNIT_CASE(release_of_foreign_page),
	KUNIT_CASE(release_of_too_many_references),
	KUNIT_CASE(put_twice),
	KUNIT_CASE(comes_home_too_early),
	KUNIT_CASE(write_after_return),
	KUNIT_CASE(owner_on_two_cpus),
	KUNIT_CASE(owner_in_hard_irq),
	KUNIT_CASE(damage_is_found),
	KUNIT_CASE(comes_home_late),
	KUNIT_CASE(no_false_alarm),
	{}
};

struct kunit_suite debug_suite = {
	.name = "rxpool_debug",
	.init = pool_test_init,
	.exit = pool_test_exit,
	.test_cases = debug_cases,
};
