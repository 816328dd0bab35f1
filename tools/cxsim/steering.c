// SPDX-License-Identifier: GPL-2.0
/*
 * Flow tables of the NIC receive type, walked as the driver programmed them.
 * A frame's way is found once per header and then taken from a cache, which
 * any change of a table, TIR, RQT or RQ makes stale.
 */
#include <linux/jhash.h>
#include <linux/slab.h>

#include "cxsim.h"

#define TABLE_NIC_RX	0
#define MAX_DEPTH	16
#define MATCH_PARAM_DW	MLX5_ST_SZ_DW(fte_match_param)

struct flow_group {
	u32 id;
	bool other;		/* criteria outside the outer headers */
	u32 mask[MATCH_PARAM_DW];
};

struct flow_entry {
	struct flow_group *group;
	bool never;		/* wants a field that no frame here has */
	u16 action;
	u32 tag;
	u32 ndest, ncount;
	u32 match[CXSIM_MATCH_DW];
	u32 dest[CXSIM_MAX_DESTS];	/* type << 24 | id */
	u32 count[CXSIM_MAX_DESTS];
};

struct flow_table {
	u32 id;
	u32 miss;		/* next table, 0: drop */
	struct xarray entries;	/* by flow index: the lowest match wins */
	struct xarray groups;
};

static bool entry_match(const struct flow_entry *e, const struct cxsim_pkt *p)
{
	const u32 *mask = e->group->mask;
	int i;

	if (e->never)
		return false;
	for (i = 0; i < CXSIM_MATCH_DW; i++)
		if ((p->match[i] ^ e->match[i]) & mask[i])
			return false;
	return true;
}

static const struct flow_entry *table_lookup(struct flow_table *t,
					     const struct cxsim_pkt *p)
{
	struct flow_entry *e;
	unsigned long i;

	xa_for_each(&t->entries, i, e)
		if (entry_match(e, p))
			return e;
	return NULL;
}

static void to_tir(struct cxsim *f, u32 tirn, const struct cxsim_pkt *p,
		   struct cxsim_flow *fl)
{
	struct cxsim_rq *rq;

	rq = cxsim_tir_rq(f, tirn, p, &fl->hash, &fl->hash_type);
	if (rq && fl->ndest < CXSIM_MAX_DESTS)
		fl->rq[fl->ndest++] = rq;
}

static void walk(struct cxsim *f, u32 table, const struct cxsim_pkt *p,
		 struct cxsim_flow *fl, int depth)
{
	const struct flow_entry *e = NULL;
	struct flow_table *t;
	int i;

	while (!e) {
		t = table ? xa_load(&f->ftables, table) : NULL;
		if (!t || ++depth > MAX_DEPTH)
			return;
		e = table_lookup(t, p);
		table = t->miss;
	}
	fl->tag = e->tag;
	for (i = 0; i < e->ncount; i++) {
		struct cxsim_fcounter *c = xa_load(&f->fcounters, e->count[i]);

		if (c && fl->ncount < CXSIM_MAX_DESTS)
			fl->count[fl->ncount++] = c;
	}
	if (!(e->action & MLX5_FLOW_CONTEXT_ACTION_FWD_DEST) ||
	    e->action & MLX5_FLOW_CONTEXT_ACTION_DROP)
		return;
	for (i = 0; i < e->ndest; i++) {
		u32 id = e->dest[i] & 0xffffff;

		switch (e->dest[i] >> 24) {
		case MLX5_IFC_FLOW_DESTINATION_TYPE_TIR:
			to_tir(f, id, p, fl);
			break;
		case MLX5_IFC_FLOW_DESTINATION_TYPE_FLOW_TABLE:
			walk(f, id, p, fl, depth);
			break;
		}
	}
}

