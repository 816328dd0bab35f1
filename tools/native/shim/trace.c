// SPDX-License-Identifier: GPL-2.0
struct tracepoint shim_copy_tp = { .name = "skb_copy_datagram_iovec" };

int tracepoint_probe_register(struct tracepoint *tp, shim_copy_probe_t probe, void *data)
{
	tp->data = data;
	WRITE_ONCE(tp->probe, probe);
	return 0;
}

int tracepoint_probe_unregister(struct tracepoint *tp, shim_copy_probe_t probe, void *data)
{
	WRITE_ONCE(tp->probe, NULL);
	return 0;
}

int skb_copy_datagram_iter(const struct sk_buff *skb, int offset, struct iov_iter *to, int len)
{
	trace_skb_copy_datagram_iovec(skb, len);
	memcpy(to->kvec->iov_base, skb_frag_address(&skb_shinfo(skb)->frags[0]) + offset, len);
	return 0;
}
