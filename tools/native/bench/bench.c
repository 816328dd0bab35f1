// SPDX-License-Identifier: GPL-2.0
/*
 * Workloads, the same code for each competitor, which is the header included below.
 * Prints a line for each sample: name=value ...
 *
 * The owner is this thread, on the first CPU; a second thread, on the second CPU, is a
 * reader that frees. Time is taken by the owner, with the parts of both beside it.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <x86intrin.h>
#include POOL_HEADER

#define LINE		__attribute__((aligned(128)))
#define BATCH_MAX	256
#define SLOTS		64	/* batches under way to the reader */
#define STEPS		64	/* that a reader looks ahead */
#define LEARN_NS	3e8	/* time to find out who reads what */
#define FLOWS		8	/* even ones are read by the owner's CPU, odd ones by the other */

struct batch {
	unsigned int n;
	struct page *pages[BATCH_MAX];
};

/* What each workload is made of. */
static struct {
	const char *workload;
	unsigned int batch;	/* pages that are allocated at once */
	unsigned int ring;	/* entries of the in-tree pool's ring */
	unsigned int fragments;	/* references that the reader frees of each page, 0: whole */
	unsigned int pages;	/* of a sample, about */
	unsigned int samples;
	bool turns;		/* one thread plays both, for exact counts */
} o = { .batch = 64, .ring = 1024, .pages = 1 << 18, .samples = 5 };

static struct {
	uint64_t pages;
	double total, owner, reader;	/* ticks */
} sum;

static struct pool pool;
static uint64_t seed = 88172645463325252ULL;

/* Handed from the owner to the reader, and the ends of the queue between them. */
static struct batch *slots;
static struct { uint64_t head; } queue LINE;
static struct { uint64_t tail, pages, busy; } freed LINE;

/* One order at a time for the second thread. */
static struct {
	uint64_t order;
	void (*run)(void);
} orders LINE;
static struct { uint64_t order, switches; } answers LINE;

static uint32_t rnd(uint32_t below)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (uint64_t)(uint32_t)(seed >> 20) * below >> 32;
}

static uint64_t load(const uint64_t *v)
{
	return __atomic_load_n(v, __ATOMIC_ACQUIRE);
}

static void store(uint64_t *v, uint64_t n)
{
	__atomic_store_n(v, n, __ATOMIC_RELEASE);
}

/* On huge pages, so that the TLB is no part of what is compared. */
static void *huge(size_t size)
{
	size_t all = (size + (4UL << 20)) & ~((2UL << 20) - 1);
	char *p = mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		abort();
	p = (char *)(((uintptr_t)p + (2UL << 20) - 1) & ~((2UL << 20) - 1));
	madvise(p, size, MADV_HUGEPAGE);
	return p;
}

static uint64_t switches(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_nivcsw;
}

static cpu_set_t allowed;

static void pin(int cpu)
{
	cpu_set_t one;
	int i, n = -1;

	for (i = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, &allowed) && ++n == cpu)
			break;
	if (i == CPU_SETSIZE) {
		fprintf(stderr, "two CPUs are needed\n");
		exit(2);
	}
	CPU_ZERO(&one);
	CPU_SET(i, &one);
	pthread_setaffinity_np(pthread_self(), sizeof(one), &one);
}

static void *second_thread(void *unused)
{
	uint64_t order = 0;

	pin(1);
	bench_thread(1);
	for (;;) {
		while (load(&orders.order) == order)
			_mm_pause();
		order++;
		orders.run();
		answers.switches = switches();
		store(&answers.order, order);
	}
	return NULL;
}

/* It does not exist while the owner is alone: even a thread that spins takes something. */
static bool alone = true;

static void start(void (*run)(void))
{
	if (alone)
		return;
	orders.run = run;
	store(&orders.order, orders.order + 1);
}

/* Brings the second thread's count of switches up to date. */
static void nothing(void)
{
}

static void wait(void)
{
	while (load(&answers.order) != orders.order)
		_mm_pause();
}

/* Owner alone */

static void owner_single(void)
{
	uint64_t began = __rdtsc();
	unsigned int i;

	for (i = 0; i < o.pages; i++)
		pool_recycle(&pool, pool_alloc(&pool));
	sum.owner = __rdtsc() - began;
	sum.total = sum.owner;
	sum.pages = o.pages;
}

static void owner_groups_single(void)
{
	struct page *pages[BATCH_MAX];
	uint64_t began = __rdtsc();
	unsigned int i, done;

	for (done = 0; done < o.pages; done += o.batch) {
		for (i = 0; i < o.batch; i++)
			pages[i] = pool_alloc(&pool);
		for (i = 0; i < o.batch; i++)
			pool_recycle(&pool, pages[i]);
	}
	sum.owner = __rdtsc() - began;
	sum.total = sum.owner;
	sum.pages = done;
}

