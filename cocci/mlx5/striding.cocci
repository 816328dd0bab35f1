// SPDX-License-Identifier: GPL-2.0
// Striding RQ: one bulk allocation fills a descriptor, and what the descriptor held
// before is released just then, not when its last packet came.

// expect en_rx.c:1
@fill@
identifier rq, wi, au, i;
@@
 mlx5e_alloc_rx_mpwqe(struct mlx5e_rq *rq, u16 ix)
 {
 	...
 	struct mlx5e_mpw_info *wi = mlx5e_get_mpw_info(rq, ix);
 	...
+	err = mlx5e_rxpool_mpw_fill(rq, wi);
+	if (unlikely(err))
+		goto err;
+
 	for (i = 0; i < rq->mpwqe.pages_per_wqe; i++, au++) { ... }
 	...
 }

// expect en_rx.c:2
@no_single_alloc@
@@
(
-err = mlx5e_page_alloc_pool(rq, au);
-if (unlikely(err))
-	goto err_unmap;
-addr = page_pool_get_dma_addr(au->page);
+addr = rxpool_dma_addr(au->page);
|
-err_unmap:
-while (...) {
-	au--;
-	mlx5e_page_release_dynamic(rq, au->page, true);
-}
 err:
 rq->stats->buff_alloc_err++;
)

// expect en_rx.c:1
@header@
expression au;
@@
 mlx5e_skb_from_cqe_mpwrq_nonlinear(...)
 {
 	<...
-	page_pool_get_dma_addr(au->page)
+	rxpool_dma_addr(au->page)
 	...>
 }

// Only AF_XDP's frames go back as soon as the descriptor is done.
// expect en_rx.c:3
@late_release@
identifier f =~ "^mlx5e_handle_rx_cqe_mpwrq(_rep|_shampo)?$";
expression rq, wi;
@@
 f(...)
 {
 	...
-	mlx5e_free_rx_mpwqe(rq, wi, true);
+	if (rq->xsk_pool)
+		mlx5e_free_rx_mpwqe(rq, wi, true);
 	...
 }

// expect en_rx.c:1
@release@
identifier i;
@@
 mlx5e_free_rx_mpwqe(...)
 {
 	...
 	if (rq->xsk_pool) {
 		...
 	} else {
-		for (i = 0; ...; i++)
-			if (...)
-				mlx5e_page_release_dynamic(...);
+		mlx5e_rxpool_mpw_release(rq, wi);
 	}
 }

// Out of memory with nothing posted, nobody else would ever try again.
// expect en_rx.c:1
@retry@
identifier err;
@@
 mlx5e_post_rx_mpwqes(...)
 {
 	...
-	if (unlikely(err == -ENOMEM && rq->xsk_pool))
+	if (unlikely(err))
 		return true;
 	...
 }

// Whoever adds a page of the pool marks the skb, so that none is forgotten.
// expect en_rx.c:2
@frag@
identifier rq, skb, au, frag_offset, len, truesize, addr;
@@
 mlx5e_add_skb_frag(struct mlx5e_rq *rq, struct sk_buff *skb,
+		   struct mlx5e_mpw_info *wi,
		   union mlx5e_alloc_unit *au, u32 frag_offset, u32 len,
		   unsigned int truesize)
 {
-	dma_addr_t addr = page_pool_get_dma_addr(au->page);
-
-	dma_sync_single_for_cpu(rq->pdev, addr + frag_offset, len, rq->buff.map_dir);
-	page_ref_inc(au->page);
+	if (unlikely(!mlx5e_rxpool_mpw_take(rq, wi, au)))
+		return;
+	rxpool_sync_for_cpu(rq->rxp.pool, au->page, frag_offset, len);
+	rxpool_mark_skb(skb);
 	...
 }

// expect en_rx.c:1
@fill_skb@
identifier skb, rq, au;
@@
 mlx5e_fill_skb_data(struct sk_buff *skb, struct mlx5e_rq *rq,
+		    struct mlx5e_mpw_info *wi,
		    union mlx5e_alloc_unit *au, u32 data_bcnt, u32 data_offset)
 { ... }

// expect en_rx.c:1
@frag_call@
expression rq, skb;
@@
 mlx5e_add_skb_frag(rq, skb,
+		   wi,
		   ...)

// expect en_rx.c:2
@fill_skb_call@
expression skb, rq, au, n, o;
@@
-mlx5e_fill_skb_data(skb, rq, au, n, o);
+mlx5e_fill_skb_data(skb, rq, wi, au, n, o);
