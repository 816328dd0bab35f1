// SPDX-License-Identifier: GPL-2.0
/* Port registers. */
#include <linux/mlx5/driver.h>
#include <linux/mlx5/port.h>

#include "cxsim.h"

#define REG_WRITE	0
#define ADMIN_UP	1
#define STATE_UP	1
#define STATE_DOWN	2
#define MTU_MAX		10222
#define CR4_100G	BIT(20)		/* 100GBASE-CR4 */
#define WIDTH_4X	4

static void paos(struct cxsim *f, const void *in, void *out, bool write)
{
	if (write)
		WRITE_ONCE(f->admin_up, MLX5_GET(paos_reg, in, admin_status) ==
			   ADMIN_UP);
	MLX5_SET(paos_reg, out, local_port, 1);
	MLX5_SET(paos_reg, out, admin_status,
		 f->admin_up ? STATE_UP : STATE_DOWN);
	MLX5_SET(paos_reg, out, oper_status,
		 f->link_up ? STATE_UP : STATE_DOWN);
}

static void pmtu(struct cxsim *f, const void *in, void *out, bool write)
{
	if (write)
		WRITE_ONCE(f->mtu, min_t(u32, MTU_MAX,
					 MLX5_GET(pmtu_reg, in, admin_mtu)));
	MLX5_SET(pmtu_reg, out, local_port, 1);
	MLX5_SET(pmtu_reg, out, max_mtu, MTU_MAX);
	MLX5_SET(pmtu_reg, out, admin_mtu, f->mtu);
	MLX5_SET(pmtu_reg, out, oper_mtu, f->mtu);
}

static void ptys(struct cxsim *f, const void *in, void *out, bool write)
{
	MLX5_SET(ptys_reg, out, local_port, 1);
	MLX5_SET(ptys_reg, out, proto_mask, MLX5_PTYS_EN);
	MLX5_SET(ptys_reg, out, eth_proto_capability, CR4_100G);
	MLX5_SET(ptys_reg, out, eth_proto_admin, CR4_100G);
	if (f->link_up)
		MLX5_SET(ptys_reg, out, eth_proto_oper, CR4_100G);
}

static void pmlp(struct cxsim *f, const void *in, void *out, bool write)
{
	MLX5_SET(pmlp_reg, out, local_port, 1);
	MLX5_SET(pmlp_reg, out, width, WIDTH_4X);
}

/* Counters are pairs of 32-bit words, high word first. */
static void put(void *set, u32 at, u64 v)
{
	*(__be32 *)(set + at) = cpu_to_be32(upper_32_bits(v));
	*(__be32 *)(set + at + 4) = cpu_to_be32(lower_32_bits(v));
}

