/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Read-copy-update: a reader counts its nesting in its own slot, the writer waits
 * until it has seen every slot idle.
 */
#ifndef _SHIM_RCU_H
#define _SHIM_RCU_H

struct rcu_slot {
	int nesting;
} ____cacheline_aligned;

extern __thread struct rcu_slot *rcu_my_slot;
struct rcu_slot *rcu_take_slot(void);

static __always_inline void rcu_read_lock(void)
{
	struct rcu_slot *slot = rcu_my_slot;

	if (unlikely(!slot))
		slot = rcu_take_slot();
	__atomic_store_n(&slot->nesting, slot->nesting + 1, __ATOMIC_RELAXED);
	barrier();
}

static __always_inline void rcu_read_unlock(void)
{
	barrier();
	__atomic_store_n(&rcu_my_slot->nesting, rcu_my_slot->nesting - 1, __ATOMIC_RELEASE);
}

void rcu_thread_gone(void);
void synchronize_rcu(void);
#define synchronize_net()	synchronize_rcu()
#define rcu_dereference(p)	smp_load_acquire(&(p))
#define rcu_dereference_bh(p)	smp_load_acquire(&(p))
#define rcu_access_pointer(p)	READ_ONCE(p)
#define rcu_assign_pointer(p, v)	smp_store_release(&(p), v)

struct rcu_head {
	void *unused[2];
};

#endif /* _SHIM_RCU_H */
