// SPDX-License-Identifier: GPL-2.0
/*
 * What the pool tells: counters for drivers and ethtool -S, a list of all pools
 * in debugfs.
 */
#include <linux/debugfs.h>
#include <linux/ethtool.h>
#include <linux/export.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include "ring.h"

/* Handed out and not back, as well as can be told while pages move. */
unsigned int rxpool_in_flight(const struct rxpool *pool)
{
	int here = rxpool_idle(pool) + rxpool_landed(pool);

	return max(rxpool_outstanding(pool) - here, 0);
}

/* Releases are too frequent to be counted: what came to the stack and not otherwise. */
static u64 rxpool_pushed(const struct rxpool *pool)
{
	const struct rxpool_counters *c = &pool->count;
	u64 otherwise = READ_ONCE(c->return_ring) + READ_ONCE(c->grown);
	u64 came = READ_ONCE(c->popped) + rxpool_idle(pool);

	return came > otherwise ? came - otherwise : 0;
}

/**
 * rxpool_get_stats() - read a pool's counters
 * @pool: the pool
 * @stats: filled
 *
 * While traffic flows the counters are not of one moment, and return_owner may be off by
 * the pages that are just on their way.
 *
 * Context: any, before rxpool_destroy().
 */
void rxpool_get_stats(const struct rxpool *pool, struct rxpool_stats *stats)
{
	const struct rxpool_counters *c = &pool->count;
	u64 burst = READ_ONCE(c->burst), first = READ_ONCE(c->first);

	stats->alloc = READ_ONCE(c->popped) + burst;
	stats->burst = burst;
	/* Counted before alloc is: what is under way shows as a difference. */
	stats->recycled = stats->alloc > burst + first ?
			  stats->alloc - burst - first : 0;
	stats->from_buddy = READ_ONCE(c->from_buddy);
	stats->lost = READ_ONCE(c->lost);
	stats->return_owner = rxpool_pushed(pool);
	stats->return_ring = READ_ONCE(c->return_ring);
	stats->dma_map = READ_ONCE(c->dma_map);
	stats->alloc_failed = READ_ONCE(c->alloc_failed);
	stats->steered = READ_ONCE(c->steered);
	stats->misuse = atomic_read(&pool->misuse);
	stats->retained = READ_ONCE(pool->retained);
	stats->retained_bytes = stats->retained << PAGE_SHIFT;
	stats->in_flight = rxpool_in_flight(pool);
}
EXPORT_SYMBOL_GPL(rxpool_get_stats);

/**
 * rxpool_add_stats() - sum counters of several pools
 * @sum: added to
 * @add: what to add
 *
 * Context: any.
 */
void rxpool_add_stats(struct rxpool_stats *sum, const struct rxpool_stats *add)
{
	const u64 *from = (const u64 *)add;
	u64 *to = (u64 *)sum;
	unsigned int i;

	for (i = 0; i < sizeof(*sum) / sizeof(u64); i++)
		to[i] += from[i];
}
EXPORT_SYMBOL_GPL(rxpool_add_stats);

/* In the order of struct rxpool_stats. */
static const char * const rxpool_stat_names[] = {
	"alloc",
	"recycled",
	"from_buddy",
	"burst",
	"lost",
	"return_owner",
	"return_ring",
	"dma_map",
	"alloc_failed",
	"steered",
	"misuse",
	"retained",
	"in_flight",
	"retained_bytes",
};

static_assert(ARRAY_SIZE(rxpool_stat_names) ==
	      sizeof(struct rxpool_stats) / sizeof(u64));

static const char rxpool_hit_rate_name[] = "hit_rate_pct_x100";

/**
 * rxpool_ethtool_count() - number of ethtool statistics of a pool
 *
 * Context: any.
 * Return: how many strings and values the two functions below write.
 */
int rxpool_ethtool_count(void)
{
	return ARRAY_SIZE(rxpool_stat_names) + 1;
}
EXPORT_SYMBOL_GPL(rxpool_ethtool_count);

/**
 * rxpool_ethtool_strings() - write the names of a pool's ethtool statistics
 * @data: where to, %ETH_GSTRING_LEN bytes each
 * @prefix: put before each name, e.g. "rx3_pool_"
 *
 * The last one, hit_rate_pct_x100, is the share of handed-out pages that were
 * recycled, in 1/100 %.
 *
 * Context: any.
 * Return: the place after the last name.
 */
u8 *rxpool_ethtool_strings(u8 *data, const char *prefix)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rxpool_stat_names); i++)
		ethtool_sprintf(&data, "%s%s", prefix, rxpool_stat_names[i]);
	ethtool_sprintf(&data, "%s%s", prefix, rxpool_hit_rate_name);
	return data;
}
EXPORT_SYMBOL_GPL(rxpool_ethtool_strings);

/**
 * rxpool_ethtool_values() - write the values of a pool's ethtool statistics
 * @data: where to
 * @stats: from rxpool_get_stats() or rxpool_add_stats()
 *
 * Context: any.
 * Return: the place after the last value.
 */
u64 *rxpool_ethtool_values(u64 *data, const struct rxpool_stats *stats)
{
	memcpy(data, stats, sizeof(*stats));
	data += sizeof(*stats) / sizeof(*data);
	*data++ = stats->alloc ?
		  mul_u64_u64_div_u64(stats->recycled, 10000, stats->alloc) : 0;
	return data;
}
EXPORT_SYMBOL_GPL(rxpool_ethtool_values);

static int rxpool_pools_show(struct seq_file *m, void *unused)
{
	struct rxpool *pool;

	seq_puts(m, "name state age_s capacity retained idle in_flight lost\n");
	mutex_lock(&rxpool_lock);
	list_for_each_entry(pool, &rxpool_pools, node) {
		unsigned long age = pool->dead_since ?
				    (jiffies - pool->dead_since) / HZ : 0;

		seq_printf(m, "%s %s %lu %u %u %u %u %llu\n", pool->name,
			   pool->dead_since ? "dead" : "live", age,
			   pool->capacity, READ_ONCE(pool->retained),
			   rxpool_idle(pool), rxpool_in_flight(pool),
			   READ_ONCE(pool->count.lost));
	}
	mutex_unlock(&rxpool_lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(rxpool_pools);

static struct dentry *rxpool_debugfs;

void rxpool_debugfs_init(void)
{
	rxpool_debugfs = debugfs_create_dir("rxpool", NULL);
	debugfs_create_file("pools", 0444, rxpool_debugfs, NULL,
			    &rxpool_pools_fops);
}

void rxpool_debugfs_exit(void)
{
	debugfs_remove_recursive(rxpool_debugfs);
}
