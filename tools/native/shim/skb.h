/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Socket buffers: as much as decides which page is referenced by whom. What frees and
 * shares fragments follows the kernel's rules, which differ between 6.1 and 6.12.
 */
#ifndef _SHIM_SKB_H
#define _SHIM_SKB_H

#define MAX_SKB_FRAGS		17

typedef struct {
	struct page *page;
	unsigned int offset;
	unsigned int len;
} skb_frag_t;

struct skb_shared_info {
	u8 nr_frags;
	unsigned int xdp_frags_size;
	atomic_t dataref;
	skb_frag_t frags[MAX_SKB_FRAGS];
};

struct sk_buff {
	struct sk_buff *next, *prev;
	unsigned int len;
	unsigned int data_len;	/* of it in fragments */
	bool cloned;
	bool pp_recycle;
	u32 hash;
	refcount_t users;
	char cb[48] __aligned(8);
	u8 *head;		/* room, then the shared info */
	unsigned int room;
};

struct sk_buff_head {
	struct sk_buff *next, *prev;
	u32 qlen;
	spinlock_t lock;	/* all of it */
};

static inline struct skb_shared_info *skb_shinfo(const struct sk_buff *skb)
{
	return (struct skb_shared_info *)(skb->head + skb->room);
}

static inline struct page *skb_frag_page(const skb_frag_t *frag)
{
	return frag->page;
}

#define skb_frag_off(frag)	((frag)->offset)
#define skb_frag_size(frag)	((frag)->len)

static inline void *skb_frag_address(const skb_frag_t *frag)
{
	return page_address(frag->page) + frag->offset;
}

static inline bool skb_cloned(const struct sk_buff *skb)
{
	return skb->cloned && atomic_read(&skb_shinfo(skb)->dataref) != 1;
}

static inline void skb_mark_for_recycle(struct sk_buff *skb)
{
	skb->pp_recycle = true;
}

struct sk_buff *alloc_skb(unsigned int size, gfp_t gfp);
void skb_add_rx_frag(struct sk_buff *skb, int i, struct page *page, int offset, int size,
		     unsigned int truesize);
void kfree_skb(struct sk_buff *skb);
void kfree_skb_partial(struct sk_buff *skb, bool stolen);
#define napi_consume_skb(skb, budget)	kfree_skb(skb)
struct sk_buff *skb_clone(struct sk_buff *skb, gfp_t gfp);
struct sk_buff *skb_copy(const struct sk_buff *skb, gfp_t gfp);
struct sk_buff *pskb_copy(struct sk_buff *skb, gfp_t gfp);
void *__pskb_pull_tail(struct sk_buff *skb, int delta);
int pskb_trim(struct sk_buff *skb, unsigned int len);
bool skb_try_coalesce(struct sk_buff *to, struct sk_buff *from, bool *stolen, int *delta);
#define skb_linearize(skb)	(__pskb_pull_tail(skb, (skb)->data_len) ? 0 : -ENOMEM)

void __skb_queue_head_init(struct sk_buff_head *list);
void __skb_queue_tail(struct sk_buff_head *list, struct sk_buff *skb);
struct sk_buff *__skb_dequeue(struct sk_buff_head *list);
struct sk_buff *__skb_dequeue_tail(struct sk_buff_head *list);
void skb_queue_tail(struct sk_buff_head *list, struct sk_buff *skb);
struct sk_buff *skb_dequeue(struct sk_buff_head *list);
void skb_queue_purge(struct sk_buff_head *list);
#define skb_queue_head_init(list)	__skb_queue_head_init(list)
#define skb_queue_len(list)		READ_ONCE((list)->qlen)
#define skb_queue_empty(list)		(!skb_queue_len(list))

#endif /* _SHIM_SKB_H */
