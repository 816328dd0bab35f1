// SPDX-License-Identifier: GPL-2.0
/* Capabilities.  What is not set here is what cxsim does not model. */
#include <linux/log2.h>
#include <linux/mlx5/driver.h>
#include <linux/mlx5/vport.h>

#include "cxsim.h"

static void general(struct cxsim *f, void *p)
{
#define CAP(field, v) MLX5_SET(cmd_hca_cap, p, field, v)
	/* object limits */
	CAP(log_max_cq, 16);
	CAP(log_max_cq_sz, 22);
	CAP(log_max_eq, 7);
	CAP(log_max_eq_sz, 22);
	/* the driver sets some aside that are not for completions */
	CAP(max_num_eqs, f->nvec + 8);
	CAP(log_max_mkey, 24);
	CAP(log_max_mrw_sz, 40);
	CAP(log_max_klm_list_size, 16);
	CAP(log_max_qp, 17);
	CAP(log_max_qp_sz, 15);
	CAP(log_max_pd, 16);
	CAP(log_max_transport_domain, 16);
	CAP(log_max_rq, 16);
	CAP(log_max_sq, 16);
	CAP(log_max_tir, 16);
	CAP(log_max_tis, 16);
	CAP(log_max_rqt, 16);
	CAP(log_max_rqt_size, 11);
	CAP(log_max_wq_sz, 15);
	CAP(max_wqe_sz_sq, CXSIM_WQE_MAX);
	CAP(max_wqe_sz_rq, 512);
	CAP(log_max_l2_table, 10);
	CAP(log_max_current_uc_list, 7);
	CAP(log_max_current_mc_list, 7);
	CAP(log_max_vlan_list, 12);
	CAP(log_max_flow_counter_bulk, 4);
	CAP(max_flow_counter_15_0, 0x1000);
	CAP(log_pg_sz, 12);
	CAP(log_bf_reg_size, 9);
	CAP(pkey_table_size, 0);

	/* port */
	CAP(port_type, MLX5_CAP_PORT_TYPE_ETH);
	CAP(num_ports, 1);
	CAP(max_tc, 8);
	CAP(ports_check, 1);
	CAP(disable_local_lb_uc, 1);
	CAP(disable_local_lb_mc, 1);
	CAP(device_frequency_mhz, 1000);
	CAP(device_frequency_khz, 1000000);

	/* features */
	CAP(eth_net_offloads, 1);
	CAP(nic_flow_table, 1);
	CAP(cq_moderation, 1);
	CAP(cq_period_start_from_cqe, 1);
	CAP(vport_counters, 1);
	CAP(nic_receive_steering_discard, 1);
	CAP(modify_rq_counter_set_id, 1);
	CAP(cqe_version, 1);

	/* striding RQ */
	CAP(striding_rq, 1);
	CAP(umr_ptr_rlky, 1);
	CAP(ext_stride_num_range, 1);
	CAP(basic_cyclic_rcv_wqe, 1);
	CAP(log_max_stride_sz_rq, 13);
	CAP(log_min_stride_sz_rq, 6);
	CAP(log_max_stride_sz_sq, 6);
	CAP(log_min_stride_sz_sq, 6);
#undef CAP
}

static void ethernet(void *p)
{
#define CAP(field, v) MLX5_SET(per_protocol_networking_offload_caps, p, field, v)
	CAP(csum_cap, 1);
	CAP(vlan_cap, 1);
	CAP(wqe_vlan_insert, 1);
	CAP(self_lb_en_modifiable, 1);
	CAP(max_lso_cap, 18);
	CAP(wqe_inline_mode, MLX5_CAP_INLINE_MODE_NOT_REQUIRED);
	CAP(rss_ind_tbl_cap, 11);
	CAP(reg_umr_sq, 1);
	CAP(cqe_checksum_full, 1);
#undef CAP
}

static void flow_table(void *p)
{
	void *rx = MLX5_ADDR_OF(flow_table_nic_cap, p,
				flow_table_properties_nic_receive);
	void *ft = MLX5_ADDR_OF(flow_table_prop_layout, rx, ft_field_support);
	void *bm = MLX5_ADDR_OF(flow_table_prop_layout, rx,
				ft_field_bitmask_support);
	int i;

#define CAP(field, v) MLX5_SET(flow_table_prop_layout, rx, field, v)
	CAP(ft_support, 1);
	CAP(flow_counter, 1);
	CAP(flow_modify_en, 1);
	CAP(modify_root, 1);
	CAP(identified_miss_table_mode, 1);
	CAP(flow_table_modify, 1);
	CAP(log_max_ft_size, 22);
	CAP(max_ft_level, 64);
	CAP(log_max_ft_num, 16);
	CAP(log_max_flow_counter, 12);
	CAP(log_max_destination, ilog2(CXSIM_MAX_DESTS));
	CAP(log_max_flow, 20);
#undef CAP
	MLX5_SET(flow_table_nic_cap, p, nic_rx_multi_path_tirs, 1);
	MLX5_SET(flow_table_nic_cap, p, nic_rx_multi_path_tirs_fts, 1);
	for (i = 0; i < 2; i++) {
		void *s = i ? bm : ft;

#define CAP(field) MLX5_SET(flow_table_fields_supported, s, field, 1)
		CAP(outer_dmac);
		CAP(outer_smac);
		CAP(outer_ether_type);
		CAP(outer_ip_version);
		CAP(outer_first_prio);
		CAP(outer_first_cfi);
		CAP(outer_first_vid);
		CAP(outer_sip);
		CAP(outer_dip);
		CAP(outer_frag);
		CAP(outer_ip_protocol);
		CAP(outer_ip_ecn);
		CAP(outer_ip_dscp);
		CAP(outer_udp_sport);
		CAP(outer_udp_dport);
		CAP(outer_tcp_sport);
		CAP(outer_tcp_dport);
		CAP(outer_tcp_flags);
#undef CAP
	}
}

int cxsim_query_hca_cap(struct cxsim *f, struct cxsim_cmd *c)
{
	void *p = MLX5_ADDR_OF(query_hca_cap_out, c->out, capability);
	bool current_values = c->op_mod & 1;

	switch (c->op_mod >> 1) {
	case MLX5_CAP_GENERAL:
		if (current_values && f->caps_valid)
			memcpy(p, f->caps_set, sizeof(f->caps_set));
		else
			general(f, p);
		break;
	case MLX5_CAP_ETHERNET_OFFLOADS:
		ethernet(p);
		break;
	case MLX5_CAP_FLOW_TABLE:
		flow_table(p);
		break;
	default:
		/* all zero: nothing of that type */
		break;
	}
	return MLX5_CMD_STAT_OK;
}

int cxsim_set_hca_cap(struct cxsim *f, struct cxsim_cmd *c)
{
	if (c->op_mod >> 1 == MLX5_CAP_GENERAL) {
		memcpy(f->caps_set,
		       MLX5_ADDR_OF(set_hca_cap_in, c->in, capability),
		       sizeof(f->caps_set));
		f->caps_valid = true;
	}
	return MLX5_CMD_STAT_OK;
}
