// SPDX-License-Identifier: GPL-2.0
/* Receive side scaling: TIRs, RQTs and the hashes that lead through them. */
#include <linux/bitops.h>
#include <linux/slab.h>

#include "compat.h"
#include "cxsim.h"

#define HASH_IP_SHIFT	2	/* in the completion's rss_hash_type */
#define HASH_L4_SHIFT	6
#define INPUT_MAX	36	/* two IPv6 addresses and two ports */

static struct cxsim_rqt *rqt_parse(const void *rqtc, const struct cxsim_cmd *c)
{
	u32 n = MLX5_GET(rqtc, rqtc, rqt_actual_size);
	const void *list = MLX5_ADDR_OF(rqtc, rqtc, rq_num);
	struct cxsim_rqt *t;
	u32 i;

	if (!n || list + n * 4 > c->in + c->inlen)
		return NULL;
	t = kzalloc(struct_size(t, rqn, n), GFP_KERNEL);
	if (!t)
		return NULL;
	t->n = n;
	for (i = 0; i < n; i++)
		t->rqn[i] = MLX5_GET(rq_num, list + i * 4, rq_num);
	return t;
}

int cxsim_create_rqt(struct cxsim *f, struct cxsim_cmd *c)
{
	struct cxsim_rqt *t;
	u32 id;

	t = rqt_parse(MLX5_ADDR_OF(create_rqt_in, c->in, rqt_context), c);
	if (!t)
		return MLX5_CMD_STAT_BAD_PARAM_ERR;
	if (cxsim_new_id(&f->rqts, 1, 0xffffff, &id)) {
		kfree(t);
		return MLX5_CMD_STAT_NO_RES_ERR;
	}
	cxsim_publish(&f->rqts, id, t);
	cxsim_changed(f);
	MLX5_SET(create_rqt_out, c->out, rqtn, id);
	return MLX5_CMD_STAT_OK;
}

int cxsim_modify_rqt(struct cxsim *f, struct cxsim_cmd *c)
{
	u32 id = MLX5_GET(modify_rqt_in, c->in, rqtn);
	struct cxsim_rqt *t, *old = xa_load(&f->rqts, id);

	if (!old)
		return MLX5_CMD_STAT_BAD_RES_ERR;
	t = rqt_parse(MLX5_ADDR_OF(modify_rqt_in, c->in, ctx), c);
	if (!t)
		return MLX5_CMD_STAT_BAD_PARAM_ERR;
	cxsim_publish(&f->rqts, id, t);
	cxsim_changed(f);
	kfree(old);
	return MLX5_CMD_STAT_OK;
}

static int destroy(struct cxsim *f, struct xarray *xa, u32 id)
{
	void *p = xa_erase(xa, id);

	cxsim_changed(f);
	kfree(p);
	return p ? MLX5_CMD_STAT_OK : MLX5_CMD_STAT_BAD_RES_ERR;
}

int cxsim_destroy_rqt(struct cxsim *f, struct cxsim_cmd *c)
{
	return destroy(f, &f->rqts, MLX5_GET(destroy_rqt_in, c->in, rqtn));
}

int cxsim_create_tir(struct cxsim *f, struct cxsim_cmd *c)
{
	void *tirc = MLX5_ADDR_OF(create_tir_in, c->in, ctx);
	struct cxsim_tir *t;

	t = kzalloc(sizeof(*t), GFP_KERNEL);
	if (!t)
		return MLX5_CMD_STAT_NO_RES_ERR;
	memcpy(t->ctx, tirc, sizeof(t->ctx));
	if (cxsim_new_id(&f->tirs, 1, 0xffffff, &t->id)) {
		kfree(t);
		return MLX5_CMD_STAT_NO_RES_ERR;
	}
	cxsim_publish(&f->tirs, t->id, t);
	cxsim_changed(f);
	MLX5_SET(create_tir_out, c->out, tirn, t->id);
	return MLX5_CMD_STAT_OK;
}

int cxsim_modify_tir(struct cxsim *f, struct cxsim_cmd *c)
{
	struct cxsim_tir *t;
	void *ctx = MLX5_ADDR_OF(modify_tir_in, c->in, ctx);

	t = xa_load(&f->tirs, MLX5_GET(modify_tir_in, c->in, tirn));
	if (!t)
		return MLX5_CMD_STAT_BAD_RES_ERR;
	if (!MLX5_GET(modify_tir_in, c->in, bitmask.hash))
		return MLX5_CMD_STAT_OK;
	spin_lock(&f->rx_lock);
	MLX5_SET(tirc, t->ctx, rx_hash_fn, MLX5_GET(tirc, ctx, rx_hash_fn));
	MLX5_SET(tirc, t->ctx, rx_hash_symmetric,
		 MLX5_GET(tirc, ctx, rx_hash_symmetric));
	memcpy(MLX5_ADDR_OF(tirc, t->ctx, rx_hash_toeplitz_key),
	       MLX5_ADDR_OF(tirc, ctx, rx_hash_toeplitz_key),
	       MLX5_FLD_SZ_BYTES(tirc, rx_hash_toeplitz_key));
	memcpy(MLX5_ADDR_OF(tirc, t->ctx, rx_hash_field_selector_outer),
	       MLX5_ADDR_OF(tirc, ctx, rx_hash_field_selector_outer),
	       MLX5_ST_SZ_BYTES(rx_hash_field_select));
	f->gen++;
	spin_unlock(&f->rx_lock);
	return MLX5_CMD_STAT_OK;
}

