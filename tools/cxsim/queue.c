// SPDX-License-Identifier: GPL-2.0
/* Send and receive queues as objects: creation, states, queries. */
#include <linux/mm.h>
#include <linux/slab.h>

#include "cxsim.h"

#define STRIDE_SIZE_BASE	6	/* log_wqe_stride_size 0: 64 bytes */
#define STRIDE_NUM_BASE		9	/* log_wqe_num_of_strides 0: 512 */

static int wq_init(struct cxsim_wq *w, const void *wq, const struct cxsim_cmd *c)
{
	const void *pas = MLX5_ADDR_OF(wq, wq, pas);
	u8 shift = MLX5_GET(wq, wq, log_wq_pg_sz) + 12;
	u32 offset = MLX5_GET(wq, wq, page_offset) * 64;
	u32 n;

	w->type = MLX5_GET(wq, wq, wq_type);
	w->log_stride = MLX5_GET(wq, wq, log_wq_stride);
	w->log_size = MLX5_GET(wq, wq, log_wq_sz);
	w->dbr = MLX5_GET64(wq, wq, dbr_addr);
	if (w->log_stride < 4 || w->log_stride > 12 || w->log_size > 16)
		return -EINVAL;
	n = DIV_ROUND_UP((1U << (w->log_size + w->log_stride)) + offset,
			 1U << shift);
	if (pas + n * sizeof(__be64) > c->in + c->inlen)
		return -EINVAL;
	return cxsim_ring_init(&w->ring, pas, n, shift, offset);
}

/* A CQ serves queues of one side only: it has a single writer. */
static struct cxsim_cq *cq_get(struct cxsim *f, u32 cqn, bool rx)
{
	struct cxsim_cq *cq = xa_load(&f->cqs, cqn);

	if (!cq || (cq->users && cq->rx != rx))
		return NULL;
	spin_lock(&f->rx_lock);
	cq->rx = rx;
	cq->users++;
	spin_unlock(&f->rx_lock);
	return cq;
}

static void cq_put(struct cxsim *f, struct cxsim_cq *cq)
{
	spin_lock(&f->rx_lock);
	cq->users--;
	spin_unlock(&f->rx_lock);
}

/* A queue in reset starts from zero, whatever its doorbell record says. */
static void clear_dbr(struct cxsim *f, u64 dbr, int idx)
{
	__be32 *db = cxsim_dma(f, dbr + idx * sizeof(__be32), sizeof(__be32),
			       true);

	if (db)
		WRITE_ONCE(*db, 0);
}

int cxsim_create_rq(struct cxsim *f, struct cxsim_cmd *c)
{
	void *rqc = MLX5_ADDR_OF(create_rq_in, c->in, ctx);
	void *wq = MLX5_ADDR_OF(rqc, rqc, wq);
	struct cxsim_rq *rq;
	int st = MLX5_CMD_STAT_BAD_PARAM_ERR;

	if (MLX5_GET(rqc, rqc, mem_rq_type) || MLX5_GET(rqc, rqc, hairpin))
		return st;
	rq = kzalloc(sizeof(*rq), GFP_KERNEL);
	if (!rq)
		return MLX5_CMD_STAT_NO_RES_ERR;
	memcpy(rq->ctx, rqc, sizeof(rq->ctx));
	rq->state = MLX5_GET(rqc, rqc, state);
	rq->vsd = MLX5_GET(rqc, rqc, vsd);
	rq->counter_set = MLX5_GET(rqc, rqc, counter_set_id);
	if (wq_init(&rq->wq, wq, c))
		goto err_free;
	if (rq->wq.type == MLX5_WQ_TYPE_LINKED_LIST_STRIDING_RQ) {
		/* a signed number of 4 bits */
		rq->log_strides = STRIDE_NUM_BASE +
			(s8)(MLX5_GET(wq, wq, log_wqe_num_of_strides) << 4) / 16;
		rq->log_stride_size = STRIDE_SIZE_BASE +
			MLX5_GET(wq, wq, log_wqe_stride_size);
	} else if (rq->wq.type != MLX5_WQ_TYPE_CYCLIC) {
		goto err_ring;
	}
	rq->cq = cq_get(f, MLX5_GET(rqc, rqc, cqn), true);
	if (!rq->cq)
		goto err_ring;
	if (cxsim_new_id(&f->rqs, 1, 0xffffff, &rq->id))
		goto err_cq;
	cxsim_publish(&f->rqs, rq->id, rq);
	cxsim_changed(f);
	MLX5_SET(create_rq_out, c->out, rqn, rq->id);
	return MLX5_CMD_STAT_OK;

err_cq:
	cq_put(f, rq->cq);
	st = MLX5_CMD_STAT_NO_RES_ERR;
err_ring:
	cxsim_ring_free(&rq->wq.ring);
err_free:
	kfree(rq);
	return st;
}

