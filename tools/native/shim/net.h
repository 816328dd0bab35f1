/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Of the network stack: the names that page_pool.c and its users mention.
 */
#ifndef _SHIM_NET_H
#define _SHIM_NET_H

#define ETH_GSTRING_LEN		32

struct page_pool;
struct memory_provider_ops;
struct sk_buff;
struct xdp_frame;
struct xdp_rxq_info;

struct napi_struct {
	int list_owner;
};

struct netdev_rx_queue {
	struct {
		void *mp_priv;
		const struct memory_provider_ops *mp_ops;
	} mp_params;
};

struct net_device {
	struct netdev_rx_queue rx_queue;
};

enum xdp_mem_type {
	MEM_TYPE_PAGE_SHARED,
	MEM_TYPE_PAGE_ORDER0,
	MEM_TYPE_PAGE_POOL,
};

struct xdp_mem_info {
	u32 type;
	u32 id;
};

struct bpf_net_context {
	void *unused;
};

#define bpf_net_ctx_set(ctx)	(ctx)
#define bpf_net_ctx_clear(ctx)	((void)(ctx))
void xdp_return_frame_rx_napi(struct xdp_frame *frame);

#define ASSERT_RTNL()		do { } while (0)
#define DEBUG_NET_WARN_ON_ONCE(condition)	((void)(condition))
#define is_kernel_rodata(address)	true
#define napi_assert_will_not_race(napi)	((void)(napi))
#define __netif_get_rx_queue(dev, i)	(&(dev)->rx_queue)

#define trace_page_pool_state_hold(...)		do { } while (0)
#define trace_page_pool_state_release(...)	do { } while (0)
#define trace_page_pool_release(...)		do { } while (0)
#define trace_page_pool_update_nid(...)		do { } while (0)

/* What freeing a marked skb does with each page: whether its pool took it. */
bool skb_pp_recycle_page(struct page *page);

struct skb_shared_info {
	u8 unused[320];
};

void skb_mark_for_recycle(struct sk_buff *skb);
void ethtool_sprintf(u8 **data, const char *fmt, ...);
int xdp_rxq_info_reg_mem_model(struct xdp_rxq_info *rxq, enum xdp_mem_type type, void *pool);

#endif /* _SHIM_NET_H */
