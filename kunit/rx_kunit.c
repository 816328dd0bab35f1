// SPDX-License-Identifier: GPL-2.0
/*
 * Descriptors on a pool: mlx5_glue/rxpool_rx.c without mlx5.
 */
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/mm.h>
#include <linux/netdevice.h>
#include <linux/string.h>
#include <net/net_namespace.h>
#include <net/xdp.h>
/* Built into mlx5_core otherwise, so there is no module to link to. */
#include "../mlx5_glue/rxpool_rx.c"
#include "harness.h"
#include "suites.h"
#include "testdev.h"

#define SLOTS		64
#define CAPACITY	256

static struct page *slots[SLOTS];
static u16 taken[SLOTS];
static struct rxpool_rx rx;

static int rx_test_init(struct kunit *test)
{
	struct rxpool_params params = {
		.name = "rx-test",
		.dma_dir = DMA_BIDIRECTIONAL,
		.nid = NUMA_NO_NODE,
		.capacity = CAPACITY,
		.bias = RXPOOL_RX_BIAS,
	};
	int err = testdev_create();

	if (err)
		return err;
	params.dev = testdev.dev;
	memset(slots, 0, sizeof(slots));
	memset(taken, 0, sizeof(taken));
	rx = (struct rxpool_rx){ .bias = params.bias };
	rx.pool = rxpool_create(&params);
	return PTR_ERR_OR_ZERO(rx.pool);
}

static u64 in_flight(void)
{
	struct rxpool_stats stats;

	rxpool_get_stats(rx.pool, &stats);
	return stats.in_flight;
}

static u64 lost(void)
{
	struct rxpool_stats stats;

	rxpool_get_stats(rx.pool, &stats);
	return stats.lost;
}

static unsigned int used_slots(void)
{
	unsigned int i, n = 0;

	for (i = 0; i < SLOTS; i++)
		n += !!slots[i];
	return n;
}

/* Flush twice, as a driver may that recovers from an error and then closes. */
static void rx_test_exit(struct kunit *test)
{
	rxpool_rx_release(&rx, slots, taken, SLOTS);
	rxpool_rx_release(&rx, slots, taken, SLOTS);
	KUNIT_EXPECT_EQ(test, in_flight(), 0);
	KUNIT_EXPECT_EQ(test, lost(), 0);
	rxpool_destroy(rx.pool);
	KUNIT_EXPECT_EQ(test, rxpool_count_pools(true), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&testdev.mapped), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&testdev.errors), 0);
	testdev_remove();
}

static void fill_rolls_back_at_every_k(struct kunit *test)
{
	unsigned int k;

	for (k = 0; k < SLOTS; k++) {
		/* a new pool each time: an old one needs no new mapping */
		rx_test_exit(test);
		KUNIT_ASSERT_EQ(test, rx_test_init(test), 0);
		testdev.maps_left = k;
		KUNIT_EXPECT_EQ(test, rxpool_rx_fill(&rx, slots, taken, SLOTS), -ENOMEM);
		KUNIT_EXPECT_EQ(test, used_slots(), 0);
		KUNIT_EXPECT_EQ(test, in_flight(), 0);
		KUNIT_EXPECT_EQ(test, atomic_read(&testdev.mapped), (int)k);
		testdev.maps_left = -1;
		KUNIT_EXPECT_EQ(test, rxpool_rx_fill(&rx, slots, taken, SLOTS), 0);
		KUNIT_EXPECT_EQ(test, used_slots(), SLOTS);
	}
}

