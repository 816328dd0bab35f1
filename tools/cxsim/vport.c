// SPDX-License-Identifier: GPL-2.0
/* The virtual port: address, link, counters. */
#include <linux/etherdevice.h>

#include "cxsim.h"

#define PORT_DOWN	1	/* sub types of the port change event */
#define PORT_UP		4
#define PORT_NUMBER	1
#define MTU_DEFAULT	1522	/* with Ethernet header, one tag and FCS */
#define VPORT_UP	1

void cxsim_vport_init(struct cxsim *f)
{
	u8 mac[ETH_ALEN] = { 0x02, 'c', 'x', 0, 0, f->index + 1 };
	void *perm = MLX5_ADDR_OF(nic_vport_context, f->vport_ctx,
				  permanent_address);

	ether_addr_copy(perm + 2, mac);
	MLX5_SET(nic_vport_context, f->vport_ctx, mtu, MTU_DEFAULT);
	f->mtu = MTU_DEFAULT;
}

/* Up when both ends want it.  Every function watches for itself. */
bool cxsim_link_poll(struct cxsim *f)
{
	struct { u8 rsvd[8]; u8 port; } data = { .port = PORT_NUMBER << 4 };
	bool up = READ_ONCE(f->admin_up) && READ_ONCE(f->peer->admin_up) &&
		  !READ_ONCE(f->fault.hold_link) &&
		  !READ_ONCE(f->peer->fault.hold_link);

	if (up == f->link_up)
		return false;
	if (!up)
		f->link_downs++;
	WRITE_ONCE(f->link_up, up);
	cxsim_event(f, MLX5_EVENT_TYPE_PORT_CHANGE, up ? PORT_UP : PORT_DOWN,
		    &data, sizeof(data));
	return true;
}

int cxsim_query_vport_state(struct cxsim *f, struct cxsim_cmd *c)
{
	MLX5_SET(query_vport_state_out, c->out, admin_state, VPORT_UP);
	MLX5_SET(query_vport_state_out, c->out, state,
		 f->link_up ? VPORT_UP : 0);
	return MLX5_CMD_STAT_OK;
}

int cxsim_query_nic_vport(struct cxsim *f, struct cxsim_cmd *c)
{
	memcpy(MLX5_ADDR_OF(query_nic_vport_context_out, c->out,
			    nic_vport_context),
	       f->vport_ctx, sizeof(f->vport_ctx));
	return MLX5_CMD_STAT_OK;
}

/* Address lists are accepted: flow tables do the filtering. */
int cxsim_modify_nic_vport(struct cxsim *f, struct cxsim_cmd *c)
{
	void *in = MLX5_ADDR_OF(modify_nic_vport_context_in, c->in,
				nic_vport_context);
	void *sel = MLX5_ADDR_OF(modify_nic_vport_context_in, c->in,
				 field_select);
	void *ctx = f->vport_ctx;

	if (MLX5_GET(modify_nic_vport_field_select, sel, mtu))
		MLX5_SET(nic_vport_context, ctx, mtu,
			 MLX5_GET(nic_vport_context, in, mtu));
	if (MLX5_GET(modify_nic_vport_field_select, sel, promisc)) {
		MLX5_SET(nic_vport_context, ctx, promisc_uc,
			 MLX5_GET(nic_vport_context, in, promisc_uc));
		MLX5_SET(nic_vport_context, ctx, promisc_mc,
			 MLX5_GET(nic_vport_context, in, promisc_mc));
		MLX5_SET(nic_vport_context, ctx, promisc_all,
			 MLX5_GET(nic_vport_context, in, promisc_all));
	}
	if (MLX5_GET(modify_nic_vport_field_select, sel, permanent_address))
		memcpy(MLX5_ADDR_OF(nic_vport_context, ctx, permanent_address),
		       MLX5_ADDR_OF(nic_vport_context, in, permanent_address),
		       MLX5_ST_SZ_BYTES(mac_address_layout));
	return MLX5_CMD_STAT_OK;
}

/* One writer each: the sender's thread for both ends of a wire. */
void cxsim_count(struct cxsim_port_stats *s, const struct cxsim_pkt *p)
{
	static const u16 top[] = { 64, 127, 255, 511, 1023, 1518, 2047, 4095,
				   8191 };
	u32 len = p->len + ETH_FCS_LEN;
	int i;

	if (p->bcast) {
		s->bcast++;
		s->bcast_octets += p->len;
	} else if (p->mcast) {
		s->mcast++;
		s->mcast_octets += p->len;
	} else {
		s->ucast++;
		s->ucast_octets += p->len;
	}
	for (i = 0; i < ARRAY_SIZE(top) && len > top[i]; i++)
		;
	s->hist[i]++;
}

static void traffic(void *t, u64 packets, u64 octets)
{
	MLX5_SET64(traffic_counter, t, packets, packets);
	MLX5_SET64(traffic_counter, t, octets, octets);
}

int cxsim_query_vport_counter(struct cxsim *f, struct cxsim_cmd *c)
{
	void *o = c->out;

	traffic(MLX5_ADDR_OF(query_vport_counter_out, o, received_eth_unicast),
		f->rx.ucast, f->rx.ucast_octets);
	traffic(MLX5_ADDR_OF(query_vport_counter_out, o, received_eth_multicast),
		f->rx.mcast, f->rx.mcast_octets);
	traffic(MLX5_ADDR_OF(query_vport_counter_out, o, received_eth_broadcast),
		f->rx.bcast, f->rx.bcast_octets);
	traffic(MLX5_ADDR_OF(query_vport_counter_out, o,
			     transmitted_eth_unicast),
		f->tx.ucast, f->tx.ucast_octets);
	traffic(MLX5_ADDR_OF(query_vport_counter_out, o,
			     transmitted_eth_multicast),
		f->tx.mcast, f->tx.mcast_octets);
	traffic(MLX5_ADDR_OF(query_vport_counter_out, o,
			     transmitted_eth_broadcast),
		f->tx.bcast, f->tx.bcast_octets);
	return MLX5_CMD_STAT_OK;
}

int cxsim_query_vnic_env(struct cxsim *f, struct cxsim_cmd *c)
{
	void *env = MLX5_ADDR_OF(query_vnic_env_out, c->out, vport_env);

	MLX5_SET64(vnic_diagnostic_statistics, env,
		   nic_receive_steering_discard, f->rx.drop_steer);
	return MLX5_CMD_STAT_OK;
}

int cxsim_query_q_counter(struct cxsim *f, struct cxsim_cmd *c)
{
	u32 id = MLX5_GET(query_q_counter_in, c->in, counter_set_id);

	if (!xa_load(&f->counters, id))
		return MLX5_CMD_STAT_BAD_RES_ERR;
	MLX5_SET(query_q_counter_out, c->out, out_of_buffer,
		 READ_ONCE(f->q_oob[id]));
	if (MLX5_GET(query_q_counter_in, c->in, clear))
		WRITE_ONCE(f->q_oob[id], 0);
	return MLX5_CMD_STAT_OK;
}
