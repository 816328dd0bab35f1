// SPDX-License-Identifier: GPL-2.0
/*
 * The table of chunks owns every mapping of a retained page: from the moment it
 * is taken from the page allocator until it is lost or the pool destroyed.
 */
#include <linux/dma-mapping.h>
#include "compat.h"
#include "pool.h"

/* The CPU side needs no sync here: hand-out syncs for the device. */
bool rxpool_map_page(struct rxpool *pool, struct page *page, dma_addr_t *dma)
{
	*dma = dma_map_page_attrs(pool->dev, page, 0, PAGE_SIZE, pool->dma_dir,
				  DMA_ATTR_SKIP_CPU_SYNC);
	if (dma_mapping_error(pool->dev, *dma))
		return false;

	if (dma_need_sync(pool->dev, *dma))
		pool->dma_sync = true;
	rxpool_count(pool, dma_map, 1);
	return true;
}

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

	if (!rxpool_map_page(pool, page, &chunk->dma))
		return false;

	chunk->page = page;
	page->dma_addr = chunk->dma;
	rxpool_ring_stamp(pool->pp, page, pool->bias);
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
 * A page that the kernel could not land is no longer ours, but its mapping
 * still is. The ring's release count says when to look; the pages without our
 * stamp are the lost ones.
 */
void rxpool_chunk_forget_lost(struct rxpool *pool)
{
	unsigned int released = rxpool_ring_released(pool->pp);
	unsigned int expected = released - pool->lost_seen;
	unsigned int i = 0, found = 0;

	if (likely(!expected && !pool->lost_pending))
		return;

	while (i < pool->retained) {
		if (likely(rxpool_ring_owns(pool->pp, pool->chunks[i].page))) {
			i++;
			continue;
		}
		rxpool_unmap_page(pool, pool->chunks[i].dma);
		pool->chunks[i] = pool->chunks[pool->retained - 1];
		WRITE_ONCE(pool->retained, pool->retained - 1);
		found++;
	}
	rxpool_count(pool, lost, found);
	pool->lost_seen = released;
	/* The kernel counts without ordering that after the stamp is cleared:
	 * look once more for what another CPU did not show yet.
	 */
	pool->lost_pending = found < expected;
}
