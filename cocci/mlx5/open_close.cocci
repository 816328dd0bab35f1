// SPDX-License-Identifier: GPL-2.0
// The life of a receive queue: its pool is created with it, its pages are taken
// back by every flush, its pool is destroyed last.

// expect en_main.c:1
@include_glue@
@@
 #include "en/trap.h"
+#include "mlx5e_rxpool.h"

// expect en_main.c:1
@no_params@
identifier p;
@@
 mlx5e_alloc_rq(...)
 {
 	...
-	struct page_pool_params p = { 0 };
 	...
 }

// expect en_main.c:1
@no_params_set@
identifier p, f;
expression e;
@@
 mlx5e_alloc_rq(...)
 {
 	<+...
-	p.f = e;
 	...+>
 }

// expect en_main.c:2
@create@
expression rq, e;
identifier p, l;
@@
-rq->page_pool = page_pool_create(&p);
-if (IS_ERR(rq->page_pool)) {
-	e = PTR_ERR(rq->page_pool);
-	rq->page_pool = NULL;
-	goto l;
-}
+e = mlx5e_rxpool_create(rq, pool_size, node);
+if (e)
+	goto l;

// expect en_main.c:1
@xdp_register@
expression rq, x;
@@
-xdp_rxq_info_reg_mem_model(x, MEM_TYPE_PAGE_POOL, rq->page_pool)
+rxpool_xdp_register(rq->rxp.pool, x)

// expect en_main.c:2
@destroy@
expression rq;
@@
-page_pool_destroy(rq->page_pool);
+mlx5e_rxpool_destroy(rq);

// expect en_main.c:1
@no_cache_init@
expression rq;
@@
-rq->page_cache.head = 0;
-rq->page_cache.tail = 0;

// expect en_main.c:2
@no_cache_drain@
expression rq;
identifier i;
@@
 mlx5e_free_rq(...)
 {
 	...
-	int i;
 	...
-	for (i = rq->page_cache.head; ...; ...) { ... }
 	...
 }

// expect en_main.c:1
@flush@
identifier rq;
@@
 void mlx5e_free_rx_descs(struct mlx5e_rq *rq)
 {
 	...
+	mlx5e_rxpool_release_all(rq);
 }

// expect en_main.c:1
@cyclic_counts@
expression rq;
@@
 mlx5e_init_au_list(...)
 {
 	...
 	if (!rq->wqe.alloc_units)
 		return -ENOMEM;
+	if (mlx5e_rxpool_alloc_slots(rq, len, node)) {
+		kvfree(rq->wqe.alloc_units);
+		return -ENOMEM;
+	}
 	...
 }

// expect en_main.c:1
@cyclic_counts_free@
identifier rq;
@@
 void mlx5e_free_au_list(struct mlx5e_rq *rq)
 {
+	mlx5e_rxpool_free_slots(rq);
 	kvfree(rq->wqe.alloc_units);
 }
