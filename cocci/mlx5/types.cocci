// SPDX-License-Identifier: GPL-2.0
// mlx5's data structures: a pool and counts of references instead of the in-order
// page cache and the kernel's page_pool.
//
// Each rule states the files it changes and in how many places; mlx5_glue/convert
// runs the rules one by one and stops if one of them changes anything else.

// expect en.h:1
@include_rx@
@@
 #include "en_stats.h"
+#include "rxpool_rx.h"

// expect en_stats.h:1
@include_stats@
@@
+#include "rxpool.h"
+
 #define MLX5E_READ_CTR64_CPU(ptr, dsc, i) ...

// expect en.h:1
@page_cache_type@
@@
-struct mlx5e_page_cache { ... };

// expect en.h:1
@rq_page_cache@
@@
 struct mlx5e_rq {
 	...
-	struct mlx5e_page_cache page_cache;
+	struct rxpool_rx rxp;
 	...
 };

// expect en.h:1
@rq_page_pool@
@@
 struct mlx5e_rq {
 	...
-	struct page_pool *page_pool;
 	...
 };

// expect en.h:1
@rq_cyclic_counts@
@@
 struct mlx5e_rq {
 	union {
 		struct {
 			...
 			union mlx5e_alloc_unit *alloc_units;
+			u16 *taken;
 			...
 		} wqe;
 		...
 	};
 	...
 };

// expect en.h:1
@descriptor_counts@
@@
 struct mlx5e_mpw_info {
 	...
+	u16 taken[MLX5_MPWRQ_MAX_PAGES_PER_WQE];
 	union mlx5e_alloc_unit alloc_units[];
 };

// expect en.h:1
@xdp_info_page@
@@
 struct mlx5e_xdp_info {
 	...
 	union {
 		...
 		struct {
 			struct mlx5e_rq *rq;
-			struct page *page;
+			struct rxpool_tx_page tx;
 		} page;
 	};
 };

// expect en.h:1
@xmit_data_frags@
@@
 struct mlx5e_xmit_data {
 	...
 	u32 len;
+	const struct rxpool_tx_page *frags;
 };

// expect en/txrx.h:1
@no_page_functions@
identifier f =~ "^mlx5e_page_(dma_unmap|release_dynamic)$";
@@
-void f(...);
