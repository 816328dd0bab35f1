// SPDX-License-Identifier: GPL-2.0
/*
 * The command interface: 32 entries in one page, longer inputs and outputs in
 * chains of mailboxes, and the table of commands.
 */
#include <linux/io.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "cxsim.h"

#define NCMD		32
#define CMD_INLINE	16
#define CMD_MAX		SZ_4M
#define CMD_HW		BIT(0)		/* entry owned by the device */
#define STRAY_NS	(50 * NSEC_PER_MSEC)
#define BOOT_PAGES	16
#define INIT_PAGES	64
#define PSID		"CXS0000000001"

enum {			/* delivery status, reported above the owner bit */
	DELIVERY_OK = 0, DELIVERY_TOKEN = 2, DELIVERY_LENGTH = 3,
	DELIVERY_MAILBOX = 8,
};

int cxsim_new_id(struct xarray *xa, u32 min, u32 max, u32 *id)
{
	return xa_alloc(xa, id, NULL, XA_LIMIT(min, max), GFP_KERNEL);
}

/* The id was reserved: this does not fail. */
void cxsim_publish(struct xarray *xa, u32 id, void *obj)
{
	xa_store(xa, id, obj, GFP_KERNEL);
}

/* Objects that are only numbers. */
static const struct plain {
	u16 alloc, dealloc;
	u16 table;		/* offset of the xarray */
	u32 min, max;
} plains[] = {
	{ MLX5_CMD_OP_ALLOC_PD, MLX5_CMD_OP_DEALLOC_PD,
	  offsetof(struct cxsim, pds), 1, 0xffffff },
	{ MLX5_CMD_OP_ALLOC_TRANSPORT_DOMAIN,
	  MLX5_CMD_OP_DEALLOC_TRANSPORT_DOMAIN,
	  offsetof(struct cxsim, tds), 1, 0xffffff },
	{ MLX5_CMD_OP_ALLOC_UAR, MLX5_CMD_OP_DEALLOC_UAR,
	  offsetof(struct cxsim, uars), CXSIM_UAR_FIRST, CXSIM_UAR_LAST },
	{ MLX5_CMD_OP_ALLOC_Q_COUNTER, MLX5_CMD_OP_DEALLOC_Q_COUNTER,
	  offsetof(struct cxsim, counters), 1, 255 },
	{ MLX5_CMD_OP_CREATE_TIS, MLX5_CMD_OP_DESTROY_TIS,
	  offsetof(struct cxsim, tiss), 1, 0xffffff },
};

/* Their id is in the same word of all inputs and outputs. */
static int plain_cmd(struct cxsim *f, struct cxsim_cmd *c)
{
	const struct plain *p = plains;
	struct xarray *xa;
	u32 id;

	while (p->alloc != c->opcode && p->dealloc != c->opcode)
		p++;
	xa = (void *)f + p->table;
	if (p->dealloc == c->opcode)
		return xa_erase(xa, MLX5_GET(dealloc_pd_in, c->in, pd)) ?
		       MLX5_CMD_STAT_OK : MLX5_CMD_STAT_BAD_RES_ERR;
	if (cxsim_new_id(xa, p->min, p->max, &id))
		return MLX5_CMD_STAT_NO_RES_ERR;
	cxsim_publish(xa, id, xa_mk_value(1));
	MLX5_SET(alloc_pd_out, c->out, pd, id);
	return MLX5_CMD_STAT_OK;
}

static void plains_reset(struct cxsim *f)
{
	unsigned long id;
	void *p;
	int i;

	for (i = 0; i < ARRAY_SIZE(plains); i++) {
		struct xarray *xa = (void *)f + plains[i].table;

		xa_for_each(xa, id, p)
			xa_erase(xa, id);
	}
}

static int ok(struct cxsim *f, struct cxsim_cmd *c)
{
	return MLX5_CMD_STAT_OK;
}

static int enable_hca(struct cxsim *f, struct cxsim_cmd *c)
{
	f->cmd_enabled = true;
	return MLX5_CMD_STAT_OK;
}

static int disable_hca(struct cxsim *f, struct cxsim_cmd *c)
{
	/* The command page goes away: do not look at it uninvited. */
	f->cmd_enabled = false;
	return MLX5_CMD_STAT_OK;
}

