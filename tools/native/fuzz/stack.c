// SPDX-License-Identifier: GPL-2.0
/*
 * What the stack has of the pools' pages: packets, frames, references.
 */
#include "fuzz.h"
#include "world.h"

static struct mdata datas[HOLDERS];
static struct holder holders[HOLDERS];
static unsigned int n_holders;

static struct mdata *new_data(void)
{
	struct mdata *d;

	if (n_holders == HOLDERS)
		return NULL;
	/* There are as many as holders, and no holder has more than one. */
	for (d = datas; d->users; d++)
		;
	d->users = 1;
	d->n = 0;
	return d;
}

static struct holder *add_holder(enum kind kind, struct mdata *d)
{
	struct holder *h = &holders[n_holders++];

	*h = (struct holder) { .kind = kind, .data = d };
	return h;
}

static void *region(const struct mfrag *f)
{
	return page_address(real(f->page)) + f->region * REGION_SIZE;
}

static struct sk_buff *packet_of(const struct mdata *d, unsigned int flow)
{
	struct sk_buff *skb = alloc_skb(64, GFP_KERNEL);
	unsigned int i;

	for (i = 0; i < d->n; i++)
		skb_add_rx_frag(skb, i, real(d->frags[i].page),
				d->frags[i].region * REGION_SIZE, REGION_SIZE, REGION_SIZE);
	skb_set_hash(skb, flow_hash(flow), PKT_HASH_TYPE_L4);
	rxpool_mark_skb(skb);
	return skb;
}

static struct xdp_frame *frame_of(const struct mpool *p, const struct mfrag *f)
{
	struct xdp_rxq_info rxq = p->rxq;
	struct xdp_buff xdp;

	xdp_init_buff(&xdp, REGION_SIZE, &rxq);
	xdp_prepare_buff(&xdp, region(f), 40, 8, false);
	return xdp_convert_buff_to_frame(&xdp);
}

/* Of a page without further references, the last is given, and the page released. */
static bool give_one(struct mpool *p, struct mdata *d, bool last)
{
	struct mpage *m = a_posted(p);
	unsigned int left;

	if (!m || m->taken == REGIONS)
		return false;
	left = p->params.bias - m->taken;
	model_give(m, d);
	if (last || left == 1 || m->taken == REGIONS)
		model_release(p, &m, 1, left - 1, byte() & 1);
	return true;
}

static void give(struct mpool *p, enum kind kind)
{
	unsigned int i, b = byte(), n = kind == PACKET ? 1 + b % FRAGS : 1;
	struct mdata *d = p->n_posted ? new_data() : NULL;
	struct holder *h;

	fuzz_step = "give";
	if (!d)
		return;
	/* The receiver of a frame may take its page out of the pool. */
	for (i = 0; i < n; i++)
		if (!give_one(p, d, b & 0x80 || kind == FRAME))
			break;
	d->users = !!d->n;
	if (!d->n)
		return;
	h = add_holder(kind, d);
	h->flow = b % 8;
	if (kind == PACKET)
		h->skb = packet_of(d, h->flow);
	else if (kind == FRAME)
		h->frame = frame_of(p, &d->frags[0]);
}

void give_packet(struct mpool *p)
{
	give(p, PACKET);
}

void give_raw(struct mpool *p)
{
	give(p, RAW);
}

void give_frame(struct mpool *p)
{
	give(p, p->rxq_registered ? FRAME : RAW);
}

void give_many(struct mpool *p)
{
	unsigned int b = byte(), n = b;

	for (; n && p->n_posted && n_holders < HOLDERS; n--)
		give(p, b & 1 && p->rxq_registered ? FRAME : RAW);
}

static void check_cookies(const struct mdata *d)
{
	unsigned int i;

	for (i = 0; i < d->n; i++)
		EXPECT_EQ(*(u64 *)(region(&d->frags[i]) + REGION_SIZE - sizeof(u64)),
			  d->frags[i].cookie);
}

/* A holder is gone; plain: it had plain references. */
static void dropped(unsigned int at, bool plain)
{
	struct mdata *d = holders[at].data;
	unsigned int i;

	d->users--;
	for (i = 0; i < d->n && !d->users; i++) {
		if (plain)
			model_put(d->frags[i].page);
		else
			model_dropped(d->frags[i].page);
	}
	holders[at] = holders[--n_holders];
}

static void return_frame(struct xdp_frame *frame, unsigned int how)
{
	struct xdp_frame_bulk bulk;

	switch (how % 3) {
	case 0:
		xdp_return_frame(frame);
		break;
	case 1:
		local_bh_disable();
		rxpool_return_in_napi(frame);
		local_bh_enable();
		break;
	case 2:
		rcu_read_lock();
		xdp_frame_bulk_init(&bulk);
		xdp_return_frame_bulk(frame, &bulk);
		xdp_flush_frame_bulk(&bulk);
		rcu_read_unlock();
		break;
	}
}

