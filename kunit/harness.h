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
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/module.h>

struct kunit {
	const char *name;
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
	(test)->failed = true;						\
	pr_err("    # %s: failed at %s:%d: " fmt "\n", (test)->name,	\
	       __FILE__, __LINE__, ##__VA_ARGS__);			\
} while (0)

#define rxpool_expect(test, l, op, r, then) do {			\
	typeof(l) __l = (l);						\
	typeof(r) __r = (r);						\
	if (!(__l op __r)) {						\
		KUNIT_FAIL(test, "%s (%lld) " #op " %s (%lld)",		\
			   #l, (long long)__l, #r, (long long)__r);	\
		then;							\
	}								\
} while (0)

#define KUNIT_EXPECT_EQ(test, l, r)	rxpool_expect(test, l, ==, r, )
#define KUNIT_EXPECT_NE(test, l, r)	rxpool_expect(test, l, !=, r, )
#define KUNIT_EXPECT_LE(test, l, r)	rxpool_expect(test, l, <=, r, )
#define KUNIT_EXPECT_GE(test, l, r)	rxpool_expect(test, l, >=, r, )
#define KUNIT_EXPECT_TRUE(test, c)	rxpool_expect(test, !!(c), ==, true, )
#define KUNIT_EXPECT_FALSE(test, c)	rxpool_expect(test, !!(c), ==, false, )
/* Without a thread per case an assertion leaves the function it stands in. */
#define KUNIT_ASSERT_EQ(test, l, r)	rxpool_expect(test, l, ==, r, return)
#define KUNIT_ASSERT_TRUE(test, c)	rxpool_expect(test, !!(c), ==, true, return)

static inline int rxpool_run_suite(struct kunit_suite *suite, unsigned int nr)
{
	struct kunit_case *c;
	unsigned int n = 0, failed = 0;

	pr_info("    # Subtest: %s\n", suite->name);
	for (c = suite->test_cases; c->run_case; c++) {
		struct kunit test = { .name = c->name };

		if (suite->init && suite->init(&test))
			test.failed = true;
		else
			c->run_case(&test);
		if (suite->exit)
			suite->exit(&test);
		pr_info("    %sok %u %s.%s\n", test.failed ? "not " : "", ++n,
			suite->name, c->name);
		failed += test.failed;
	}
	pr_info("%sok %u %s\n", failed ? "not " : "", nr, suite->name);
	return failed;
}

#define kunit_test_suites(...)						\
static int __init rxpool_suites_init(void)				\
{									\
	static struct kunit_suite *suites[] = { __VA_ARGS__ };		\
	unsigned int i;							\
									\
	pr_info("KTAP version 1\n1..%zu\n", ARRAY_SIZE(suites));	\
	for (i = 0; i < ARRAY_SIZE(suites); i++)			\
		rxpool_run_suite(suites[i], i + 1);			\
	return 0;							\
}									\
static void __exit rxpool_suites_exit(void)				\
{									\
}									\
module_init(rxpool_suites_init);					\
module_exit(rxpool_suites_exit)
#endif /* CONFIG_KUNIT */

#endif /* _RXPOOL_HARNESS_H */