const struct cxsim_flow *cxsim_steer(struct cxsim *f,
				     const struct cxsim_pkt *p)
{
	u32 slot = jhash2(p->match, CXSIM_MATCH_DW, 0) % CXSIM_FLOW_CACHE;
	struct cxsim_flow *fl = &f->flows[slot];

	if (fl->gen == f->gen &&
	    !memcmp(fl->match, p->match, sizeof(fl->match)))
		return fl;
	memset(fl, 0, sizeof(*fl));
	walk(f, f->rx_root, p, fl, 0);
	memcpy(fl->match, p->match, sizeof(fl->match));
	fl->gen = f->gen;
	return fl;
}

static int table_create(struct cxsim *f, struct cxsim_cmd *c)
{
	void *ctx = MLX5_ADDR_OF(create_flow_table_in, c->in,
				 flow_table_context);
	struct flow_table *t;

	if (MLX5_GET(create_flow_table_in, c->in, table_type) != TABLE_NIC_RX)
		return MLX5_CMD_STAT_BAD_PARAM_ERR;
	t = kzalloc(sizeof(*t), GFP_KERNEL);
	if (!t)
		return MLX5_CMD_STAT_NO_RES_ERR;
	xa_init(&t->entries);
	xa_init_flags(&t->groups, XA_FLAGS_ALLOC1);
	if (MLX5_GET(flow_table_context, ctx, table_miss_action) ==
	    MLX5_FLOW_TABLE_MISS_ACTION_FWD)
		t->miss = MLX5_GET(flow_table_context, ctx, table_miss_id);
	if (cxsim_new_id(&f->ftables, 1, 0xffffff, &t->id)) {
		kfree(t);
		return MLX5_CMD_STAT_NO_RES_ERR;
	}
	cxsim_publish(&f->ftables, t->id, t);
	MLX5_SET(create_flow_table_out, c->out, table_id, t->id);
	return MLX5_CMD_STAT_OK;
}

static int table_modify(struct cxsim *f, struct cxsim_cmd *c)
{
	void *ctx = MLX5_ADDR_OF(modify_flow_table_in, c->in,
				 flow_table_context);
	struct flow_table *t;

	t = xa_load(&f->ftables,
		    MLX5_GET(modify_flow_table_in, c->in, table_id));
	if (!t)
		return MLX5_CMD_STAT_BAD_RES_ERR;
	spin_lock(&f->rx_lock);
	t->miss = 0;
	if (MLX5_GET(flow_table_context, ctx, table_miss_action) ==
	    MLX5_FLOW_TABLE_MISS_ACTION_FWD)
		t->miss = MLX5_GET(flow_table_context, ctx, table_miss_id);
	f->gen++;
	spin_unlock(&f->rx_lock);
	return MLX5_CMD_STAT_OK;
}

static void table_free(struct cxsim *f, struct flow_table *t)
{
	unsigned long i;
	void *p;

	xa_erase(&f->ftables, t->id);
	cxsim_changed(f);
	xa_for_each(&t->entries, i, p)
		kfree(p);
	xa_destroy(&t->entries);
	xa_for_each(&t->groups, i, p)
		kfree(p);
	xa_destroy(&t->groups);
	kfree(t);
}

static int set_root(struct cxsim *f, struct cxsim_cmd *c)
{
	u32 id = MLX5_GET(set_flow_table_root_in, c->in, table_id);

	if (MLX5_GET(set_flow_table_root_in, c->in, table_type) !=
	    TABLE_NIC_RX)
		return MLX5_CMD_STAT_BAD_PARAM_ERR;
	if (c->op_mod == 1)			/* disconnect */
		id = 0;
	else if (!xa_load(&f->ftables, id))
		return MLX5_CMD_STAT_BAD_RES_ERR;
	spin_lock(&f->rx_lock);
	f->rx_root = id;
	f->gen++;
	spin_unlock(&f->rx_lock);
	return MLX5_CMD_STAT_OK;
}

static int group_create(struct cxsim *f, struct flow_table *t,
			struct cxsim_cmd *c)
{
	u8 enable = MLX5_GET(create_flow_group_in, c->in,
			     match_criteria_enable);
	const void *mask = MLX5_ADDR_OF(create_flow_group_in, c->in,
					match_criteria);
	struct flow_group *g;

