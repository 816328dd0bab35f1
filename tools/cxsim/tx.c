// SPDX-License-Identifier: GPL-2.0
/* Send queues: work requests in, frames out onto the wire. */
#include <linux/if_vlan.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/mlx5/driver.h>
#include <linux/mlx5/cq.h>
#include <linux/mlx5/qp.h>
#include <linux/tcp.h>
#include <linux/udp.h>

#include "cxsim.h"

#define BB		MLX5_SEND_WQE_BB
#define DS		MLX5_SEND_WQE_DS
#define BURST		64		/* frames from one queue in a row */
#define INLINE_SIZE	GENMASK(9, 0)
#define INLINE_SEG	BIT(31)
#define ETH_SEG_DATA	(DS + offsetof(struct mlx5_wqe_eth_seg, inline_hdr.start))

/* A position in the data segments of a work request. */
struct gather {
	const struct mlx5_wqe_data_seg *seg, *end;
	u32 off;
};

static u32 gather_total(const struct gather *g)
{
	const struct mlx5_wqe_data_seg *s;
	u32 n = 0;

	for (s = g->seg; s < g->end; s++)
		n += be32_to_cpu(s->byte_count) & ~INLINE_SEG;
	return n;
}

static int gather(struct cxsim *f, struct gather *g, u8 *dst, u32 len)
{
	while (len && g->seg < g->end) {
		u32 left = be32_to_cpu(g->seg->byte_count) - g->off;
		u32 n = min(left, len);
		void *src;

		if (n) {
			src = cxsim_key_at(f, be32_to_cpu(g->seg->lkey),
					   be64_to_cpu(g->seg->addr) + g->off,
					   n, false, &n);
			if (!src)
				return -EFAULT;
			cxsim_copy_sum(dst, src, n, 0, 0);
		}
		dst += n;
		len -= n;
		g->off += n;
		if (n == left) {
			g->seg++;
			g->off = 0;
		}
	}
	return len ? -EINVAL : 0;
}

/* The peer's rx_lock is held. */
static void wire(struct cxsim *f, u8 *data, u32 len, u8 cs_flags)
{
	struct cxsim_pkt p;

	if (len < ETH_ZLEN) {
		memset(data + len, 0, ETH_ZLEN - len);
		len = ETH_ZLEN;
	}
	cxsim_parse(&p, data, len);
	cxsim_tx_csum(&p, cs_flags & MLX5_ETH_WQE_L3_CSUM,
		      cs_flags & MLX5_ETH_WQE_L4_CSUM);
	if (!f->link_up) {
		f->tx.drop_down++;
		return;
	}
	cxsim_count(&f->tx, &p);
	cxsim_rx(f->peer, &p);
}

/* One segment of a large send: what differs from the header given. */
static void lso_header(u8 *frame, u32 hdr, u32 payload, u32 i, u32 done,
		       bool last)
{
	struct cxsim_pkt p;

	/* parsing finds the headers; lengths in them are still the request's */
	cxsim_parse(&p, frame, hdr);
	if (p.ipv4) {
		struct iphdr *ip = (void *)(frame + p.l3);

		ip->tot_len = htons(hdr - p.l3 + payload);
		ip->id = htons(ntohs(ip->id) + i);
	} else if (p.ipv6) {
		struct ipv6hdr *ip = (void *)(frame + p.l3);

		ip->payload_len = htons(hdr - p.l3 - sizeof(*ip) + payload);
	}
	if (p.l4 && p.l4_proto == IPPROTO_TCP) {
		struct tcphdr *t = (void *)(frame + p.l4);

		t->seq = htonl(ntohl(t->seq) + done);
		if (i)
			t->cwr = 0;
		if (!last) {
			t->fin = 0;
			t->psh = 0;
		}
	} else if (p.l4 && p.l4_proto == IPPROTO_UDP) {
		struct udphdr *u = (void *)(frame + p.l4);

		u->len = htons(sizeof(*u) + payload);
	}
}

static int send_lso(struct cxsim *f, const struct mlx5_wqe_eth_seg *eth,
		    struct gather *g, u32 hdr, u32 *frames)
{
	u32 mss = be16_to_cpu(eth->mss) & GENMASK(13, 0);
	u32 left = gather_total(g), done = 0, i;

