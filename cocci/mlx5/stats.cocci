// SPDX-License-Identifier: GPL-2.0
// ethtool -S: the page cache's counters go, a group of the pools' counters comes.

// expect en_stats.h:1
@rq_fields@
@@
 struct mlx5e_rq_stats {
 	...
-	u64 cache_reuse;
-	u64 cache_full;
-	u64 cache_empty;
-	u64 cache_busy;
-	u64 cache_waive;
 	...
 };

// The pool's counters, and what earlier pools of this queue counted.
// expect en_stats.h:1
@rq_pool@
@@
 struct mlx5e_rq_stats {
 	...
 	u64 recover;
+	struct rxpool_stats pool;
+	struct rxpool_stats pool_past;
 	...
 };

// expect en_stats.h:1
@sw_fields@
@@
 struct mlx5e_sw_stats {
 	...
-	u64 rx_cache_reuse;
-	u64 rx_cache_full;
-	u64 rx_cache_empty;
-	u64 rx_cache_busy;
-	u64 rx_cache_waive;
 	...
 };

// expect en_stats.c:1
@sw_sum@
identifier f =~ "^cache_";
identifier g =~ "^rx_cache_";
@@
 mlx5e_stats_grp_sw_update_stats_rq_stats(...)
 {
 	<+...
-	s->g += rq_stats->f;
 	...+>
 }

// expect en_stats.c:1
@sw_names@
@@
 static const struct counter_desc sw_stats_desc[] = {
 	...,
-	{ MLX5E_DECLARE_STAT(struct mlx5e_sw_stats, rx_cache_reuse) },
-	{ MLX5E_DECLARE_STAT(struct mlx5e_sw_stats, rx_cache_full) },
-	{ MLX5E_DECLARE_STAT(struct mlx5e_sw_stats, rx_cache_empty) },
-	{ MLX5E_DECLARE_STAT(struct mlx5e_sw_stats, rx_cache_busy) },
-	{ MLX5E_DECLARE_STAT(struct mlx5e_sw_stats, rx_cache_waive) },
 	...,
 };

// expect en_stats.c:1
@rq_names@
@@
 static const struct counter_desc rq_stats_desc[] = {
 	...,
-	{ MLX5E_DECLARE_RX_STAT(struct mlx5e_rq_stats, cache_reuse) },
-	{ MLX5E_DECLARE_RX_STAT(struct mlx5e_rq_stats, cache_full) },
-	{ MLX5E_DECLARE_RX_STAT(struct mlx5e_rq_stats, cache_empty) },
-	{ MLX5E_DECLARE_RX_STAT(struct mlx5e_rq_stats, cache_busy) },
-	{ MLX5E_DECLARE_RX_STAT(struct mlx5e_rq_stats, cache_waive) },
 	...,
 };

// expect en_stats.c:1
@ptp_names@
@@
 static const struct counter_desc ptp_rq_stats_desc[] = {
 	...,
-	{ MLX5E_DECLARE_PTP_RQ_STAT(struct mlx5e_rq_stats, cache_reuse) },
-	{ MLX5E_DECLARE_PTP_RQ_STAT(struct mlx5e_rq_stats, cache_full) },
-	{ MLX5E_DECLARE_PTP_RQ_STAT(struct mlx5e_rq_stats, cache_empty) },
-	{ MLX5E_DECLARE_PTP_RQ_STAT(struct mlx5e_rq_stats, cache_busy) },
-	{ MLX5E_DECLARE_PTP_RQ_STAT(struct mlx5e_rq_stats, cache_waive) },
 	...,
 };

// expect en_stats.h:1
@group_declared@
@@
 struct mlx5e_stats_grp { ... };
+extern const struct mlx5e_stats_grp mlx5e_stats_grp_rxpool;

// expect en_stats.c:1
@group_nic@
@@
 mlx5e_stats_grp_t mlx5e_nic_stats_grps[] = {
 	...,
 	&MLX5E_STATS_GRP(channels),
+	&MLX5E_STATS_GRP(rxpool),
 	...,
 };

// expect en_rep.c:1
@group_rep@
@@
 mlx5e_stats_grp_t mlx5e_ul_rep_stats_grps[] = {
 	...,
 	&MLX5E_STATS_GRP(channels),
+	&MLX5E_STATS_GRP(rxpool),
 	...,
 };

// expect ipoib/ipoib.c:1
@group_ipoib@
@@
 mlx5e_stats_grp_t mlx5i_stats_grps[] = {
 	...,
 	&MLX5E_STATS_GRP(channels),
+	&MLX5E_STATS_GRP(rxpool),
 	...,
 };
