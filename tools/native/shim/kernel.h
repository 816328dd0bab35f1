/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Types, small macros, messages.
 */
#ifndef _SHIM_KERNEL_H
#define _SHIM_KERNEL_H

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef unsigned long long u64;
typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
typedef long long s64;
typedef u8 __u8;
typedef u16 __u16;
typedef u32 __u32;
typedef u32 __be32;
typedef u16 __be16;
typedef u64 dma_addr_t;
typedef u64 phys_addr_t;
typedef unsigned int gfp_t;

struct list_head {
	struct list_head *next, *prev;
};

struct hlist_head {
	struct hlist_node *first;
};

struct hlist_node {
	struct hlist_node *next, **pprev;
};

#define KERNEL_VERSION(a, b, c)	(((a) << 16) + ((b) << 8) + (c))
#define HZ			250

#define __bitwise
#define __force
#define __iomem
#define __percpu
#define __rcu
#define __user
#define __init
#define __exit
#define __acquires(x)
#define __releases(x)
#define __must_check		__attribute__((warn_unused_result))
#define __aligned(x)		__attribute__((aligned(x)))
#define __packed		__attribute__((packed))
#define __maybe_unused		__attribute__((unused))
#define __printf(a, b)		__attribute__((format(printf, a, b)))
#define __cold			__attribute__((cold))
#define __noreturn		__attribute__((noreturn))
#define noinline		__attribute__((noinline))
#undef __always_inline
#define __always_inline		inline __attribute__((always_inline))
#define likely(x)		__builtin_expect(!!(x), 1)
#define unlikely(x)		__builtin_expect(!!(x), 0)

#define SMP_CACHE_BYTES		64
#define L1_CACHE_BYTES		64
#define ____cacheline_aligned	__aligned(SMP_CACHE_BYTES)
#define ____cacheline_aligned_in_smp ____cacheline_aligned
#define __cacheline_group_begin_aligned(group, align)			\
	u8 __cacheline_group_begin__##group[0] __aligned(align)
#define __cacheline_group_end_aligned(group, align)			\
	u8 __cacheline_group_end__##group[0] __aligned(align)
#define CACHELINE_ASSERT_GROUP_MEMBER(type, group, member)
#define CACHELINE_ASSERT_GROUP_SIZE(type, group, size)			\
	static_assert(offsetof(type, __cacheline_group_end__##group) -	\
		      offsetof(type, __cacheline_group_begin__##group) <= (size))

#define struct_group_tagged(tag, name, members...)			\
	union {								\
		struct { members };					\
		struct tag { members } name;				\
	}

#define BUILD_BUG_ON(condition)						\
do {									\
	if (condition)							\
		shim_build_bug();					\
} while (0)
void shim_build_bug(void) __attribute__((error("a build bug")));
#define __same_type(a, b)	__builtin_types_compatible_p(typeof(a), typeof(b))
#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))
#define container_of(ptr, type, member)					\
	((type *)((char *)(ptr) - offsetof(type, member)))
#define BIT(n)			(1UL << (n))
#define BIT_ULL(n)		(1ULL << (n))
#define GENMASK(high, low)	((~0UL << (low)) & (~0UL >> (63 - (high))))
#define __ffs(x)		((unsigned int)__builtin_ctzl(x))
#define __fls(x)		((unsigned int)(63 - __builtin_clzl(x)))
#define ALIGN(x, a)		(((x) + ((typeof(x))(a) - 1)) & ~((typeof(x))(a) - 1))
#define DIV_ROUND_UP(n, d)	(((n) + (d) - 1) / (d))
#define MIN(a, b)		((a) < (b) ? (a) : (b))
#define min(a, b)		({ __auto_type __a = (a); __auto_type __b = (b);	\
				   __a < __b ? __a : __b; })
#define max(a, b)		({ __auto_type __a = (a); __auto_type __b = (b);	\
				   __a > __b ? __a : __b; })
#define round_down(n, to)	((n) & ~((to) - 1))
#define is_power_of_2(n)	((n) && !((n) & ((n) - 1)))
#define roundup_pow_of_two(n)	((n) < 2 ? 1UL : 2UL << (63 - __builtin_clzl((n) - 1UL)))
#define min_t(type, a, b)	min((type)(a), (type)(b))
#define max_t(type, a, b)	max((type)(a), (type)(b))
#define clamp(v, low, high)	min(max(v, low), high)