static void owner_groups_bulk(void)
{
	struct page *pages[BATCH_MAX];
	uint64_t began = __rdtsc();
	unsigned int done;

	for (done = 0; done < o.pages; done += o.batch) {
		pool_alloc_bulk(&pool, pages, o.batch);
		pool_recycle_bulk(&pool, pages, o.batch);
	}
	sum.owner = __rdtsc() - began;
	sum.total = sum.owner;
	sum.pages = done;
}

/* One other CPU returns every page, as they come */

static void free_batch(struct batch *b)
{
	unsigned int i, j;

	for (i = 0; i < b->n; i++)
		for (j = 0; j < (o.fragments ?: 1); j++)
			pool_put(&pool, b->pages[i]);
}

static void free_batch_bulk(struct batch *b)
{
	pool_put_bulk(&pool, b->pages, b->n);
}

static void (*free_how)(struct batch *b);
static uint64_t batches;

static void remote_reader(void)
{
	uint64_t tail = freed.tail, n, began;

	freed.busy = 0;
	for (n = 0; n < batches; n++) {
		struct batch *b = &slots[tail % SLOTS];

		while (load(&queue.head) == tail)
			_mm_pause();
		began = __rdtsc();
		free_how(b);
		freed.busy += __rdtsc() - began;
		store(&freed.pages, freed.pages + b->n);
		store(&freed.tail, ++tail);
	}
}

static void give_batch(struct batch *b, unsigned int n)
{
	pool_alloc_bulk(&pool, b->pages, n);
	b->n = n;
	pool_give(&pool, b->pages, n, o.fragments ?: 1);
}

static void remote_one(void)
{
	uint64_t window = o.ring * 3 / 8, given = freed.pages, busy = 0, began, from, n;

	batches = o.pages / o.batch;
	began = __rdtsc();
	start(remote_reader);
	for (n = 0; n < batches; n++) {
		while (given - load(&freed.pages) + o.batch > window ||
		       queue.head - load(&freed.tail) >= SLOTS)
			_mm_pause();
		from = __rdtsc();
		give_batch(&slots[queue.head % SLOTS], o.batch);
		store(&queue.head, queue.head + 1);
		busy += __rdtsc() - from;
		given += o.batch;
	}
	wait();
	sum.total = __rdtsc() - began;
	sum.pages = batches * o.batch;
	sum.owner = busy;
	sum.reader = freed.busy;
}

/* The same by turns in one thread: nothing depends on time. */
static void remote_turns(void)
{
	unsigned int done, i, ahead = o.ring * 3 / 8 / o.batch;

	for (done = 0; done < o.pages; done += ahead * o.batch) {
		for (i = 0; i < ahead; i++)
			give_batch(&slots[i], o.batch);
		owner_leave();
		for (i = 0; i < ahead; i++)
			free_how(&slots[i]);
		owner_enter();
	}
	sum.pages = done;
}

/* Two CPUs return at the same time: the second thread, and this one when it has filled
 * what both of them free.
 */

static struct {
	struct page **pages;
	uint8_t *flows;		/* of each page, or NULL if nobody cares */
	unsigned int n;
	uint64_t busy;
} LINE readers[2];

static void reader_frees(int reader)
{
	uint64_t began = __rdtsc();
	unsigned int i;

	for (i = 0; i < readers[reader].n; i++) {
		if (readers[reader].flows)
			pool_copied(readers[reader].flows[i]);
		pool_put(&pool, readers[reader].pages[i]);
	}
	readers[reader].n = 0;
	readers[reader].busy = __rdtsc() - began;
}

static void second_reader_frees(void)
{
	reader_frees(1);
}

static void both_free(void)
{
	start(second_reader_frees);
	owner_leave();
	reader_frees(0);
	owner_enter();
	wait();
	sum.reader += readers[0].busy > readers[1].busy ? readers[0].busy : readers[1].busy;
}

static void append(int reader, struct page **pages, unsigned int n)
{
	memcpy(readers[reader].pages + readers[reader].n, pages, n * sizeof(*pages));
	readers[reader].n += n;
}

enum { BY_BATCH, BY_PAGE, BY_FLOW };