static int query_issi(struct cxsim *f, struct cxsim_cmd *c)
{
	MLX5_SET(query_issi_out, c->out, supported_issi_dw0, 3);
	return MLX5_CMD_STAT_OK;
}

static int query_adapter(struct cxsim *f, struct cxsim_cmd *c)
{
	void *p = MLX5_ADDR_OF(query_adapter_out, c->out,
			       query_adapter_struct);

	memcpy(MLX5_ADDR_OF(query_adapter_param_block, p, vsd_contd_psid),
	       PSID, sizeof(PSID));
	return MLX5_CMD_STAT_OK;
}

static int query_special_contexts(struct cxsim *f, struct cxsim_cmd *c)
{
	/* A key that addresses all memory: none is given to the driver. */
	return MLX5_CMD_STAT_BAD_OP_ERR;
}

/* Pages: firmware memory that the driver lends.  Kept, never touched. */

static int query_pages(struct cxsim *f, struct cxsim_cmd *c)
{
	static const u32 want[] = { [1] = BOOT_PAGES, [2] = INIT_PAGES };

	MLX5_SET(query_pages_out, c->out, num_pages,
		 c->op_mod < ARRAY_SIZE(want) ? want[c->op_mod] : 0);
	return MLX5_CMD_STAT_OK;
}

static int give_pages(struct cxsim *f, struct cxsim_cmd *c, u32 n)
{
	__be64 *pas = MLX5_ADDR_OF(manage_pages_in, c->in, pas);
	u32 i;

	if (MLX5_ST_SZ_BYTES(manage_pages_in) + n * 8ULL > c->inlen)
		return MLX5_CMD_STAT_BAD_INP_LEN_ERR;
	if (f->npages + n > f->pages_cap) {
		u32 cap = roundup_pow_of_two(f->npages + n);
		u64 *p = krealloc_array(f->pages, cap, sizeof(*p), GFP_KERNEL);

		if (!p)
			return MLX5_CMD_STAT_NO_RES_ERR;
		f->pages = p;
		f->pages_cap = cap;
	}
	for (i = 0; i < n; i++)
		f->pages[f->npages++] = be64_to_cpu(pas[i]);
	return MLX5_CMD_STAT_OK;
}

static int take_pages(struct cxsim *f, struct cxsim_cmd *c, u32 n)
{
	__be64 *pas = MLX5_ADDR_OF(manage_pages_out, c->out, pas);
	u32 room = (c->outlen - MLX5_ST_SZ_BYTES(manage_pages_out)) / 8;
	u32 i;

	n = min3(n, f->npages, room);
	for (i = 0; i < n; i++)
		pas[i] = cpu_to_be64(f->pages[--f->npages]);
	MLX5_SET(manage_pages_out, c->out, output_num_entries, n);
	return MLX5_CMD_STAT_OK;
}

static int manage_pages(struct cxsim *f, struct cxsim_cmd *c)
{
	u32 n = MLX5_GET(manage_pages_in, c->in, input_num_entries);

	switch (c->op_mod) {
	case 0:				/* the driver has none to give */
		return MLX5_CMD_STAT_OK;
	case 1:
		return give_pages(f, c, n);
	case 2:
		return take_pages(f, c, n);
	default:
		return MLX5_CMD_STAT_BAD_PARAM_ERR;
	}
}

