// SPDX-License-Identifier: GPL-2.0
/*
 * The receive side of a function.  Runs in the sender's thread, which holds
 * this function's rx_lock.
 */
#include <linux/if_vlan.h>
#include <linux/mlx5/driver.h>
#include <linux/mlx5/cq.h>
#include <linux/mlx5/qp.h>
#include <net/checksum.h>

#include "compat.h"
#include "cxsim.h"

#define STRIDES		GENMASK(30, 16)
#define FILLER		BIT(31)
#define HW_PADDING	BIT(31)		/* in a cyclic descriptor's length */
#define LKEY_END	0x100		/* ends a descriptor's segments */
#define VLAN_STRIPPED	BIT(0)		/* in l4_l3_hdr_type */
#define L3_IPV6		BIT(2)
#define L3_IPV4		BIT(3)
#define L4_TCP		BIT(4)
#define L4_UDP		BIT(5)

/* Descriptors posted and not yet taken. */
static u16 rq_avail(struct cxsim *f, struct cxsim_rq *rq)
{
	__be32 *db = cxsim_dbr(f, rq->wq.dbr, 0);
	u16 n;

	if (!db)
		return 0;
	n = be32_to_cpu(READ_ONCE(*db)) - rq->taken;
	/* descriptors are written before the doorbell record */
	dma_rmb();
	if (n > 1U << rq->wq.log_size) {
		cxsim_refuse(f, "receive doorbell beyond the ring", n,
			     rq->taken);
		rq->state = MLX5_RQC_STATE_ERR;
		return 0;
	}
	return n;
}

static void *rq_wqe(struct cxsim *f, struct cxsim_rq *rq, u32 i)
{
	return cxsim_ring_at(f, &rq->wq.ring, i << rq->wq.log_stride,
			     1U << rq->wq.log_stride, false);
}

/* Scatter part of a frame, adding to the checksum of all behind the MACs. */
static int scatter(struct cxsim *f, u32 key, u64 addr, const u8 *src, u32 len,
		   u32 pos, __wsum *sum)
{
	while (len) {
		u32 n;
		void *dst = cxsim_key_at(f, key, addr, len, true, &n);

		if (!dst)
			return -EFAULT;
		if (pos < ETH_HLEN) {
			n = min_t(u32, n, ETH_HLEN - pos);
			memcpy(dst, src, n);
		} else {
			*sum = cxsim_copy_sum(dst, src, n, *sum,
					      pos - ETH_HLEN);
		}
		addr += n;
		src += n;
		pos += n;
		len -= n;
	}
	return 0;
}

static void rx_error(struct cxsim *f, struct cxsim_rq *rq, u16 wqe_id,
		     u16 counter, u32 byte_cnt)
{
	struct mlx5_cqe64 cqe = {
		.wqe_id = cpu_to_be16(wqe_id),
		.byte_cnt = cpu_to_be32(byte_cnt),
		.wqe_counter = cpu_to_be16(counter),
	};
	struct mlx5_err_cqe *err = (void *)&cqe;

	err->syndrome = MLX5_CQE_SYNDROME_LOCAL_PROT_ERR;
	cxsim_cq_push(f, rq->cq, &cqe, MLX5_CQE_RESP_ERR);
	rq->state = MLX5_RQC_STATE_ERR;
}

static void fill_cqe(struct mlx5_cqe64 *cqe, struct cxsim_rq *rq,
		     const struct cxsim_pkt *p, const struct cxsim_flow *fl,
		     bool stripped, __wsum sum)
{
	u8 type = 0;

	cqe->rss_hash_result = cpu_to_be32(fl->hash);
	cqe->rss_hash_type = fl->hash_type;
	cqe->check_sum = (__force __be16)~csum_fold(sum);
	cqe->flags_rqpn = cpu_to_be32(rq->id);
	cqe->sop_drop_qpn = cpu_to_be32(fl->tag);
	if (p->ipv4)
		type |= L3_IPV4;
	else if (p->ipv6)
		type |= L3_IPV6;
	if (p->l4 && !p->frag) {
		if (p->l4_proto == IPPROTO_TCP)
			type |= L4_TCP;
		else if (p->l4_proto == IPPROTO_UDP)
			type |= L4_UDP;
	}
	if (stripped) {
		type |= VLAN_STRIPPED;
		cqe->vlan_info = cpu_to_be16(p->vlan_tci);
	}
	cqe->l4_l3_hdr_type = type;
	cqe->hds_ip_ext = CQE_L2_OK;
	if (p->csum_ok)
		cqe->hds_ip_ext |= CQE_L3_OK | CQE_L4_OK;
}

