/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A CPU is a number that a thread carries. Softirq and interrupt context are its
 * preempt_count, as in the kernel.
 */
#ifndef _SHIM_CPU_H
#define _SHIM_CPU_H

#define NR_CPUS			8
#define MAX_NUMNODES		1024
#define NUMA_NO_NODE		(-1)
#define node_online(nid)	((nid) == 0)

#define SOFTIRQ_MASK		0x0000ff00
#define SOFTIRQ_DISABLE_OFFSET	0x00000200
#define HARDIRQ_MASK		0x000f0000
#define HARDIRQ_OFFSET		0x00010000
#define NMI_MASK		0x00f00000

struct task_struct;

/* What the kernel keeps per CPU; a thread that runs on no other's CPU has its own. */
struct shim_cpu {
	int preempt_count;
	int cpu;
	int numa_mem;
	bool softirq_pending;
	struct task_struct *task;
};

extern __thread struct shim_cpu shim_this_cpu;

#define preempt_count()		(shim_this_cpu.preempt_count)
#define smp_processor_id()	(shim_this_cpu.cpu)
#define raw_smp_processor_id()	smp_processor_id()
#define numa_mem_id()		(shim_this_cpu.numa_mem)
#define numa_node_id()		numa_mem_id()
#define softirq_count()		(preempt_count() & SOFTIRQ_MASK)
#define in_softirq()		(softirq_count())
#define in_hardirq()		(preempt_count() & HARDIRQ_MASK)
#define in_nmi()		(preempt_count() & NMI_MASK)
#define lockdep_assert_no_hardirq()	do { } while (0)
#define cond_resched()		sched_yield()

/* The barriers keep the compiler from moving what they guard, as in the kernel. */
static __always_inline void preempt_disable(void)
{
	preempt_count()++;
	barrier();
}

static __always_inline void preempt_enable(void)
{
	barrier();
	preempt_count()--;
}

static __always_inline void local_bh_disable(void)
{
	preempt_count() += SOFTIRQ_DISABLE_OFFSET;
	barrier();
}

void local_bh_enable(void);
extern void (*shim_softirq)(void);	/* what runs when one is pending */

/* Where this thread runs from now on: the CPU of that number among those allowed. */
bool shim_pin(int cpu);
unsigned int shim_nr_cpus(void);
extern unsigned int shim_claim_cpus;	/* 0: as many as there are */

/* All CPUs are online, and this is only ever the set of all. */
struct cpumask;
#define cpu_online_mask		((const struct cpumask *)NULL)
#define nr_cpu_ids		shim_nr_cpus()
#define num_online_cpus()	shim_nr_cpus()
#define num_possible_cpus()	shim_nr_cpus()
#define for_each_online_cpu(cpu)	for ((cpu) = 0; (cpu) < (int)shim_nr_cpus(); (cpu)++)
#define cpumask_any_but(mask, cpu)	(((cpu) + 1) % (int)shim_nr_cpus())

#endif /* _SHIM_CPU_H */