static void fill_releases_what_was_there(struct kunit *test)
{
	struct page *before[SLOTS];
	unsigned int i, j, round, same = 0;

	KUNIT_ASSERT_EQ(test, rxpool_rx_fill(&rx, slots, taken, SLOTS), 0);
	for (round = 0; round < 10; round++) {
		memcpy(before, slots, sizeof(slots));
		for (i = 0; i < SLOTS; i++) {
			/* packets that the stack is done with, or still has */
			for (j = 0; j < i % 4; j++)
				KUNIT_EXPECT_TRUE(test, rxpool_rx_take(&rx, slots[i], &taken[i]));
			for (j = 0; j < i % 4; j++)
				rxpool_put(slots[i]);
		}
		KUNIT_EXPECT_EQ(test, in_flight(), SLOTS);
		KUNIT_ASSERT_EQ(test, rxpool_rx_fill(&rx, slots, taken, SLOTS), 0);
		KUNIT_EXPECT_EQ(test, in_flight(), SLOTS);
		for (i = 0; i < SLOTS; i++) {
			KUNIT_EXPECT_EQ(test, taken[i], 0);
			for (j = 0; j < SLOTS; j++)
				same += slots[i] == before[j];
		}
	}
	/* all came back before, so all went straight to the owner */
	KUNIT_EXPECT_EQ(test, same, 10 * SLOTS);
}

/* The stack has some of a page's packets when its slot is filled anew. */
static void late_packets_come_home(struct kunit *test)
{
	struct page *held[SLOTS];
	unsigned int i;

	KUNIT_ASSERT_EQ(test, rxpool_rx_fill(&rx, slots, taken, SLOTS), 0);
	memcpy(held, slots, sizeof(slots));
	for (i = 0; i < SLOTS; i++)
		rxpool_rx_take(&rx, slots[i], &taken[i]);
	KUNIT_ASSERT_EQ(test, rxpool_rx_fill(&rx, slots, taken, SLOTS), 0);
	KUNIT_EXPECT_EQ(test, in_flight(), 2 * SLOTS);
	rxpool_put_bulk(rx.pool, held, SLOTS);
	KUNIT_EXPECT_EQ(test, in_flight(), SLOTS);
}

/* A completion that comes twice, or reports more packets than a page holds. */
static void begin_refuses_what_cannot_be(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, rxpool_rx_begin(&rx, slots, taken, 1), false);
	KUNIT_ASSERT_EQ(test, rxpool_rx_fill(&rx, slots, taken, SLOTS), 0);
	KUNIT_EXPECT_EQ(test, rxpool_rx_begin(&rx, slots, taken, 1), true);
	taken[0] = rx.bias - 1;
	KUNIT_EXPECT_EQ(test, rxpool_rx_begin(&rx, slots, taken, 1), false);
	KUNIT_EXPECT_EQ(test, rxpool_rx_begin(&rx, slots + 1, taken + 1, 1), true);
	taken[0] = 0;
}

/* What a driver may do with a descriptor, in any order and as often as it likes. */
static void flush_and_close_in_any_order(struct kunit *test)
{
	enum { END, FILL, SHORT, FLUSH, USE };
	static const u8 orders[][8] = {
		{ FLUSH, FLUSH },
		{ FILL, FLUSH, FLUSH },
		{ FILL, USE, FLUSH, FILL, FLUSH },
		{ SHORT, FLUSH, SHORT, FLUSH },
		{ FILL, USE, SHORT, FLUSH, FLUSH },
		{ SHORT, FILL, USE, USE, FILL, FLUSH },
		{ FILL, FILL, USE, FILL, SHORT, FLUSH },
	};
	static struct page *held[2 * CAPACITY];
	unsigned int i, j, n, held_n;
	struct page *used[2];

	for (i = 0; i < ARRAY_SIZE(orders); i++) {
		for (j = 0, n = 0; orders[i][j] != END; j++) {
			switch (orders[i][j]) {
			case FILL:
				KUNIT_EXPECT_EQ(test, rxpool_rx_fill(&rx, slots, taken, SLOTS), 0);
				break;
			case SHORT:
				/* Fewer are left than a descriptor takes. */
				rxpool_rx_release(&rx, slots, taken, SLOTS);
				testdev.maps_left = 0;
				held_n = rxpool_alloc_bulk(rx.pool, held, 2 * CAPACITY,
							   GFP_KERNEL);
				if (held_n)
					rxpool_release(rx.pool, held[--held_n], rx.bias);
				KUNIT_EXPECT_EQ(test, rxpool_rx_fill(&rx, slots, taken, SLOTS),
						-ENOMEM);
				KUNIT_EXPECT_EQ(test, used_slots(), 0);
				rxpool_release_bulk(rx.pool, held, held_n, rx.bias);
				testdev.maps_left = -1;
				break;
			case FLUSH:
				rxpool_rx_release(&rx, slots, taken, SLOTS);
				KUNIT_EXPECT_EQ(test, used_slots(), 0);
				break;
			case USE:
				KUNIT_EXPECT_TRUE(test, rxpool_rx_take(&rx, slots[n], &taken[n]));
				used[n] = slots[n];
				n++;
				break;
			}
		}
		while (n)
			rxpool_put(used[--n]);
		rxpool_rx_release(&rx, slots, taken, SLOTS);
		KUNIT_EXPECT_EQ(test, in_flight(), 0);
	}
}

