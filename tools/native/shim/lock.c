// SPDX-License-Identifier: GPL-2.0
/*
 * The queued spinlock. A word of 32 bits: is it locked, does somebody spin on it
 * (pending), who is last in the queue behind that.
 */
#define LOCKED		1U
#define PENDING		0x100U
#define TAIL_SHIFT	16

/* Spins after which a thread lets others run: there may be more threads than CPUs, of several
 * programs if they are not to be timed.
 */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SPINS_TO_YIELD	50
#else
#define SPINS_TO_YIELD	20000
#endif

struct waiter {
	struct waiter *next;
	bool first;		/* of the queue */
} ____cacheline_aligned;

/* A thread waits for one lock at a time: there are no interrupts to nest. */
#define MAX_WAITERS	256
static struct waiter waiters[MAX_WAITERS];
static atomic_t waiters_used;
static __thread unsigned int my_number;

static inline void spin(unsigned int *spins)
{
	cpu_relax();
	if (unlikely(++*spins >= SPINS_TO_YIELD)) {
		*spins = 0;
		sched_yield();
	}
}

static u32 load(spinlock_t *lock)
{
	return __atomic_load_n(&lock->word, __ATOMIC_ACQUIRE);
}

static bool exchange(spinlock_t *lock, u32 old, u32 new)
{
	return __atomic_compare_exchange_n(&lock->word, &old, new, false, __ATOMIC_ACQUIRE,
					   __ATOMIC_RELAXED);
}

/* Thread numbers are given back when threads end, see shim_thread_gone(). */
static u8 number_taken[MAX_WAITERS];

static void take_number(void)
{
	unsigned int n;

	do {
		n = 1 + (unsigned int)atomic_inc_return(&waiters_used) % (MAX_WAITERS - 1);
	} while (__atomic_exchange_n(&number_taken[n], 1, __ATOMIC_ACQUIRE));
	my_number = n;
}

void shim_thread_gone(void)
{
	if (my_number)
		__atomic_store_n(&number_taken[my_number], 0, __ATOMIC_RELEASE);
	my_number = 0;
}

static void wait_in_queue(spinlock_t *lock)
{
	struct waiter *me, *next;
	unsigned int spins = 0;
	u16 last;
	u32 word;

	if (unlikely(!my_number))
		take_number();
	me = &waiters[my_number];
	me->next = NULL;
	me->first = false;
	last = __atomic_exchange_n(&lock->tail, (u16)my_number, __ATOMIC_ACQ_REL);
	if (last) {
		__atomic_store_n(&waiters[last].next, me, __ATOMIC_RELEASE);
		while (!__atomic_load_n(&me->first, __ATOMIC_ACQUIRE))
			spin(&spins);
	}

	/* First of the queue: wait for the owner and for the pending one. */
	while ((word = load(lock)) & (LOCKED | PENDING))
		spin(&spins);
	if (word >> TAIL_SHIFT == my_number && exchange(lock, word, LOCKED))
		return;
	/* Others are behind us, so nobody but us can set the locked byte. */
	__atomic_store_n(&lock->locked, 1, __ATOMIC_RELAXED);
	while (!(next = __atomic_load_n(&me->next, __ATOMIC_ACQUIRE)))
		spin(&spins);
	__atomic_store_n(&next->first, true, __ATOMIC_RELEASE);
}

static noinline void spin_lock_slow(spinlock_t *lock, u32 word)
{
	unsigned int spins = 0;

	/* The pending one is just becoming the owner. */
	if (word == PENDING)
		word = load(lock);
	if (word & ~LOCKED) {
		wait_in_queue(lock);
		return;
	}
	word = __atomic_fetch_or(&lock->word, PENDING, __ATOMIC_ACQUIRE);
	if (word & ~LOCKED) {
		if (!(word & PENDING))
			__atomic_store_n(&lock->pending, 0, __ATOMIC_RELAXED);
		wait_in_queue(lock);
		return;
	}
	while (__atomic_load_n(&lock->locked, __ATOMIC_ACQUIRE))
		spin(&spins);
	__atomic_store_n(&lock->locked_pending, LOCKED, __ATOMIC_RELAXED);
}

static __always_inline void lock_it(spinlock_t *lock)
{
	u32 word = 0;

	if (unlikely(!__atomic_compare_exchange_n(&lock->word, &word, LOCKED, false,
						  __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)))
		spin_lock_slow(lock, word);
}

noinline void spin_lock(spinlock_t *lock)
{
	preempt_disable();
	lock_it(lock);
}

noinline void spin_unlock(spinlock_t *lock)
{
	__atomic_store_n(&lock->locked, 0, __ATOMIC_RELEASE);
	preempt_enable();
}

noinline void spin_lock_bh(spinlock_t *lock)
{
	local_bh_disable();
	lock_it(lock);
}

noinline void spin_unlock_bh(spinlock_t *lock)
{
	__atomic_store_n(&lock->locked, 0, __ATOMIC_RELEASE);
	local_bh_enable();
}
