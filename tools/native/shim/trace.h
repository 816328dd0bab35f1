/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tracepoint that runs when a packet is copied to its reader, and that copy.
 */
#ifndef _SHIM_TRACE_H
#define _SHIM_TRACE_H

typedef void (*shim_copy_probe_t)(void *data, const struct sk_buff *skb, int len);

struct tracepoint {
	const char *name;
	shim_copy_probe_t probe;	/* NULL: off */
	void *data;
};

extern struct tracepoint shim_copy_tp;

#define for_each_kernel_tracepoint(f, priv)	(f)(&shim_copy_tp, priv)
int tracepoint_probe_register(struct tracepoint *tp, shim_copy_probe_t probe, void *data);
int tracepoint_probe_unregister(struct tracepoint *tp, shim_copy_probe_t probe, void *data);
/* A probe is part of the program. */
#define tracepoint_synchronize_unregister()	do { } while (0)

static __always_inline void trace_skb_copy_datagram_iovec(const struct sk_buff *skb, int len)
{
	shim_copy_probe_t probe = READ_ONCE(shim_copy_tp.probe);

	if (unlikely(probe))
		probe(shim_copy_tp.data, skb, len);
}

struct kvec {
	void *iov_base;
	size_t iov_len;
};

struct iov_iter {
	const struct kvec *kvec;
};

#define READ			0
#define iov_iter_kvec(i, direction, vec, segments, count)	((i)->kvec = (vec))
int skb_copy_datagram_iter(const struct sk_buff *skb, int offset, struct iov_iter *to, int len);

#define PKT_HASH_TYPE_L4	3
#define skb_set_hash(skb, value, type)	((skb)->hash = (value))

#endif /* _SHIM_TRACE_H */
