/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The suites are written for KUnit. Distribution kernels come without it, so for
 * those this header offers the few calls the suites use, with the same meaning
 * and the same KTAP output in the kernel log.
 */
#ifndef _RXPOOL_HARNESS_H
#define _RXPOOL_HARNESS_H

#if IS_ENABLED(CONFIG_KUNIT)
#include <kunit/test.h>
#else
#include <linux/completion.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/module.h>

struct kunit {
	const char *name;
	void (*run_case)(struct kunit *test);
	struct completion done;
	void *priv;
	bool failed;
};

struct kunit_case {
	void (*run_case)(struct kunit *test);
	const char *name;
};

struct kunit_suite {
	const char *name;
	int (*init)(struct kunit *test);
	void (*exit)(struct kunit *test);
	struct kunit_case *test_cases;
};

#define KUNIT_CASE(fn)		{ .run_case = fn, .name = #fn }

#define KUNIT_FAIL(test, fmt, ...) do {					\
	struct kunit *__test = (test);					\
									\
	__test->failed = true;						\
	pr_err("    # %s: failed at %s:%d: " fmt "\n", __test->name,	\
	       __FILE__, __LINE__, ##__VA_ARGS__);			\
} while (0)

#define rxpool_expect(test, l, op, r) ({				\
	typeof(l) __l = (l);						\
	typeof(r) __r = (r);						\
	bool __holds = __l op __r;					\
									\
	if (!__holds)							\
		KUNIT_FAIL(test, "%s (%lld) " #op " %s (%lld)",		\
			   #l, (long long)__l, #r, (long long)__r);	\
	__holds;							\
})

/* Each case has a thread of its own, which a failed assertion ends. */
#define rxpool_assert(test, l, op, r) do {				\
	struct kunit *__case = (test);					\
									\
	if (!rxpool_expect(__case, l, op, r))				\
		kthread_complete_and_exit(&__case->done, 0);		\
} while (0)

#define KUNIT_EXPECT_EQ(test, l, r)	rxpool_expect(test, l, ==, r)
#define KUNIT_EXPECT_LE(test, l, r)	rxpool_expect(test, l, <=, r)
#define KUNIT_EXPECT_GE(test, l, r)	rxpool_expect(test, l, >=, r)
#define KUNIT_EXPECT_TRUE(test, c)	rxpool_expect(test, !!(c), ==, true)
#define KUNIT_ASSERT_EQ(test, l, r)	rxpool_assert(test, l, ==, r)
#define KUNIT_ASSERT_TRUE(test, c)	rxpool_assert(test, !!(c), ==, true)

#endif /* CONFIG_KUNIT */

#endif /* _RXPOOL_HARNESS_H */
