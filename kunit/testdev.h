/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A device whose DMA operations keep book: a page mapped twice, an unmap or a
 * sync of what is not mapped, are errors.
 */
#ifndef _RXPOOL_TESTDEV_H
#define _RXPOOL_TESTDEV_H

#include <linux/atomic.h>
#include <linux/device.h>

struct testdev {
	struct device *dev;
	atomic_t mapped;	/* now */
	atomic_t maps;		/* ever */
	atomic_t errors;
	atomic_t synced_cpu;	/* bytes */
	atomic_t synced_device;	/* bytes */
	int maps_left;		/* mappings that succeed, -1 for all */
	void (*on_map)(void);	/* called in the middle of a mapping */
};

extern struct testdev testdev;

int testdev_create(void);
void testdev_remove(void);
void testdev_make_coherent(void);

#endif /* _RXPOOL_TESTDEV_H */