	g = kzalloc(sizeof(*g), GFP_KERNEL);
	if (!g)
		return MLX5_CMD_STAT_NO_RES_ERR;
	memcpy(g->mask, mask, sizeof(g->mask));
	if (!(enable & 1))			/* outer headers */
		memset(g->mask, 0, CXSIM_MATCH_DW * sizeof(u32));
	g->other = enable & ~1;
	if (cxsim_new_id(&t->groups, 1, 0xffffff, &g->id)) {
		kfree(g);
		return MLX5_CMD_STAT_NO_RES_ERR;
	}
	cxsim_publish(&t->groups, g->id, g);
	MLX5_SET(create_flow_group_out, c->out, group_id, g->id);
	return MLX5_CMD_STAT_OK;
}

static int group_destroy(struct cxsim *f, struct flow_table *t,
			 struct cxsim_cmd *c)
{
	u32 id = MLX5_GET(destroy_flow_group_in, c->in, group_id);
	struct flow_group *g = xa_load(&t->groups, id);
	struct flow_entry *e;
	unsigned long i;

	if (!g)
		return MLX5_CMD_STAT_BAD_RES_ERR;
	xa_for_each(&t->entries, i, e)
		if (e->group == g)
			return MLX5_CMD_STAT_BAD_RES_STATE_ERR;
	xa_erase(&t->groups, id);
	kfree(g);
	return MLX5_CMD_STAT_OK;
}

static int entry_set(struct cxsim *f, struct flow_table *t,
		     struct cxsim_cmd *c)
{
	void *ctx = MLX5_ADDR_OF(set_fte_in, c->in, flow_context);
	const u32 *value = MLX5_ADDR_OF(flow_context, ctx, match_value);
	const void *d = MLX5_ADDR_OF(flow_context, ctx, destination);
	u32 index = MLX5_GET(set_fte_in, c->in, flow_index);
	struct flow_entry *e, *old;
	int i;

	e = kzalloc(sizeof(*e), GFP_KERNEL);
	if (!e)
		return MLX5_CMD_STAT_NO_RES_ERR;
	e->group = xa_load(&t->groups, MLX5_GET(flow_context, ctx, group_id));
	e->action = MLX5_GET(flow_context, ctx, action);
	e->tag = MLX5_GET(flow_context, ctx, flow_tag);
	if (e->action & MLX5_FLOW_CONTEXT_ACTION_FWD_DEST)
		e->ndest = MLX5_GET(flow_context, ctx, destination_list_size);
	if (e->action & MLX5_FLOW_CONTEXT_ACTION_COUNT)
		e->ncount = MLX5_GET(flow_context, ctx,
				     flow_counter_list_size);
	if (!e->group || e->ndest > CXSIM_MAX_DESTS ||
	    e->ncount > CXSIM_MAX_DESTS ||
	    MLX5_GET(flow_context, ctx, extended_destination)) {
		kfree(e);
		return MLX5_CMD_STAT_BAD_PARAM_ERR;
	}
	memcpy(e->match, value, sizeof(e->match));
	/* all other fields of a frame count as zero */
	for (i = CXSIM_MATCH_DW; e->group->other && i < MATCH_PARAM_DW; i++)
		e->never |= value[i] & e->group->mask[i];
	for (i = 0; i < e->ndest; i++) {
		e->dest[i] = MLX5_GET(dest_format_struct, d,
				      destination_type) << 24 |
			     MLX5_GET(dest_format_struct, d, destination_id);
		d += MLX5_ST_SZ_BYTES(dest_format_struct);
	}
	for (i = 0; i < e->ncount; i++) {
		e->count[i] = MLX5_GET(flow_counter_list, d, flow_counter_id);
		d += MLX5_ST_SZ_BYTES(flow_counter_list);
	}
	old = xa_store(&t->entries, index, e, GFP_KERNEL);
	cxsim_changed(f);
	if (xa_is_err(old)) {
		kfree(e);
		return MLX5_CMD_STAT_NO_RES_ERR;
	}
	kfree(old);
	return MLX5_CMD_STAT_OK;
}