/* Write the completion, or do what the fault knobs say. */
static void deliver(struct cxsim *f, struct cxsim_rq *rq,
		    struct mlx5_cqe64 *cqe, u32 strides, u32 len)
{
	struct cxsim_faults *x = &f->fault;

	rq->nth++;
	if (cxsim_nth(rq->nth, x->drop_rx))
		return;
	if (cxsim_nth_error(rq->nth, x->err_rx, &rq->err_next)) {
		rx_error(f, rq, be16_to_cpu(cqe->wqe_id),
			 be16_to_cpu(cqe->wqe_counter), strides << 16);
		return;
	}
	if (cxsim_nth(rq->nth, x->zero_len))
		len = 0;
	cqe->byte_cnt = cpu_to_be32(strides << 16 | len);
	cxsim_cq_push(f, rq->cq, cqe, MLX5_CQE_RESP_SEND);
}

static void oob(struct cxsim *f, struct cxsim_rq *rq)
{
	f->rx.drop_oob++;
	f->q_oob[rq->counter_set]++;
}

/*
 * Give up the rest of the current descriptor: a filler completion names its
 * unused strides.  The link to the next one is read while the descriptor is
 * still ours: the driver reuses it after the last completion.
 */
static int leave_wqe(struct cxsim *f, struct cxsim_rq *rq, bool filler)
{
	u32 total = 1U << rq->log_strides;
	struct mlx5_wqe_srq_next_seg *next = rq_wqe(f, rq, rq->wqe);
	struct mlx5_cqe64 cqe = {
		.wqe_id = cpu_to_be16(rq->wqe),
		.wqe_counter = cpu_to_be16(rq->stride),
		.byte_cnt = cpu_to_be32(FILLER | (total - rq->stride) << 16),
	};

	if (!next)
		return -EFAULT;
	rq->wqe = be16_to_cpu(next->next_wqe_index) &
		  ((1U << rq->wq.log_size) - 1);
	if (filler)
		cxsim_cq_push(f, rq->cq, &cqe, MLX5_CQE_RESP_SEND);
	rq->open = false;
	rq->stride = 0;
	return 0;
}

static void rx_striding(struct cxsim *f, struct cxsim_rq *rq,
			const struct cxsim_pkt *p, const struct cxsim_flow *fl,
			const u8 *data, u32 len, bool stripped)
{
	u32 total = 1U << rq->log_strides;
	u32 n = DIV_ROUND_UP(len, 1U << rq->log_stride_size);
	const struct mlx5_wqe_srq_next_seg *next;
	const struct mlx5_wqe_data_seg *seg;
	struct mlx5_cqe64 cqe = {};
	__wsum sum = 0;
	u16 wqe;
	u32 at;

	if (n > total) {
		f->rx.too_long++;
		return;
	}
	if (cxsim_cq_space(f, rq->cq) < 2) {
		f->rx.drop_cq++;
		return;
	}
	if (!rq->open || rq->stride + n > total) {
		if (!rq_avail(f, rq)) {
			oob(f, rq);
			return;
		}
		if (rq->open && leave_wqe(f, rq, true))
			return;
		rq->open = true;
		rq->taken++;
	}
	wqe = rq->wqe;
	at = rq->stride;
	next = rq_wqe(f, rq, wqe);
	if (!next)
		return;
	seg = (const void *)(next + 1);
	if (scatter(f, be32_to_cpu(seg->lkey), be64_to_cpu(seg->addr) +
		    ((u64)at << rq->log_stride_size), data, len, 0, &sum)) {
		rx_error(f, rq, wqe, at, n << 16);
		return;
	}
	fill_cqe(&cqe, rq, p, fl, stripped, sum);
	cqe.wqe_id = cpu_to_be16(wqe);
	cqe.wqe_counter = cpu_to_be16(at);
	rq->stride += n;
	if (rq->stride == total && leave_wqe(f, rq, false))
		return;
	deliver(f, rq, &cqe, n, len);
}

