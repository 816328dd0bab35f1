// SPDX-License-Identifier: GPL-2.0
#include "compat.h"

static void frag_unref(const skb_frag_t *frag, bool recycle)
{
	if (recycle && skb_pp_recycle_page(frag->page))
		return;
	put_page(frag->page);
}

static void frags_ref(const struct sk_buff *skb)
{
	unsigned int i;

	for (i = 0; i < skb_shinfo(skb)->nr_frags; i++)
		get_page(skb_shinfo(skb)->frags[i].page);
}

static bool new_head(struct sk_buff *skb, unsigned int room, gfp_t gfp)
{
	skb->room = ALIGN(room, 64U);
	skb->head = kmalloc(skb->room + sizeof(struct skb_shared_info), gfp);
	if (!skb->head)
		return false;
	skb_shinfo(skb)->nr_frags = 0;
	atomic_set(&skb_shinfo(skb)->dataref, 1);
	return true;
}

struct sk_buff *alloc_skb(unsigned int size, gfp_t gfp)
{
	struct sk_buff *skb = kzalloc(sizeof(*skb), gfp);

	if (!skb)
		return NULL;
	if (!new_head(skb, size, gfp)) {
		kfree(skb);
		return NULL;
	}
	refcount_set(&skb->users, 1);
	return skb;
}

void skb_add_rx_frag(struct sk_buff *skb, int i, struct page *page, int offset, int size,
		     unsigned int truesize)
{
	skb_shinfo(skb)->frags[i] = (skb_frag_t){ page, offset, size };
	skb_shinfo(skb)->nr_frags = i + 1;
	skb->len += size;
	skb->data_len += size;
}

static void release_data(struct sk_buff *skb)
{
	struct skb_shared_info *shinfo = skb_shinfo(skb);
	unsigned int i;

	if (!skb->cloned || atomic_dec_and_test(&shinfo->dataref)) {
		for (i = 0; i < shinfo->nr_frags; i++)
			frag_unref(&shinfo->frags[i], skb->pp_recycle);
		kfree(skb->head);
	}
	skb->pp_recycle = false;
}

void kfree_skb(struct sk_buff *skb)
{
	if (!skb || !refcount_dec_and_test(&skb->users))
		return;
	release_data(skb);
	kfree(skb);
}

/* stolen: its head has become a fragment of another, which never happens here. */
void kfree_skb_partial(struct sk_buff *skb, bool stolen)
{
	BUG_ON(stolen);
	kfree_skb(skb);
}

struct sk_buff *skb_clone(struct sk_buff *skb, gfp_t gfp)
{
	struct sk_buff *clone = kmalloc(sizeof(*clone), gfp);

	if (!clone)
		return NULL;
	*clone = *skb;
	refcount_set(&clone->users, 1);
	atomic_inc(&skb_shinfo(skb)->dataref);
	skb->cloned = true;
	clone->cloned = true;
	return clone;
}

static unsigned int head_len(const struct sk_buff *skb)
{
	return skb->len - skb->data_len;
}

static void copy_frags(u8 *to, const struct sk_buff *skb)
{
	const skb_frag_t *frag = skb_shinfo(skb)->frags;
	unsigned int i;

	for (i = 0; i < skb_shinfo(skb)->nr_frags; to += frag[i++].len)
		memcpy(to, skb_frag_address(&frag[i]), frag[i].len);
}

struct sk_buff *skb_copy(const struct sk_buff *skb, gfp_t gfp)
{
	struct sk_buff *copy = alloc_skb(skb->len, gfp);

	if (!copy)
		return NULL;
	memcpy(copy->head, skb->head, head_len(skb));
	copy_frags(copy->head + head_len(skb), skb);
	copy->len = skb->len;
	return copy;
}

struct sk_buff *pskb_copy(struct sk_buff *skb, gfp_t gfp)
{
	struct sk_buff *copy = alloc_skb(skb->room, gfp);

	if (!copy)
		return NULL;
	memcpy(copy->head, skb->head, head_len(skb));
	*skb_shinfo(copy) = *skb_shinfo(skb);
	atomic_set(&skb_shinfo(copy)->dataref, 1);
	frags_ref(skb);
	copy->len = skb->len;
	copy->data_len = skb->data_len;
	return copy;
}

/* A head of its own, larger by more. */
static bool expand_head(struct sk_buff *skb, unsigned int more)
{
	struct sk_buff old = *skb;

	if (!new_head(skb, old.room + more, GFP_ATOMIC)) {
		*skb = old;
		return false;
	}
	memcpy(skb->head, old.head, head_len(skb));
	*skb_shinfo(skb) = *skb_shinfo(&old);
	atomic_set(&skb_shinfo(skb)->dataref, 1);
	if (skb_cloned(&old)) {
		frags_ref(skb);
		release_data(&old);
		skb->pp_recycle = false;
	} else {
		kfree(old.head);
	}
	skb->cloned = false;
	return true;
}

