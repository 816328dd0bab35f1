// SPDX-License-Identifier: GPL-2.0
// Legacy (cyclic) RQ: a page that several descriptors share stays where it is until
// the first of them is posted again.

// expect en_rx.c:1
@fill@
expression frag, err;
@@
-err = mlx5e_page_alloc_pool(rq, frag->au);
+err = mlx5e_rxpool_fill(rq, frag->au);

// expect en_rx.c:1
@dma_addr@
expression au;
@@
 mlx5e_alloc_rx_wqe(...)
 {
 	<...
-	page_pool_get_dma_addr(au->page)
+	rxpool_dma_addr(au->page)
 	...>
 }

// A page that was taken before the ring ran dry waits in its place.
// expect en_rx.c:2
@no_rollback exists@
@@
 mlx5e_alloc_rx_wqe(...)
 {
 	...
-	goto free_frags;
+	return err;
 	...
-free_frags:
-	while (...)
-		mlx5e_put_rx_frag(...);
-	return err;
 }

// expect en_rx.c:2
@no_release@
identifier i;
@@
 mlx5e_free_rx_wqe(...)
 {
-	int i;
 	...
-	for (i = 0; ...; i++, wi++)
-		mlx5e_put_rx_frag(...);
 }

// expect en_rx.c:1
@no_put@
@@
-mlx5e_put_rx_frag(...) { ... }

// expect en_rx.c:2
@sync_head@
identifier au, addr;
expression offset, len;
@@
 mlx5e_skb_from_cqe_nonlinear(...)
 {
 	...
-	dma_addr_t addr;
 	...
-	addr = page_pool_get_dma_addr(au->page);
-	dma_sync_single_range_for_cpu(rq->pdev, addr, offset, len, rq->buff.map_dir);
+	rxpool_sync_for_cpu(rq->rxp.pool, au->page, offset, len);
 	...
 }

// expect en_rx.c:1
@sync_fragments@
identifier au, addr;
expression offset, len;
@@
-addr = page_pool_get_dma_addr(au->page);
-dma_sync_single_for_cpu(rq->pdev, addr + offset, len, rq->buff.map_dir);
+rxpool_sync_for_cpu(rq->rxp.pool, au->page, offset, len);

// With a program each buffer has a page of its own, so the packet's slots are
// neighbours. What the program cut off is no part of the packet any more.
// expect en_rx.c:1
@program@
identifier prog, au, xdp;
@@
 mlx5e_skb_from_cqe_nonlinear(...)
 {
 	...
-	if (prog && mlx5e_xdp_handle(rq, au->page, prog, &xdp)) {
-		if (...) { ... }
-		return NULL;
-	}
+	if (prog) {
+		if (unlikely(!mlx5e_rxpool_begin(rq, au, wi - head_wi)))
+			return NULL;
+		if (mlx5e_xdp_handle(rq, au->page, prog, &xdp))
+			return NULL;
+		wi = head_wi + rq->rxp.pkt_n;
+	}
 	...
 }

// expect en_rx.c:1
@give_head@
identifier au;
@@
 mlx5e_skb_from_cqe_nonlinear(...)
 {
 	...
-	page_ref_inc(au->page);
+	mlx5e_rxpool_take(rq, au);
 	...
 }

// expect en_rx.c:1
@give_fragments@
identifier i, frag;
@@
 mlx5e_skb_from_cqe_nonlinear(...)
 {
 	<...
-	for (i = 0; i < sinfo->nr_frags; i++) {
-		skb_frag_t *frag = &sinfo->frags[i];
-
-		page_ref_inc(skb_frag_page(frag));
-	}
+	for (i = 1; i < wi - head_wi; i++)
+		mlx5e_rxpool_take(rq, head_wi[i].au);
 	...>
 }
