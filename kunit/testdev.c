// SPDX-License-Identifier: GPL-2.0
#include <linux/dma-map-ops.h>
#include <linux/dma-mapping.h>
#include <linux/mm.h>
#include <linux/platform_device.h>
#include <linux/xarray.h>
#include "testdev.h"

/* So that nobody can take a physical address for a DMA address. */
#define TESTDEV_BASE	BIT_ULL(44)
#define TESTDEV_INDEX(addr)	(((addr) - TESTDEV_BASE) >> PAGE_SHIFT)

struct testdev testdev;

/* Pages by the number of their mapping, which makes the address. */
static DEFINE_XARRAY_ALLOC1(live);
/* Pages that the device may write to, by frame number: once each. */
static DEFINE_XARRAY(writable);
static struct platform_device *pdev;

static void testdev_error(const char *what, dma_addr_t addr)
{
	atomic_inc(&testdev.errors);
	pr_err("testdev: %s %pad\n", what, &addr);
}

static dma_addr_t testdev_map_page(struct device *dev, struct page *page,
				   unsigned long offset, size_t size,
				   enum dma_data_direction dir,
				   unsigned long attrs)
{
	dma_addr_t addr;
	int err = 0;
	u32 index;

	if (!testdev.maps_left)
		return DMA_MAPPING_ERROR;
	if (testdev.maps_left > 0)
		testdev.maps_left--;

	if (xa_alloc(&live, &index, page, xa_limit_31b, GFP_ATOMIC))
		return DMA_MAPPING_ERROR;
	addr = TESTDEV_BASE + ((dma_addr_t)index << PAGE_SHIFT) + offset;
	if (dir != DMA_TO_DEVICE)
		err = xa_insert(&writable, page_to_pfn(page), page, GFP_ATOMIC);
	if (err == -EBUSY) {
		testdev_error("page is mapped twice", addr);
	} else if (err) {
		xa_erase(&live, index);
		return DMA_MAPPING_ERROR;
	}
	if (testdev.on_map)
		testdev.on_map();
	atomic_inc(&testdev.mapped);
	atomic_inc(&testdev.maps);
	return addr;
}

static void testdev_unmap_page(struct device *dev, dma_addr_t addr, size_t size,
			       enum dma_data_direction dir, unsigned long attrs)
{
	struct page *page = xa_erase(&live, TESTDEV_INDEX(addr));

	if (!page) {
		testdev_error("unmap of what is not mapped", addr);
		return;
	}
	if (dir != DMA_TO_DEVICE)
		xa_erase(&writable, page_to_pfn(page));
	atomic_dec(&testdev.mapped);
}

static void testdev_sync(dma_addr_t addr, size_t size, atomic_t *bytes)
{
	if (!xa_load(&live, TESTDEV_INDEX(addr)))
		testdev_error("sync of what is not mapped", addr);
	if (offset_in_page(addr) + size > PAGE_SIZE)
		testdev_error("sync beyond the page", addr);
	atomic_add(size, bytes);
}

static void testdev_sync_for_cpu(struct device *dev, dma_addr_t addr,
				 size_t size, enum dma_data_direction dir)
{
	testdev_sync(addr, size, &testdev.synced_cpu);
}

static void testdev_sync_for_device(struct device *dev, dma_addr_t addr,
				    size_t size, enum dma_data_direction dir)
{
	testdev_sync(addr, size, &testdev.synced_device);
}

static const struct dma_map_ops testdev_ops = {
	.map_page = testdev_map_page,
	.unmap_page = testdev_unmap_page,
	.sync_single_for_cpu = testdev_sync_for_cpu,
	.sync_single_for_device = testdev_sync_for_device,
};

/* A coherent device: nothing needs a sync. */
static const struct dma_map_ops testdev_coherent_ops = {
	.map_page = testdev_map_page,
	.unmap_page = testdev_unmap_page,
};

void testdev_make_coherent(void)
{
	set_dma_ops(&pdev->dev, &testdev_coherent_ops);
	/* 6.12 finds out here whether syncs are needed */
	dma_set_mask(&pdev->dev, DMA_BIT_MASK(64));
}

int testdev_create(void)
{
	memset(&testdev, 0, sizeof(testdev));
	pdev = platform_device_register_simple("rxpool_test", PLATFORM_DEVID_NONE,
					       NULL, 0);
	if (IS_ERR(pdev))
		return PTR_ERR(pdev);
	set_dma_ops(&pdev->dev, &testdev_ops);
	*pdev->dev.dma_mask = DMA_BIT_MASK(64);
	testdev.dev = &pdev->dev;
	testdev.maps_left = -1;
	return 0;
}

void testdev_remove(void)
{
	platform_device_unregister(pdev);
	xa_destroy(&live);
	xa_destroy(&writable);
}
