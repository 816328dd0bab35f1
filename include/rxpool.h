/* SPDX-License-Identifier: GPL-2.0 */
/*
 * rxpool: a page pool for the receive rings of NIC drivers.
 */
#ifndef _RXPOOL_H
#define _RXPOOL_H

#include <linux/dma-direction.h>
#include <linux/gfp.h>
#include <linux/jump_label.h>
#include <linux/mm_types.h>
#include <linux/skbuff.h>
#include <linux/types.h>

/**
 * DOC: rxpool in ten minutes
 *
 * A driver creates one pool per receive queue. Pages come out of it mapped for
 * DMA and synced for the device; up to @capacity of them are *retained*: they
 * keep their mapping for life and come back to the pool from whatever CPU the
 * stack frees them on. Beyond the capacity the pool hands out *burst* pages,
 * mapped for one use, so that receive never starves.
 *
 * The life of a page::
 *
 *	page = rxpool_alloc(pool, gfp)          @bias references, all the driver's
 *	  post rxpool_dma_addr(page) to the device; packets arrive
 *	rxpool_sync_for_cpu(pool, page, ...)
 *	rxpool_steer(pool, page, hash)          optional, before the page's first
 *	                                        reference is given away
 *	  give one reference with each fragment: skb_add_rx_frag(),
 *	  rxpool_mark_skb(skb), or an XDP frame
 *	rxpool_release(pool, page, unused)      device is done, rest comes back
 *
 * A page that no packet used, or that the driver consumed itself (XDP_DROP),
 * is released with all its references and is reused at once. A frame that is
 * redirected must have its page released before: on 6.1 its receiver may take
 * the page out of the pool, on another CPU.
 *
 * Which calls may run together, per pool:
 *
 * =========================================  ==================================
 * create, destroy, xdp_register              process context, alone
 * alloc, alloc_bulk, release, release_bulk,  the owner: the queue's NAPI poll,
 * steer                                      or process context while that NAPI
 *                                            is disabled; never two at a time
 * put, put_bulk, freeing a marked skb,       any CPU, any context but hard IRQ
 * returning an XDP frame                     and NMI, also after destroy
 * get_stats, sync, dma_addr                  any time before destroy
 * =========================================  ==================================
 */

struct device;
struct page;
struct rxpool;
struct xdp_rxq_info;

/* A recycle ring must be able to hold every retained page. The kernel limits its
 * rings to 16384 entries, and clears those it consumed only batch by batch.
 */
#define RXPOOL_RING_SLACK	64U
#define RXPOOL_CAPACITY_MAX	(16384U - RXPOOL_RING_SLACK)
/* Upper bound of rxpool_params.bias. */
#define RXPOOL_BIAS_MAX		0x7fffU
/* Upper bound of rxpool_params.shards, and the default where there are two CPUs. */
#define RXPOOL_SHARDS_MAX	16U
#define RXPOOL_SHARDS_DEFAULT	8U

/**
 * struct rxpool_params - what a pool is made for
 * @name: shown in messages and debugfs, copied; e.g. "eth0-rx3"
 * @dev: device that writes into the pages, with its DMA masks set
 * @dma_dir: %DMA_FROM_DEVICE, or %DMA_BIDIRECTIONAL if XDP may transmit them
 * @nid: NUMA node to allocate from, or %NUMA_NO_NODE for the local one
 * @capacity: pages retained at most, 1 to %RXPOOL_CAPACITY_MAX; should cover
 *	what is posted to the device plus what the stack usually holds
 * @bias: references a page is handed out with, 1 to %RXPOOL_BIAS_MAX. Use 1
 *	when a page carries one packet, and more than the number of fragments a
 *	page can be cut into otherwise: the driver keeps at least one until
 *	rxpool_release().
 * @offset: bytes from the start of a page that the device never writes
 * @max_len: bytes from @offset that the device may write, 0 for the rest of the
 *	page; only these are synced for the device
 * @shards: recycle rings, a power of two up to %RXPOOL_SHARDS_MAX, or 0 for a good
 *	number; each
 *	has room for @capacity pages. More of them keep CPUs that return pages at
 *	the same time out of each other's way.
 * @debug: watch the pool's pages, as for all pools with the module parameter
 *	debug=1: misuse is named, refused and counted, idle pages are poisoned. Costs
 *	nothing when off, and much when on.
 */
struct rxpool_params {
	const char *name;
	struct device *dev;
	enum dma_data_direction dma_dir;
	int nid;
	unsigned int capacity;
	unsigned int bias;
	unsigned int offset;
	unsigned int max_len;
	unsigned int shards;
	bool debug;
};

