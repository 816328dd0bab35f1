/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An array with holes, of 32 bits: nodes of 64 entries, of a fixed depth. Writers lock,
 * readers need not, so nodes live until the array is destroyed.
 */
#ifndef _SHIM_XARRAY_H
#define _SHIM_XARRAY_H

#define XA_FLAGS_ALLOC1		1

struct xa_node;

struct xarray {
	spinlock_t xa_lock;	/* writers */
	u32 xa_free;		/* if it allocates: no index below is free, else 0 */
	struct xa_node *xa_head;
};

struct xa_limit {
	u32 max, min;
};

#define XA_LIMIT(low, high)	((struct xa_limit){ .min = low, .max = high })
#define xa_limit_31b		XA_LIMIT(0, INT_MAX)
#define xa_limit_32b		XA_LIMIT(0, UINT_MAX)
#define DEFINE_XARRAY(name)	struct xarray name = {}
#define DEFINE_XARRAY_ALLOC1(name)	struct xarray name = { .xa_free = 1 }

void *xa_load(struct xarray *xa, unsigned long index);
void *xa_store(struct xarray *xa, unsigned long index, void *entry, gfp_t gfp);
void *xa_erase(struct xarray *xa, unsigned long index);
void *xa_cmpxchg(struct xarray *xa, unsigned long index, void *old, void *entry, gfp_t gfp);
int xa_insert(struct xarray *xa, unsigned long index, void *entry, gfp_t gfp);
int xa_alloc(struct xarray *xa, u32 *index, void *entry, struct xa_limit limit, gfp_t gfp);
void *xa_find(struct xarray *xa, unsigned long *index, unsigned long max);
void xa_destroy(struct xarray *xa);

#define xa_alloc_bh		xa_alloc
#define xa_cmpxchg_bh		xa_cmpxchg
#define xa_err(entry)		(IS_ERR(entry) ? (int)PTR_ERR(entry) : 0)

static inline void xa_init_flags(struct xarray *xa, unsigned int flags)
{
	memset(xa, 0, sizeof(*xa));
	xa->xa_free = flags == XA_FLAGS_ALLOC1;
}

#define xa_init(xa)		xa_init_flags(xa, 0)

static inline bool xa_empty(struct xarray *xa)
{
	unsigned long index = 0;

	return !xa_find(xa, &index, UINT_MAX);
}

#define xa_for_each(xa, index, entry)					\
	for (index = 0; (entry = xa_find(xa, &index, UINT_MAX)); index++)

#endif /* _SHIM_XARRAY_H */
