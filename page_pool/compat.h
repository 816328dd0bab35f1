/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Everything that differs between the supported kernels.
 */
#ifndef _RXPOOL_COMPAT_H
#define _RXPOOL_COMPAT_H

#include <linux/filter.h>
#include <linux/mm.h>
#include <linux/netdevice.h>
#include <linux/rcupdate.h>
#include <linux/version.h>
#include <net/xdp.h>

#ifndef CONFIG_64BIT
#error "rxpool: 64-bit kernels only"
#endif
#ifndef CONFIG_PAGE_POOL
#error "rxpool: needs CONFIG_PAGE_POOL, which e.g. CONFIG_MLX5_CORE_EN selects"
#endif

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 1, 0) && \
	LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)

#include <net/page_pool.h>

/* Without this flag the kernel takes a page's first fragment for its last. */
#define RXPOOL_PP_FLAGS(bias)	((bias) > 1 ? PP_FLAG_PAGE_FRAG : 0)

static inline atomic_long_t *rxpool_refs(struct page *page)
{
	return &page->pp_frag_count;
}

static inline void *rxpool_init_arg(const struct page_pool *pp)
{
	return pp->p.init_arg;
}

static inline bool rxpool_unref(struct page *page, long nr)
{
	return page_pool_defrag_page(page, nr) == 0;
}

/* The last of the page's references was dropped. */
static inline void rxpool_put_unrefed(struct page *page)
{
	page_pool_put_defragged_page(page->pp, page, -1, false);
}

/* Return a frame as NAPI does, with softirqs disabled. */
static inline void rxpool_return_in_napi(struct xdp_frame *frame)
{
	xdp_return_frame_rx_napi(frame);
}

#ifdef CONFIG_RPS
#define rxpool_rfs_table	rps_sock_flow_table
#define rxpool_rfs_cpu_mask	rps_cpu_mask
#endif

#elif LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0) && \
	LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)

#include <net/hotdata.h>
#include <net/page_pool/helpers.h>
#include <net/rps.h>

/* References are always counted. */
#define RXPOOL_PP_FLAGS(bias)	0

static inline atomic_long_t *rxpool_refs(struct page *page)
{
	return &page->pp_ref_count;
}

static inline void *rxpool_init_arg(const struct page_pool *pp)
{
	return pp->slow.init_arg;
}

static inline bool rxpool_unref(struct page *page, long nr)
{
	return page_pool_unref_page(page, nr) == 0;
}

static inline void rxpool_put_unrefed(struct page *page)
{
	page_pool_put_unrefed_page(page->pp, page, -1, false);
}

static inline void rxpool_return_in_napi(struct xdp_frame *frame)
{
	struct bpf_net_context storage, *ctx = bpf_net_ctx_set(&storage);

	xdp_return_frame_rx_napi(frame);
	bpf_net_ctx_clear(ctx);
}

#ifdef CONFIG_RPS
#define rxpool_rfs_table	net_hotdata.rps_sock_flow_table
#define rxpool_rfs_cpu_mask	net_hotdata.rps_cpu_mask
#endif

#else
#error "rxpool: supported kernels are 6.1 and 6.12; teach this header yours"
#endif

/*
 * Receive Flow Steering, which knows where a flow's reader last ran.
 */
#ifdef rxpool_rfs_table
static inline bool rxpool_rfs_configured(void)
{
	return rcu_access_pointer(rxpool_rfs_table);
}

/* Return: the CPU, or -1. */
static inline int rxpool_rfs_cpu(u32 hash)
{
	const struct rps_sock_flow_table *table;
	int cpu = -1;
	u32 flow;

	rcu_read_lock();
	table = rcu_dereference(rxpool_rfs_table);
	if (table) {
		flow = READ_ONCE(table->ents[hash & table->mask]);
		if (!((flow ^ hash) & ~rxpool_rfs_cpu_mask))
			cpu = flow & rxpool_rfs_cpu_mask;
	}
	rcu_read_unlock();
	return cpu;
}
#else
static inline bool rxpool_rfs_configured(void)
{
	return false;
}

static inline int rxpool_rfs_cpu(u32 hash)
{
	return -1;
}
#endif

#endif /* _RXPOOL_COMPAT_H */
