// SPDX-License-Identifier: GPL-2.0
/*
 * Receive descriptors on an rxpool.
 */
#include <linux/dma-mapping.h>
#include <linux/mm.h>
#include <linux/string.h>
#include <net/xdp.h>
#include "rxpool_rx.h"

/**
 * rxpool_rx_fill() - put new pages into slots
 * @rx: the queue
 * @pages: the slots; what they hold is released before
 * @taken: their counts, set to 0
 * @n: number of slots
 *
 * All or nothing: if the pool cannot supply @n pages, those that it did supply go
 * back at once and all slots are empty.
 *
 * Context: the owner.
 * Return: 0 or -ENOMEM.
 */
int rxpool_rx_fill(const struct rxpool_rx *rx, struct page **pages, u16 *taken,
		   unsigned int n)
{
	unsigned int got;

	rxpool_rx_release(rx, pages, taken, n);
	memset(taken, 0, n * sizeof(*taken));

	got = rxpool_alloc_bulk(rx->pool, pages, n, GFP_ATOMIC | __GFP_NOWARN);
	if (likely(got == n))
		return 0;

	/* The pool may have used the rest of the array. */
	memset(pages + got, 0, (n - got) * sizeof(*pages));
	rxpool_rx_release(rx, pages, taken, got);
	return -ENOMEM;
}

/**
 * rxpool_rx_release() - empty slots
 * @rx: the queue
 * @pages: the slots; empty ones stay empty
 * @taken: their counts
 * @n: number of slots
 *
 * The device must not write to the pages any more.
 *
 * Context: the owner.
 */
void rxpool_rx_release(const struct rxpool_rx *rx, struct page **pages,
		       const u16 *taken, unsigned int n)
{
	unsigned int i, run;

	/* Neighbours mostly carried the same number of packets. */
	for (i = 0; i < n; i += run) {
		run = 1;
		if (!pages[i])
			continue;
		while (i + run < n && pages[i + run] &&
		       taken[i + run] == taken[i])
			run++;
		rxpool_release_bulk(rx->pool, pages + i, run,
				    rx->bias - taken[i]);
		memset(pages + i, 0, run * sizeof(*pages));
	}
}

static unsigned int rxpool_xdp_buffers(struct xdp_buff *xdp)
{
	if (likely(!xdp_buff_has_frags(xdp)))
		return 1;
	return 1 + xdp_get_shared_info_from_buff(xdp)->nr_frags;
}

/**
 * rxpool_rx_trim() - account for buffers that an XDP program cut off
 * @rx: the queue, with the packet of rxpool_rx_begin()
 * @xdp: the packet after the program ran
 *
 * A program that shortens a packet makes the kernel free the buffers that are
 * left empty, and with them a reference each. They are no part of the packet any
 * more.
 *
 * Context: the owner.
 */
void rxpool_rx_trim(struct rxpool_rx *rx, struct xdp_buff *xdp)
{
	unsigned int left;

	if (!rx->pkt_n)
		return;
	for (left = rxpool_xdp_buffers(xdp); rx->pkt_n > left; rx->pkt_n--)
		rx->pkt_taken[rx->pkt_n - 1]++;
}

/**
 * rxpool_rx_hand_off() - leave the packet with one reference per page, and no more
 * @rx: the queue, with the packet of rxpool_rx_begin()
 *
 * For XDP_REDIRECT, before it happens: on 6.1 a receiver of the frame may take
 * the pages out of their pool, on another CPU, so the slots must be rid of them.
 * They are empty afterwards. The device has written its only packet.
 *
 * Context: the owner.
 */
void rxpool_rx_hand_off(const struct rxpool_rx *rx)
{
	rxpool_rx_give(rx);
	rxpool_rx_release(rx, rx->pkt_pages, rx->pkt_taken, rx->pkt_n);
}

/**
 * rxpool_rx_take_back() - the packet was handed off but not redirected
 * @rx: the queue
 * @xdp: the packet
 *
 * Context: any but hard IRQ and NMI.
 */
void rxpool_rx_take_back(const struct rxpool_rx *rx, struct xdp_buff *xdp)
{
	unsigned int i;

	if (!rx->pkt_n)
		return;
	/* The list of fragments lies in the head, which goes last. */
	for (i = rxpool_xdp_buffers(xdp) - 1; i > 0; i--) {
		struct skb_shared_info *sinfo =
			xdp_get_shared_info_from_buff(xdp);

		rxpool_put(skb_frag_page(&sinfo->frags[i - 1]));
	}
	rxpool_put(virt_to_page(xdp->data));
}

