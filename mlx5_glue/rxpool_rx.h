/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Receive descriptors on an rxpool: what mlx5 needs to know about the pages it
 * has posted, without anything of mlx5 in it.
 */
#ifndef _RXPOOL_RX_H
#define _RXPOOL_RX_H

#include <linux/bug.h>
#include <linux/if_ether.h>
#include <linux/types.h>
#include "rxpool.h"

/**
 * DOC: slots
 *
 * A slot is a place for one page that is posted to the device. A descriptor of
 * the striding RQ is an array of slots; so is the whole of a cyclic RQ. For each
 * slot the driver keeps a page pointer, NULL if the slot is empty, and the number
 * of the page's references that it gave away: to skbs, XDP frames, transmits.
 *
 * A slot owns its page from rxpool_rx_fill() to rxpool_rx_release(), and filling
 * releases what was there. So a page stays in its slot after its last packet and
 * is released at the latest moment, when the slot gets a new one: by then the
 * stack has often given everything back and the page goes straight to the owner.
 * There is nothing to get wrong on error paths: releasing an empty slot does
 * nothing, whichever of flush, close and refill comes first.
 *
 * All functions here are for the pool's owner, see rxpool.h, except the transmit
 * ones.
 */

struct device;
struct xdp_buff;
struct xdp_frame;

/* References per page. A fragment is at least one byte, so a page cannot be cut
 * into more, and one stays with the slot.
 */
#define RXPOOL_RX_BIAS	min_t(unsigned int, PAGE_SIZE + 1, RXPOOL_BIAS_MAX)

/**
 * struct rxpool_rx - a receive queue's end of its pool
 * @pool: the pool, NULL if the queue has none (AF_XDP)
 * @bias: references that the pool's pages come with
 * @hash: of the flow that the packet at hand is of, 0 if not known
 * @pkt_n: number of slots of the packet of rxpool_rx_begin(), 0 if none
 * @pkt_pages: those slots
 * @pkt_taken: their counts
 */
struct rxpool_rx {
	struct rxpool *pool;
	u16 bias;
	u16 pkt_n;
	u32 hash;
	struct page **pkt_pages;
	u16 *pkt_taken;
};

/**
 * struct rxpool_tx_page - a page that XDP_TX transmits
 * @page: the page; the transmit holds one reference
 * @dma: where the device reads it
 * @unmap_len: length of a mapping made for the transmit, 0 if the pool's is used
 */
struct rxpool_tx_page {
	struct page *page;
	dma_addr_t dma;
	u32 unmap_len;
};

#define RXPOOL_TX_BATCH	32

/**
 * struct rxpool_tx_batch - transmitted pages on their way back to one pool
 * @pool: the pool
 * @n: pages collected
 * @pages: the pages
 */
struct rxpool_tx_batch {
	struct rxpool *pool;
	unsigned int n;
	struct page *pages[RXPOOL_TX_BATCH];
};

int rxpool_rx_fill(const struct rxpool_rx *rx, struct page **pages, u16 *taken,
		   unsigned int n);
void rxpool_rx_release(const struct rxpool_rx *rx, struct page **pages,
		       const u16 *taken, unsigned int n);

void rxpool_rx_trim(struct rxpool_rx *rx, struct xdp_buff *xdp);
void rxpool_rx_hand_off(const struct rxpool_rx *rx);
void rxpool_rx_take_back(const struct rxpool_rx *rx, struct xdp_buff *xdp);

int rxpool_tx_map(const struct rxpool *pool, struct device *dev,
		  struct xdp_frame *xdpf, struct rxpool_tx_page *tx,
		  unsigned int max);
void rxpool_tx_unmap(struct device *dev, const struct rxpool_tx_page *tx,
		     unsigned int n);
void rxpool_tx_done(struct device *dev, struct rxpool_tx_batch *batch,
		    struct rxpool *pool, const struct rxpool_tx_page *tx);
void rxpool_tx_batch_flush(struct rxpool_tx_batch *batch);

/**
 * rxpool_rx_is_packet() - does a completion carry a packet
 * @bytes: length that the device reported
 *
 * Devices report zero bytes now and then, of which no skb must be made.
 *
 * Context: any.
 * Return: false if the completion must be skipped; its strides are used up.
 */
static inline bool rxpool_rx_is_packet(u32 bytes)
{
	return bytes >= ETH_HLEN;
}

/**
 * rxpool_rx_take() - give one reference of a slot's page away
 * @rx: the queue
 * @page: the slot's page
 * @taken: the slot's count
 *
 * Context: the owner.
 * Return: false if none may be given away, because the device reported more
 * packets than the page can hold; then the packet must be dropped.
 */
static inline bool rxpool_rx_take(const struct rxpool_rx *rx, struct page *page,
				  u16 *taken)
{
	if (WARN_ON_ONCE(*taken + 1 >= rx->bias))
		return false;
	if (!*taken)
		rxpool_steer(rx->pool, page, rx->hash);
	++*taken;
	return true;
}

/**
 * rxpool_rx_begin() - look at a packet that has its pages for itself
 * @rx: the queue
 * @pages: slots of the packet, one per buffer
 * @taken: their counts
 * @n: number of slots
 *
 * The packet is the one that the functions below are about.
 *
 * Context: the owner.
 * Return: false if the packet must be dropped: the device reported it twice, and
 * the first time it was given away with its page, or more often than the page has
 * references.
 */
static inline bool rxpool_rx_begin(struct rxpool_rx *rx, struct page **pages,
				   u16 *taken, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		if (unlikely(!pages[i] || taken[i] + 1 >= rx->bias))
			return false;
	rx->pkt_pages = pages;
	rx->pkt_taken = taken;
	rx->pkt_n = n;
	return true;
}

/**
 * rxpool_rx_give() - give one reference of each of the packet's pages away
 * @rx: the queue, with the packet of rxpool_rx_begin()
 *
 * Context: the owner.
 */
static inline void rxpool_rx_give(const struct rxpool_rx *rx)
{
	unsigned int i;

	for (i = 0; i < rx->pkt_n; i++)
		if (!rx->pkt_taken[i]++)
			rxpool_steer(rx->pool, rx->pkt_pages[i], rx->hash);
}

#endif /* _RXPOOL_RX_H */