static void remote_two(int how)
{
	struct page *pages[BATCH_MAX];
	uint8_t flows[BATCH_MAX];
	unsigned int window = o.ring / 2, out, i, n;
	uint64_t began;

	while (sum.pages < o.pages) {
		began = __rdtsc();
		for (out = 0; out + o.batch * 3 / 2 <= window; out += n) {
			/* Sizes vary, so that nothing fits by chance. */
			n = o.batch / 2 + rnd(o.batch + 1);
			pool_alloc_bulk(&pool, pages, n);
			for (i = 0; how == BY_FLOW && i < n; i++) {
				flows[i] = rnd(FLOWS);
				pool_steer(&pool, pages[i], flows[i]);
			}
			pool_give(&pool, pages, n, 1);
			if (how == BY_BATCH)
				append(rnd(2), pages, n);
			for (i = 0; how == BY_PAGE && i < n; i++)
				append(rnd(2), pages + i, 1);
			for (i = 0; how == BY_FLOW && i < n; i++) {
				int reader = flows[i] % 2;

				readers[reader].flows[readers[reader].n] = flows[i];
				append(reader, pages + i, 1);
			}
		}
		sum.owner += __rdtsc() - began;
		sum.pages += out;
		both_free();
	}
	sum.total = sum.owner + sum.reader;
}

static void remote_two_batches(void)
{
	remote_two(BY_BATCH);
}

static void remote_two_interleaved(void)
{
	remote_two(BY_PAGE);
}

static void remote_two_by_reader(void)
{
	remote_two(BY_FLOW);
}

/*
 * As a queue receives: each step a poll's worth of pages, trains of packets of some flow,
 * freed some steps later on the CPU that reads the flow. Some are held for long. Now and
 * then the readers are late, and twice as many pages as the ring has entries pile up.
 */
#define BURST_EVERY	256
#define BURST_STEPS	8

static struct {
	struct page **pages;
	unsigned int n;
} wheel[2][STEPS];

static unsigned int steps_done;

static void hold(int flow, unsigned int step, struct page **pages, unsigned int n)
{
	int reader = flow % 2;

	step %= STEPS;
	memcpy(wheel[reader][step].pages + wheel[reader][step].n, pages, n * sizeof(*pages));
	wheel[reader][step].n += n;
}

static void receive(unsigned int step)
{
	unsigned int phase = step % BURST_EVERY, n = o.batch / 4 + rnd(o.batch * 3 / 2), i, train;
	bool burst = phase >= BURST_EVERY - BURST_STEPS;
	struct page *pages[BATCH_MAX];

	if (burst)
		n += 2 * o.ring / BURST_STEPS;
	for (; n; n -= i) {
		unsigned int got = n < o.batch ? n : o.batch;

		pool_alloc_bulk(&pool, pages, got);
		pool_give(&pool, pages, got, 1);
		for (i = 0; i < got; i += train) {
			unsigned int later = 1 + rnd(8);

			train = 1 + rnd(16);
			if (train > got - i)
				train = got - i;
			if (rnd(64) == 0)
				later = 1 + rnd(STEPS - 1);
			if (burst)
				later = BURST_EVERY - phase;
			hold(rnd(FLOWS), step + later, pages + i, train);
		}
	}
}

static void receive_like(void)
{
	unsigned int step, i, end = steps_done + o.pages / o.batch / BURST_EVERY * BURST_EVERY;
	uint64_t began;

	for (step = steps_done; step < end; step++) {
		for (i = 0; i < 2; i++) {
			readers[i].n = wheel[i][step % STEPS].n;
			readers[i].pages = wheel[i][step % STEPS].pages;
			wheel[i][step % STEPS].n = 0;
			sum.pages += readers[i].n;
		}
		both_free();
		began = __rdtsc();
		receive(step);
		sum.owner += __rdtsc() - began;
	}
	steps_done = end;
	sum.total = sum.owner + sum.reader;
}

/* Which of them there are */

static const struct workload {
	const char *name;
	void (*run)(void);
	void (*turns)(void);
	void (*free_how)(struct batch *b);
	bool slow;	/* may take pages from the page allocator */
	bool flows;	/* the pool may find out which CPU reads what */
	bool alone;	/* no other thread has a part in it */
} workloads[] = {
	{ "owner_single", owner_single, owner_single, .alone = true },
	{ "owner_groups_single", owner_groups_single, owner_groups_single, .alone = true },
	{ "owner_groups_bulk", owner_groups_bulk, owner_groups_bulk, .alone = true },
	{ "remote_one", remote_one, remote_turns, free_batch },
	{ "remote_one_bulk", remote_one, remote_turns, free_batch_bulk },
	{ "remote_two_batches", remote_two_batches },
	{ "remote_two_interleaved", remote_two_interleaved },
	{ "remote_two_by_reader", remote_two_by_reader, .flows = true },
	{ "receive_like", receive_like, .slow = true },
	{}
};

static const struct workload *find(const char *name)
{
	const struct workload *w;

	for (w = workloads; w->name; w++)
		if (!strcmp(w->name, name))
			return w;
	fprintf(stderr, "no workload %s\n", name);
	exit(2);
}

/* So many pages that neither the window nor what lies in caches can use them up. */
static void prime(void)
{
	unsigned int n = o.ring * 3 / 4, i;
	struct page **pages = huge(n * sizeof(*pages));

	for (i = 0; i < n; i++)
		pages[i] = pool_alloc(&pool);
	for (i = 0; i < n; i++)
		if (o.fragments)
			pool_give(&pool, pages + i, 1, 0);
		else
			pool_recycle(&pool, pages[i]);
}

