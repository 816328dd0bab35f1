// SPDX-License-Identifier: GPL-2.0
/*
 * All suites of the module, and what runs them where there is no KUnit.
 */
#include <linux/module.h>
#include "harness.h"
#include "suites.h"

#if !IS_ENABLED(CONFIG_KUNIT)
/* Set at the end of this file. */
static struct kunit_suite **rxpool_suites;

#define kunit_test_suites(...)						\
	static struct kunit_suite **rxpool_suites =			\
		(struct kunit_suite *[]){ __VA_ARGS__, NULL }

static int rxpool_case_thread(void *arg)
{
	struct kunit *test = arg;

	test->run_case(test);
	kthread_complete_and_exit(&test->done, 0);
}

static void rxpool_run_case(struct kunit *test)
{
	struct task_struct *task;

	init_completion(&test->done);
	task = kthread_run(rxpool_case_thread, test, "%s", test->name);
	if (IS_ERR(task))
		KUNIT_FAIL(test, "no thread");
	else
		wait_for_completion(&test->done);
}

static void rxpool_run_suite(struct kunit_suite *suite, unsigned int number)
{
	struct kunit_case *c;
	unsigned int n = 0, failed = 0;

	pr_info("    # Subtest: %s\n", suite->name);
	for (c = suite->test_cases; c->run_case; c++) {
		struct kunit test = { .name = c->name, .run_case = c->run_case };

		if (suite->init && suite->init(&test))
			test.failed = true;
		else
			rxpool_run_case(&test);
		if (suite->exit)
			suite->exit(&test);
		pr_info("    %sok %u %s\n", test.failed ? "not " : "", ++n,
			c->name);
		failed += test.failed;
	}
	pr_info("%sok %u %s\n", failed ? "not " : "", number, suite->name);
}

static int __init rxpool_suites_init(void)
{
	unsigned int n;

	pr_info("KTAP version 1\n");
	for (n = 0; rxpool_suites[n]; n++)
		rxpool_run_suite(rxpool_suites[n], n + 1);
	pr_info("1..%u\n", n);
	return 0;
}
module_init(rxpool_suites_init);

static void __exit rxpool_suites_exit(void)
{
}
module_exit(rxpool_suites_exit);
#endif

kunit_test_suites(&lifecycle_suite, &owner_suite, &ring_suite, &steer_suite, &fragments_suite,
		  &stack_suite, &loss_suite, &stats_suite, &debug_suite, &rx_suite,
		  &stress_suite);

MODULE_DESCRIPTION("KUnit suites of rxpool");
MODULE_LICENSE("GPL");
