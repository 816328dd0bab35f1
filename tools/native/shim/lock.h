/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Spinlocks as x86 has them: queued, with one waiter spinning on the lock itself
 * (pending) before a queue forms. Taken and released out of line, as Debian's kernels do.
 */
#ifndef _SHIM_LOCK_H
#define _SHIM_LOCK_H

typedef struct spinlock {
	union {
		u32 word;
		struct {
			u8 locked;
			u8 pending;
			u16 tail;	/* 0, or number of the last waiter in the queue */
		};
		u16 locked_pending;
	};
} spinlock_t;

#define DEFINE_SPINLOCK(name)	spinlock_t name = {}
#define spin_lock_init(lock)	((lock)->word = 0)

void spin_lock(spinlock_t *lock);
void spin_unlock(spinlock_t *lock);
void spin_lock_bh(spinlock_t *lock);
void spin_unlock_bh(spinlock_t *lock);

/* Somebody waits for it. */
static inline bool spin_is_contended(spinlock_t *lock)
{
	return __atomic_load_n(&lock->word, __ATOMIC_RELAXED) & ~1U;
}

/* This thread ends, and takes no lock any more. */
void shim_thread_gone(void);

/* There are no interrupts. */
#define spin_lock_irq(lock)	spin_lock(lock)
#define spin_unlock_irq(lock)	spin_unlock(lock)
#define spin_lock_irqsave(lock, flags)	do { (flags) = 0; spin_lock(lock); } while (0)
#define spin_unlock_irqrestore(lock, flags) do { (void)(flags); spin_unlock(lock); } while (0)

struct mutex {
	pthread_mutex_t mutex;
};

#define DEFINE_MUTEX(name)	struct mutex name = { PTHREAD_MUTEX_INITIALIZER }
#define mutex_init(m)		pthread_mutex_init(&(m)->mutex, NULL)
#define mutex_lock(m)		pthread_mutex_lock(&(m)->mutex)
#define mutex_unlock(m)		pthread_mutex_unlock(&(m)->mutex)

#endif /* _SHIM_LOCK_H */
