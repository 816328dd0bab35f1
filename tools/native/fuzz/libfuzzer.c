// SPDX-License-Identifier: GPL-2.0
#include "fuzz.h"
#include "world.h"

static void at_end(void)
{
	fprintf(stderr, "%llu steps\n", fuzz_steps);
}

int libfuzzer_init(int *argc, char ***argv)
{
	fuzz_init();
	atexit(at_end);
	return 0;
}

int libfuzzer_one(const u8 *data, size_t size)
{
	fuzz_one(data, size);
	return 0;
}
