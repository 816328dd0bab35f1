// SPDX-License-Identifier: GPL-2.0
/* Event queues and completion queues. */
#include <linux/bitfield.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "cxsim.h"

#define EQE_SIZE	64
#define CQE_SIZE	64
#define CQ_ARM_SN	GENMASK(29, 28)
#define CQ_CI		GENMASK(23, 0)

static u32 pages_for(u32 bytes, u8 page_shift)
{
	return DIV_ROUND_UP(bytes, 1U << page_shift);
}

/* Does a command carry n page addresses at pas? */
static bool has_pas(const struct cxsim_cmd *c, const void *pas, u32 n)
{
	return pas + n * sizeof(__be64) <= c->in + c->inlen;
}

int cxsim_create_eq(struct cxsim *f, struct cxsim_cmd *c)
{
	void *eqc = MLX5_ADDR_OF(create_eq_in, c->in, eq_context_entry);
	void *pas = MLX5_ADDR_OF(create_eq_in, c->in, pas);
	u8 shift = MLX5_GET(eqc, eqc, log_page_size) + 12;
	struct cxsim_eq *eq;
	u32 n;

	eq = kzalloc(sizeof(*eq), GFP_KERNEL);
	if (!eq)
		return MLX5_CMD_STAT_NO_RES_ERR;
	eq->log_size = MLX5_GET(eqc, eqc, log_eq_size);
	eq->vector = MLX5_GET(eqc, eqc, intr);
	eq->mask = MLX5_GET64(create_eq_in, c->in, event_bitmask[0]);
	n = pages_for(EQE_SIZE << eq->log_size, shift);
	if (eq->vector >= f->nvec || !has_pas(c, pas, n) ||
	    cxsim_ring_init(&eq->ring, pas, n, shift, 0)) {
		kfree(eq);
		return MLX5_CMD_STAT_BAD_PARAM_ERR;
	}
	if (cxsim_new_id(&f->eqs, 1, 255, &eq->id)) {
		cxsim_ring_free(&eq->ring);
		kfree(eq);
		return MLX5_CMD_STAT_NO_RES_ERR;
	}
	cxsim_publish(&f->eqs, eq->id, eq);
	MLX5_SET(create_eq_out, c->out, eq_number, eq->id);
	return MLX5_CMD_STAT_OK;
}

static void eq_free(struct cxsim *f, struct cxsim_eq *eq)
{
	spin_lock(&f->rx_lock);
	xa_erase(&f->eqs, eq->id);
	spin_unlock(&f->rx_lock);
	cxsim_ring_free(&eq->ring);
	kfree(eq);
}

int cxsim_destroy_eq(struct cxsim *f, struct cxsim_cmd *c)
{
	u32 id = MLX5_GET(destroy_eq_in, c->in, eq_number);
	struct cxsim_eq *eq = xa_load(&f->eqs, id);
	struct cxsim_cq *cq;

	if (!eq)
		return MLX5_CMD_STAT_BAD_RES_ERR;
	list_for_each_entry(cq, &f->cq_list, node)
		if (cq->eq == eq)
			return MLX5_CMD_STAT_BAD_RES_STATE_ERR;
	eq_free(f, eq);
	return MLX5_CMD_STAT_OK;
}

/*
 * Both threads of a pair may post to one EQ, so the slot is claimed
 * atomically.  An entry may become valid before an earlier one: the driver
 * stops at the gap and the gap's own interrupt brings it back.  EQs count as
 * always armed: all of a function share one doorbell register, which in RAM
 * would show the last write only.
 */
static void eq_post(struct cxsim *f, struct cxsim_eq *eq, u8 type, u8 sub_type,
		    const void *data, u32 len, u32 at)
{
	u32 pi = atomic_fetch_inc(&eq->pi);
	u32 slot = pi & ((1U << eq->log_size) - 1);
	struct mlx5_eqe *e;

	e = cxsim_ring_at(f, &eq->ring, slot * EQE_SIZE, EQE_SIZE, true);
	if (!e)
		return;
	memset(e, 0, offsetof(struct mlx5_eqe, owner));
	e->type = type;
	e->sub_type = sub_type;
	memcpy((u8 *)&e->data + at, data, len);
	/* content before ownership, which the driver polls */
	dma_wmb();
	WRITE_ONCE(e->owner, (pi >> eq->log_size) & 1);
	cxsim_irq(f, eq->vector);
}

/* An asynchronous event, to the EQs that asked for its type. */
void cxsim_event(struct cxsim *f, u8 type, u8 sub_type, const void *data,
		 u32 len)
{
	struct cxsim_eq *eq;
	unsigned long i;

	xa_for_each(&f->eqs, i, eq)
		if (eq->mask & BIT_ULL(type))
			eq_post(f, eq, type, sub_type, data, len, 0);
}