/**
 * struct rxpool_stats - counters of a pool; all are pages unless said otherwise
 * @alloc: handed out
 * @recycled: handed out that had been used before and kept their mapping
 * @from_buddy: taken from the page allocator
 * @burst: handed out beyond the capacity, mapped for that use only
 * @lost: retained pages that the stack did not give back because somebody held
 *	a page reference; unmapped and forgotten
 * @return_owner: retained pages that came back through rxpool_release() straight
 *	to the owner
 * @return_ring: retained pages that came back through a recycle ring
 * @dma_map: DMA mappings made (not pages)
 * @alloc_failed: requested but not to be had: no memory, or mapping failed
 * @steered: given to the stack with another recycle ring than they had before, that of
 *	the CPU which reads the flow
 * @misuse: calls that broke a rule of this interface and were noticed (not pages);
 *	the kernel log has the first ones, and with the module parameter debug=1
 *	many more are noticed
 * @retained: now retained, wherever they are
 * @in_flight: now handed out and not back, burst pages included
 * @retained_bytes: memory now retained, in bytes
 *
 * At any quiet moment @retained = idle + landed + retained pages in flight,
 * @alloc = @recycled + @burst + retained pages handed out for the first time, and,
 * but for landed pages not yet drained, for retained pages
 * @alloc - @burst = @return_owner + @return_ring + @lost + in flight.
 */
struct rxpool_stats {
	u64 alloc;
	u64 recycled;
	u64 from_buddy;
	u64 burst;
	u64 lost;
	u64 return_owner;
	u64 return_ring;
	u64 dma_map;
	u64 alloc_failed;
	u64 steered;
	u64 misuse;
	u64 retained;
	u64 in_flight;
	u64 retained_bytes;
};

struct rxpool *rxpool_create(const struct rxpool_params *params);
void rxpool_destroy(struct rxpool *pool);

struct page *rxpool_alloc(struct rxpool *pool, gfp_t gfp);
unsigned int rxpool_alloc_bulk(struct rxpool *pool, struct page **pages,
			       unsigned int n, gfp_t gfp);
void rxpool_release(struct rxpool *pool, struct page *page, unsigned int unused);
void rxpool_release_bulk(struct rxpool *pool, struct page **pages,
			 unsigned int n, unsigned int unused);

void rxpool_learn(void);
void rxpool_put(struct page *page);
void rxpool_put_bulk(struct rxpool *pool, struct page **pages, unsigned int n);

bool rxpool_page_retained(const struct rxpool *pool, const struct page *page);
void rxpool_sync_for_cpu(const struct rxpool *pool, const struct page *page,
			 unsigned int offset, unsigned int len);
void rxpool_sync_for_device(const struct rxpool *pool, const struct page *page,
			    unsigned int offset, unsigned int len);
int rxpool_xdp_register(struct rxpool *pool, struct xdp_rxq_info *rxq);

void rxpool_get_stats(const struct rxpool *pool, struct rxpool_stats *stats);
void rxpool_add_stats(struct rxpool_stats *sum, const struct rxpool_stats *add);
unsigned int rxpool_count_pools(bool dead);
int rxpool_ethtool_count(void);
u8 *rxpool_ethtool_strings(u8 *data, const char *prefix);
u64 *rxpool_ethtool_values(u64 *data, const struct rxpool_stats *stats);

/**
 * rxpool_dma_addr() - DMA address of a page's first byte
 * @page: page handed out by a pool and not yet released
 *
 * Context: any.
 * Return: the address the pool mapped the page at.
 */
static inline dma_addr_t rxpool_dma_addr(const struct page *page)
{
	return page->dma_addr;
}

/**
 * rxpool_mark_skb() - let the stack give an skb's pages back to their pool
 * @skb: skb whose head or fragments lie in pool pages
 *
 * Each fragment carries one of its page's references. Pages of other origin in
 * the same skb are freed as usual.
 *
 * Context: any, before the skb is given to the stack.
 */
static inline void rxpool_mark_skb(struct sk_buff *skb)
{
	skb_mark_for_recycle(skb);
}

DECLARE_STATIC_KEY_FALSE(rxpool_steer_key);
void __rxpool_steer(struct rxpool *pool, struct page *page, u32 hash);

/**
 * rxpool_steer() - let a page come home without meeting other CPUs
 * @pool: the pool that handed it out
 * @page: the page, with all its references
 * @hash: of the packet's flow, what skb_set_hash() gets
 *
 * Chooses the recycle ring of the CPU that reads the flow, if that is known, from RFS
 * or because the pool has learned it. To be called when the page's first packet has
 * come and before any of the page's references is given away.
 *
 * Context: the owner, as for rxpool_alloc_bulk().
 */
static inline void rxpool_steer(struct rxpool *pool, struct page *page, u32 hash)
{
	if (static_branch_unlikely(&rxpool_steer_key))
		__rxpool_steer(pool, page, hash);
}

#endif /* _RXPOOL_H */