int cxsim_modify_rq(struct cxsim *f, struct cxsim_cmd *c)
{
	void *rqc = MLX5_ADDR_OF(modify_rq_in, c->in, ctx);
	u64 mask = MLX5_GET64(modify_rq_in, c->in, modify_bitmask);
	u8 state = MLX5_GET(rqc, rqc, state);
	struct cxsim_rq *rq;

	rq = xa_load(&f->rqs, MLX5_GET(modify_rq_in, c->in, rqn));
	if (!rq)
		return MLX5_CMD_STAT_BAD_RES_ERR;
	if (MLX5_GET(modify_rq_in, c->in, rq_state) != rq->state)
		return MLX5_CMD_STAT_BAD_RES_STATE_ERR;
	spin_lock(&f->rx_lock);
	if (mask & MLX5_MODIFY_RQ_IN_MODIFY_BITMASK_VSD)
		rq->vsd = MLX5_GET(rqc, rqc, vsd);
	if (mask & MLX5_MODIFY_RQ_IN_MODIFY_BITMASK_RQ_COUNTER_SET_ID)
		rq->counter_set = MLX5_GET(rqc, rqc, counter_set_id);
	if (state == MLX5_RQC_STATE_RST && rq->state != state) {
		rq->taken = 0;
		rq->wqe = 0;
		rq->stride = 0;
		rq->open = false;
		clear_dbr(f, rq->wq.dbr, 0);
	}
	rq->state = state;
	spin_unlock(&f->rx_lock);
	return MLX5_CMD_STAT_OK;
}

int cxsim_query_rq(struct cxsim *f, struct cxsim_cmd *c)
{
	void *rqc = MLX5_ADDR_OF(query_rq_out, c->out, rq_context);
	struct cxsim_rq *rq;

	rq = xa_load(&f->rqs, MLX5_GET(query_rq_in, c->in, rqn));
	if (!rq)
		return MLX5_CMD_STAT_BAD_RES_ERR;
	memcpy(rqc, rq->ctx, sizeof(rq->ctx));
	MLX5_SET(rqc, rqc, state, rq->state);
	MLX5_SET(rqc, rqc, vsd, rq->vsd);
	return MLX5_CMD_STAT_OK;
}

static void rq_free(struct cxsim *f, struct cxsim_rq *rq)
{
	spin_lock(&f->rx_lock);
	xa_erase(&f->rqs, rq->id);
	f->gen++;
	spin_unlock(&f->rx_lock);
	cq_put(f, rq->cq);
	cxsim_ring_free(&rq->wq.ring);
	kfree(rq);
}

int cxsim_destroy_rq(struct cxsim *f, struct cxsim_cmd *c)
{
	struct cxsim_rq *rq;

	rq = xa_load(&f->rqs, MLX5_GET(destroy_rq_in, c->in, rqn));
	if (!rq)
		return MLX5_CMD_STAT_BAD_RES_ERR;
	rq_free(f, rq);
	return MLX5_CMD_STAT_OK;
}