/* A pool that can retain no more than the ring posts: pages whose release was put off
 * until their slot is filled anew must be enough.
 */
static void capped_pool_lives_on_deferred_pages(struct kunit *test)
{
	struct rxpool *whole = rx.pool;
	struct rxpool_params params = {
		.name = "rx-capped",
		.dev = testdev.dev,
		.dma_dir = DMA_BIDIRECTIONAL,
		.nid = NUMA_NO_NODE,
		.capacity = SLOTS,
		.bias = RXPOOL_RX_BIAS,
	};
	struct rxpool_stats s;
	unsigned int i, round;

	rx.pool = rxpool_create(&params);
	KUNIT_ASSERT_TRUE(test, !IS_ERR(rx.pool));
	for (round = 0; round < 20; round++) {
		KUNIT_EXPECT_EQ(test, rxpool_rx_fill(&rx, slots, taken, SLOTS), 0);
		for (i = 0; i < SLOTS; i++) {
			rxpool_rx_take(&rx, slots[i], &taken[i]);
			rxpool_put(slots[i]);
		}
	}
	rxpool_rx_release(&rx, slots, taken, SLOTS);
	rxpool_get_stats(rx.pool, &s);
	KUNIT_EXPECT_EQ(test, s.burst, 0);
	KUNIT_EXPECT_EQ(test, s.from_buddy, SLOTS);
	KUNIT_EXPECT_EQ(test, s.return_owner, s.alloc);
	rxpool_destroy(rx.pool);
	rx.pool = whole;
}

/* Completions that carry no packet, at each place of a descriptor. */
static void completions_without_a_packet(struct kunit *test)
{
	static const struct {
		u32 bytes;
		bool packet;
	} table[] = {
		{ 0, false }, { 1, false }, { ETH_HLEN - 1, false }, { ETH_HLEN, true },
		{ 1500, true },
	};
	unsigned int i, empty;

	for (i = 0; i < ARRAY_SIZE(table); i++)
		KUNIT_EXPECT_EQ(test, rxpool_rx_is_packet(table[i].bytes), table[i].packet);

	for (empty = 0; empty < SLOTS; empty++) {
		struct page *given[SLOTS];
		unsigned int n = 0;

		KUNIT_ASSERT_EQ(test, rxpool_rx_fill(&rx, slots, taken, SLOTS), 0);
		for (i = 0; i < SLOTS; i++) {
			if (!rxpool_rx_is_packet(i == empty ? 0 : 60))
				continue;
			KUNIT_ASSERT_TRUE(test, rxpool_rx_begin(&rx, &slots[i], &taken[i], 1));
			rxpool_rx_give(&rx);
			given[n++] = slots[i];
		}
		KUNIT_EXPECT_EQ(test, n, SLOTS - 1);
		KUNIT_EXPECT_EQ(test, taken[empty], 0);
		rxpool_rx_release(&rx, slots, taken, SLOTS);
		KUNIT_EXPECT_EQ(test, in_flight(), SLOTS - 1);
		rxpool_put_bulk(rx.pool, given, n);
		KUNIT_EXPECT_EQ(test, in_flight(), 0);
	}
}

