// SPDX-License-Identifier: GPL-2.0
// Completions that carry no packet: neither an error nor a filler, and yet of no bytes.

// expect en_rx.c:2
@empty_striding@
identifier bytes, cqe;
@@
 bytes = mpwrq_get_cqe_byte_cnt(cqe);
+if (unlikely(mlx5e_rxpool_no_packet(rq, cqe, bytes)))
+	goto mpwrq_cqe_out;

// expect en_rx.c:2
@empty_cyclic@
identifier cqe, rq;
@@
 if (unlikely(MLX5E_RX_ERR_CQE(cqe))) {
 	mlx5e_handle_rx_err_cqe(rq, cqe);
 	goto free_wqe;
 }
+if (unlikely(mlx5e_rxpool_no_packet(rq, cqe, cqe_bcnt)))
+	goto free_wqe;

// The queues for IPoIB and for trapped packets.
// expect en_rx.c:2
@empty_other@
identifier cqe, rq, out;
@@
 if (unlikely(MLX5E_RX_ERR_CQE(cqe))) {
 	rq->stats->wqe_err++;
 	goto out;
 }
+if (unlikely(mlx5e_rxpool_no_packet(rq, cqe, cqe_bcnt)))
+	goto out;
