// SPDX-License-Identifier: GPL-2.0
#include <execinfo.h>

void dump_stack(void)
{
	void *frames[32];

	backtrace_symbols_fd(frames, backtrace(frames, ARRAY_SIZE(frames)), 2);
}

unsigned int stack_trace_save(unsigned long *entries, unsigned int n, unsigned int skip)
{
	void *frames[32];
	int i, got = backtrace(frames, min(n + skip, (unsigned int)ARRAY_SIZE(frames))) - (int)skip;

	got = clamp(got, 0, (int)n);
	for (i = 0; i < got; i++)
		entries[i] = (unsigned long)frames[i + skip];
	return got;
}