static const struct cmd_desc {
	u16 opcode;
	cxsim_cmd_fn fn;
} cmds[] = {
	{ MLX5_CMD_OP_QUERY_HCA_CAP,		cxsim_query_hca_cap },
	{ MLX5_CMD_OP_SET_HCA_CAP,		cxsim_set_hca_cap },
	{ MLX5_CMD_OP_QUERY_ADAPTER,		query_adapter },
	{ MLX5_CMD_OP_INIT_HCA,			ok },
	{ MLX5_CMD_OP_TEARDOWN_HCA,		ok },
	{ MLX5_CMD_OP_ENABLE_HCA,		enable_hca },
	{ MLX5_CMD_OP_DISABLE_HCA,		disable_hca },
	{ MLX5_CMD_OP_QUERY_PAGES,		query_pages },
	{ MLX5_CMD_OP_MANAGE_PAGES,		manage_pages },
	{ MLX5_CMD_OP_QUERY_ISSI,		query_issi },
	{ MLX5_CMD_OP_SET_ISSI,			ok },
	{ MLX5_CMD_OP_SET_DRIVER_VERSION,	ok },
	{ MLX5_CMD_OP_QUERY_SPECIAL_CONTEXTS,	query_special_contexts },
	{ MLX5_CMD_OP_NOP,			ok },
	{ MLX5_CMD_OP_ALLOC_PD,			plain_cmd },
	{ MLX5_CMD_OP_DEALLOC_PD,		plain_cmd },
	{ MLX5_CMD_OP_ALLOC_UAR,		plain_cmd },
	{ MLX5_CMD_OP_DEALLOC_UAR,		plain_cmd },
	{ MLX5_CMD_OP_ALLOC_TRANSPORT_DOMAIN,	plain_cmd },
	{ MLX5_CMD_OP_DEALLOC_TRANSPORT_DOMAIN,	plain_cmd },
	{ MLX5_CMD_OP_ALLOC_Q_COUNTER,		plain_cmd },
	{ MLX5_CMD_OP_DEALLOC_Q_COUNTER,	plain_cmd },
	{ MLX5_CMD_OP_QUERY_Q_COUNTER,		cxsim_query_q_counter },
	{ MLX5_CMD_OP_CREATE_MKEY,		cxsim_create_mkey },
	{ MLX5_CMD_OP_DESTROY_MKEY,		cxsim_destroy_mkey },
	{ MLX5_CMD_OP_CREATE_EQ,		cxsim_create_eq },
	{ MLX5_CMD_OP_DESTROY_EQ,		cxsim_destroy_eq },
	{ MLX5_CMD_OP_CREATE_CQ,		cxsim_create_cq },
	{ MLX5_CMD_OP_MODIFY_CQ,		cxsim_modify_cq },
	{ MLX5_CMD_OP_DESTROY_CQ,		cxsim_destroy_cq },
	{ MLX5_CMD_OP_CREATE_RQ,		cxsim_create_rq },
	{ MLX5_CMD_OP_MODIFY_RQ,		cxsim_modify_rq },
	{ MLX5_CMD_OP_QUERY_RQ,			cxsim_query_rq },
	{ MLX5_CMD_OP_DESTROY_RQ,		cxsim_destroy_rq },
	{ MLX5_CMD_OP_CREATE_SQ,		cxsim_create_sq },
	{ MLX5_CMD_OP_MODIFY_SQ,		cxsim_modify_sq },
	{ MLX5_CMD_OP_QUERY_SQ,			cxsim_query_sq },
	{ MLX5_CMD_OP_DESTROY_SQ,		cxsim_destroy_sq },
	{ MLX5_CMD_OP_CREATE_TIS,		plain_cmd },
	{ MLX5_CMD_OP_MODIFY_TIS,		ok },
	{ MLX5_CMD_OP_DESTROY_TIS,		plain_cmd },
	{ MLX5_CMD_OP_CREATE_TIR,		cxsim_create_tir },
	{ MLX5_CMD_OP_MODIFY_TIR,		cxsim_modify_tir },
	{ MLX5_CMD_OP_DESTROY_TIR,		cxsim_destroy_tir },
	{ MLX5_CMD_OP_CREATE_RQT,		cxsim_create_rqt },
	{ MLX5_CMD_OP_MODIFY_RQT,		cxsim_modify_rqt },
	{ MLX5_CMD_OP_DESTROY_RQT,		cxsim_destroy_rqt },
	{ MLX5_CMD_OP_SET_FLOW_TABLE_ROOT,	cxsim_flow_table_cmd },
	{ MLX5_CMD_OP_CREATE_FLOW_TABLE,	cxsim_flow_table_cmd },
	{ MLX5_CMD_OP_MODIFY_FLOW_TABLE,	cxsim_flow_table_cmd },
	{ MLX5_CMD_OP_DESTROY_FLOW_TABLE,	cxsim_flow_table_cmd },
	{ MLX5_CMD_OP_CREATE_FLOW_GROUP,	cxsim_flow_table_cmd },
	{ MLX5_CMD_OP_DESTROY_FLOW_GROUP,	cxsim_flow_table_cmd },
	{ MLX5_CMD_OP_SET_FLOW_TABLE_ENTRY,	cxsim_flow_table_cmd },
	{ MLX5_CMD_OP_DELETE_FLOW_TABLE_ENTRY,	cxsim_flow_table_cmd },
	{ MLX5_CMD_OP_ALLOC_FLOW_COUNTER,	cxsim_flow_counter_cmd },
	{ MLX5_CMD_OP_DEALLOC_FLOW_COUNTER,	cxsim_flow_counter_cmd },
	{ MLX5_CMD_OP_QUERY_FLOW_COUNTER,	cxsim_flow_counter_cmd },
	{ MLX5_CMD_OP_QUERY_VPORT_STATE,	cxsim_query_vport_state },
	{ MLX5_CMD_OP_MODIFY_VPORT_STATE,	ok },
	{ MLX5_CMD_OP_QUERY_NIC_VPORT_CONTEXT,	cxsim_query_nic_vport },
	{ MLX5_CMD_OP_MODIFY_NIC_VPORT_CONTEXT,	cxsim_modify_nic_vport },
	{ MLX5_CMD_OP_QUERY_VPORT_COUNTER,	cxsim_query_vport_counter },
	{ MLX5_CMD_OP_QUERY_VNIC_ENV,		cxsim_query_vnic_env },
	{ MLX5_CMD_OP_SET_L2_TABLE_ENTRY,	ok },
	{ MLX5_CMD_OP_DELETE_L2_TABLE_ENTRY,	ok },
	{ MLX5_CMD_OP_ADD_VXLAN_UDP_DPORT,	ok },
	{ MLX5_CMD_OP_DELETE_VXLAN_UDP_DPORT,	ok },
	{ MLX5_CMD_OP_ACCESS_REG,		cxsim_access_reg },
};

