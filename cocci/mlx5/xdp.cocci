// SPDX-License-Identifier: GPL-2.0
// XDP: every frame that leaves carries references of its pages; a transmit uses the
// pool's mapping if it lasts long enough, else one of its own.

// expect en/xdp.c:1
@include_glue@
@@
 #include "en/params.h"
+#include "mlx5e_rxpool.h"

// expect en/xdp.c:1
@trim@
identifier act, prog, xdp;
@@
 mlx5e_xdp_handle(...)
 {
 	...
 	act = bpf_prog_run_xdp(prog, xdp);
+	rxpool_rx_trim(&rq->rxp, xdp);
 	...
 }

// expect en/xdp.c:1
@transmit_took@
@@
 	if (unlikely(!mlx5e_xmit_xdp_buff(...)))
 		goto xdp_abort;
+	rxpool_rx_give(&rq->rxp);

// expect en/xdp.c:3
@redirect@
identifier xdp, prog, err;
@@
+	rxpool_rx_hand_off(&rq->rxp);
 	err = xdp_do_redirect(rq->netdev, xdp, prog);
-	if (unlikely(err))
+	if (unlikely(err)) {
+		rxpool_rx_take_back(&rq->rxp, xdp);
 		goto xdp_abort;
+	}

// expect en/xdp.c:1
@no_unmap@
@@
-if (xdp->rxq->mem.type != MEM_TYPE_XSK_BUFF_POOL)
-	mlx5e_page_dma_unmap(rq, page);

// expect en/xdp.c:7
@transmit_map@
identifier xdpi, xdptxd, xdpf, sinfo, addr, i;
@@
 mlx5e_xmit_xdp_buff(...)
 {
 	...
+	struct rxpool_tx_page tx[MLX5E_MAX_RX_FRAGS];
 	int i;
+	int n;
 	...
 	xdpi.page.rq = rq;
-	addr = page_pool_get_dma_addr(page) + ...;
-	dma_sync_single_for_device(sq->pdev, addr, xdptxd.len, DMA_BIDIRECTIONAL);
+	n = rxpool_tx_map(rq->rxp.pool, sq->pdev, xdpf, tx, ARRAY_SIZE(tx));
+	if (unlikely(n < 0))
+		return false;
 	if (unlikely(xdp_frame_has_frags(xdpf))) {
 		sinfo = xdp_get_shared_info_from_frame(xdpf);
-		for (i = 0; ...; i++) { ... }
+		xdptxd.frags = tx + 1;
 	}
-	xdptxd.dma_addr = addr;
+	xdptxd.dma_addr = tx[0].dma;
-	if (unlikely(!INDIRECT_CALL_2(...)))
-		return false;
-	xdpi.page.page = page;
-	mlx5e_xdpi_fifo_push(&sq->db.xdpi_fifo, &xdpi);
-	if (unlikely(xdp_frame_has_frags(xdpf))) { ... }
+	if (unlikely(!INDIRECT_CALL_2(sq->xmit_xdp_frame, mlx5e_xmit_xdp_frame_mpwqe,
+				      mlx5e_xmit_xdp_frame, sq, &xdptxd, sinfo, 0))) {
+		rxpool_tx_unmap(sq->pdev, tx, n);
+		return false;
+	}
+	for (i = 0; i < n; i++) {
+		xdpi.page.tx = tx[i];
+		mlx5e_xdpi_fifo_push(&sq->db.xdpi_fifo, &xdpi);
+	}
 	return true;
 }

// expect en/xdp.c:1
@transmit_frags@
identifier addr, frag;
@@
 mlx5e_xmit_xdp_frame(...)
 {
 	<...
-	addr = page_pool_get_dma_addr(skb_frag_page(frag)) + skb_frag_off(frag);
+	addr = xdptxd->frags[i].dma;
 	...>
 }

// expect en/xdp.c:1
@transmit_done@
identifier xdpi;
@@
 mlx5e_free_xdpsq_desc(...)
 {
 	<...
-	mlx5e_page_release_dynamic(xdpi.page.rq, xdpi.page.page, recycle);
+	rxpool_tx_done(sq->pdev, batch, xdpi.page.rq->rxp.pool, &xdpi.page.tx);
 	...>
 }

// expect en/xdp.c:1
@batch_parameter@
identifier recycle, bq;
@@
 mlx5e_free_xdpsq_desc(struct mlx5e_xdpsq *sq, struct mlx5e_xdp_wqe_info *wi,
		       u32 *xsk_frames,
-		       bool recycle,
+		       struct rxpool_tx_batch *batch,
		       struct xdp_frame_bulk *bq)
 { ... }

// expect en/xdp.c:4
@batch_use@
identifier f =~ "^mlx5e_(poll_xdpsq_cq|free_xdpsq_descs)$";
identifier bq;
expression sq, wi, n, recycle;

@@
 f(...)
 {
+	struct rxpool_tx_batch batch = {};
 	struct xdp_frame_bulk bq;
 	<...
-	mlx5e_free_xdpsq_desc(sq, wi, n, recycle, &bq);
+	mlx5e_free_xdpsq_desc(sq, wi, n, &batch, &bq);
 	...>
 }

// expect en/xdp.c:2
@batch_flush@
identifier bq;
@@
 xdp_flush_frame_bulk(&bq);
+rxpool_tx_batch_flush(&batch);