static struct xdp_rxq_info rxq;

static void xdp_of_page(struct xdp_buff *xdp, struct page *page)
{
	xdp_init_buff(xdp, PAGE_SIZE, &rxq);
	xdp_prepare_buff(xdp, page_address(page), XDP_PACKET_HEADROOM, 100, false);
}

static int transmit(struct page *page, struct rxpool_tx_page *tx)
{
	struct xdp_buff xdp;

	xdp_of_page(&xdp, page);
	return rxpool_tx_map(rx.pool, testdev.dev, xdp_convert_buff_to_frame(&xdp),
			     tx, 1);
}

static void handed_off_packets(struct kunit *test)
{
	struct xdp_frame *frame;
	struct xdp_buff xdp;

	KUNIT_ASSERT_EQ(test, xdp_rxq_info_reg(&rxq, init_net.loopback_dev, 0, 0), 0);
	KUNIT_ASSERT_EQ(test, rxpool_xdp_register(rx.pool, &rxq), 0);
	KUNIT_ASSERT_EQ(test, rxpool_rx_fill(&rx, slots, taken, SLOTS), 0);

	/* redirected: the frame has the only reference, the slot is empty */
	xdp_of_page(&xdp, slots[0]);
	KUNIT_ASSERT_TRUE(test, rxpool_rx_begin(&rx, slots, taken, 1));
	rxpool_rx_hand_off(&rx);
	KUNIT_EXPECT_TRUE(test, !slots[0]);
	frame = xdp_convert_buff_to_frame(&xdp);
	KUNIT_ASSERT_TRUE(test, frame);
	KUNIT_EXPECT_EQ(test, in_flight(), SLOTS);
	xdp_return_frame(frame);
	KUNIT_EXPECT_EQ(test, in_flight(), SLOTS - 1);

	/* the redirect failed */
	xdp_of_page(&xdp, slots[1]);
	KUNIT_ASSERT_TRUE(test, rxpool_rx_begin(&rx, slots + 1, taken + 1, 1));
	rxpool_rx_hand_off(&rx);
	rxpool_rx_take_back(&rx, &xdp);
	KUNIT_EXPECT_EQ(test, in_flight(), SLOTS - 2);
	/* and the same completion again finds nothing */
	KUNIT_EXPECT_EQ(test, rxpool_rx_begin(&rx, slots + 1, taken + 1, 1), false);
	xdp_rxq_info_unreg(&rxq);
}

