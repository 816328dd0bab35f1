// SPDX-License-Identifier: GPL-2.0
/*
 * mlx5's receive queues on rxpool: the pool's life, SHAMPO's header pages, and
 * ethtool statistics.
 */
#include <linux/dma-mapping.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include "en/ptp.h"
#include "mlx5e_rxpool.h"

/* Small rings: what sockets hold does not shrink with the ring. */
#define MLX5E_RXPOOL_MIN_CAPACITY	4096U

/**
 * mlx5e_rxpool_create() - create a receive queue's pool
 * @rq: the queue
 * @posted: pages that fill its ring
 * @node: NUMA node of the queue's CPU
 *
 * The stack usually holds less than three times what is posted.
 *
 * Context: process, may sleep.
 * Return: 0 or a negative errno.
 */
int mlx5e_rxpool_create(struct mlx5e_rq *rq, u32 posted, int node)
{
	struct rxpool_params params = {
		.dev = rq->pdev,
		.dma_dir = rq->buff.map_dir,
		.nid = node,
		.capacity = clamp(4 * posted, MLX5E_RXPOOL_MIN_CAPACITY,
				  RXPOOL_CAPACITY_MAX),
		.bias = RXPOOL_RX_BIAS,
	};
	char name[IFNAMSIZ + 16];
	struct rxpool *pool;

	if (posted > params.capacity)
		netdev_warn_once(rq->netdev, "a ring of %u pages exceeds the %u that its pool can retain; the rest is mapped page by page. A smaller ring (ethtool -G) avoids that\n",
				 posted, params.capacity);

	/* The queues that no channel owns are one of a kind. */
	if (rq->channel)
		snprintf(name, sizeof(name), "%s-rx%d", rq->netdev->name,
			 rq->ix);
	else
		snprintf(name, sizeof(name), "%s-%s", rq->netdev->name,
			 rq->ix == MLX5E_PTP_CHANNEL_IX ? "ptp" : "trap");
	params.name = name;

	pool = rxpool_create(&params);
	if (IS_ERR(pool))
		return PTR_ERR(pool);
	rq->rxp.pool = pool;
	rq->rxp.bias = params.bias;
	return 0;
}

/* What a pool has now, not what it has done so far. */
static void mlx5e_rxpool_clear_gauges(struct rxpool_stats *stats)
{
	stats->retained = 0;
	stats->in_flight = 0;
	stats->retained_bytes = 0;
}

/**
 * mlx5e_rxpool_destroy() - destroy a receive queue's pool, if it has one
 * @rq: the queue, stopped and flushed
 *
 * Its counters live on in the queue's statistics.
 *
 * Context: process, may sleep.
 */
void mlx5e_rxpool_destroy(struct mlx5e_rq *rq)
{
	struct rxpool_stats stats;

	if (!rq->rxp.pool)
		return;

	rxpool_get_stats(rq->rxp.pool, &stats);
	mlx5e_rxpool_clear_gauges(&stats);
	rxpool_add_stats(&rq->stats->pool_past, &stats);
	rq->stats->pool = rq->stats->pool_past;

	rxpool_destroy(rq->rxp.pool);
	rq->rxp.pool = NULL;
}

/**
 * mlx5e_rxpool_release_all() - take all pages back from a stopped queue
 * @rq: the queue; one that uses no pool is left alone
 *
 * Context: process, the device has stopped the queue.
 */
void mlx5e_rxpool_release_all(struct mlx5e_rq *rq)
{
	unsigned int i, n;

	if (!rq->rxp.pool)
		return;

	if (rq->wq_type == MLX5_WQ_TYPE_LINKED_LIST_STRIDING_RQ) {
		n = mlx5_wq_ll_get_size(&rq->mpwqe.wq);
		for (i = 0; i < n; i++)
			mlx5e_rxpool_mpw_release(rq, mlx5e_get_mpw_info(rq, i));
	} else {
		n = mlx5_wq_cyc_get_size(&rq->wqe.wq);
		rxpool_rx_release(&rq->rxp, &rq->wqe.alloc_units[0].page,
				  rq->wqe.taken,
				  n << rq->wqe.info.log_num_frags);
	}
}

/**
 * mlx5e_rxpool_alloc_slots() - allocate a cyclic RQ's counts
 * @rq: the queue
 * @n: number of pages that its ring has room for
 * @node: NUMA node
 *
 * Context: process, may sleep.
 * Return: 0 or -ENOMEM.
 */
int mlx5e_rxpool_alloc_slots(struct mlx5e_rq *rq, int n, int node)
{
	rq->wqe.taken = kvzalloc_node(array_size(n, sizeof(*rq->wqe.taken)),
				      GFP_KERNEL, node);
	return rq->wqe.taken ? 0 : -ENOMEM;
}

/**
 * mlx5e_rxpool_free_slots() - undo mlx5e_rxpool_alloc_slots()
 * @rq: the queue
 *
 * Context: process.
 */
void mlx5e_rxpool_free_slots(struct mlx5e_rq *rq)
{
	kvfree(rq->wqe.taken);
}

