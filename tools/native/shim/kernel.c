// SPDX-License-Identifier: GPL-2.0
unsigned int shim_warnings;
bool shim_quiet;

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

	/* The whole is the same if its neighbours are, which is fast to find out. */
	if (bytes && *p == (u8)c && !memcmp(p, p + 1, bytes - 1))
		return NULL;
	for (; bytes; p++, bytes--)
		if (*p != (u8)c)
			return (void *)p;
	return NULL;
}

int printk(const char *fmt, ...)
{
	va_list args;
	int n;

	if (shim_quiet)
		return 0;
	va_start(args, fmt);
	n = vfprintf(stderr, fmt, args);
	va_end(args);
	return n;
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
