// SPDX-License-Identifier: GPL-2.0
// SHAMPO: pages for packet headers stay outside the pool, with page references as
// before.

// expect en_rx.c:2
@hd_alloc@
expression err;
identifier au, page, addr, info;
@@
 mlx5e_build_shampo_hd_umr(...)
 {
 	<...
-	union mlx5e_alloc_unit au;
-	err = mlx5e_page_alloc_pool(rq, &au);
+	err = mlx5e_rxpool_hd_alloc(rq, info);
 	if (unlikely(err))
 		goto err_unmap;
-	page = info->page = au.page;
-	addr = info->addr = page_pool_get_dma_addr(au.page);
+	page = info->page;
+	addr = info->addr;
 	...>
 }

// expect en_rx.c:1
@hd_undo@
identifier entry;
@@
-entry = &shampo->info[--index];
-if (!(i & (MLX5E_SHAMPO_WQ_HEADER_PER_PAGE - 1))) {
-	entry->addr = ALIGN_DOWN(entry->addr, PAGE_SIZE);
-	mlx5e_page_release_dynamic(rq, entry->page, true);
-}
+mlx5e_rxpool_hd_undo(rq, --index);

// expect en_rx.c:1
@hd_dealloc@
expression info;
@@
 mlx5e_shampo_dealloc_hd(...)
 {
 	<...
-	mlx5e_page_release_dynamic(rq, info->page, false);
+	mlx5e_rxpool_hd_free(rq, info);
 	...>
 }

// expect en_rx.c:1
@hd_entry@
expression e;
@@
 mlx5e_free_rx_shampo_hd_entry(...)
 {
 	<...
-	mlx5e_page_release_dynamic(rq, e.page, true);
+	mlx5e_rxpool_hd_free(rq, &e);
 	...>
 }
