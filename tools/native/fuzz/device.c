// SPDX-License-Identifier: GPL-2.0
/*
 * Devices that keep book of what is mapped. An address tells the device, the page, and
 * which of the page's mappings it is, so that none is taken for another.
 */
#include "world.h"

#define MAPPED		BIT_ULL(45)
#define SLOT_SHIFT	40
#define NUMBER_SHIFT	32

static struct mapping {
	u8 number;		/* of the latest, never 0 */
	bool live;
	u16 offset, len;	/* that was last synced for the device, when */
	u64 step;
} mappings[POOLS][MEMORY];

static dma_addr_t address(unsigned int slot, unsigned long page, unsigned int number)
{
	return MAPPED | (u64)slot << SLOT_SHIFT | (u64)number << NUMBER_SHIFT |
	       page << PAGE_SHIFT;
}

static struct mdev *mdev_of(struct device *dev)
{
	return container_of(dev, struct mdev, dev);
}

static struct mapping *lookup(struct mdev *dev, dma_addr_t addr, unsigned int size)
{
	unsigned long page = (addr & (BIT_ULL(NUMBER_SHIFT) - 1)) >> PAGE_SHIFT;
	struct mapping *m;

	EXPECT(page < MEMORY, addr);
	m = &mappings[dev->slot][page];
	EXPECT(m->live, addr);
	EXPECT_EQ(address(dev->slot, page, m->number), addr & PAGE_MASK);
	EXPECT(offset_in_page(addr) + size <= PAGE_SIZE, addr, size);
	return m;
}

static dma_addr_t map_page(struct device *dev, struct page *page, unsigned long offset,
			   size_t size, enum dma_data_direction dir, unsigned long attrs)
{
	struct mdev *d = mdev_of(dev);
	struct mapping *m = &mappings[d->slot][page - mem_map];

	if (!d->maps_left)
		return DMA_MAPPING_ERROR;
	if (d->maps_left > 0)
		d->maps_left--;
	EXPECT(!m->live);
	EXPECT(!offset && size == PAGE_SIZE);
	EXPECT(page_ref_count(page) == 1);
	m->live = true;
	m->number = m->number % 255 + 1;
	d->mapped++;
	d->maps++;
	return address(d->slot, page - mem_map, m->number);
}

static void unmap_page(struct device *dev, dma_addr_t addr, size_t size,
		       enum dma_data_direction dir, unsigned long attrs)
{
	struct mdev *d = mdev_of(dev);

	EXPECT_EQ(size, PAGE_SIZE);
	EXPECT_EQ(offset_in_page(addr), 0);
	lookup(d, addr, size)->live = false;
	d->mapped--;
}

static void sync_for_cpu(struct device *dev, dma_addr_t addr, size_t size,
			 enum dma_data_direction dir)
{
	lookup(mdev_of(dev), addr, size);
}

static void sync_for_device(struct device *dev, dma_addr_t addr, size_t size,
			    enum dma_data_direction dir)
{
	struct mapping *m = lookup(mdev_of(dev), addr, size);

	m->offset = offset_in_page(addr);
	m->len = size;
	m->step = fuzz_steps;
}

static const struct dma_map_ops coherent = {
	.map_page = map_page,
	.unmap_page = unmap_page,
};

static const struct dma_map_ops bouncing = {
	.map_page = map_page,
	.unmap_page = unmap_page,
	.sync_single_for_cpu = sync_for_cpu,
	.sync_single_for_device = sync_for_device,
};

void mdev_init(struct mdev *dev, unsigned int slot, bool syncs)
{
	memset(dev, 0, sizeof(*dev));
	dev->slot = slot;
	dev->mask = DMA_BIT_MASK(64);
	dev->maps_left = -1;
	dev->dev.init_name = "fuzz";
	dev->dev.dma_mask = &dev->mask;
	set_dma_ops(&dev->dev, syncs ? &bouncing : &coherent);
}

unsigned int mdev_mapping(const struct mdev *dev, const struct mpage *m)
{
	const struct mapping *mapping = &mappings[dev->slot][m - mpages];

	if (!mapping->live)
		return 0;
	EXPECT_EQ(rxpool_dma_addr(real(m)), address(dev->slot, m - mpages, mapping->number));
	return mapping->number;
}

bool mdev_synced(const struct mdev *dev, const struct mpage *m, unsigned int offset,
		 unsigned int len)
{
	const struct mapping *mapping = &mappings[dev->slot][m - mpages];

	return dev->dev.dma_ops == &coherent ||
	       (mapping->step == fuzz_steps && mapping->offset == offset && mapping->len == len);
}
