// SPDX-License-Identifier: GPL-2.0
/*
 * The owner's side and the stack's side of one pool, on a device that keeps book
 * of its mappings.
 */
#include <linux/bpf.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/if_vlan.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/netdevice.h>
#include <linux/ethtool.h>
#include <linux/prandom.h>
#include <linux/slab.h>
#include <linux/workqueue.h>
#include <net/net_namespace.h>
#include <net/xdp.h>
#include <rxpool.h>
#include "../page_pool/compat.h"
#include "harness.h"
#include "suites.h"
#include "testdev.h"

#define TEST_CAPACITY	256
#define TEST_MANY	(TEST_CAPACITY + 100)
#define TEST_BIAS	64

static struct page *pages[TEST_MANY];

static struct rxpool_params test_params(unsigned int bias)
{
	return (struct rxpool_params) {
		.name = "test",
		.dev = testdev.dev,
		.dma_dir = DMA_BIDIRECTIONAL,
		.nid = NUMA_NO_NODE,
		.capacity = TEST_CAPACITY,
		.bias = bias,
	};
}

static struct rxpool *test_pool(unsigned int bias)
{
	struct rxpool_params params = test_params(bias);

	return rxpool_create(&params);
}

static int pool_test_init(struct kunit *test)
{
	return testdev_create();
}

/* Whatever a case did, nothing may stay mapped and nothing be mapped wrongly. */
static void pool_test_exit(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, atomic_read(&testdev.mapped), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&testdev.errors), 0);
	testdev_remove();
}

static struct rxpool_stats stats_of(struct rxpool *pool)
{
	struct rxpool_stats stats;

	rxpool_get_stats(pool, &stats);
	return stats;
}

static bool dead_pools_gone(void)
{
	unsigned int i;

	for (i = 0; i < 50; i++) {
		if (!rxpool_count_pools(true))
			return true;
		msleep(100);
	}
	return false;
}

static struct sk_buff *packet(struct page *page, unsigned int offset,
			      unsigned int len)
{
	struct sk_buff *skb = alloc_skb(128, GFP_KERNEL | __GFP_NOFAIL);

	skb_add_rx_frag(skb, 0, page, offset, len, len);
	rxpool_mark_skb(skb);
	return skb;
}

static long free_packet(void *skb)
{
	kfree_skb(skb);
	return 0;
}

static void free_on_other_cpu(struct sk_buff *skb)
{
	int cpu = cpumask_any_but(cpu_online_mask, raw_smp_processor_id());

	work_on_cpu(cpu, free_packet, skb);
}

/* Parameters */

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
	params = test_params(1);
	params.dev = NULL;
	KUNIT_EXPECT_EQ(test, PTR_ERR(rxpool_create(&params)), -EINVAL);
	KUNIT_EXPECT_EQ(test, PTR_ERR(rxpool_create(NULL)), -EINVAL);
	params = test_params(1);
	mask = testdev.dev->dma_mask;
	testdev.dev->dma_mask = &no_mask;
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

/* Owner */

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

static void owner_recycles_bulk(struct kunit *test)
{
	struct rxpool *pool = test_pool(TEST_BIAS);
	unsigned int i, n;

	for (i = 0; i < 500; i++) {
		n = 1 + i % TEST_CAPACITY;
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

/* Returns by the stack */

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
		for (i = 0; i < TEST_CAPACITY; i++)
			kfree_skb(packet(pages[i], 0, 100));
		KUNIT_EXPECT_EQ(test, stats_of(pool).in_flight, 0);
	}
	KUNIT_EXPECT_EQ(test, stats_of(pool).from_buddy, TEST_CAPACITY);
	KUNIT_EXPECT_EQ(test, stats_of(pool).lost, 0);
	rxpool_destroy(pool);
}

/* N of the page's strides go to the stack; it frees before or after release. */
static void fragments_drain_to_zero(struct kunit *test)
{
	static const unsigned int used[] = { 0, 1, 2, 16, TEST_BIAS - 1 };
	struct rxpool *pool = test_pool(TEST_BIAS);
	struct sk_buff *skbs[TEST_BIAS];
	unsigned int u, i, early;

	for (u = 0; u < ARRAY_SIZE(used); u++) {
		for (early = 0; early <= used[u]; early++) {
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

/* Burst */

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

/* Loss */

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

	for (round = 0; round < 50; round++) {
		unsigned int n = rxpool_alloc_bulk(pool, pages, TEST_CAPACITY, GFP_KERNEL);

		KUNIT_ASSERT_EQ(test, n, TEST_CAPACITY);
		for (i = 0; i < n; i++) {
			struct page *page = pages[i];

			get_page(page);
			kfree_skb(packet(page, 0, 100));
			put_page(page);
		}
	}
	rxpool_alloc_bulk(pool, pages, 1, GFP_KERNEL);
	KUNIT_EXPECT_EQ(test, stats_of(pool).lost, 50 * TEST_CAPACITY);
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
	kfree_skb(packet(page, 0, 100));
	KUNIT_EXPECT_EQ(test, stats_of(pool).in_flight, 0);
	rxpool_alloc_bulk(pool, pages, TEST_CAPACITY, GFP_KERNEL);
	KUNIT_EXPECT_EQ(test, stats_of(pool).lost, 1);
	rxpool_release_bulk(pool, pages, TEST_CAPACITY, 1);
	rxpool_destroy(pool);
}

/* Teardown */

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

/* Statistics */

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

/* All at once: an owner, readers on all CPUs, some of which hold pages. */

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
		if (prandom_u32_state(&rnd) % 256 == 0) {
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
#define STRESS_PAGES	200000

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

static struct kunit_case pool_cases[] = {
	KUNIT_CASE(refuses_bad_params),
	KUNIT_CASE(destroy_of_nothing),
	KUNIT_CASE(owner_recycles_one),
	KUNIT_CASE(owner_recycles_bulk),
	KUNIT_CASE(syncs_what_may_be_written),
	KUNIT_CASE(mapping_failure_heals),
	KUNIT_CASE(short_bulk_is_filled_up),
	KUNIT_CASE(comes_home_from_other_cpu),
	KUNIT_CASE(full_set_lands_without_loss),
	KUNIT_CASE(fragments_drain_to_zero),
	KUNIT_CASE(put_from_anywhere),
	KUNIT_CASE(burst_maps_for_one_use),
	KUNIT_CASE(held_page_is_lost_once),
	KUNIT_CASE(lost_page_returns_as_new),
	KUNIT_CASE(reserve_page_is_not_kept),
	KUNIT_CASE(destroy_unmaps_pages_in_flight),
	KUNIT_CASE(destroy_forgets_lost_pages),
	KUNIT_CASE(xdp_frames_come_home),
	KUNIT_CASE(ethtool_names_and_values_match),
	KUNIT_CASE(stress_many_readers),
	{}
};

struct kunit_suite pool_suite = {
	.name = "rxpool_pool",
	.init = pool_test_init,
	.exit = pool_test_exit,
	.test_cases = pool_cases,
};