static int entry_delete(struct cxsim *f, struct flow_table *t,
			struct cxsim_cmd *c)
{
	struct flow_entry *e;

	e = xa_erase(&t->entries,
		     MLX5_GET(delete_fte_in, c->in, flow_index));
	cxsim_changed(f);
	kfree(e);
	return e ? MLX5_CMD_STAT_OK : MLX5_CMD_STAT_BAD_RES_ERR;
}

int cxsim_flow_table_cmd(struct cxsim *f, struct cxsim_cmd *c)
{
	struct flow_table *t;

	switch (c->opcode) {
	case MLX5_CMD_OP_CREATE_FLOW_TABLE:
		return table_create(f, c);
	case MLX5_CMD_OP_MODIFY_FLOW_TABLE:
		return table_modify(f, c);
	case MLX5_CMD_OP_SET_FLOW_TABLE_ROOT:
		return set_root(f, c);
	}
	/* the table id is at the same place in all the others */
	t = xa_load(&f->ftables, MLX5_GET(destroy_flow_table_in, c->in,
					  table_id));
	if (!t)
		return MLX5_CMD_STAT_BAD_RES_ERR;
	switch (c->opcode) {
	case MLX5_CMD_OP_DESTROY_FLOW_TABLE:
		table_free(f, t);
		return MLX5_CMD_STAT_OK;
	case MLX5_CMD_OP_CREATE_FLOW_GROUP:
		return group_create(f, t, c);
	case MLX5_CMD_OP_DESTROY_FLOW_GROUP:
		return group_destroy(f, t, c);
	case MLX5_CMD_OP_SET_FLOW_TABLE_ENTRY:
		return entry_set(f, t, c);
	default:
		return entry_delete(f, t, c);
	}
}

int cxsim_flow_counter_cmd(struct cxsim *f, struct cxsim_cmd *c)
{
	u32 id = MLX5_GET(dealloc_flow_counter_in, c->in, flow_counter_id);
	struct cxsim_fcounter *n;
	void *s;

	if (c->opcode == MLX5_CMD_OP_ALLOC_FLOW_COUNTER) {
		n = kzalloc(sizeof(*n), GFP_KERNEL);
		if (!n || cxsim_new_id(&f->fcounters, 1, 0xffffff, &n->id)) {
			kfree(n);
			return MLX5_CMD_STAT_NO_RES_ERR;
		}
		cxsim_publish(&f->fcounters, n->id, n);
		MLX5_SET(alloc_flow_counter_out, c->out, flow_counter_id,
			 n->id);
		return MLX5_CMD_STAT_OK;
	}
	if (c->opcode == MLX5_CMD_OP_QUERY_FLOW_COUNTER)
		id = MLX5_GET(query_flow_counter_in, c->in, flow_counter_id);
	n = xa_load(&f->fcounters, id);
	if (!n)
		return MLX5_CMD_STAT_BAD_RES_ERR;
	if (c->opcode == MLX5_CMD_OP_DEALLOC_FLOW_COUNTER) {
		xa_erase(&f->fcounters, id);
		cxsim_changed(f);
		kfree(n);
		return MLX5_CMD_STAT_OK;
	}
	s = MLX5_ADDR_OF(query_flow_counter_out, c->out, flow_statistics);
	MLX5_SET64(traffic_counter, s, packets, READ_ONCE(n->packets));
	MLX5_SET64(traffic_counter, s, octets, READ_ONCE(n->octets));
	return MLX5_CMD_STAT_OK;
}

void cxsim_steering_reset(struct cxsim *f)
{
	struct cxsim_fcounter *n;
	struct flow_table *t;
	unsigned long i;

	spin_lock(&f->rx_lock);
	f->rx_root = 0;
	f->gen++;
	spin_unlock(&f->rx_lock);
	xa_for_each(&f->ftables, i, t)
		table_free(f, t);
	xa_for_each(&f->fcounters, i, n) {
		xa_erase(&f->fcounters, i);
		cxsim_changed(f);
		kfree(n);
	}
}