int cxsim_create_cq(struct cxsim *f, struct cxsim_cmd *c)
{
	void *cqc = MLX5_ADDR_OF(create_cq_in, c->in, cq_context);
	void *pas = MLX5_ADDR_OF(create_cq_in, c->in, pas);
	u8 shift = MLX5_GET(cqc, cqc, log_page_size) + 12;
	struct cxsim_cq *cq;
	u32 n, offset;

	if (MLX5_GET(cqc, cqc, cqe_sz))		/* 0: 64 bytes */
		return MLX5_CMD_STAT_BAD_PARAM_ERR;
	cq = kzalloc(sizeof(*cq), GFP_KERNEL);
	if (!cq)
		return MLX5_CMD_STAT_NO_RES_ERR;
	cq->log_size = MLX5_GET(cqc, cqc, log_cq_size);
	cq->eq = xa_load(&f->eqs, MLX5_GET(cqc, cqc, c_eqn_or_apu_element));
	cq->dbr = MLX5_GET64(cqc, cqc, dbr_addr);
	cq->overrun_ignore = MLX5_GET(cqc, cqc, oi);
	offset = MLX5_GET(cqc, cqc, page_offset) * 64;
	n = pages_for((CQE_SIZE << cq->log_size) + offset, shift);
	if (!cq->eq || !has_pas(c, pas, n) ||
	    cxsim_ring_init(&cq->ring, pas, n, shift, offset)) {
		kfree(cq);
		return MLX5_CMD_STAT_BAD_PARAM_ERR;
	}
	if (cxsim_new_id(&f->cqs, 1, 0xffffff, &cq->id)) {
		cxsim_ring_free(&cq->ring);
		kfree(cq);
		return MLX5_CMD_STAT_NO_RES_ERR;
	}
	cxsim_publish(&f->cqs, cq->id, cq);
	spin_lock(&f->rx_lock);
	list_add_tail(&cq->node, &f->cq_list);
	spin_unlock(&f->rx_lock);
	MLX5_SET(create_cq_out, c->out, cqn, cq->id);
	return MLX5_CMD_STAT_OK;
}

static void cq_free(struct cxsim *f, struct cxsim_cq *cq)
{
	spin_lock(&f->rx_lock);
	xa_erase(&f->cqs, cq->id);
	list_del(&cq->node);
	spin_unlock(&f->rx_lock);
	cxsim_ring_free(&cq->ring);
	kfree(cq);
}

int cxsim_destroy_cq(struct cxsim *f, struct cxsim_cmd *c)
{
	struct cxsim_cq *cq;

	cq = xa_load(&f->cqs, MLX5_GET(destroy_cq_in, c->in, cqn));
	if (!cq)
		return MLX5_CMD_STAT_BAD_RES_ERR;
	if (cq->users)
		return MLX5_CMD_STAT_BAD_RES_STATE_ERR;
	cq_free(f, cq);
	return MLX5_CMD_STAT_OK;
}

/* Moderation is accepted and ignored: events follow bursts anyway. */
int cxsim_modify_cq(struct cxsim *f, struct cxsim_cmd *c)
{
	return xa_load(&f->cqs, MLX5_GET(modify_cq_in, c->in, cqn)) ?
	       MLX5_CMD_STAT_OK : MLX5_CMD_STAT_BAD_RES_ERR;
}

/* Free entries; the consumer index is read again only when it matters. */
u32 cxsim_cq_space(struct cxsim *f, struct cxsim_cq *cq)
{
	u32 size = 1U << cq->log_size;
	u32 used = (cq->pi - cq->ci) & CQ_CI;
	__be32 *db;

	if (cq->overrun_ignore)
		return size;
	if (size - used < 8) {
		db = cxsim_dbr(f, cq->dbr, 0);
		if (!db)
			return 0;
		cq->ci = be32_to_cpu(READ_ONCE(*db)) & CQ_CI;
		used = (cq->pi - cq->ci) & CQ_CI;
		/* the driver reads entries before it frees them */
		dma_rmb();
	}
	return used > size ? 0 : size - used;
}

/* The caller made sure that there is space. */
void cxsim_cq_push(struct cxsim *f, struct cxsim_cq *cq,
		   struct mlx5_cqe64 *cqe, u8 opcode)
{
	u32 slot = cq->pi & ((1U << cq->log_size) - 1);
	struct mlx5_cqe64 *e;

	e = cxsim_ring_at(f, &cq->ring, slot * CQE_SIZE, CQE_SIZE, true);
	if (e) {
		memcpy(e, cqe, offsetof(struct mlx5_cqe64, op_own));
		/* content before ownership: the driver's dma_rmb() */
		dma_wmb();
		WRITE_ONCE(e->op_own, opcode << 4 |
			   ((cq->pi >> cq->log_size) & 1));
	}
	cq->pi = (cq->pi + 1) & CQ_CI;
	cq->dirty = true;
}

/*
 * Send the event of a CQ that is armed and has entries the arming driver did
 * not know of.  Armed means that the sequence number in the doorbell record
 * is that of the next event; the number starts at 0, and an all zero record
 * is a CQ armed before its first completion.
 */
static bool cq_fire(struct cxsim *f, struct cxsim_cq *cq)
{
	__be32 *db = cxsim_dbr(f, cq->dbr, 1);
	__be32 cqn = cpu_to_be32(cq->id);
	u32 arm;

	cq->dirty = false;
	if (!db)
		return false;
	arm = be32_to_cpu(READ_ONCE(*db));
	if (FIELD_GET(CQ_ARM_SN, arm) != (cq->fired & 3) ||
	    (arm & CQ_CI) == cq->pi)
		return false;
	cq->fired++;
	eq_post(f, cq->eq, MLX5_EVENT_TYPE_COMP, 0, &cqn, sizeof(cqn),
		offsetof(struct mlx5_eqe_comp, cqn));
	return true;
}

/* Events of the CQs that this thread writes: see cxsim.h. */
bool cxsim_cqs_poll(struct cxsim *f, bool rx)
{
	struct cxsim_cq *cq;
	bool work = false;

	list_for_each_entry(cq, &f->cq_list, node)
		if (cq->users && cq->rx == rx)
			work |= cq_fire(f, cq);
	return work;
}

void cxsim_events_reset(struct cxsim *f)
{
	struct cxsim_cq *cq, *next;
	struct cxsim_eq *eq;
	unsigned long i;

	list_for_each_entry_safe(cq, next, &f->cq_list, node)
		cq_free(f, cq);
	xa_for_each(&f->eqs, i, eq)
		eq_free(f, eq);
}
