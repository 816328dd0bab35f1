/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Kernel threads and completions are pthreads.
 */
#ifndef _SHIM_THREAD_H
#define _SHIM_THREAD_H

#define TASK_COMM_LEN		16

struct task_struct {
	pid_t pid;
	unsigned int flags;
	unsigned int fail_nth;	/* allocation from now, 0: none */
	bool fail_on;		/* and all after it */
	char comm[TASK_COMM_LEN];
	pthread_t thread;
	int (*function)(void *arg);
	void *arg;
	int cpu;		/* -1: any */
	bool started;
	bool stop;
	int result;
};

struct task_struct *shim_current(void);
#define current			shim_current()
#define PF_MEMALLOC		0x800	/* gets pages of the emergency reserve */

/* Does this allocation fail, as by CONFIG_FAILSLAB and CONFIG_FAIL_PAGE_ALLOC? */
static inline bool shim_alloc_fails(gfp_t gfp)
{
	struct task_struct *task = current;

	if (likely(!task->fail_nth) || gfp & __GFP_NOFAIL)
		return false;
	if (task->fail_nth > 1) {
		task->fail_nth--;
		return false;
	}
	if (!task->fail_on)
		task->fail_nth = 0;
	return true;
}

struct task_struct *kthread_create(int (*function)(void *arg), void *arg,
				   const char *fmt, ...);
void kthread_bind(struct task_struct *task, unsigned int cpu);
int wake_up_process(struct task_struct *task);
bool kthread_should_stop(void);
int kthread_stop(struct task_struct *task);

#define kthread_run(function, arg, fmt, ...) ({				\
	struct task_struct *__task = kthread_create(function, arg, fmt, ##__VA_ARGS__); \
									\
	wake_up_process(__task);					\
	__task;								\
})

long work_on_cpu(int cpu, long (*function)(void *arg), void *arg);

struct completion {
	pthread_mutex_t mutex;
	pthread_cond_t cond;
	unsigned int done;
};

#define DECLARE_COMPLETION_ONSTACK(name)				\
	struct completion name = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0 }
void init_completion(struct completion *done);
void complete(struct completion *done);
void complete_all(struct completion *done);
void wait_for_completion(struct completion *done);
void __noreturn kthread_complete_and_exit(struct completion *done, long code);

#endif /* _SHIM_THREAD_H */