#define upper_32_bits(n)	((u32)((u64)(n) >> 32))
#define __AC(value, suffix)	(value##suffix)
#define _AC(value, suffix)	__AC(value, suffix)

#define __IS_ENABLED_1		0,
#define __IS_ENABLED_PICK(first, second, ...)	second
#define __IS_ENABLED_TRY(x)	__IS_ENABLED_PICK(x 1, 0)
#define __IS_ENABLED_PASTE(x)	__IS_ENABLED_TRY(__IS_ENABLED_##x)
#define IS_ENABLED(option)	__IS_ENABLED_PASTE(option)

#define MAX_ERRNO		4095

static inline void *ERR_PTR(long error)
{
	return (void *)error;
}

static inline long PTR_ERR(const void *ptr)
{
	return (long)ptr;
}

static inline bool IS_ERR(const void *ptr)
{
	return unlikely((unsigned long)ptr >= (unsigned long)-MAX_ERRNO);
}

static inline int PTR_ERR_OR_ZERO(const void *ptr)
{
	return IS_ERR(ptr) ? PTR_ERR(ptr) : 0;
}

static inline bool IS_ERR_OR_NULL(const void *ptr)
{
	return !ptr || IS_ERR(ptr);
}

static inline u64 mul_u64_u64_div_u64(u64 a, u64 b, u64 c)
{
	return (unsigned __int128)a * b / c;
}

/* Time */
#define NSEC_PER_USEC		1000UL
#define NSEC_PER_SEC		1000000000UL
#define jiffies			shim_jiffies()
#define msecs_to_jiffies(ms)	((unsigned long)(ms) * HZ / 1000)
#define time_after(a, b)	((long)((b) - (a)) < 0)
#define time_after_eq(a, b)	((long)((a) - (b)) >= 0)
u64 local_clock(void);
unsigned long shim_jiffies(void);
void msleep(unsigned int ms);
void usleep_range(unsigned long from, unsigned long to);

/* Text */
ssize_t strscpy(char *to, const char *from, size_t size);
void *memchr_inv(const void *start, int c, size_t bytes);

/* Messages go to stderr. A warning is counted: a test must not end with one. */
#define pr_crit(fmt, ...)	printk(pr_fmt(fmt), ##__VA_ARGS__)
#define pr_err(fmt, ...)	printk(pr_fmt(fmt), ##__VA_ARGS__)
#define pr_warn(fmt, ...)	printk(pr_fmt(fmt), ##__VA_ARGS__)
#define pr_info(fmt, ...)	printk(pr_fmt(fmt), ##__VA_ARGS__)
int printk(const char *fmt, ...);
extern bool shim_quiet;		/* no messages but warnings */
void dump_stack(void);
unsigned int stack_trace_save(unsigned long *entries, unsigned int n, unsigned int skip);

extern unsigned int shim_warnings;
void __cold shim_warn(const char *file, int line, const char *fmt, ...);
void __cold __noreturn shim_bug(const char *file, int line, const char *what);

#define WARN(condition, fmt, ...) ({					\
	bool __warn = !!(condition);					\
									\
	if (unlikely(__warn))						\
		shim_warn(__FILE__, __LINE__, fmt, ##__VA_ARGS__);	\
	unlikely(__warn);						\
})
#define WARN_ONCE(condition, fmt, ...) ({				\
	static bool __warned;						\
	bool __warn = !!(condition);					\
									\
	if (unlikely(__warn) && !__atomic_test_and_set(&__warned, __ATOMIC_RELAXED)) \
		shim_warn(__FILE__, __LINE__, fmt, ##__VA_ARGS__);	\
	unlikely(__warn);						\
})
#define WARN_ON(condition)	WARN(condition, "%s\n", #condition)
#define WARN_ON_ONCE(condition)	WARN_ONCE(condition, "%s\n", #condition)
#define BUG_ON(condition)	do {					\
	if (unlikely(condition))					\
		shim_bug(__FILE__, __LINE__, #condition);		\
} while (0)

#endif /* _SHIM_KERNEL_H */
