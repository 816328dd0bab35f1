// SPDX-License-Identifier: GPL-2.0
#include <execinfo.h>

unsigned int shim_warnings;

u64 local_clock(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * NSEC_PER_SEC + now.tv_nsec;
}

unsigned long shim_jiffies(void)
{
	return local_clock() / (NSEC_PER_SEC / HZ);
}

void msleep(unsigned int ms)
{
	usleep(ms * 1000);
}

void usleep_range(unsigned long from, unsigned long to)
{
	usleep(from);
}

ssize_t strscpy(char *to, const char *from, size_t size)
{
	size_t len = strnlen(from, size);

	if (!size)
		return -E2BIG;
	if (len == size) {
		memcpy(to, from, size - 1);
		to[size - 1] = 0;
		return -E2BIG;
	}
	memcpy(to, from, len + 1);
	return len;
}

void *memchr_inv(const void *start, int c, size_t bytes)
{
	const u8 *p = start;

	for (; bytes; p++, bytes--)
		if (*p != (u8)c)
			return (void *)p;
	return NULL;
}

int printk(const char *fmt, ...)
{
	va_list args;
	int n;

	va_start(args, fmt);
	n = vfprintf(stderr, fmt, args);
	va_end(args);
	return n;
}

void dump_stack(void)
{
	void *frames[32];

	backtrace_symbols_fd(frames, backtrace(frames, ARRAY_SIZE(frames)), 2);
}

unsigned int stack_trace_save(unsigned long *entries, unsigned int n, unsigned int skip)
{
	void *frames[32];
	int i, got = backtrace(frames, ARRAY_SIZE(frames)) - (int)skip;

	got = clamp(got, 0, (int)n);
	for (i = 0; i < got; i++)
		entries[i] = (unsigned long)frames[i + skip];
	return got;
}

void shim_warn(const char *file, int line, const char *fmt, ...)
{
	va_list args;

	__atomic_fetch_add(&shim_warnings, 1, __ATOMIC_RELAXED);
	fprintf(stderr, "WARNING: %s:%d: ", file, line);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	dump_stack();
}

void shim_bug(const char *file, int line, const char *what)
{
	fprintf(stderr, "BUG: %s:%d: %s\n", file, line, what);
	dump_stack();
	abort();
}
