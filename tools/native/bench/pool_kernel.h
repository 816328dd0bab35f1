/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the kernel's pool and rxpool have in common: the memory below, and the stack
 * that frees above.
 */
static void bench_init(void)
{
	shim_init(131072);
}

static void bench_thread(int cpu)
{
	shim_this_cpu.cpu = cpu;
}

/* The owner polls in softirq context, a reader is a process. */
static void owner_enter(void)
{
	local_bh_disable();
}

static void owner_leave(void)
{
	local_bh_enable();
}

/* The stack frees one fragment. */
static __always_inline void pool_put(struct pool *pool, struct page *page)
{
	if (unlikely(!skb_pp_recycle_page(page)))
		put_page(page);
}

static uint64_t buddy_pages(void)
{
	return buddy_count().allocated;
}

static uint64_t buddy_locks(void)
{
	return buddy_count().zone_locks;
}
