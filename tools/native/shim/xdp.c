// SPDX-License-Identifier: GPL-2.0
#include "compat.h"

/* Pools by the id that frames carry. */
static DEFINE_XARRAY_ALLOC1(allocators);

/* The pool's last user is gone, and with it the last frame. */
static void disconnected(void *pool)
{
	xa_erase(&allocators, ((struct page_pool *)pool)->xdp_mem_id);
}

int xdp_rxq_info_reg_mem_model(struct xdp_rxq_info *rxq, enum xdp_mem_type type, void *pool)
{
	int err = xa_alloc(&allocators, &rxq->mem.id, pool, XA_LIMIT(1, 0xfffe), GFP_KERNEL);

	if (err)
		return err;
	rxq->mem.type = type;
	page_pool_use_xdp_mem(pool, disconnected, &rxq->mem);
	return 0;
}

void xdp_rxq_info_unreg(struct xdp_rxq_info *rxq)
{
	if (rxq->mem.type == MEM_TYPE_PAGE_POOL)
		page_pool_destroy(xa_load(&allocators, rxq->mem.id));
	rxq->mem.type = MEM_TYPE_PAGE_SHARED;
}

/* The frame lies in its page's headroom. */
struct xdp_frame *xdp_convert_buff_to_frame(struct xdp_buff *xdp)
{
	struct xdp_frame *frame = xdp->data_hard_start;

	if (xdp->data - xdp->data_hard_start < (long)sizeof(*frame))
		return NULL;
	frame->data = xdp->data;
	frame->len = xdp->data_end - xdp->data;
	frame->headroom = xdp->data - xdp->data_hard_start - sizeof(*frame);
	frame->frame_sz = xdp->frame_sz;
	frame->flags = xdp->flags;
	frame->mem = xdp->rxq->mem;
	return frame;
}

static void put(struct xdp_frame *frame, bool direct)
{
	struct page *page = virt_to_head_page(frame->data);

	page_pool_put_full_page(page->pp, page, direct);
}

void xdp_return_frame(struct xdp_frame *frame)
{
	put(frame, false);
}

void xdp_return_frame_rx_napi(struct xdp_frame *frame)
{
	put(frame, true);
}

void xdp_flush_frame_bulk(struct xdp_frame_bulk *bulk)
{
	if (bulk->count)
		page_pool_put_page_bulk(xa_load(&allocators, bulk->id), bulk->q, bulk->count);
	bulk->count = 0;
}

void xdp_return_frame_bulk(struct xdp_frame *frame, struct xdp_frame_bulk *bulk)
{
	if (bulk->count == XDP_BULK_QUEUE_SIZE || bulk->id != frame->mem.id)
		xdp_flush_frame_bulk(bulk);
	bulk->id = frame->mem.id;
	bulk->q[bulk->count++] = frame->data;
}