int cxsim_destroy_tir(struct cxsim *f, struct cxsim_cmd *c)
{
	return destroy(f, &f->tirs, MLX5_GET(destroy_tir_in, c->in, tirn));
}

/* The hash of the specification: key bits slide along the input bits. */
static u32 toeplitz(const u8 *key, const u8 *in, int len)
{
	u32 window = get_unaligned_be32(key), hash = 0;
	int i, bit;

	for (i = 0; i < len; i++)
		for (bit = 7; bit >= 0; bit--) {
			if (in[i] >> bit & 1)
				hash ^= window;
			window = window << 1 | (key[i + 4] >> bit & 1);
		}
	return hash;
}

static u32 xor8(const u8 *in, int len)
{
	u8 x = 0;

	while (len--)
		x ^= *in++;
	return (u8)~x;
}

/* Append a source and a destination field; symmetric: smaller one first. */
static int append(u8 *in, int n, const u8 *src, const u8 *dst, int len,
		  bool use_src, bool use_dst, bool symmetric)
{
	if (use_src && use_dst && symmetric && memcmp(src, dst, len) > 0)
		swap(src, dst);
	if (use_src) {
		memcpy(in + n, src, len);
		n += len;
	}
	if (use_dst) {
		memcpy(in + n, dst, len);
		n += len;
	}
	return n;
}

static u32 hash_of(const struct cxsim_tir *t, const struct cxsim_pkt *p,
		   u8 *type)
{
	const void *sel = MLX5_ADDR_OF(tirc, t->ctx,
				       rx_hash_field_selector_outer);
	u32 want = MLX5_GET(rx_hash_field_select, sel, selected_fields);
	bool sym = MLX5_GET(tirc, t->ctx, rx_hash_symmetric);
	const u8 *d = p->data;
	u8 in[INPUT_MAX];
	int n = 0;

	*type = 0;
	if (p->ipv4)
		n = append(in, n, d + p->l3 + 12, d + p->l3 + 16, 4,
			   want & MLX5_HASH_FIELD_SEL_SRC_IP,
			   want & MLX5_HASH_FIELD_SEL_DST_IP, sym);
	else if (p->ipv6)
		n = append(in, n, d + p->l3 + 8, d + p->l3 + 24, 16,
			   want & MLX5_HASH_FIELD_SEL_SRC_IP,
			   want & MLX5_HASH_FIELD_SEL_DST_IP, sym);
	if (n)
		*type |= (p->ipv4 ? 1 : 2) << HASH_IP_SHIFT;
	if (p->l4 && !p->frag && (p->l4_proto == IPPROTO_TCP ||
				  p->l4_proto == IPPROTO_UDP)) {
		int with_ports;

		with_ports = append(in, n, d + p->l4, d + p->l4 + 2, 2,
				    want & MLX5_HASH_FIELD_SEL_L4_SPORT,
				    want & MLX5_HASH_FIELD_SEL_L4_DPORT, sym);
		if (with_ports > n)
			*type |= (p->l4_proto == IPPROTO_TCP ? 1 : 2) <<
				 HASH_L4_SHIFT;
		n = with_ports;
	}
	switch (MLX5_GET(tirc, t->ctx, rx_hash_fn)) {
	case MLX5_RX_HASH_FN_TOEPLITZ:
		return toeplitz(MLX5_ADDR_OF(tirc, t->ctx,
					     rx_hash_toeplitz_key), in, n);
	case MLX5_RX_HASH_FN_INVERTED_XOR8:
		return xor8(in, n);
	default:
		*type = 0;
		return 0;
	}
}

/* The receive queue a TIR chooses for a frame.  Under rx_lock. */
struct cxsim_rq *cxsim_tir_rq(struct cxsim *f, u32 tirn,
			      const struct cxsim_pkt *p, u32 *hash, u8 *type)
{
	struct cxsim_tir *t = xa_load(&f->tirs, tirn);
	struct cxsim_rqt *rqt;

	if (!t)
		return NULL;
	*hash = hash_of(t, p, type);
	if (MLX5_GET(tirc, t->ctx, disp_type) == MLX5_TIRC_DISP_TYPE_DIRECT)
		return xa_load(&f->rqs, MLX5_GET(tirc, t->ctx, inline_rqn));
	rqt = xa_load(&f->rqts, MLX5_GET(tirc, t->ctx, indirect_table));
	if (!rqt)
		return NULL;
	return xa_load(&f->rqs, rqt->rqn[*hash % rqt->n]);
}

void cxsim_rss_reset(struct cxsim *f)
{
	unsigned long i;
	void *p;

	xa_for_each(&f->tirs, i, p)
		destroy(f, &f->tirs, i);
	xa_for_each(&f->rqts, i, p)
		destroy(f, &f->rqts, i);
}
