// SPDX-License-Identifier: GPL-2.0
struct workqueue_struct {
	pthread_mutex_t mutex;
	pthread_cond_t cond;
	struct list_head works;
	struct task_struct *task;
	struct work_struct *running;
	bool ending;
};

static struct delayed_work *first_due(struct workqueue_struct *wq)
{
	struct delayed_work *first = NULL, *work;

	list_for_each_entry(work, &wq->works, work.entry)
		if (!first || work->due < first->due)
			first = work;
	return first;
}

static void wait_until(struct workqueue_struct *wq, const struct delayed_work *work)
{
	struct timespec when;

	if (!work) {
		pthread_cond_wait(&wq->cond, &wq->mutex);
		return;
	}
	when.tv_sec = work->due / NSEC_PER_SEC;
	when.tv_nsec = work->due % NSEC_PER_SEC;
	pthread_cond_clockwait(&wq->cond, &wq->mutex, CLOCK_MONOTONIC, &when);
}

/* A work may queue itself again, or free itself. Ends when nothing is left to do. */
static int worker(void *arg)
{
	struct workqueue_struct *wq = arg;
	struct delayed_work *work;

	pthread_mutex_lock(&wq->mutex);
	while ((work = first_due(wq)) || !wq->ending) {
		if (!work || work->due > local_clock()) {
			wait_until(wq, work);
			continue;
		}
		list_del(&work->work.entry);
		work->work.pending = 0;
		wq->running = &work->work;
		pthread_mutex_unlock(&wq->mutex);
		work->work.func(&work->work);
		pthread_mutex_lock(&wq->mutex);
		wq->running = NULL;
		pthread_cond_broadcast(&wq->cond);
	}
	pthread_mutex_unlock(&wq->mutex);
	return 0;
}

struct workqueue_struct *alloc_workqueue(const char *name, unsigned int flags, int max)
{
	struct workqueue_struct *wq = calloc(1, sizeof(*wq));

	if (!wq)
		return NULL;
	pthread_mutex_init(&wq->mutex, NULL);
	pthread_cond_init(&wq->cond, NULL);
	INIT_LIST_HEAD(&wq->works);
	return wq;
}

void destroy_workqueue(struct workqueue_struct *wq)
{
	pthread_mutex_lock(&wq->mutex);
	wq->ending = true;
	if (wq->task)
		WRITE_ONCE(wq->task->stop, true);	/* so it leaves itself to us */
	pthread_cond_broadcast(&wq->cond);
	pthread_mutex_unlock(&wq->mutex);
	if (wq->task)
		kthread_stop(wq->task);
	free(wq);
}

bool queue_delayed_work(struct workqueue_struct *wq, struct delayed_work *work,
			unsigned long delay)
{
	bool queued;

	pthread_mutex_lock(&wq->mutex);
	/* The thread starts with the first work: a benchmark wants none. */
	if (!wq->task)
		wq->task = kthread_run(worker, wq, "worker");
	queued = !work->work.pending;
	if (queued) {
		work->work.pending = 1;
		work->due = local_clock() + delay * (NSEC_PER_SEC / HZ);
		list_add_tail(&work->work.entry, &wq->works);
		pthread_cond_broadcast(&wq->cond);
	}
	pthread_mutex_unlock(&wq->mutex);
	return queued;
}

static struct workqueue_struct system_wq = {
	.mutex = PTHREAD_MUTEX_INITIALIZER,
	.cond = PTHREAD_COND_INITIALIZER,
	.works = LIST_HEAD_INIT(system_wq.works),
};

bool schedule_delayed_work(struct delayed_work *work, unsigned long delay)
{
	return queue_delayed_work(&system_wq, work, delay);
}

/* Of a work that schedule_delayed_work() queued. */
void cancel_delayed_work_sync(struct delayed_work *work)
{
	pthread_mutex_lock(&system_wq.mutex);
	do {
		if (work->work.pending)
			list_del(&work->work.entry);
		work->work.pending = 0;
		if (system_wq.running == &work->work)
			pthread_cond_wait(&system_wq.cond, &system_wq.mutex);
	} while (work->work.pending || system_wq.running == &work->work);
	pthread_mutex_unlock(&system_wq.mutex);
}
