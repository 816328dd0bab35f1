/* SPDX-License-Identifier: GPL-2.0 */
/*
 * kmalloc(): small things from malloc(), where sanitizers watch them, large ones (rings,
 * stacks) from huge pages, as the kernel's direct mapping is made of.
 */
#ifndef _SHIM_SLAB_H
#define _SHIM_SLAB_H

#define __GFP_DMA		0x0001U
#define __GFP_HIGHMEM		0x0002U
#define __GFP_DMA32		0x0004U
#define __GFP_HIGH		0x0020U
#define __GFP_ZERO		0x0100U
#define __GFP_RECLAIM		0x0c00U
#define __GFP_NOWARN		0x2000U
#define __GFP_NOFAIL		0x8000U
#define __GFP_COMP		0x40000U
#define __GFP_ACCOUNT		0x400000U
#define GFP_ATOMIC		(__GFP_HIGH | 0x0800U)
#define GFP_KERNEL		(__GFP_RECLAIM | 0x00c0U)
#define GFP_KERNEL_ACCOUNT	(GFP_KERNEL | __GFP_ACCOUNT)

#define KMALLOC_MAX_SIZE	(4UL << 20)

void *kmalloc(size_t size, gfp_t gfp);
void kfree(const void *p);
/* A region that starts at, and is mapped by, huge pages. */
void *shim_huge(size_t size);

static inline void *kmalloc_array(size_t n, size_t size, gfp_t gfp)
{
	size_t bytes;

	return __builtin_mul_overflow(n, size, &bytes) ? NULL : kmalloc(bytes, gfp);
}

#define kzalloc(size, gfp)		kmalloc(size, (gfp) | __GFP_ZERO)
#define kzalloc_node(size, gfp, nid)	((void)(nid), kzalloc(size, gfp))
#define kmalloc_node(size, gfp, nid)	((void)(nid), kmalloc(size, gfp))
#define kcalloc(n, size, gfp)		kmalloc_array(n, size, (gfp) | __GFP_ZERO)
#define kvmalloc(size, gfp)		kmalloc(size, gfp)
#define kvzalloc(size, gfp)		kzalloc(size, gfp)
#define kvmalloc_array(n, size, gfp)	kmalloc_array(n, size, gfp)
#define kvcalloc(n, size, gfp)		kcalloc(n, size, gfp)
#define kvmalloc_node(size, gfp, nid)	kmalloc_node(size, gfp, nid)
#define kvfree(p)			kfree(p)
#define kmalloc_array_noprof		kmalloc_array
#define kvmalloc_array_noprof		kmalloc_array
#define alloc_hooks(call)		(call)

#endif /* _SHIM_SLAB_H */
