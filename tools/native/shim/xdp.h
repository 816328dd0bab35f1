/* SPDX-License-Identifier: GPL-2.0 */
/*
 * XDP frames, and how they find back to their memory: one by one by the page's stamp,
 * in bulk by the receive queue that the frame came from.
 */
#ifndef _SHIM_XDP_H
#define _SHIM_XDP_H

#define XDP_PACKET_HEADROOM	256
#define XDP_BULK_QUEUE_SIZE	16

enum xdp_mem_type {
	MEM_TYPE_PAGE_SHARED,
	MEM_TYPE_PAGE_ORDER0,
	MEM_TYPE_PAGE_POOL,
};

struct xdp_mem_info {
	u32 type;
	u32 id;
};

struct xdp_rxq_info {
	struct net_device *dev;
	u32 queue_index;
	struct xdp_mem_info mem;
};

struct xdp_buff {
	void *data;
	void *data_end;
	void *data_hard_start;
	struct xdp_rxq_info *rxq;
	u32 frame_sz;
	u32 flags;
};

struct xdp_frame {
	void *data;
	u16 len;
	u16 headroom;
	u32 frame_sz;
	u32 flags;
	struct xdp_mem_info mem;
};

#define XDP_FLAGS_HAS_FRAGS	BIT(0)

struct xdp_frame_bulk {
	int count;
	u32 id;			/* 0: none */
	void *q[XDP_BULK_QUEUE_SIZE];
};

#define xdp_frame_bulk_init(bulk)	((void)((bulk)->count = 0, (bulk)->id = 0))

static inline void xdp_init_buff(struct xdp_buff *xdp, u32 frame_sz, struct xdp_rxq_info *rxq)
{
	xdp->frame_sz = frame_sz;
	xdp->rxq = rxq;
	xdp->flags = 0;
}

static inline void xdp_prepare_buff(struct xdp_buff *xdp, void *hard_start, int headroom,
				    int len, bool meta)
{
	xdp->data_hard_start = hard_start;
	xdp->data = hard_start + headroom;
	xdp->data_end = xdp->data + len;
}

/* The list of fragments lies at the end of the first. */
static inline struct skb_shared_info *xdp_get_shared_info_from_buff(const struct xdp_buff *xdp)
{
	return xdp->data_hard_start + xdp->frame_sz -
	       ALIGN(sizeof(struct skb_shared_info), (size_t)SMP_CACHE_BYTES);
}

static inline struct skb_shared_info *xdp_get_shared_info_from_frame(const struct xdp_frame *frame)
{
	return (void *)frame + frame->frame_sz -
	       ALIGN(sizeof(struct skb_shared_info), (size_t)SMP_CACHE_BYTES);
}

#define xdp_buff_has_frags(xdp)		((xdp)->flags & XDP_FLAGS_HAS_FRAGS)
#define xdp_frame_has_frags(frame)	((frame)->flags & XDP_FLAGS_HAS_FRAGS)
#define xdp_buff_set_frags_flag(xdp)	((xdp)->flags |= XDP_FLAGS_HAS_FRAGS)
#define xdp_buff_clear_frags_flag(xdp)	((xdp)->flags &= ~XDP_FLAGS_HAS_FRAGS)

#define xdp_rxq_info_reg(rxq, device, index, napi)			\
	((rxq)->dev = (device), (rxq)->queue_index = (index), 0)
int xdp_rxq_info_reg_mem_model(struct xdp_rxq_info *rxq, enum xdp_mem_type type, void *pool);
void xdp_rxq_info_unreg(struct xdp_rxq_info *rxq);
struct xdp_frame *xdp_convert_buff_to_frame(struct xdp_buff *xdp);
void xdp_return_frame(struct xdp_frame *frame);
void xdp_return_frame_rx_napi(struct xdp_frame *frame);
void xdp_return_frame_bulk(struct xdp_frame *frame, struct xdp_frame_bulk *bulk);
void xdp_flush_frame_bulk(struct xdp_frame_bulk *bulk);

#endif /* _SHIM_XDP_H */
