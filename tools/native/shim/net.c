// SPDX-License-Identifier: GPL-2.0
#include "compat.h"

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 12, 0)

bool skb_pp_recycle_page(struct page *page)
{
	return page_pool_return_skb_page(page);
}

#else

#include "page_pool_priv.h"

/* The list of pools that user space can ask for. */
int page_pool_list(struct page_pool *pool)
{
	return 0;
}

void page_pool_unlist(struct page_pool *pool)
{
}

void page_pool_detached(struct page_pool *pool)
{
}

/* In 6.12 a part of net/core/skbuff.c. */
bool skb_pp_recycle_page(struct page *page)
{
	netmem_ref netmem = netmem_compound_head(page_to_netmem(page));

	if (unlikely(!netmem_is_pp(netmem)))
		return false;
	page_pool_put_full_netmem(netmem_get_pp(netmem), netmem, false);
	return true;
}

#endif

static struct net_device loopback;
struct net init_net = { &loopback };

void ethtool_sprintf(u8 **data, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf((char *)*data, ETH_GSTRING_LEN, fmt, args);
	va_end(args);
	*data += ETH_GSTRING_LEN;
}
