// SPDX-License-Identifier: GPL-2.0
#include <linux/membarrier.h>
#include <sys/syscall.h>

#define RCU_SLOTS	256

static struct rcu_slot slots[RCU_SLOTS];
static u8 slot_taken[RCU_SLOTS];
__thread struct rcu_slot *rcu_my_slot;

struct rcu_slot *rcu_take_slot(void)
{
	unsigned int i;

	for (i = 0; __atomic_exchange_n(&slot_taken[i], 1, __ATOMIC_ACQUIRE); )
		i = (i + 1) % RCU_SLOTS;
	rcu_my_slot = &slots[i];
	return rcu_my_slot;
}

void rcu_thread_gone(void)
{
	if (!rcu_my_slot)
		return;
	BUG_ON(rcu_my_slot->nesting);
	__atomic_store_n(&slot_taken[rcu_my_slot - slots], 0, __ATOMIC_RELEASE);
	rcu_my_slot = NULL;
}

/* Makes each running thread execute a full barrier, so that readers need none. */
static void barrier_everywhere(void)
{
	syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
}

static void __attribute__((constructor)) rcu_init(void)
{
	syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
}

void synchronize_rcu(void)
{
	unsigned int i;

	barrier_everywhere();
	for (i = 0; i < RCU_SLOTS; i++)
		while (__atomic_load_n(&slots[i].nesting, __ATOMIC_ACQUIRE))
			sched_yield();
	barrier_everywhere();
}
