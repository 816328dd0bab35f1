/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Everything that differs between the supported kernels.
 */
#ifndef _RXPOOL_COMPAT_H
#define _RXPOOL_COMPAT_H

#include <linux/filter.h>
#include <linux/mm.h>
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

/* Without this flag the kernel frees a page on its first fragment. */
#define RXPOOL_PP_FLAGS		PP_FLAG_PAGE_FRAG

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

/* Return a frame as NAPI does, with softirqs disabled. */
static inline void rxpool_return_in_napi(struct xdp_frame *frame)
{
	xdp_return_frame_rx_napi(frame);
}

#elif LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0) && \
	LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)

#include <net/page_pool/helpers.h>

/* References are always counted. */
#define RXPOOL_PP_FLAGS		0

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

static inline void rxpool_return_in_napi(struct xdp_frame *frame)
{
	struct bpf_net_context storage, *ctx = bpf_net_ctx_set(&storage);

	xdp_return_frame_rx_napi(frame);
	bpf_net_ctx_clear(ctx);
}

#else
#error "rxpool: supported kernels are 6.1 and 6.12; teach this header yours"
#endif

#endif /* _RXPOOL_COMPAT_H */