static int run(struct cxsim *f, struct cxsim_cmd *c)
{
	int i;

	f->cmds++;
	if (f->fault.fail_status && c->opcode == f->fault.fail_opcode)
		return f->fault.fail_status;
	for (i = 0; i < ARRAY_SIZE(cmds); i++)
		if (cmds[i].opcode == c->opcode)
			return cmds[i].fn(f, c);
	pr_info_ratelimited("cxsim: function %s: command 0x%x is not modelled\n",
			    f->name, c->opcode);
	return MLX5_CMD_STAT_BAD_OP_ERR;
}

static int grow(void **buf, u32 *size, u32 want)
{
	void *p;

	if (*size >= want)
		return 0;
	want = roundup_pow_of_two(want);
	p = kvmalloc(want, GFP_KERNEL);
	if (!p)
		return -ENOMEM;
	kvfree(*buf);
	*buf = p;
	*size = want;
	return 0;
}

/* Move len bytes between buf and a chain of mailboxes. */
static int mailboxes(struct cxsim *f, u64 addr, void *buf, u32 len, u8 token,
		     bool write)
{
	u32 num = 0;

	while (len) {
		u32 n = min_t(u32, len, MLX5_CMD_DATA_BLOCK_SIZE);
		struct mlx5_cmd_prot_block *b;

		b = cxsim_dma(f, addr & ~0x1ffULL, sizeof(*b), true);
		if (!b)
			return DELIVERY_MAILBOX;
		if (b->token != token || be32_to_cpu(b->block_num) != num++)
			return DELIVERY_TOKEN;
		if (write)
			memcpy(b->data, buf, n);
		else
			memcpy(buf, b->data, n);
		addr = be64_to_cpu(b->next);
		buf += n;
		len -= n;
	}
	return DELIVERY_OK;
}

static int execute(struct cxsim *f, struct mlx5_cmd_layout *e)
{
	struct cxsim_cmd c = {
		.inlen = be32_to_cpu(e->inlen),
		.outlen = be32_to_cpu(e->outlen),
	};
	u32 out = max_t(u32, c.outlen, CXSIM_CMD_PAD);
	int st;

	if (c.inlen < 8 || c.inlen > CMD_MAX || c.outlen < 8 ||
	    c.outlen > CMD_MAX)
		return DELIVERY_LENGTH;
	if (grow(&f->cmd_in, &f->cmd_in_size, c.inlen + CXSIM_CMD_PAD) ||
	    grow(&f->cmd_out, &f->cmd_out_size, out))
		return DELIVERY_LENGTH;
	c.in = f->cmd_in;
	c.out = f->cmd_out;
	memset(c.in + c.inlen, 0, CXSIM_CMD_PAD);
	memset(c.out, 0, out);
	memcpy(c.in, e->in, CMD_INLINE);
	if (c.inlen > CMD_INLINE) {
		st = mailboxes(f, be64_to_cpu(e->in_ptr), c.in + CMD_INLINE,
			       c.inlen - CMD_INLINE, e->token, false);
		if (st)
			return st;
	} else {
		memset(c.in + c.inlen, 0, CMD_INLINE - c.inlen);
	}
	c.opcode = be16_to_cpu(*(__be16 *)c.in);
	c.op_mod = be16_to_cpu(*(__be16 *)(c.in + 6));

	st = run(f, &c);
	if (st) {
		f->cmds_failed++;
		memset(c.out, 0, out);
		*(u8 *)c.out = st;
	}
	memcpy(e->out, c.out, CMD_INLINE);
	if (c.outlen > CMD_INLINE)
		return mailboxes(f, be64_to_cpu(e->out_ptr),
				 c.out + CMD_INLINE, c.outlen - CMD_INLINE,
				 e->token, true);
	return DELIVERY_OK;
}

