/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Of the network stack: the names that page_pool.c and its users mention.
 */
#ifndef _SHIM_NET_H
#define _SHIM_NET_H

#define ETH_GSTRING_LEN		32
#define ETH_HLEN		14

struct page_pool;
struct memory_provider_ops;

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

struct bpf_net_context {
	void *unused;
};

#define bpf_net_ctx_set(ctx)	(ctx)
#define bpf_net_ctx_clear(ctx)	((void)(ctx))

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

void ethtool_sprintf(u8 **data, const char *fmt, ...);

struct net {
	struct net_device *loopback_dev;
};

extern struct net init_net;

/* Reproducible numbers. */
struct rnd_state {
	u64 state;
};

static inline void prandom_seed_state(struct rnd_state *rnd, u64 seed)
{
	rnd->state = seed * 0x9e3779b97f4a7c15ULL | 1;
}

static inline u32 prandom_u32_state(struct rnd_state *rnd)
{
	rnd->state ^= rnd->state << 13;
	rnd->state ^= rnd->state >> 7;
	rnd->state ^= rnd->state << 17;
	return rnd->state >> 20;
}

#endif /* _SHIM_NET_H */
