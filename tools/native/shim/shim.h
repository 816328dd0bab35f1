/* SPDX-License-Identifier: GPL-2.0 */
/*
 * As much of a kernel as a page pool needs, in user space. This header is
 * force-included, so that the kernel's own headers of the same purpose can be empty;
 * those that work as they are (ptr_ring.h, net/page_pool*.h, ...) are the real ones.
 */
#ifndef _SHIM_H
#define _SHIM_H

#include "kernel.h"
#include "atomic.h"
#include "cpu.h"
#include "lock.h"
#include <linux/poison.h>
#include <linux/list.h>
#include "rcu.h"
#include "slab.h"
#include "thread.h"
#include "work.h"
#include "page.h"
#include "xarray.h"
#include <linux/dma-direction.h>
#include "dma.h"
#include "module.h"
#include "net.h"
#include "skb.h"
#include "trace.h"
#include "xdp.h"

/* Is the including file's to define; what it includes then has the default. */
#undef pr_fmt

#endif /* _SHIM_H */