static struct cxsim_eq *cmd_eq(struct cxsim *f)
{
	struct cxsim_eq *eq;
	unsigned long i;

	xa_for_each(&f->eqs, i, eq)
		if (eq->mask & BIT_ULL(MLX5_EVENT_TYPE_CMD))
			return eq;
	return NULL;
}

static bool run_slot(struct cxsim *f, int slot)
{
	struct cxsim_eq *eq = cmd_eq(f);
	struct mlx5_cmd_layout *e;
	__be32 vector;
	int st;

	e = cxsim_dma(f, f->cmdq + slot * sizeof(*e), sizeof(*e), true);
	if (!e || !(READ_ONCE(e->status_own) & CMD_HW))
		return false;
	/* pairs with the driver's barrier before it rings */
	dma_rmb();
	f->cmd_stray &= ~BIT(slot);
	st = execute(f, e);
	/* output before ownership: the driver polls it */
	dma_wmb();
	WRITE_ONCE(e->status_own, st << 1);
	/*
	 * Without a command EQ, or when this command made or destroyed it,
	 * the driver polls.
	 */
	if (eq && eq == cmd_eq(f)) {
		vector = cpu_to_be32(BIT(slot));
		cxsim_event(f, MLX5_EVENT_TYPE_CMD, 0, &vector,
			    sizeof(vector));
	}
	return true;
}

/*
 * A doorbell in RAM loses a write that comes before the last one was seen.
 * So entries owned by the device are looked for as well, but executed only
 * when they stay so for long: the driver hands over an entry before it is
 * ready for the completion, and its CPU may be taken away in between.
 */
static u32 strays(struct cxsim *f)
{
	u64 now = ktime_get_ns();
	u32 seen = 0, due;
	int i;

	if (!f->cmd_enabled || now < f->cmd_scan)
		return 0;
	f->cmd_scan = now + STRAY_NS;
	for (i = 0; i < NCMD; i++) {
		struct mlx5_cmd_layout *e;

		e = cxsim_dma(f, f->cmdq + i * sizeof(*e), sizeof(*e), false);
		if (!e)
			return 0;
		if (READ_ONCE(e->status_own) & CMD_HW)
			seen |= BIT(i);
	}
	due = seen & f->cmd_stray;
	f->cmd_stray = seen;
	return due;
}

bool cxsim_cmd_poll(struct cxsim *f)
{
	u32 __force *bell = (u32 __force *)(f->bar +
			offsetof(struct mlx5_init_seg, cmd_dbell));
	u32 bits = 0;
	bool work = false;
	int i;

	if (READ_ONCE(*bell)) {
		bits = be32_to_cpu((__force __be32)xchg(bell, 0));
		/* the queue's address, if new, was written before */
		cxsim_iseg_poll(f);
	}
	if (!f->cmdq || !cxsim_bus_master(f))
		return false;
	bits |= strays(f);
	for (i = 0; bits; i++, bits >>= 1)
		if (bits & 1)
			work |= run_slot(f, i);
	return work;
}

/* Forget everything the driver made: SW reset, and unload. */
void cxsim_cmd_reset(struct cxsim *f)
{
	f->cmdq = 0;
	f->cmd_enabled = false;
	f->cmd_stray = 0;
	f->caps_valid = false;
	f->npages = 0;
	f->admin_up = false;
	cxsim_steering_reset(f);
	cxsim_rss_reset(f);
	cxsim_queues_reset(f);
	cxsim_events_reset(f);
	cxsim_mkeys_reset(f);
	plains_reset(f);
}