	if (!mss || !hdr || hdr + mss > CXSIM_FRAME_MAX)
		return -EINVAL;
	for (i = 0; left; i++) {
		u32 n = min(left, mss);

		memcpy(f->frame, eth->inline_hdr.start, hdr);
		if (gather(f, g, f->frame + hdr, n))
			return -EFAULT;
		left -= n;
		lso_header(f->frame, hdr, n, i, done, !left);
		wire(f, f->frame, hdr + n, eth->cs_flags);
		done += n;
	}
	*frames += i;
	return 0;
}

static int send_frame(struct cxsim *f, const struct mlx5_wqe_eth_seg *eth,
		      struct gather *g, u32 hdr)
{
	u16 type = be16_to_cpu(eth->insert.type);
	bool insert = type & MLX5_ETH_WQE_INSERT_VLAN;
	u32 len = gather_total(g), total = hdr + len;
	u8 *frame = f->frame;

	if (total < ETH_HLEN || total > CXSIM_FRAME_MAX)
		return -EINVAL;
	/* room in front keeps the tag insertion a move of the addresses */
	frame += VLAN_HLEN;
	memcpy(frame, eth->inline_hdr.start, hdr);
	if (gather(f, g, frame + hdr, len))
		return -EFAULT;
	if (insert) {
		struct vlan_ethhdr *v;

		frame -= VLAN_HLEN;
		memmove(frame, frame + VLAN_HLEN, 2 * ETH_ALEN);
		v = (void *)frame;
		v->h_vlan_proto = htons(type & MLX5_ETH_WQE_SVLAN ?
					ETH_P_8021AD : ETH_P_8021Q);
		v->h_vlan_TCI = eth->insert.vlan_tci;
		total += VLAN_HLEN;
	}
	wire(f, frame, total, eth->cs_flags);
	return 0;
}

static int send(struct cxsim *f, const u8 *wqe, u8 opcode, u32 ds, u32 *frames)
{
	const struct mlx5_wqe_eth_seg *eth = (const void *)(wqe + DS);
	u32 hdr = be16_to_cpu(eth->inline_hdr.sz);
	struct gather g = { .end = (const void *)(wqe + ds * DS) };
	u32 first = 2 * DS;

	hdr = hdr & MLX5_ETH_WQE_INSERT_VLAN ? 0 : hdr & INLINE_SIZE;
	/* two bytes of the header are inside the Ethernet segment */
	if (hdr > 2)
		first += ALIGN(hdr - 2, DS);
	if (first > ds * DS)
		return -EINVAL;
	g.seg = (const void *)(wqe + first);
	if (opcode == MLX5_OPCODE_LSO)
		return send_lso(f, eth, &g, hdr, frames);
	++*frames;
	return send_frame(f, eth, &g, hdr);
}

static void sq_done(struct cxsim *f, struct cxsim_sq *sq, u8 opcode)
{
	struct mlx5_cqe64 cqe = {
		.wqe_counter = cpu_to_be16(sq->cc),
		.sop_drop_qpn = cpu_to_be32(opcode << 24 | sq->id),
	};

	cxsim_cq_push(f, sq->cq, &cqe, MLX5_CQE_REQ);
}

static void sq_error(struct cxsim *f, struct cxsim_sq *sq, u8 opcode,
		     u8 syndrome)
{
	struct mlx5_cqe64 cqe = {};
	struct mlx5_err_cqe *err = (void *)&cqe;

	err->wqe_counter = cpu_to_be16(sq->cc);
	err->s_wqe_opcode_qpn = cpu_to_be32(opcode << 24 | sq->id);
	err->syndrome = syndrome;
	cxsim_cq_push(f, sq->cq, &cqe, MLX5_CQE_REQ_ERR);
}