/**
 * mlx5e_rxpool_hd_alloc() - allocate a page for packet headers (SHAMPO)
 * @rq: the queue
 * @info: set to the page and its address
 *
 * Header pages are plain ones, not of the pool: two of them can be in use for the
 * same entries of the header ring, so there is no slot to count their references
 * in, and they are few.
 *
 * Context: the queue's NAPI.
 * Return: 0 or -ENOMEM.
 */
int mlx5e_rxpool_hd_alloc(struct mlx5e_rq *rq, struct mlx5e_dma_info *info)
{
	struct page *page = dev_alloc_page();
	dma_addr_t addr;

	if (unlikely(!page))
		return -ENOMEM;
	addr = dma_map_page(rq->pdev, page, 0, PAGE_SIZE, rq->buff.map_dir);
	if (unlikely(dma_mapping_error(rq->pdev, addr))) {
		put_page(page);
		return -ENOMEM;
	}
	info->page = page;
	info->addr = addr;
	return 0;
}

/**
 * mlx5e_rxpool_hd_free() - free a page for packet headers
 * @rq: the queue
 * @info: one of the page's entries, its address that of the page
 *
 * Context: the queue's NAPI, or process while the queue is stopped.
 */
void mlx5e_rxpool_hd_free(struct mlx5e_rq *rq, struct mlx5e_dma_info *info)
{
	/* Each header was synced when its packet came. */
	dma_unmap_page_attrs(rq->pdev, info->addr, PAGE_SIZE, rq->buff.map_dir,
			     DMA_ATTR_SKIP_CPU_SYNC);
	put_page(info->page);
}

/**
 * mlx5e_rxpool_hd_undo() - take an entry back that was just set up
 * @rq: the queue
 * @index: the entry
 *
 * Context: the queue's NAPI.
 */
void mlx5e_rxpool_hd_undo(struct mlx5e_rq *rq, u16 index)
{
	struct mlx5e_shampo_hd *shampo = rq->mpwqe.shampo;

	/* Entries before the producer index only fill up the request. */
	if (index < shampo->pi && shampo->pi - index < MLX5_UMR_KLM_ALIGNMENT)
		return;
	/* The first entry of a page got the page. */
	if (!(index & (MLX5E_SHAMPO_WQ_HEADER_PER_PAGE - 1)))
		mlx5e_rxpool_hd_free(rq, &shampo->info[index]);
}

/*
 * ethtool -S: one block for the sum, one for each channel that ever was open, as
 * mlx5 does with its own counters, and one for the PTP queue once it was opened.
 */
static void mlx5e_rxpool_refresh(struct mlx5e_rq *rq)
{
	struct rxpool_stats now;

	if (!rq->rxp.pool)
		return;
	rxpool_get_stats(rq->rxp.pool, &now);
	rxpool_add_stats(&now, &rq->stats->pool_past);
	rq->stats->pool = now;
}

/* Called with the state lock held: channels do not go away. */
static MLX5E_DECLARE_STATS_GRP_OP_UPDATE_STATS(rxpool)
{
	struct mlx5e_ptp *ptp = priv->channels.ptp;
	unsigned int i;

	for (i = 0; i < priv->channels.num; i++)
		mlx5e_rxpool_refresh(&priv->channels.c[i]->rq);
	if (ptp && test_bit(MLX5E_PTP_STATE_RX, ptp->state))
		mlx5e_rxpool_refresh(&ptp->rq);
}

static MLX5E_DECLARE_STATS_GRP_OP_NUM_STATS(rxpool)
{
	return rxpool_ethtool_count() *
	       (1 + mlx5e_stats_nch_read(priv) + priv->rx_ptp_opened);
}

static MLX5E_DECLARE_STATS_GRP_OP_FILL_STRS(rxpool)
{
	unsigned int i, nch = mlx5e_stats_nch_read(priv);
	u8 *start = data + idx * ETH_GSTRING_LEN, *to = start;
	char prefix[ETH_GSTRING_LEN];

	to = rxpool_ethtool_strings(to, "rx_pool_");
	for (i = 0; i < nch; i++) {
		snprintf(prefix, sizeof(prefix), "rx%u_pool_", i);
		to = rxpool_ethtool_strings(to, prefix);
	}
	if (priv->rx_ptp_opened)
		to = rxpool_ethtool_strings(to, "ptp_rq_pool_");
	return idx + (to - start) / ETH_GSTRING_LEN;
}

static MLX5E_DECLARE_STATS_GRP_OP_FILL_STATS(rxpool)
{
	unsigned int i, nch = mlx5e_stats_nch_read(priv);
	u64 *start = data + idx, *to = start;
	struct rxpool_stats sum = {};

	for (i = 0; i < nch; i++)
		rxpool_add_stats(&sum, &priv->channel_stats[i]->rq.pool);
	if (priv->rx_ptp_opened)
		rxpool_add_stats(&sum, &priv->ptp_stats.rq.pool);

	to = rxpool_ethtool_values(to, &sum);
	for (i = 0; i < nch; i++)
		to = rxpool_ethtool_values(to, &priv->channel_stats[i]->rq.pool);
	if (priv->rx_ptp_opened)
		to = rxpool_ethtool_values(to, &priv->ptp_stats.rq.pool);
	return idx + (to - start);
}

MLX5E_DEFINE_STATS_GRP(rxpool, 0);