#define PUT_AT(layout, field, v) \
	put(set, MLX5_BYTE_OFF(layout, field##_high), v)
#define PUT(rfc, field, v) \
	PUT_AT(eth_##rfc##_cntrs_grp_data_layout, field, v)

static u64 frames(const struct cxsim_port_stats *s)
{
	return s->ucast + s->mcast + s->bcast;
}

/* As counted on a wire: with the frame check sequence. */
static u64 octets(const struct cxsim_port_stats *s)
{
	return s->ucast_octets + s->mcast_octets + s->bcast_octets +
	       frames(s) * ETH_FCS_LEN;
}

static void ieee_802_3(struct cxsim *f, void *set)
{
	PUT(802_3, a_frames_transmitted_ok, frames(&f->tx));
	PUT(802_3, a_frames_received_ok, frames(&f->rx));
	PUT(802_3, a_octets_transmitted_ok, octets(&f->tx));
	PUT(802_3, a_octets_received_ok, octets(&f->rx));
	PUT(802_3, a_multicast_frames_xmitted_ok, f->tx.mcast);
	PUT(802_3, a_broadcast_frames_xmitted_ok, f->tx.bcast);
	PUT(802_3, a_multicast_frames_received_ok, f->rx.mcast);
	PUT(802_3, a_broadcast_frames_received_ok, f->rx.bcast);
	PUT(802_3, a_frame_too_long_errors, f->rx.too_long);
}

static void rfc_2863(struct cxsim *f, void *set)
{
	PUT(2863, if_in_octets, octets(&f->rx));
	PUT(2863, if_in_ucast_pkts, f->rx.ucast);
	PUT(2863, if_in_multicast_pkts, f->rx.mcast);
	PUT(2863, if_in_broadcast_pkts, f->rx.bcast);
	PUT(2863, if_in_discards, f->rx.drop_oob);
	PUT(2863, if_out_octets, octets(&f->tx));
	PUT(2863, if_out_ucast_pkts, f->tx.ucast);
	PUT(2863, if_out_multicast_pkts, f->tx.mcast);
	PUT(2863, if_out_broadcast_pkts, f->tx.bcast);
	PUT(2863, if_out_discards, f->tx.drop_down);
}

static void rfc_2819(struct cxsim *f, void *set)
{
	u32 at = MLX5_BYTE_OFF(eth_2819_cntrs_grp_data_layout,
			       ether_stats_pkts64octets_high);
	int i;

	PUT(2819, ether_stats_octets, octets(&f->rx));
	PUT(2819, ether_stats_pkts, frames(&f->rx));
	PUT(2819, ether_stats_broadcast_pkts, f->rx.bcast);
	PUT(2819, ether_stats_multicast_pkts, f->rx.mcast);
	PUT(2819, ether_stats_oversize_pkts, f->rx.too_long);
	for (i = 0; i < ARRAY_SIZE(f->rx.hist); i++)
		put(set, at + i * 8, f->rx.hist[i]);
}

static void per_prio(struct cxsim *f, void *set)
{
	PUT_AT(eth_per_prio_grp_data_layout, rx_octets, octets(&f->rx));
	PUT_AT(eth_per_prio_grp_data_layout, rx_frames, frames(&f->rx));
	PUT_AT(eth_per_prio_grp_data_layout, tx_octets, octets(&f->tx));
	PUT_AT(eth_per_prio_grp_data_layout, tx_frames, frames(&f->tx));
}

static void ppcnt(struct cxsim *f, const void *in, void *out, bool write)
{
	void *set = MLX5_ADDR_OF(ppcnt_reg, out, counter_set);
	u32 prio = MLX5_GET(ppcnt_reg, in, prio_tc);
	u32 grp = MLX5_GET(ppcnt_reg, in, grp);

	MLX5_SET(ppcnt_reg, out, local_port, 1);
	MLX5_SET(ppcnt_reg, out, grp, grp);
	MLX5_SET(ppcnt_reg, out, prio_tc, prio);
	switch (grp) {
	case MLX5_IEEE_802_3_COUNTERS_GROUP:
		ieee_802_3(f, set);
		break;
	case MLX5_RFC_2863_COUNTERS_GROUP:
		rfc_2863(f, set);
		break;
	case MLX5_RFC_2819_COUNTERS_GROUP:
		rfc_2819(f, set);
		break;
	case MLX5_PER_PRIORITY_COUNTERS_GROUP:
		if (!prio)
			per_prio(f, set);
		break;
	case MLX5_PHYSICAL_LAYER_COUNTERS_GROUP:
		MLX5_SET(phys_layer_cntrs, set, link_down_events,
			 f->link_downs);
		break;
	}
}

static const struct {
	u16 id;
	void (*fn)(struct cxsim *f, const void *in, void *out, bool write);
} regs[] = {
	{ MLX5_REG_PAOS, paos },
	{ MLX5_REG_PMTU, pmtu },
	{ MLX5_REG_PTYS, ptys },
	{ MLX5_REG_PMLP, pmlp },
	{ MLX5_REG_PPCNT, ppcnt },
};

/* Registers that are not modelled read as zero and swallow writes. */
int cxsim_access_reg(struct cxsim *f, struct cxsim_cmd *c)
{
	const void *in = MLX5_ADDR_OF(access_register_in, c->in,
				      register_data);
	void *out = MLX5_ADDR_OF(access_register_out, c->out, register_data);
	u16 id = MLX5_GET(access_register_in, c->in, register_id);
	int i;

	for (i = 0; i < ARRAY_SIZE(regs); i++)
		if (regs[i].id == id)
			regs[i].fn(f, in, out, c->op_mod == REG_WRITE);
	return MLX5_CMD_STAT_OK;
}
