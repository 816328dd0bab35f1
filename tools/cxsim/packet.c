// SPDX-License-Identifier: GPL-2.0
/* Frames: parsing into what flow tables match, and checksums. */
#include <linux/if_ether.h>
#include <linux/if_vlan.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/tcp.h>
#include <linux/udp.h>
#include <net/checksum.h>
#include <net/dsfield.h>
#include <net/ip6_checksum.h>
#include <net/ipv6.h>

#include "compat.h"
#include "cxsim.h"

#define M(p, field, v) MLX5_SET(fte_match_set_lyr_2_4, (p)->match, field, v)

static void parse_l4(struct cxsim_pkt *p)
{
	const u8 *d = p->data;

	M(p, ip_protocol, p->l4_proto);
	if (p->frag || !p->l4)
		return;
	if (p->l4_proto == IPPROTO_TCP && p->l4 + sizeof(struct tcphdr) <= p->len) {
		const struct tcphdr *t = (const void *)(d + p->l4);

		M(p, tcp_sport, ntohs(t->source));
		M(p, tcp_dport, ntohs(t->dest));
		M(p, tcp_flags, ntohs(*((const __be16 *)t + 6)) & 0x1ff);
	} else if (p->l4_proto == IPPROTO_UDP &&
		   p->l4 + sizeof(struct udphdr) <= p->len) {
		const struct udphdr *u = (const void *)(d + p->l4);

		M(p, udp_sport, ntohs(u->source));
		M(p, udp_dport, ntohs(u->dest));
	} else {
		p->l4 = 0;
	}
}

static void parse_ipv4(struct cxsim_pkt *p)
{
	const struct iphdr *ip = p->data + p->l3;

	if (p->l3 + sizeof(*ip) > p->len || ip->version != 4 || ip->ihl < 5)
		return;
	p->ipv4 = true;
	p->l4_proto = ip->protocol;
	p->frag = ip->frag_off & htons(IP_MF | IP_OFFSET);
	p->l4 = p->l3 + ip->ihl * 4;
	M(p, ip_version, 4);
	M(p, frag, p->frag);
	M(p, ip_dscp, ip->tos >> 2);
	M(p, ip_ecn, ip->tos & 3);
	M(p, src_ipv4_src_ipv6.ipv4_layout.ipv4, ntohl(ip->saddr));
	M(p, dst_ipv4_dst_ipv6.ipv4_layout.ipv4, ntohl(ip->daddr));
	parse_l4(p);
}

static void parse_ipv6(struct cxsim_pkt *p)
{
	const struct ipv6hdr *ip = p->data + p->l3;

	if (p->l3 + sizeof(*ip) > p->len || ip->version != 6)
		return;
	p->ipv6 = true;
	p->l4_proto = ip->nexthdr;
	p->l4 = p->l3 + sizeof(*ip);
	if (ip->nexthdr == NEXTHDR_FRAGMENT && p->l4 + 8 <= p->len) {
		p->l4_proto = *((const u8 *)p->data + p->l4);
		p->frag = true;
	}
	M(p, ip_version, 6);
	M(p, frag, p->frag);
	M(p, ip_dscp, ipv6_get_dsfield(ip) >> 2);
	M(p, ip_ecn, ipv6_get_dsfield(ip) & 3);
	memcpy(MLX5_ADDR_OF(fte_match_set_lyr_2_4, p->match,
			    src_ipv4_src_ipv6.ipv6_layout.ipv6),
	       &ip->saddr, sizeof(ip->saddr));
	memcpy(MLX5_ADDR_OF(fte_match_set_lyr_2_4, p->match,
			    dst_ipv4_dst_ipv6.ipv6_layout.ipv6),
	       &ip->daddr, sizeof(ip->daddr));
	parse_l4(p);
}

