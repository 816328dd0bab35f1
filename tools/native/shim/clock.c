// SPDX-License-Identifier: GPL-2.0
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
