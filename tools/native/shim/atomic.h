/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Atomics and barriers by the compiler's, so that ThreadSanitizer understands them.
 */
#ifndef _SHIM_ATOMIC_H
#define _SHIM_ATOMIC_H

#define barrier()		__asm__ __volatile__("" ::: "memory")
#define smp_load_acquire(p)	__atomic_load_n(p, __ATOMIC_ACQUIRE)
#define smp_store_release(p, v)	__atomic_store_n(p, v, __ATOMIC_RELEASE)
#define cpu_relax()		__builtin_ia32_pause()
#define prefetch(p)		__builtin_prefetch(p)
#define prefetchw(p)		__builtin_prefetch(p, 1)

/*
 * ThreadSanitizer knows no fences, and nothing of what control dependencies and locked
 * instructions order, so there the accesses carry it all.
 */
#ifdef __SANITIZE_THREAD__
#define smp_mb()		barrier()
#define smp_rmb()		barrier()
#define smp_wmb()		barrier()
#define SHIM_LOAD		__ATOMIC_ACQUIRE
#define SHIM_STORE		__ATOMIC_RELEASE
#define SHIM_MODIFY		__ATOMIC_ACQ_REL
#define READ_ONCE(x)		__atomic_load_n(&(x), __ATOMIC_ACQUIRE)
#define WRITE_ONCE(x, v)	__atomic_store_n(&(x), v, __ATOMIC_RELEASE)
#define data_race(x) ({							\
	__auto_type __racy = (shim_races_begin(), x);			\
									\
	shim_races_end();						\
	__racy;								\
})
void shim_ignore_begin(const char *file, int line) __asm__("AnnotateIgnoreReadsBegin");
void shim_ignore_end(const char *file, int line) __asm__("AnnotateIgnoreReadsEnd");
#define shim_races_begin()	shim_ignore_begin(__FILE__, __LINE__)
#define shim_races_end()	shim_ignore_end(__FILE__, __LINE__)
#else
#define data_race(x)		(x)
#define smp_mb()		__atomic_thread_fence(__ATOMIC_SEQ_CST)
#define smp_rmb()		__atomic_thread_fence(__ATOMIC_ACQUIRE)
#define smp_wmb()		__atomic_thread_fence(__ATOMIC_RELEASE)
#define SHIM_LOAD		__ATOMIC_RELAXED
#define SHIM_STORE		__ATOMIC_RELAXED
#define SHIM_MODIFY		__ATOMIC_RELAXED
#define READ_ONCE(x)		(*(const volatile typeof(x) *)&(x))
#define WRITE_ONCE(x, v)	do { *(volatile typeof(x) *)&(x) = (v); } while (0)
#endif
#define xchg(p, v)		__atomic_exchange_n(p, v, __ATOMIC_SEQ_CST)

typedef struct { int counter; } atomic_t;
typedef struct { long counter; } atomic_long_t;

#define ATOMIC_INIT(n)		{ (n) }

#define SHIM_ATOMIC(prefix, type, value)					\
static __always_inline value prefix##_read(const type *v)			\
{										\
	return __atomic_load_n(&v->counter, SHIM_LOAD);			\
}										\
static __always_inline void prefix##_set(type *v, value n)			\
{										\
	__atomic_store_n(&v->counter, n, SHIM_STORE);				\
}										\
static __always_inline void prefix##_add(value n, type *v)			\
{										\
	__atomic_fetch_add(&v->counter, n, SHIM_MODIFY);				\
}										\
static __always_inline void prefix##_sub(value n, type *v)			\
{										\
	__atomic_fetch_sub(&v->counter, n, SHIM_MODIFY);				\
}										\
static __always_inline void prefix##_inc(type *v)				\
{										\
	prefix##_add(1, v);							\
}										\
static __always_inline void prefix##_dec(type *v)				\
{										\
	prefix##_sub(1, v);							\
}										\
static __always_inline value prefix##_add_return(value n, type *v)		\
{										\
	return __atomic_add_fetch(&v->counter, n, __ATOMIC_SEQ_CST);		\
}										\
static __always_inline value prefix##_sub_return(value n, type *v)		\
{										\
	return __atomic_sub_fetch(&v->counter, n, __ATOMIC_SEQ_CST);		\
}										\
static __always_inline value prefix##_inc_return(type *v)			\
{										\
	return prefix##_add_return(1, v);					\
}										\
static __always_inline value prefix##_dec_return(type *v)			\
{										\
	return prefix##_sub_return(1, v);					\
}										\
static __always_inline bool prefix##_dec_and_test(type *v)			\
{										\
	return !prefix##_sub_return(1, v);					\
}										\
static __always_inline bool prefix##_sub_and_test(value n, type *v)		\
{										\
	return !prefix##_sub_return(n, v);					\
}										\
static __always_inline value prefix##_xchg(type *v, value n)			\
{										\
	return __atomic_exchange_n(&v->counter, n, __ATOMIC_SEQ_CST);		\
}										\
static __always_inline value prefix##_cmpxchg(type *v, value old, value new)	\
{										\
	__atomic_compare_exchange_n(&v->counter, &old, new, false,		\
				    __ATOMIC_SEQ_CST, SHIM_LOAD);		\
	return old;								\
}

SHIM_ATOMIC(atomic, atomic_t, int)
SHIM_ATOMIC(atomic_long, atomic_long_t, long)

static __always_inline int atomic_inc_return_relaxed(atomic_t *v)
{
	return __atomic_add_fetch(&v->counter, 1, SHIM_MODIFY);
}

typedef struct { atomic_t refs; } refcount_t;

static inline void refcount_set(refcount_t *r, int n)
{
	atomic_set(&r->refs, n);
}

static inline unsigned int refcount_read(const refcount_t *r)
{
	return atomic_read(&r->refs);
}

static inline void refcount_inc(refcount_t *r)
{
	atomic_inc(&r->refs);
}

static inline bool refcount_dec_and_test(refcount_t *r)
{
	return atomic_dec_and_test(&r->refs);
}

#endif /* _SHIM_ATOMIC_H */