/* Copy a request out of the ring: it may wrap, and a page ends anywhere. */
static u32 fetch(struct cxsim *f, struct cxsim_sq *sq)
{
	const struct mlx5_wqe_ctrl_seg *ctrl = (void *)f->wqe;
	u32 mask = (1U << sq->wq.log_size) - 1;
	u32 i, n = 1, ds = 0;

	for (i = 0; i < n; i++) {
		void *p = cxsim_ring_at(f, &sq->wq.ring,
					((sq->cc + i) & mask) * BB, BB, false);

		if (!p)
			return 0;
		memcpy(f->wqe + i * BB, p, BB);
		if (!i) {
			ds = be32_to_cpu(ctrl->qpn_ds) & MLX5_WQE_CTRL_DS_MASK;
			n = DIV_ROUND_UP(ds, BB / DS);
		}
	}
	return ds;
}

static void fail(struct cxsim *f, struct cxsim_sq *sq, u8 opcode, u8 syndrome)
{
	sq_error(f, sq, opcode, syndrome);
	sq->state = MLX5_SQC_STATE_ERR;
}

static void execute(struct cxsim *f, struct cxsim_sq *sq, u32 *frames)
{
	const struct mlx5_wqe_ctrl_seg *ctrl = (void *)f->wqe;
	u32 ds = fetch(f, sq);
	bool drop = false;
	int err = 0;
	u8 opcode;

	opcode = be32_to_cpu(ctrl->opmod_idx_opcode) & MLX5_WQE_CTRL_OPCODE_MASK;
	if (!ds) {
		fail(f, sq, opcode, MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR);
		sq->cc++;
		return;
	}
	if (sq->state == MLX5_SQC_STATE_ERR) {
		sq_error(f, sq, opcode, MLX5_CQE_SYNDROME_WR_FLUSH_ERR);
		goto next;
	}
	switch (opcode) {
	case MLX5_OPCODE_NOP:
		break;
	case MLX5_OPCODE_SEND:
	case MLX5_OPCODE_LSO:
		sq->nth++;
		drop = cxsim_nth(sq->nth, f->fault.drop_tx);
		err = send(f, f->wqe, opcode, ds, frames);
		if (!err && cxsim_nth_error(sq->nth, f->fault.err_tx,
					    &sq->err_next))
			err = -EIO;
		break;
	case MLX5_OPCODE_UMR:
		err = cxsim_umr(f, f->wqe, ds);
		break;
	default:
		err = -EINVAL;
	}
	if (err)
		fail(f, sq, opcode, err == -EFAULT || err == -EACCES ?
		     MLX5_CQE_SYNDROME_LOCAL_PROT_ERR :
		     MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR);
	else if (ctrl->fm_ce_se & MLX5_WQE_CTRL_CQ_UPDATE && !drop)
		sq_done(f, sq, opcode);
next:
	sq->cc += DIV_ROUND_UP(ds, BB / DS);
}

static bool sq_poll(struct cxsim *f, struct cxsim_sq *sq)
{
	u32 frames = 0, requests = 0;
	__be32 *db;
	u16 pi;

	if (sq->state == MLX5_SQC_STATE_RST)
		return false;
	db = cxsim_dbr(f, sq->wq.dbr, 1);
	if (!db)
		return false;
	pi = be32_to_cpu(READ_ONCE(*db));
	if (pi == sq->cc)
		return false;
	/* requests are written before the doorbell record */
	dma_rmb();
	if ((u16)(pi - sq->cc) > 1U << sq->wq.log_size) {
		cxsim_refuse(f, "send doorbell beyond the ring", pi, sq->cc);
		fail(f, sq, 0, MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR);
		sq->cc = pi;
		return true;
	}
	spin_lock(&f->peer->rx_lock);
	while (pi != sq->cc && frames < BURST && requests++ < 2 * BURST &&
	       cxsim_cq_space(f, sq->cq))
		execute(f, sq, &frames);
	spin_unlock(&f->peer->rx_lock);
	return true;
}

/* All send queues in turn; then events of what was written meanwhile. */
bool cxsim_tx_poll(struct cxsim *f)
{
	struct cxsim_sq *sq;
	bool work = false;

	if (!cxsim_bus_master(f))
		return false;
	list_for_each_entry(sq, &f->sq_list, node)
		work |= sq_poll(f, sq);
	work |= cxsim_cqs_poll(f, false);
	return work;
}
