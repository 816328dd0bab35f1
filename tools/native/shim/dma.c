// SPDX-License-Identifier: GPL-2.0
struct dma_counters dma_count;

dma_addr_t dma_map_page_attrs(struct device *dev, struct page *page, size_t offset,
			      size_t size, enum dma_data_direction dir, unsigned long attrs)
{
	atomic_long_inc(&dma_count.maps);
	if (dev->dma_ops)
		return dev->dma_ops->map_page(dev, page, offset, size, dir, attrs);
	return page_to_phys(page) + offset;
}

void dma_unmap_page_attrs(struct device *dev, dma_addr_t addr, size_t size,
			  enum dma_data_direction dir, unsigned long attrs)
{
	atomic_long_inc(&dma_count.unmaps);
	if (dev->dma_ops)
		dev->dma_ops->unmap_page(dev, addr, size, dir, attrs);
}

void dma_sync_single_for_cpu(struct device *dev, dma_addr_t addr, size_t size,
			     enum dma_data_direction dir)
{
	if (dev->dma_ops && dev->dma_ops->sync_single_for_cpu)
		dev->dma_ops->sync_single_for_cpu(dev, addr, size, dir);
}

void dma_sync_single_for_device(struct device *dev, dma_addr_t addr, size_t size,
				enum dma_data_direction dir)
{
	if (dev->dma_ops && dev->dma_ops->sync_single_for_device)
		dev->dma_ops->sync_single_for_device(dev, addr, size, dir);
}

bool dma_need_sync(struct device *dev, dma_addr_t addr)
{
	return dev->dma_ops && (dev->dma_ops->sync_single_for_cpu ||
				dev->dma_ops->sync_single_for_device);
}

struct platform_device *platform_device_register_simple(const char *name, int id,
							const void *res, unsigned int n)
{
	struct platform_device *pdev = calloc(1, sizeof(*pdev));

	if (!pdev)
		return ERR_PTR(-ENOMEM);
	pdev->dev.init_name = name;
	pdev->mask = DMA_BIT_MASK(32);
	pdev->dev.dma_mask = &pdev->mask;
	return pdev;
}

void platform_device_unregister(struct platform_device *pdev)
{
	WARN_ON(atomic_read(&pdev->dev.users));
	free(pdev);
}