/* A packet in four buffers, of which a program leaves so many. */
static void trimmed_packets(struct kunit *test)
{
	/* only serves to make fragments */
	struct sk_buff *skb = alloc_skb(128, GFP_KERNEL | __GFP_NOFAIL);
	unsigned int left, i;

	KUNIT_ASSERT_EQ(test, xdp_rxq_info_reg(&rxq, init_net.loopback_dev, 0, 0), 0);
	KUNIT_ASSERT_EQ(test, rxpool_xdp_register(rx.pool, &rxq), 0);
	for (left = 1; left <= 4; left++) {
		struct skb_shared_info *sinfo;
		struct page *page[4];
		struct xdp_buff xdp;

		KUNIT_ASSERT_EQ(test, rxpool_rx_fill(&rx, slots, taken, SLOTS), 0);
		memcpy(page, slots, sizeof(page));
		xdp_of_page(&xdp, slots[0]);
		sinfo = xdp_get_shared_info_from_buff(&xdp);
		sinfo->nr_frags = 3;
		sinfo->xdp_frags_size = 3 * 100;
		xdp_buff_set_frags_flag(&xdp);
		for (i = 0; i < 3; i++) {
			skb_add_rx_frag(skb, 0, slots[1 + i], 0, 100, 100);
			sinfo->frags[i] = skb_shinfo(skb)->frags[0];
		}
		KUNIT_ASSERT_TRUE(test, rxpool_rx_begin(&rx, slots, taken, 4));
		/* the kernel frees what the program cut off */
		for (i = 4; i > left; i--)
			rxpool_put(slots[i - 1]);
		sinfo->nr_frags = left - 1;
		if (left == 1)
			xdp_buff_clear_frags_flag(&xdp);
		rxpool_rx_trim(&rx, &xdp);
		for (i = 0; i < 4; i++)
			KUNIT_EXPECT_EQ(test, taken[i], i >= left);

		/* and the rest is handed off, but not redirected */
		rxpool_rx_hand_off(&rx);
		for (i = 0; i < left; i++)
			KUNIT_EXPECT_TRUE(test, !slots[i]);
		rxpool_rx_take_back(&rx, &xdp);
		rxpool_rx_release(&rx, slots, taken, SLOTS);
		KUNIT_EXPECT_EQ(test, in_flight(), 0);
	}
	skb_shinfo(skb)->nr_frags = 0;
	kfree_skb(skb);
	xdp_rxq_info_unreg(&rxq);
}

/* A transmit uses the pool's mapping if that lasts, else one of its own. */
static void transmits_keep_a_mapping(struct kunit *test)
{
	static struct page *pages[CAPACITY + 1];
	static struct rxpool_tx_page tx[CAPACITY + 1];
	struct rxpool_tx_batch batch = {};
	unsigned int i;

	KUNIT_ASSERT_EQ(test, rxpool_alloc_bulk(rx.pool, pages, CAPACITY + 1, GFP_KERNEL),
			CAPACITY + 1);
	for (i = 0; i <= CAPACITY; i++) {
		testdev.maps_left = 0;
		if (i == CAPACITY) {
			/* a mapping that fails leaves nothing behind */
			KUNIT_EXPECT_EQ(test, transmit(pages[i], &tx[i]), -ENOMEM);
			testdev.maps_left = 1;
		}
		KUNIT_EXPECT_EQ(test, transmit(pages[i], &tx[i]), 1);
		KUNIT_EXPECT_EQ(test, tx[i].unmap_len, i < CAPACITY ? 0 : 100);
		rxpool_release(rx.pool, pages[i], rx.bias - 1);
	}
	KUNIT_EXPECT_EQ(test, in_flight(), CAPACITY + 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&testdev.mapped), CAPACITY + 1);
	for (i = 0; i <= CAPACITY; i++)
		rxpool_tx_done(testdev.dev, &batch, rx.pool, &tx[i]);
	rxpool_tx_batch_flush(&batch);
	KUNIT_EXPECT_EQ(test, in_flight(), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&testdev.mapped), CAPACITY);
}

static struct kunit_case rx_cases[] = {
	KUNIT_CASE(fill_rolls_back_at_every_k),
	KUNIT_CASE(fill_releases_what_was_there),
	KUNIT_CASE(late_packets_come_home),
	KUNIT_CASE(begin_refuses_what_cannot_be),
	KUNIT_CASE(flush_and_close_in_any_order),
	KUNIT_CASE(capped_pool_lives_on_deferred_pages),
	KUNIT_CASE(completions_without_a_packet),
	KUNIT_CASE(handed_off_packets),
	KUNIT_CASE(trimmed_packets),
	KUNIT_CASE(transmits_keep_a_mapping),
	{}
};

struct kunit_suite rx_suite = {
	.name = "rxpool_rx",
	.init = rx_test_init,
	.exit = rx_test_exit,
	.test_cases = rx_cases,
};
