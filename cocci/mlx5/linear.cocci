// SPDX-License-Identifier: GPL-2.0
// Packets in one buffer, of either kind of RQ: the skb is built in the page and
// carries a reference of it, and so does what an XDP program sends elsewhere.

// expect en_rx.c:1
@begin_striding@
identifier rq, wi, ix, au, va;
@@
 mlx5e_skb_from_cqe_mpwrq_linear(struct mlx5e_rq *rq, struct mlx5e_mpw_info *wi,
				 u16 cqe_bcnt, u32 head_offset, u32 ix)
 {
 	...
 	union mlx5e_alloc_unit *au = &wi->alloc_units[ix];
 	...
+	if (unlikely(!mlx5e_rxpool_mpw_begin(rq, wi, au)))
+		return NULL;
 	va = page_address(au->page) + head_offset;
 	...
 }

// expect en_rx.c:1
@begin_cyclic@
identifier rq, wi, au, va;
@@
 mlx5e_skb_from_cqe_linear(struct mlx5e_rq *rq, struct mlx5e_wqe_frag_info *wi,
			   u32 cqe_bcnt)
 {
 	...
 	union mlx5e_alloc_unit *au = wi->au;
 	...
+	if (unlikely(!mlx5e_rxpool_begin(rq, au, 1)))
+		return NULL;
 	va = page_address(au->page) + wi->offset;
 	...
 }

// expect en_rx.c:2
@give@
identifier f =~ "^mlx5e_skb_from_cqe_(mpwrq_)?linear$";
identifier au;
@@
 f(...)
 {
 	...
-	page_ref_inc(au->page);
+	rxpool_rx_give(&rq->rxp);
 	...
 }

// expect en_rx.c:4
@sync@
identifier f =~ "^mlx5e_skb_from_cqe_(mpwrq_)?linear$";
identifier au, addr;
expression offset, len;
@@
 f(...)
 {
 	...
-	dma_addr_t addr;
 	...
-	addr = page_pool_get_dma_addr(au->page);
-	dma_sync_single_range_for_cpu(rq->pdev, addr, offset, len, rq->buff.map_dir);
+	rxpool_sync_for_cpu(rq->rxp.pool, au->page, offset, len);
 	...
 }

// The XDP frame has its own reference, there is no page to skip at release.
// expect en_rx.c:1
@no_skip@
@@
 mlx5e_skb_from_cqe_mpwrq_linear(...)
 {
 	<...
-	if (__test_and_clear_bit(MLX5E_RQ_FLAG_XDP_XMIT, rq->flags))
-		__set_bit(page_idx, wi->xdp_xmit_bitmap);
+	__clear_bit(MLX5E_RQ_FLAG_XDP_XMIT, rq->flags);
 	...>
 }
