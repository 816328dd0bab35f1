// SPDX-License-Identifier: GPL-2.0
/*
 * The table of chunks owns every mapping of a retained page: from the moment it
 * is taken from the page allocator until it is lost or the pool destroyed.
 */
#include <linux/dma-mapping.h>
#include <linux/error-injection.h>
#include <linux/jiffies.h>
#include "ring.h"

/* Longer than a CPU can be kept from its next store. */
#define RXPOOL_LOST_EXPIRES	HZ

/* The CPU side needs no sync here: hand-out syncs for the device. */
noinline int rxpool_map_page(struct rxpool *pool, struct page *page,
			     dma_addr_t *dma)
{
	*dma = dma_map_page_attrs(pool->dev, page, 0, PAGE_SIZE, pool->dma_dir,
				  DMA_ATTR_SKIP_CPU_SYNC);
	if (dma_mapping_error(pool->dev, *dma))
		return -ENOMEM;

	if (dma_need_sync(pool->dev, *dma))
		pool->dma_sync = true;
	rxpool_count(pool, dma_map, 1);
	return 0;
}

ALLOW_ERROR_INJECTION(rxpool_map_page, ERRNO);

/* What packets brought was synced when read; a bounce copy now would undo
 * what the stack has written since.
 */
void rxpool_unmap_page(struct rxpool *pool, dma_addr_t dma)
{
	dma_unmap_page_attrs(pool->dev, dma, PAGE_SIZE, pool->dma_dir,
			     DMA_ATTR_SKIP_CPU_SYNC);
}

bool rxpool_chunk_add(struct rxpool *pool, struct page *page)
{
	struct rxpool_chunk *chunk = &pool->chunks[pool->retained];

	if (rxpool_map_page(pool, page, &chunk->dma))
		return false;

	chunk->page = page;
	page->dma_addr = chunk->dma;
	/* Batch by batch, see rxpool_shards_drain(). */
	rxpool_ring_stamp(rxpool_shard_of(pool, pool->retained / RXPOOL_BATCH), page,
			  pool->bias);
	WRITE_ONCE(pool->retained, pool->retained + 1);
	return true;
}

void rxpool_chunk_unmap_all(struct rxpool *pool)
{
	while (pool->retained) {
		unsigned int last = pool->retained - 1;

		rxpool_unmap_page(pool, pool->chunks[last].dma);
		WRITE_ONCE(pool->retained, last);
	}
}

/*
 * A page that the kernel could not land is no longer ours, but its mapping still
 * is. The rings' release counts say how many to look for; the pages without our
 * stamp are the lost ones.
 *
 * The count and the cleared stamp may become visible in either order (6.12 counts
 * first), so what was not found is looked for again the next time. Not for ever:
 * burst pages that XDP returned to these rings were counted here, too, and there is
 * nothing to find for them.
 */
void rxpool_chunk_forget_lost(struct rxpool *pool)
{
	unsigned int released = rxpool_released(pool);
	unsigned int i = 0, found = 0;

	if (unlikely(released != pool->lost_seen)) {
		pool->lost_owed += released - pool->lost_seen;
		pool->lost_seen = released;
		pool->lost_since = jiffies;
	}
	if (likely(!pool->lost_owed))
		return;

	while (i < pool->retained) {
		if (likely(rxpool_stamp_kept(pool, pool->chunks[i].page))) {
			i++;
			continue;
		}
		if (rxpool_debugged(pool))
			rxpool_debug_gone(pool, pool->chunks[i].page);
		rxpool_unmap_page(pool, pool->chunks[i].dma);
		pool->chunks[i] = pool->chunks[pool->retained - 1];
		WRITE_ONCE(pool->retained, pool->retained - 1);
		found++;
	}
	rxpool_count(pool, lost, found);
	pool->lost_owed -= min(found, pool->lost_owed);
	if (time_after(jiffies, pool->lost_since + RXPOOL_LOST_EXPIRES))
		pool->lost_owed = 0;
}
