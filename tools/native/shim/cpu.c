// SPDX-License-Identifier: GPL-2.0
__thread struct shim_cpu shim_this_cpu;

void (*shim_softirq)(void);

noinline void local_bh_enable(void)
{
	barrier();
	preempt_count() -= SOFTIRQ_DISABLE_OFFSET;
	/* Only the fuzzer raises one; the test is part of what this costs. */
	if (unlikely(!preempt_count() && READ_ONCE(shim_this_cpu.softirq_pending)))
		shim_softirq();
}

static cpu_set_t allowed;

static void __attribute__((constructor)) shim_find_cpus(void)
{
	sched_getaffinity(0, sizeof(allowed), &allowed);
}

unsigned int shim_claim_cpus;

/* At least two are claimed, so that "another CPU" is another number. */
unsigned int shim_nr_cpus(void)
{
	return shim_claim_cpus ?: clamp(CPU_COUNT(&allowed), 2, NR_CPUS);
}

bool shim_pin(int cpu)
{
	cpu_set_t one;
	int i, n = -1;

	shim_this_cpu.cpu = cpu;
	for (i = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, &allowed) && ++n == cpu)
			break;
	if (i == CPU_SETSIZE)
		return false;
	CPU_ZERO(&one);
	CPU_SET(i, &one);
	return !pthread_setaffinity_np(pthread_self(), sizeof(one), &one);
}
