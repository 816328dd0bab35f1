/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the semantic patches in cocci/mlx5 make mlx5 call.
 */
#ifndef _MLX5E_RXPOOL_H
#define _MLX5E_RXPOOL_H

#include "en.h"
#include "en/txrx.h"
#include "rxpool_rx.h"

int mlx5e_rxpool_create(struct mlx5e_rq *rq, u32 posted, int node);
void mlx5e_rxpool_destroy(struct mlx5e_rq *rq);
void mlx5e_rxpool_release_all(struct mlx5e_rq *rq);
int mlx5e_rxpool_alloc_slots(struct mlx5e_rq *rq, int n, int node);
void mlx5e_rxpool_free_slots(struct mlx5e_rq *rq);

int mlx5e_rxpool_hd_alloc(struct mlx5e_rq *rq, struct mlx5e_dma_info *info);
void mlx5e_rxpool_hd_free(struct mlx5e_rq *rq, struct mlx5e_dma_info *info);
void mlx5e_rxpool_hd_undo(struct mlx5e_rq *rq, u16 index);

/**
 * mlx5e_rxpool_no_packet() - does a completion carry no packet
 * @rq: the queue, which notes the flow of the packet
 * @cqe: the completion
 * @bytes: length that the device reported
 *
 * Context: the queue's NAPI.
 * Return: true, and counted as rx_wqe_err, if the completion must be skipped.
 */
static inline bool mlx5e_rxpool_no_packet(struct mlx5e_rq *rq,
					  const struct mlx5_cqe64 *cqe, u32 bytes)
{
	rq->rxp.hash = be32_to_cpu(cqe->rss_hash_result);
	if (likely(rxpool_rx_is_packet(bytes)))
		return false;
	rq->stats->wqe_err++;
	return true;
}

/*
 * Striding RQ: the pages of a descriptor.
 */

/**
 * mlx5e_rxpool_mpw_fill() - new pages for a descriptor
 * @rq: the queue
 * @wi: the descriptor, which the device has completed or never seen
 *
 * Context: the queue's NAPI.
 * Return: 0, or -ENOMEM with the descriptor left empty.
 */
static inline int mlx5e_rxpool_mpw_fill(struct mlx5e_rq *rq,
					struct mlx5e_mpw_info *wi)
{
	return rxpool_rx_fill(&rq->rxp, &wi->alloc_units[0].page, wi->taken,
			      rq->mpwqe.pages_per_wqe);
}

/**
 * mlx5e_rxpool_mpw_release() - empty a descriptor
 * @rq: the queue
 * @wi: the descriptor
 *
 * Context: the queue's NAPI, or process while the queue is stopped.
 */
static inline void mlx5e_rxpool_mpw_release(struct mlx5e_rq *rq,
					    struct mlx5e_mpw_info *wi)
{
	rxpool_rx_release(&rq->rxp, &wi->alloc_units[0].page, wi->taken,
			  rq->mpwqe.pages_per_wqe);
}

/**
 * mlx5e_rxpool_mpw_begin() - look at a packet in one page, see rxpool_rx_begin()
 * @rq: the queue
 * @wi: the descriptor
 * @au: the page's place in it
 *
 * Context: the queue's NAPI.
 * Return: false if the packet must be dropped.
 */
static inline bool mlx5e_rxpool_mpw_begin(struct mlx5e_rq *rq,
					  struct mlx5e_mpw_info *wi,
					  union mlx5e_alloc_unit *au)
{
	return rxpool_rx_begin(&rq->rxp, &au->page,
			       &wi->taken[au - wi->alloc_units], 1);
}

/**
 * mlx5e_rxpool_mpw_take() - give one reference of a page away
 * @rq: the queue
 * @wi: the descriptor
 * @au: the page's place in it
 *
 * Context: the queue's NAPI.
 * Return: false if none may be given away.
 */
static inline bool mlx5e_rxpool_mpw_take(struct mlx5e_rq *rq,
					 struct mlx5e_mpw_info *wi,
					 const union mlx5e_alloc_unit *au)
{
	return rxpool_rx_take(&rq->rxp, au->page, &wi->taken[au - wi->alloc_units]);
}

/*
 * Cyclic RQ: the pages of the whole ring, each shared by one descriptor or more.
 */

static inline u16 *mlx5e_rxpool_taken(struct mlx5e_rq *rq,
				      const union mlx5e_alloc_unit *au)
{
	return &rq->wqe.taken[au - rq->wqe.alloc_units];
}

/**
 * mlx5e_rxpool_fill() - a new page
 * @rq: the queue
 * @au: the page's place; all descriptors that share it are completed
 *
 * Context: the queue's NAPI.
 * Return: 0, or -ENOMEM with the place left empty.
 */
static inline int mlx5e_rxpool_fill(struct mlx5e_rq *rq,
				    union mlx5e_alloc_unit *au)
{
	return rxpool_rx_fill(&rq->rxp, &au->page, mlx5e_rxpool_taken(rq, au),
			      1);
}

/**
 * mlx5e_rxpool_begin() - look at a packet, see rxpool_rx_begin()
 * @rq: the queue
 * @au: place of its first page; the others follow
 * @n: number of pages
 *
 * Context: the queue's NAPI.
 * Return: false if the packet must be dropped.
 */
static inline bool mlx5e_rxpool_begin(struct mlx5e_rq *rq,
				      union mlx5e_alloc_unit *au,
				      unsigned int n)
{
	return rxpool_rx_begin(&rq->rxp, &au->page, mlx5e_rxpool_taken(rq, au),
			       n);
}

/**
 * mlx5e_rxpool_take() - give one reference of a page away
 * @rq: the queue
 * @au: the page's place
 *
 * Context: the queue's NAPI.
 */
static inline void mlx5e_rxpool_take(struct mlx5e_rq *rq,
				     const union mlx5e_alloc_unit *au)
{
	rxpool_rx_take(&rq->rxp, au->page, mlx5e_rxpool_taken(rq, au));
}

#endif /* _MLX5E_RXPOOL_H */