static int rxpool_tx_map_page(const struct rxpool *pool, struct device *dev,
			      struct page *page, unsigned int offset,
			      unsigned int len, struct rxpool_tx_page *tx)
{
	tx->page = page;
	tx->unmap_len = 0;
	if (likely(rxpool_page_retained(pool, page))) {
		rxpool_sync_for_device(pool, page, offset, len);
		tx->dma = rxpool_dma_addr(page) + offset;
		return 0;
	}

	/* The pool's mapping ends when the slot is filled anew, which may be
	 * before the transmit completes.
	 */
	tx->dma = dma_map_page(dev, page, offset, len, DMA_TO_DEVICE);
	if (unlikely(dma_mapping_error(dev, tx->dma)))
		return -ENOMEM;
	tx->unmap_len = len;
	return 0;
}

/**
 * rxpool_tx_map() - make a received frame readable by the device
 * @pool: the pool that the frame's pages are of
 * @dev: the device that transmits
 * @xdpf: the frame, converted in place
 * @tx: filled, the head first, then the fragments
 * @max: entries in @tx
 *
 * Context: the queue's NAPI.
 * Return: entries filled, or a negative errno, with nothing left mapped.
 */
int rxpool_tx_map(const struct rxpool *pool, struct device *dev,
		  struct xdp_frame *xdpf, struct rxpool_tx_page *tx,
		  unsigned int max)
{
	struct skb_shared_info *sinfo = NULL;
	unsigned int i, n = 1;
	int err;

	if (unlikely(xdp_frame_has_frags(xdpf))) {
		sinfo = xdp_get_shared_info_from_frame(xdpf);
		n += sinfo->nr_frags;
	}
	if (WARN_ON_ONCE(n > max))
		return -E2BIG;

	for (i = 0; i < n; i++) {
		if (i) {
			const skb_frag_t *frag = &sinfo->frags[i - 1];

			err = rxpool_tx_map_page(pool, dev, skb_frag_page(frag),
						 skb_frag_off(frag),
						 skb_frag_size(frag), &tx[i]);
		} else {
			err = rxpool_tx_map_page(pool, dev,
						 virt_to_page(xdpf->data),
						 offset_in_page(xdpf->data),
						 xdpf->len, &tx[i]);
		}
		if (unlikely(err)) {
			rxpool_tx_unmap(dev, tx, i);
			return err;
		}
	}
	return n;
}

/**
 * rxpool_tx_unmap() - undo rxpool_tx_map()
 * @dev: the device that transmits
 * @tx: the pages
 * @n: how many
 *
 * Context: any.
 */
void rxpool_tx_unmap(struct device *dev, const struct rxpool_tx_page *tx,
		     unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		if (unlikely(tx[i].unmap_len))
			dma_unmap_page(dev, tx[i].dma, tx[i].unmap_len,
				       DMA_TO_DEVICE);
}

/**
 * rxpool_tx_done() - a page was transmitted
 * @dev: the device that transmitted it
 * @batch: where to collect it
 * @pool: its pool
 * @tx: the page; the transmit's reference goes into the batch
 *
 * Context: any but hard IRQ and NMI.
 */
void rxpool_tx_done(struct device *dev, struct rxpool_tx_batch *batch,
		    struct rxpool *pool, const struct rxpool_tx_page *tx)
{
	rxpool_tx_unmap(dev, tx, 1);
	if (unlikely(batch->n == RXPOOL_TX_BATCH ||
		     (batch->n && batch->pool != pool)))
		rxpool_tx_batch_flush(batch);
	batch->pool = pool;
	batch->pages[batch->n++] = tx->page;
}

/**
 * rxpool_tx_batch_flush() - give the collected pages to their pool
 * @batch: the pages; empty afterwards
 *
 * Context: any but hard IRQ and NMI.
 */
void rxpool_tx_batch_flush(struct rxpool_tx_batch *batch)
{
	if (batch->n)
		rxpool_put_bulk(batch->pool, batch->pages, batch->n);
	batch->n = 0;
}
