// SPDX-License-Identifier: GPL-2.0
/*
 * Runs the pool's suites in user space: loading the modules does, as in a kernel, and says
 * how the cases went. Fails if there was a warning too many. An argument is a module
 * parameter to turn on.
 */
#include "common.h"

int main(int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++)
		if (!shim_set_param(argv[i], true))
			return 2;
	shim_init(131072);
	shim_exit();
	return shim_warnings > TEST_WARNINGS;
}