static double ns_per_tick(void)
{
	struct timespec a, b;
	uint64_t from, ticks;
	double ns;

	clock_gettime(CLOCK_MONOTONIC, &a);
	from = __rdtsc();
	do {
		clock_gettime(CLOCK_MONOTONIC, &b);
		ticks = __rdtsc() - from;
		ns = (b.tv_sec - a.tv_sec) * 1e9 + (b.tv_nsec - a.tv_nsec);
	} while (ns < 5e6);
	return ns / ticks;
}

/* Its own function: callgrind collects inside. */
__attribute__((__noinline__)) void timed_part(void (*run)(void))
{
	run();
}

static void warm_up(void (*run)(void), double ticks)
{
	uint64_t began = __rdtsc();

	while (__rdtsc() - began < ticks) {
		memset(&sum, 0, sizeof(sum));
		run();
	}
}

static void options(int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++) {
		char *value = strchr(argv[i], '=');
		unsigned int n;

		if (!value) {
			fprintf(stderr, "usage: bench workload=NAME [batch=N] [ring=N] ...\n");
			exit(2);
		}
		*value++ = 0;
		n = strtoul(value, NULL, 0);
		if (!strcmp(argv[i], "workload"))
			o.workload = value;
		else if (!strcmp(argv[i], "batch"))
			o.batch = n;
		else if (!strcmp(argv[i], "ring"))
			o.ring = n;
		else if (!strcmp(argv[i], "fragments"))
			o.fragments = n;
		else if (!strcmp(argv[i], "pages"))
			o.pages = n;
		else if (!strcmp(argv[i], "samples"))
			o.samples = n;
		else if (!strcmp(argv[i], "turns"))
			o.turns = n;
		else if (!strcmp(argv[i], "seed"))
			seed += n * 0x9e3779b97f4a7c15ULL;
		else
			exit(2);
	}
	if (!o.workload || !o.batch || o.batch > BATCH_MAX * 2 / 3 + 86 || o.ring < 4 * o.batch) {
		fprintf(stderr, "workload missing, or batch and ring do not fit\n");
		exit(2);
	}
}

int main(int argc, char **argv)
{
	uint64_t buddy, locks, switched;
	const struct workload *w;
	void (*run)(void);
	pthread_t thread;
	unsigned int i, j, good;
	double tick;

	options(argc, argv);
	sched_getaffinity(0, sizeof(allowed), &allowed);
	w = find(o.workload);
	run = o.turns ? w->turns : w->run;
	free_how = w->free_how;
	pin(0);
	bench_init();
	bench_thread(0);
	slots = huge(SLOTS * sizeof(*slots));
	for (i = 0; i < 2; i++) {
		readers[i].pages = huge(o.ring * sizeof(void *));
		if (w->flows)
			readers[i].flows = huge(o.ring);
		for (j = 0; w->slow && j < STEPS; j++)
			wheel[i][j].pages = huge(4 * o.ring * sizeof(void *));
	}
	pool_create(&pool, o.ring, w->slow ? 4 * o.ring : o.ring, o.fragments);
	owner_enter();
	prime();
	if (o.turns) {
		run();	/* caches and rings as they will be */
		timed_part(run);
		printf("pages=%llu\n", (unsigned long long)sum.pages);
		return 0;
	}
	alone = w->alone;
	if (!alone)
		pthread_create(&thread, NULL, second_thread, NULL);
	tick = ns_per_tick();
	if (w->flows)
		warm_up(run, LEARN_NS / tick);
	/* The first is to get warm; those that something interrupted are made again. */
	for (i = 0, good = 0; i <= 8 * o.samples && good < o.samples; i++) {
		memset(&sum, 0, sizeof(sum));
		start(nothing);
		wait();
		switched = switches() + answers.switches;
		buddy = buddy_pages();
		locks = buddy_locks();
		timed_part(run);
		start(nothing);
		wait();
		switched = switches() + answers.switches - switched;
		buddy = buddy_pages() - buddy;
		locks = buddy_locks() - locks;
		if (!i)
			continue;
		good += !switched;
		if (buddy && !w->slow) {
			fprintf(stderr, "%s: %llu pages from the page allocator\n", w->name,
				(unsigned long long)buddy);
			return 3;
		}
		printf("ns=%.3f owner=%.3f reader=%.3f buddy=%.3f locks=%.3f switches=%llu\n",
		       sum.total * tick / sum.pages, sum.owner * tick / sum.pages,
		       sum.reader * tick / sum.pages, buddy * 1e3 / sum.pages,
		       locks * 1e3 / sum.pages, (unsigned long long)switched);
	}
	return 0;
}