int cxsim_create_sq(struct cxsim *f, struct cxsim_cmd *c)
{
	void *sqc = MLX5_ADDR_OF(create_sq_in, c->in, ctx);
	int st = MLX5_CMD_STAT_BAD_PARAM_ERR;
	struct cxsim_sq *sq;

	sq = kzalloc(sizeof(*sq), GFP_KERNEL);
	if (!sq)
		return MLX5_CMD_STAT_NO_RES_ERR;
	memcpy(sq->ctx, sqc, sizeof(sq->ctx));
	sq->state = MLX5_GET(sqc, sqc, state);
	if (MLX5_GET(sqc, sqc, hairpin) ||
	    wq_init(&sq->wq, MLX5_ADDR_OF(sqc, sqc, wq), c))
		goto err_free;
	if (sq->wq.log_stride != 6)
		goto err_ring;
	sq->cq = cq_get(f, MLX5_GET(sqc, sqc, cqn), false);
	if (!sq->cq)
		goto err_ring;
	if (cxsim_new_id(&f->sqs, 1, 0xffffff, &sq->id)) {
		st = MLX5_CMD_STAT_NO_RES_ERR;
		goto err_cq;
	}
	cxsim_publish(&f->sqs, sq->id, sq);
	list_add_tail(&sq->node, &f->sq_list);
	MLX5_SET(create_sq_out, c->out, sqn, sq->id);
	return MLX5_CMD_STAT_OK;

err_cq:
	cq_put(f, sq->cq);
err_ring:
	cxsim_ring_free(&sq->wq.ring);
err_free:
	kfree(sq);
	return st;
}

int cxsim_modify_sq(struct cxsim *f, struct cxsim_cmd *c)
{
	void *sqc = MLX5_ADDR_OF(modify_sq_in, c->in, ctx);
	u8 state = MLX5_GET(sqc, sqc, state);
	struct cxsim_sq *sq;

	sq = xa_load(&f->sqs, MLX5_GET(modify_sq_in, c->in, sqn));
	if (!sq)
		return MLX5_CMD_STAT_BAD_RES_ERR;
	if (MLX5_GET(modify_sq_in, c->in, sq_state) != sq->state)
		return MLX5_CMD_STAT_BAD_RES_STATE_ERR;
	if (state == MLX5_SQC_STATE_RST && sq->state != state) {
		sq->cc = 0;
		clear_dbr(f, sq->wq.dbr, 1);
	}
	sq->state = state;
	return MLX5_CMD_STAT_OK;
}

int cxsim_query_sq(struct cxsim *f, struct cxsim_cmd *c)
{
	void *sqc = MLX5_ADDR_OF(query_sq_out, c->out, sq_context);
	struct cxsim_sq *sq;

	sq = xa_load(&f->sqs, MLX5_GET(query_sq_in, c->in, sqn));
	if (!sq)
		return MLX5_CMD_STAT_BAD_RES_ERR;
	memcpy(sqc, sq->ctx, sizeof(sq->ctx));
	MLX5_SET(sqc, sqc, state, sq->state);
	return MLX5_CMD_STAT_OK;
}

static void sq_free(struct cxsim *f, struct cxsim_sq *sq)
{
	xa_erase(&f->sqs, sq->id);
	list_del(&sq->node);
	cq_put(f, sq->cq);
	cxsim_ring_free(&sq->wq.ring);
	kfree(sq);
}

int cxsim_destroy_sq(struct cxsim *f, struct cxsim_cmd *c)
{
	struct cxsim_sq *sq;

	sq = xa_load(&f->sqs, MLX5_GET(destroy_sq_in, c->in, sqn));
	if (!sq)
		return MLX5_CMD_STAT_BAD_RES_ERR;
	sq_free(f, sq);
	return MLX5_CMD_STAT_OK;
}

void cxsim_queues_reset(struct cxsim *f)
{
	struct cxsim_sq *sq, *next;
	struct cxsim_rq *rq;
	unsigned long i;

	list_for_each_entry_safe(sq, next, &f->sq_list, node)
		sq_free(f, sq);
	xa_for_each(&f->rqs, i, rq)
		rq_free(f, rq);
}
