// SPDX-License-Identifier: GPL-2.0
#include <sys/syscall.h>

static __thread struct task_struct not_a_kthread;

struct task_struct *shim_current(void)
{
	if (!shim_this_cpu.task) {
		not_a_kthread.pid = syscall(SYS_gettid);
		strscpy(not_a_kthread.comm, "shim", TASK_COMM_LEN);
		shim_this_cpu.task = &not_a_kthread;
	}
	return shim_this_cpu.task;
}

struct task_struct *kthread_create(int (*function)(void *arg), void *arg,
				   const char *fmt, ...)
{
	struct task_struct *task = calloc(1, sizeof(*task));
	va_list args;

	if (!task)
		return ERR_PTR(-ENOMEM);
	va_start(args, fmt);
	vsnprintf(task->comm, sizeof(task->comm), fmt, args);
	va_end(args);
	task->function = function;
	task->arg = arg;
	task->cpu = -1;
	return task;
}

void kthread_bind(struct task_struct *task, unsigned int cpu)
{
	task->cpu = cpu;
}

static void gone(void)
{
	BUG_ON(preempt_count());
	rcu_thread_gone();
	shim_thread_gone();
}

/* Ended by itself: nobody may stop it any more. Otherwise kthread_stop() frees it. */
static void exit_unstopped(struct task_struct *task)
{
	gone();
	if (!READ_ONCE(task->stop)) {
		pthread_detach(task->thread);
		free(task);
	}
}

static void *run(void *arg)
{
	static atomic_t next_cpu;
	struct task_struct *task = arg;

	shim_this_cpu.task = task;
	task->pid = syscall(SYS_gettid);
	if (task->cpu >= 0)
		shim_pin(task->cpu % shim_nr_cpus());
	else
		shim_this_cpu.cpu = (unsigned int)atomic_inc_return(&next_cpu) % shim_nr_cpus();
	task->result = task->function(task->arg);
	exit_unstopped(task);
	return NULL;
}

int wake_up_process(struct task_struct *task)
{
	if (IS_ERR(task) || task->started)
		return 0;
	task->started = true;
	BUG_ON(pthread_create(&task->thread, NULL, run, task));
	return 1;
}

bool kthread_should_stop(void)
{
	return READ_ONCE(current->stop);
}

int kthread_stop(struct task_struct *task)
{
	int result;

	WRITE_ONCE(task->stop, true);
	if (task->started)
		pthread_join(task->thread, NULL);
	result = task->result;
	free(task);
	return result;
}

struct on_cpu {
	int cpu;
	long (*function)(void *arg);
	void *arg;
	long result;
};

static void *run_on_cpu(void *arg)
{
	struct on_cpu *on = arg;

	shim_pin(on->cpu % shim_nr_cpus());
	on->result = on->function(on->arg);
	gone();
	return NULL;
}

long work_on_cpu(int cpu, long (*function)(void *arg), void *arg)
{
	struct on_cpu on = { .cpu = cpu, .function = function, .arg = arg };
	pthread_t thread;

	BUG_ON(pthread_create(&thread, NULL, run_on_cpu, &on));
	pthread_join(thread, NULL);
	return on.result;
}

void init_completion(struct completion *done)
{
	pthread_mutex_init(&done->mutex, NULL);
	pthread_cond_init(&done->cond, NULL);
	done->done = 0;
}

static void complete_n(struct completion *done, bool all)
{
	pthread_mutex_lock(&done->mutex);
	done->done = all ? UINT_MAX / 2 : done->done + 1;
	pthread_cond_broadcast(&done->cond);
	pthread_mutex_unlock(&done->mutex);
}

void complete(struct completion *done)
{
	complete_n(done, false);
}

void complete_all(struct completion *done)
{
	complete_n(done, true);
}

void wait_for_completion(struct completion *done)
{
	pthread_mutex_lock(&done->mutex);
	while (!done->done)
		pthread_cond_wait(&done->cond, &done->mutex);
	if (done->done < UINT_MAX / 2)
		done->done--;
	pthread_mutex_unlock(&done->mutex);
}

void kthread_complete_and_exit(struct completion *done, long code)
{
	struct task_struct *task = current;

	complete(done);
	exit_unstopped(task);
	pthread_exit(NULL);
}
