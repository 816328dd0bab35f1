// SPDX-License-Identifier: GPL-2.0
int xdp_rxq_info_reg_mem_model(struct xdp_rxq_info *rxq, enum xdp_mem_type type, void *pool)
{
	shim_bug(__FILE__, __LINE__, "no XDP");
}