static void rx_cyclic(struct cxsim *f, struct cxsim_rq *rq,
		      const struct cxsim_pkt *p, const struct cxsim_flow *fl,
		      const u8 *data, u32 len, bool stripped)
{
	u32 nseg = 1U << (rq->wq.log_stride - 4), i;
	const struct mlx5_wqe_data_seg *seg;
	struct mlx5_cqe64 cqe = {};
	u16 counter = rq->taken;
	__wsum sum = 0;
	u32 done = 0;

	if (!cxsim_cq_space(f, rq->cq)) {
		f->rx.drop_cq++;
		return;
	}
	if (!rq_avail(f, rq)) {
		oob(f, rq);
		return;
	}
	seg = rq_wqe(f, rq, counter & ((1U << rq->wq.log_size) - 1));
	if (!seg)
		return;
	rq->taken++;
	for (i = 0; i < nseg && done < len; i++) {
		u32 n = be32_to_cpu(seg[i].byte_count) & ~HW_PADDING;
		u32 key = be32_to_cpu(seg[i].lkey);

		if (key == LKEY_END)
			break;
		n = min(n, len - done);
		if (scatter(f, key, be64_to_cpu(seg[i].addr), data + done, n,
			    done, &sum)) {
			rx_error(f, rq, counter, counter, 0);
			return;
		}
		done += n;
	}
	if (done < len) {
		rx_error(f, rq, counter, counter, 0);
		f->rx.too_long++;
		return;
	}
	fill_cqe(&cqe, rq, p, fl, stripped, sum);
	cqe.wqe_counter = cpu_to_be16(counter);
	deliver(f, rq, &cqe, 0, len);
}

static void rx_queue(struct cxsim *f, struct cxsim_rq *rq,
		     const struct cxsim_pkt *p, const struct cxsim_flow *fl)
{
	bool strip = p->vlan && !rq->vsd;
	u8 *data = p->data;
	u32 len = p->len;
	u8 macs[2 * ETH_ALEN];

	if (rq->state != MLX5_RQC_STATE_RDY || f->fault.hold_rq) {
		oob(f, rq);
		return;
	}
	if (strip) {
		/* move the addresses over the tag, and back afterwards */
		memcpy(macs, data, sizeof(macs));
		memmove(data + VLAN_HLEN, data, sizeof(macs));
		data += VLAN_HLEN;
		len -= VLAN_HLEN;
	}
	if (rq->wq.type == MLX5_WQ_TYPE_CYCLIC)
		rx_cyclic(f, rq, p, fl, data, len, strip);
	else
		rx_striding(f, rq, p, fl, data, len, strip);
	if (strip) {
		u8 *v = p->data;

		memcpy(v, macs, sizeof(macs));
		put_unaligned_be16(ETH_P_8021Q, v + sizeof(macs));
		put_unaligned_be16(p->vlan_tci, v + sizeof(macs) + 2);
	}
}

/* A frame arrives. */
void cxsim_rx(struct cxsim *f, struct cxsim_pkt *p)
{
	const struct cxsim_flow *fl;
	int i;

	if (!f->link_up || !cxsim_bus_master(f)) {
		f->rx.drop_down++;
		return;
	}
	cxsim_count(&f->rx, p);
	if (p->len > f->mtu) {
		f->rx.too_long++;
		return;
	}
	fl = cxsim_steer(f, p);
	if (!fl || !fl->ndest) {
		f->rx.drop_steer++;
		return;
	}
	for (i = 0; i < fl->ncount; i++) {
		fl->count[i]->packets++;
		fl->count[i]->octets += p->len;
	}
	if (!p->csum_ok)
		p->csum_ok = cxsim_csum_verify(p);
	for (i = 0; i < fl->ndest; i++)
		rx_queue(f, fl->rq[i], p, fl);
}