void cxsim_parse(struct cxsim_pkt *p, void *data, u32 len)
{
	const struct ethhdr *eth = data;
	__be16 proto = eth->h_proto;

	memset(p, 0, sizeof(*p));
	p->data = data;
	p->len = len;
	p->l3 = ETH_HLEN;
	p->mcast = is_multicast_ether_addr(eth->h_dest);
	p->bcast = is_broadcast_ether_addr(eth->h_dest);
	M(p, dmac_47_16, get_unaligned_be32(eth->h_dest));
	M(p, dmac_15_0, get_unaligned_be16(eth->h_dest + 4));
	M(p, smac_47_16, get_unaligned_be32(eth->h_source));
	M(p, smac_15_0, get_unaligned_be16(eth->h_source + 4));
	if ((proto == htons(ETH_P_8021Q) || proto == htons(ETH_P_8021AD)) &&
	    len >= VLAN_ETH_HLEN) {
		const struct vlan_ethhdr *v = data;

		/* only a C-VLAN tag can be stripped */
		p->vlan = proto == htons(ETH_P_8021Q);
		p->vlan_tci = ntohs(v->h_vlan_TCI);
		M(p, cvlan_tag, proto == htons(ETH_P_8021Q));
		M(p, svlan_tag, proto == htons(ETH_P_8021AD));
		M(p, first_prio, p->vlan_tci >> VLAN_PRIO_SHIFT);
		M(p, first_cfi, p->vlan_tci >> 12 & 1);
		M(p, first_vid, p->vlan_tci & VLAN_VID_MASK);
		proto = v->h_vlan_encapsulated_proto;
		p->l3 = VLAN_ETH_HLEN;
	}
	M(p, ethertype, ntohs(proto));
	if (proto == htons(ETH_P_IP))
		parse_ipv4(p);
	else if (proto == htons(ETH_P_IPV6))
		parse_ipv6(p);
}

/* The L4 checksum field, NULL if there is none that can be checked. */
static __sum16 *l4_field(const struct cxsim_pkt *p)
{
	u8 *l4 = p->data + p->l4;

	if (!p->l4 || p->frag)
		return NULL;
	if (p->l4_proto == IPPROTO_TCP)
		return &((struct tcphdr *)l4)->check;
	if (p->l4_proto == IPPROTO_UDP)
		return &((struct udphdr *)l4)->check;
	return NULL;
}

/* Pseudo header and everything behind; 0 if the field in it is right. */
static __sum16 l4_sum(const struct cxsim_pkt *p)
{
	const u8 *d = p->data;
	u32 len = p->len - p->l4;
	__wsum w;

	/* short frames carry padding, which does not count */
	if (p->ipv4) {
		const struct iphdr *ip = (const void *)(d + p->l3);
		u32 l4_len = ntohs(ip->tot_len) - ip->ihl * 4;

		len = min(len, l4_len);
		w = csum_partial(d + p->l4, len, 0);
		return csum_tcpudp_magic(ip->saddr, ip->daddr, len,
					 p->l4_proto, w);
	} else {
		const struct ipv6hdr *ip = (const void *)(d + p->l3);
		u32 l4_len = ntohs(ip->payload_len);

		len = min(len, l4_len);
		w = csum_partial(d + p->l4, len, 0);
		return csum_ipv6_magic(&ip->saddr, &ip->daddr, len,
				       p->l4_proto, w);
	}
}

/* Fill in the checksums that a send request left to the device. */
void cxsim_tx_csum(struct cxsim_pkt *p, bool l3, bool l4)
{
	__sum16 *field = l4_field(p);

	if (l3 && p->ipv4) {
		struct iphdr *ip = p->data + p->l3;

		ip->check = 0;
		ip->check = ip_fast_csum(ip, ip->ihl);
	}
	if (!l4 || !field)
		return;
	*field = 0;
	*field = l4_sum(p);
	if (!*field && p->l4_proto == IPPROTO_UDP)
		*field = CSUM_MANGLED_0;
	p->csum_ok = true;
}

/* Both checksums of a frame whose sender made them itself. */
bool cxsim_csum_verify(const struct cxsim_pkt *p)
{
	const struct iphdr *ip = p->data + p->l3;

	return l4_field(p) && !l4_sum(p) &&
	       (!p->ipv4 || !ip_fast_csum(ip, ip->ihl));
}