static void drop(unsigned int at, unsigned int how)
{
	struct holder *h = &holders[at];

	check_cookies(h->data);
	switch (h->kind) {
	case PACKET:
	case COPIED:
		kfree_skb(h->skb);
		break;
	case RAW:
		rxpool_put(real(h->data->frags[0].page));
		break;
	case FRAME:
		return_frame(h->frame, how);
		break;
	case HELD:
		put_page(real(h->data->frags[0].page));
		break;
	}
	dropped(at, h->kind == COPIED || h->kind == HELD);
	model_settle();
}

void drop_some(void)
{
	unsigned int b = byte(), n = b % 4 ? 1 : b / 4, how = byte();
	bool softirq = somewhere();

	fuzz_step = "drop";
	for (; n && n_holders; n--)
		drop(below(n_holders), how++);
	leave(softirq);
}

/* All of a kind, of a pool or of any, up to some. */
static unsigned int collect(enum kind kind, const struct mpool *p, unsigned int *at,
			    unsigned int most)
{
	unsigned int i, n = 0;

	for (i = n_holders; i-- > 0 && n < most; )
		if (holders[i].kind == kind &&
		    (!p || holders[i].data->frags[0].page->pool == p))
			at[n++] = i;
	return n;
}

void put_bulk(void)
{
	unsigned int at[HOLDERS], i, n = collect(RAW, NULL, at, HOLDERS);
	struct page *pages[HOLDERS];
	struct mpool *p;
	bool softirq;

	fuzz_step = "put_bulk";
	if (!n)
		return;
	p = holders[at[below(n)]].data->frags[0].page->pool;
	n = collect(RAW, p, at, 1 + byte());
	softirq = somewhere();
	for (i = 0; i < n; i++) {
		check_cookies(holders[at[i]].data);
		pages[i] = real(holders[at[i]].data->frags[0].page);
	}
	rxpool_put_bulk(p->rx, pages, n);
	/* From the last to the first, so that those that move are none of them. */
	for (i = 0; i < n; i++)
		dropped(at[i], false);
	model_settle();
	leave(softirq);
}

void return_frames(void)
{
	unsigned int at[HOLDERS], i, n = collect(FRAME, NULL, at, 1 + byte());
	struct xdp_frame_bulk bulk;
	bool softirq = somewhere();

	fuzz_step = "return frames";
	rcu_read_lock();
	xdp_frame_bulk_init(&bulk);
	for (i = 0; i < n; i++) {
		check_cookies(holders[at[i]].data);
		xdp_return_frame_bulk(holders[at[i]].frame, &bulk);
	}
	xdp_flush_frame_bulk(&bulk);
	rcu_read_unlock();
	for (i = 0; i < n; i++)
		dropped(at[i], false);
	model_settle();
	leave(softirq);
}

void hold(void)
{
	struct mfrag f;
	struct mdata *d;

	fuzz_step = "get_page";
	if (!n_holders || n_holders == HOLDERS)
		return;
	d = holders[below(n_holders)].data;
	f = d->frags[byte() % d->n];
	d = new_data();
	get_page(real(f.page));
	f.page->held++;
	d->frags[d->n++] = f;
	add_holder(HELD, d);
}

static struct holder *a_packet(void)
{
	struct holder *h = n_holders ? &holders[below(n_holders)] : NULL;

	return h && h->skb && n_holders < HOLDERS ? h : NULL;
}

void clone_packet(void)
{
	struct holder *h = a_packet();

	fuzz_step = "clone";
	if (!h)
		return;
	h->data->users++;
	add_holder(h->kind, h->data)->skb = skb_clone(h->skb, GFP_KERNEL);
	holders[n_holders - 1].flow = h->flow;
}

/* A new head on the same pages. */
void copy_head(void)
{
	struct holder *h = a_packet();
	unsigned int i;
	struct mdata *d;

	fuzz_step = "pskb_copy";
	if (!h)
		return;
	d = new_data();
	memcpy(d->frags, h->data->frags, sizeof(d->frags));
	d->n = h->data->n;
	for (i = 0; i < d->n; i++)
		d->frags[i].page->held++;
	add_holder(COPIED, d)->skb = pskb_copy(h->skb, GFP_KERNEL);
}

/* The reader copies a packet, which may be noticed. */
void copy_to_reader(void)
{
	struct holder *h = a_packet();

	fuzz_step = "read";
	leave(somewhere());
	if (!h)
		return;
	if (shim_copy_tp.probe && h->kind == PACKET)
		model_learn(flow_hash(h->flow), shim_this_cpu.cpu);
	trace_skb_copy_datagram_iovec(h->skb, h->skb->len);
}

void drop_all(void)
{
	while (n_holders)
		drop(n_holders - 1, n_holders);
}