void *__pskb_pull_tail(struct sk_buff *skb, int delta)
{
	struct skb_shared_info *shinfo;
	unsigned int i, kept = 0, left = delta;

	if ((skb_cloned(skb) || head_len(skb) + delta > skb->room) && !expand_head(skb, delta))
		return NULL;
	shinfo = skb_shinfo(skb);
	for (i = 0; i < shinfo->nr_frags; i++) {
		skb_frag_t *frag = &shinfo->frags[i];
		unsigned int n = min(left, frag->len);

		memcpy(skb->head + head_len(skb), skb_frag_address(frag), n);
		skb->data_len -= n;
		left -= n;
		frag->offset += n;
		frag->len -= n;
		if (frag->len)
			shinfo->frags[kept++] = *frag;
		else
			frag_unref(frag, skb->pp_recycle);
	}
	shinfo->nr_frags = kept;
	return skb->head + head_len(skb);
}

int pskb_trim(struct sk_buff *skb, unsigned int len)
{
	unsigned int head = min(head_len(skb), len), room = len - head, i, kept = 0;
	struct skb_shared_info *shinfo;

	if (skb_cloned(skb) && !expand_head(skb, 0))
		return -ENOMEM;
	shinfo = skb_shinfo(skb);
	for (i = 0; i < shinfo->nr_frags; i++) {
		skb_frag_t *frag = &shinfo->frags[i];

		frag->len = min(frag->len, room);
		room -= frag->len;
		if (frag->len)
			shinfo->frags[kept++] = *frag;
		else
			frag_unref(frag, skb->pp_recycle);
	}
	shinfo->nr_frags = kept;
	skb->len = len;
	skb->data_len = len - head;
	return 0;
}

/* May the fragments of one become the other's. */
static bool may_coalesce(const struct sk_buff *to, const struct sk_buff *from)
{
	if (skb_cloned(to) || to->pp_recycle != from->pp_recycle)
		return false;
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 12, 0)
	if (from->pp_recycle && skb_cloned(from))
		return false;
#endif
	return skb_shinfo(to)->nr_frags + skb_shinfo(from)->nr_frags < MAX_SKB_FRAGS;
}

/* Another reference of a cloned packet's fragment. */
static void coalesced_ref(const struct sk_buff *from, struct page *page)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
	if (from->pp_recycle && page_pool_page_is_pp(page)) {
		page_pool_ref_page(page);
		return;
	}
#endif
	get_page(page);
}

bool skb_try_coalesce(struct sk_buff *to, struct sk_buff *from, bool *stolen, int *delta)
{
	struct skb_shared_info *t = skb_shinfo(to), *f = skb_shinfo(from);
	unsigned int i;

	*stolen = false;
	if (skb_cloned(to))
		return false;
	if (!to->data_len && to->len + from->len <= to->room) {
		memcpy(to->head + to->len, from->head, head_len(from));
		copy_frags(to->head + to->len + head_len(from), from);
		to->len += from->len;
		*delta = 0;
		return true;
	}
	if (head_len(from) || !may_coalesce(to, from))
		return false;
	memcpy(t->frags + t->nr_frags, f->frags, f->nr_frags * sizeof(skb_frag_t));
	t->nr_frags += f->nr_frags;
	if (!skb_cloned(from))
		f->nr_frags = 0;
	for (i = 0; i < f->nr_frags; i++)
		coalesced_ref(from, f->frags[i].page);
	to->len += from->len;
	to->data_len += from->len;
	*delta = from->len;
	return true;
}

/* Lists: the head is an element, too */

void __skb_queue_head_init(struct sk_buff_head *list)
{
	list->next = (struct sk_buff *)list;
	list->prev = list->next;
	list->qlen = 0;
	spin_lock_init(&list->lock);
}

void __skb_queue_tail(struct sk_buff_head *list, struct sk_buff *skb)
{
	skb->next = (struct sk_buff *)list;
	skb->prev = list->prev;
	list->prev->next = skb;
	list->prev = skb;
	WRITE_ONCE(list->qlen, list->qlen + 1);
}

static struct sk_buff *take_off(struct sk_buff_head *list, struct sk_buff *skb)
{
	if (skb == (struct sk_buff *)list)
		return NULL;
	skb->next->prev = skb->prev;
	skb->prev->next = skb->next;
	WRITE_ONCE(list->qlen, list->qlen - 1);
	return skb;
}

struct sk_buff *__skb_dequeue(struct sk_buff_head *list)
{
	return take_off(list, list->next);
}

struct sk_buff *__skb_dequeue_tail(struct sk_buff_head *list)
{
	return take_off(list, list->prev);
}

void skb_queue_tail(struct sk_buff_head *list, struct sk_buff *skb)
{
	spin_lock(&list->lock);
	__skb_queue_tail(list, skb);
	spin_unlock(&list->lock);
}

struct sk_buff *skb_dequeue(struct sk_buff_head *list)
{
	struct sk_buff *skb;

	spin_lock(&list->lock);
	skb = __skb_dequeue(list);
	spin_unlock(&list->lock);
	return skb;
}

void skb_queue_purge(struct sk_buff_head *list)
{
	struct sk_buff *skb;

	while ((skb = skb_dequeue(list)))
		kfree_skb(skb);
}
