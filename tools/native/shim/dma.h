/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Devices, and their DMA: the bus addresses memory as it is, unless the device has
 * operations of its own. Mappings are counted.
 */
#ifndef _SHIM_DMA_H
#define _SHIM_DMA_H

#define CONFIG_HAS_DMA		1
#define DMA_BIT_MASK(n)		((n) == 64 ? ~0ULL : (1ULL << (n)) - 1)
#define DMA_MAPPING_ERROR	(~(dma_addr_t)0)
#define DMA_ATTR_WEAK_ORDERING	BIT(1)
#define DMA_ATTR_SKIP_CPU_SYNC	BIT(5)
#define dma_get_cache_alignment()	1

struct dma_map_ops;

struct device {
	const char *init_name;
	u64 *dma_mask;
	u64 coherent_dma_mask;
	const struct dma_map_ops *dma_ops;
	atomic_t users;
};

#define dev_name(dev)		((dev)->init_name)
#define get_device(dev)		atomic_inc(&(dev)->users)
#define put_device(dev)		atomic_dec(&(dev)->users)

struct dma_map_ops {
	dma_addr_t (*map_page)(struct device *dev, struct page *page, unsigned long offset,
			       size_t size, enum dma_data_direction dir, unsigned long attrs);
	void (*unmap_page)(struct device *dev, dma_addr_t addr, size_t size,
			   enum dma_data_direction dir, unsigned long attrs);
	void (*sync_single_for_cpu)(struct device *dev, dma_addr_t addr, size_t size,
				    enum dma_data_direction dir);
	void (*sync_single_for_device)(struct device *dev, dma_addr_t addr, size_t size,
				       enum dma_data_direction dir);
};

#define set_dma_ops(dev, ops)	((dev)->dma_ops = (ops))

struct dma_counters {
	atomic_long_t maps, unmaps;
};

extern struct dma_counters dma_count;

dma_addr_t dma_map_page_attrs(struct device *dev, struct page *page, size_t offset,
			      size_t size, enum dma_data_direction dir, unsigned long attrs);
void dma_unmap_page_attrs(struct device *dev, dma_addr_t addr, size_t size,
			  enum dma_data_direction dir, unsigned long attrs);
#define dma_map_page(dev, page, offset, size, dir)			\
	dma_map_page_attrs(dev, page, offset, size, dir, 0)
#define dma_unmap_page(dev, addr, size, dir)				\
	dma_unmap_page_attrs(dev, addr, size, dir, 0)
void dma_sync_single_for_cpu(struct device *dev, dma_addr_t addr, size_t size,
			     enum dma_data_direction dir);
void dma_sync_single_for_device(struct device *dev, dma_addr_t addr, size_t size,
				enum dma_data_direction dir);
bool dma_need_sync(struct device *dev, dma_addr_t addr);

#define __dma_sync_single_for_device	dma_sync_single_for_device
#define dma_dev_need_sync(dev)		dma_need_sync(dev, 0)
#define dma_sync_single_range_for_cpu(dev, addr, offset, size, dir)	\
	dma_sync_single_for_cpu(dev, (addr) + (offset), size, dir)
#define dma_sync_single_range_for_device(dev, addr, offset, size, dir)	\
	dma_sync_single_for_device(dev, (addr) + (offset), size, dir)

static inline int dma_set_mask(struct device *dev, u64 mask)
{
	*dev->dma_mask = mask;
	return 0;
}

static inline int dma_mapping_error(struct device *dev, dma_addr_t addr)
{
	return unlikely(addr == DMA_MAPPING_ERROR) ? -ENOMEM : 0;
}

struct platform_device {
	struct device dev;
	u64 mask;
};

#define PLATFORM_DEVID_NONE	(-1)

struct platform_device *platform_device_register_simple(const char *name, int id,
							const void *res, unsigned int n);
void platform_device_unregister(struct platform_device *pdev);

#endif /* _SHIM_DMA_H */
