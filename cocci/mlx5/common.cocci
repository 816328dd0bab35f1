// SPDX-License-Identifier: GPL-2.0
// What all receive queues share: mlx5's own recycling goes, skbs are marked.

// expect en_rx.c:1
@include_glue@
@@
 #include "en/devlink.h"
+#include "mlx5e_rxpool.h"

// expect en_rx.c:1
@no_page_functions@
identifier f =~ "^mlx5e_(rx_cache_(get|put)|page_(alloc_pool|dma_unmap|release_dynamic))$";
@@
-f(...) { ... }

// A later concern of the pool.
// expect en_rx.c:2
@no_nid_change@
expression rq;
@@
-if (rq->page_pool)
-	page_pool_nid_changed(rq->page_pool, numa_mem_id());

// expect en_rx.c:1
@mark_linear@
expression skb, n;
@@
 mlx5e_build_linear_skb(...)
 {
 	...
+	rxpool_mark_skb(skb);
 	skb_reserve(skb, n);
 	...
 }
