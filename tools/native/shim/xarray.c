// SPDX-License-Identifier: GPL-2.0
#define BITS	6
#define SLOTS	(unsigned int)BIT(BITS)
#define LEVELS	6

struct xa_node {
	void *slot[SLOTS];
};

static unsigned int slot_of(unsigned long index, int level)
{
	return index >> level * BITS & (SLOTS - 1);
}

/* The place of an entry; NULL if there is none, or with make, no memory. */
static void **place(struct xarray *xa, unsigned long index, bool make)
{
	void **at = (void **)&xa->xa_head;
	int level;

	for (level = LEVELS - 1; level >= 0; level--) {
		struct xa_node *node = smp_load_acquire((struct xa_node **)at);

		if (!node) {
			if (!make)
				return NULL;
			node = kzalloc(sizeof(*node), GFP_ATOMIC);
			if (!node)
				return NULL;
			smp_store_release((struct xa_node **)at, node);
		}
		at = &node->slot[slot_of(index, level)];
	}
	return at;
}

static void *set(struct xarray *xa, void **at, unsigned long index, void *entry)
{
	void *old = *at;

	smp_store_release(at, entry);
	if (!entry && xa->xa_free)
		xa->xa_free = min((unsigned long)xa->xa_free, max(index, 1UL));
	return old;
}

void *xa_load(struct xarray *xa, unsigned long index)
{
	void **at = place(xa, index, false);

	return at ? smp_load_acquire(at) : NULL;
}

void *xa_store(struct xarray *xa, unsigned long index, void *entry, gfp_t gfp)
{
	void **at, *old;

	spin_lock_bh(&xa->xa_lock);
	at = place(xa, index, true);
	old = at ? set(xa, at, index, entry) : ERR_PTR(-ENOMEM);
	spin_unlock_bh(&xa->xa_lock);
	return old;
}

void *xa_cmpxchg(struct xarray *xa, unsigned long index, void *old, void *entry, gfp_t gfp)
{
	void **at, *was;

	spin_lock_bh(&xa->xa_lock);
	at = place(xa, index, true);
	was = at ? *at : ERR_PTR(-ENOMEM);
	if (was == old)
		set(xa, at, index, entry);
	spin_unlock_bh(&xa->xa_lock);
	return was;
}

void *xa_erase(struct xarray *xa, unsigned long index)
{
	void **at, *old;

	spin_lock_bh(&xa->xa_lock);
	at = place(xa, index, false);
	old = at ? set(xa, at, index, NULL) : NULL;
	spin_unlock_bh(&xa->xa_lock);
	return old;
}

int xa_insert(struct xarray *xa, unsigned long index, void *entry, gfp_t gfp)
{
	void *was = xa_cmpxchg(xa, index, NULL, entry, gfp);

	if (IS_ERR(was))
		return PTR_ERR(was);
	return was ? -EBUSY : 0;
}

int xa_alloc(struct xarray *xa, u32 *index, void *entry, struct xa_limit limit, gfp_t gfp)
{
	unsigned long i;
	int err = -EBUSY;
	void **at;

	spin_lock_bh(&xa->xa_lock);
	for (i = max(limit.min, xa->xa_free); i <= limit.max; i++) {
		at = place(xa, i, true);
		if (!at) {
			err = -ENOMEM;
			break;
		}
		if (!*at) {
			set(xa, at, i, entry);
			xa->xa_free = i + 1;
			*index = i;
			err = 0;
			break;
		}
	}
	spin_unlock_bh(&xa->xa_lock);
	return err;
}

static void *find(struct xa_node *node, int level, unsigned long *index, unsigned long max)
{
	unsigned long step = 1UL << level * BITS;
	unsigned int i;

	for (i = slot_of(*index, level); i < SLOTS && *index <= max; i++) {
		unsigned long next = (*index | (step - 1)) + 1;
		void *entry = smp_load_acquire(&node->slot[i]);

		if (entry && level)
			entry = find(entry, level - 1, index, max);
		if (entry)
			return entry;
		*index = next;
	}
	return NULL;
}

void *xa_find(struct xarray *xa, unsigned long *index, unsigned long max)
{
	struct xa_node *head = smp_load_acquire(&xa->xa_head);

	return head ? find(head, LEVELS - 1, index, max) : NULL;
}

static void free_nodes(struct xa_node *node, int level)
{
	unsigned int i;

	for (i = 0; level && node && i < SLOTS; i++)
		free_nodes(node->slot[i], level - 1);
	kfree(node);
}

void xa_destroy(struct xarray *xa)
{
	free_nodes(xa->xa_head, LEVELS - 1);
	xa->xa_head = NULL;
	if (xa->xa_free)
		xa->xa_free = 1;
}
