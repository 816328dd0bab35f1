// SPDX-License-Identifier: GPL-2.0
/*
 * Random sequences of what drivers and the stack may do with pools, made from bytes, so
 * that libFuzzer can find those that run new code. Each step is compared with a model.
 */
#include "fuzz.h"
#include "world.h"

static const u8 *input, *input_end;
static unsigned int current_pool;
static unsigned int fail_nth, fail_maps;	/* in the next allocation or creation */
static bool fail_on;

u64 fuzz_steps;
const char *fuzz_step = "start";

void fuzz_fail(const char *file, int line, const char *what, unsigned long long left,
	       unsigned long long right, ...)
{
	fprintf(stderr, "%s:%d: after %llu steps, %s: not so: %s (%llu, %llu)\n", file, line,
		fuzz_steps, fuzz_step, what, left, right);
	abort();
}

/* Input. What is not there reads as zero. */

u8 byte(void)
{
	return input < input_end ? *input++ : 0;
}

unsigned int below(unsigned int n)
{
	return n > 256 ? (byte() << 8 | byte()) % n : byte() % n;
}

/* Mostly few, at times a batch, or more than a pool has. */
static unsigned int how_many(const struct mpool *p)
{
	unsigned int b = byte();

	if (b < 160)
		return 1 + b % 8;
	if (b < 224)
		return b % 64;
	if (b < 252)
		return 64;
	return p->params.capacity + b % 4 * 48;
}

/* A sequence of flows that differ where the pool looks, and one that collides. */
u32 flow_hash(unsigned int flow)
{
	return flow == 7 ? 0x70010001U : (flow + 1) * 0x10010001U;
}

/* Where this CPU is from now on, whether in a softirq, and whether works run on others
 * whenever this one takes a breath.
 */
bool somewhere(void)
{
	unsigned int b = byte();

	if (b & 0x80)
		shim_this_cpu.cpu = b % NR_CPUS;
	if (b & 0x40)
		local_bh_disable();
	shim_this_cpu.softirq_pending = b & 0x20;
	return b & 0x40;
}

void leave(bool softirq)
{
	shim_this_cpu.softirq_pending = false;
	if (softirq)
		local_bh_enable();
}

/* Failures */

static bool failing_begins(struct mpool *p)
{
	bool fails = fail_nth || fail_maps || current->flags;

	current->fail_nth = fail_nth;
	current->fail_on = fail_on;
	if (fail_maps)
		p->dev.maps_left = fail_maps - 1;
	return fails;
}

static void failing_ends(struct mpool *p)
{
	current->fail_nth = 0;
	current->flags = 0;
	p->dev.maps_left = -1;
	fail_nth = 0;
	fail_maps = 0;
}

/* Pools */

static void random_params(struct mpool *p)
{
	static const u16 capacities[] = { 1, 2, 3, 7, 16, 63, 64, 65, 100, 128, 200, 256 };
	static const u16 biases[] = { 1, 1, 2, 3, 4, 64, 4097, RXPOOL_BIAS_MAX };
	static const u8 shards[] = { 0, 1, 2, 4, 8, 16 };
	unsigned int b = byte();

	snprintf(p->name, sizeof(p->name), "fuzz%u", p->id % 1000);
	p->params = (struct rxpool_params) {
		.name = p->name,
		.dev = &p->dev.dev,
		.dma_dir = b & 1 ? DMA_BIDIRECTIONAL : DMA_FROM_DEVICE,
		.nid = b & 2 ? 0 : NUMA_NO_NODE,
		.capacity = capacities[below(ARRAY_SIZE(capacities))],
		.bias = biases[below(ARRAY_SIZE(biases))],
		.shards = shards[below(ARRAY_SIZE(shards))],
		.offset = b & 4 ? 256 : 0,
		.max_len = b & 8 ? 1536 : 0,
		.debug = (b & 0x70) == 0x70,
	};
	mdev_init(&p->dev, p - pools, b & 0x80);
}

static void create(void)
{
	struct mpool *p = model_new_pool();

	fuzz_step = "create";
	if (!p)
		return;
	random_params(p);
	failing_begins(p);
	p->rx = rxpool_create(&p->params);
	if (IS_ERR(p->rx)) {
		EXPECT_EQ(PTR_ERR(p->rx), -ENOMEM);
		EXPECT(fail_nth);
		p->rx = NULL;
	}
	failing_ends(p);
	if (!p->rx)
		return;
	if (byte() % 4 && p->rx) {
		EXPECT_EQ(xdp_rxq_info_reg(&p->rxq, init_net.loopback_dev, 0, 0), 0);
		EXPECT_EQ(rxpool_xdp_register(p->rx, &p->rxq), 0);
		p->rxq_registered = true;
	}
}

static void create_wrong(void)
{
	struct mpool *p = model_new_pool();

	fuzz_step = "create with wrong parameters";
	if (!p)
		return;
	random_params(p);
	switch (byte() % 8) {
	case 0:
		p->params.name = "";
		break;
	case 1:
		p->params.dev = NULL;
		break;
	case 2:
		p->params.dma_dir = DMA_TO_DEVICE;
		break;
	case 3:
		p->params.nid = -2 - byte();
		break;
	case 4:
		p->params.capacity = byte() % 2 ? 0 : RXPOOL_CAPACITY_MAX + 1 + byte();
		break;
	case 5:
		p->params.bias = byte() % 2 ? 0 : RXPOOL_BIAS_MAX + 1 + byte();
		break;
	case 6:
		p->params.offset = PAGE_SIZE - 100;
		p->params.max_len = 101 + byte();
		break;
	case 7:
		p->params.shards = byte() % 2 ? 3 : RXPOOL_SHARDS_MAX + 1 + byte();
		break;
	}
	EXPECT_EQ(PTR_ERR(rxpool_create(&p->params)), -EINVAL);
}

static struct mpool *a_pool(void)
{
	struct mpool *found[POOLS];
	unsigned int i, n = 0;

	for (i = 0; i < POOLS; i++)
		if (pools[i].rx && !pools[i].dead)
			found[n++] = &pools[i];
	return n ? found[current_pool % n] : NULL;
}

static unsigned int live_pools(void)
{
	unsigned int i, n = 0;

	for (i = 0; i < POOLS; i++)
		n += pools[i].rx && !pools[i].dead;
	return n;
}

static void release_all(struct mpool *p)
{
	while (p->n_posted) {
		struct mpage *m = p->posted[p->n_posted - 1];

		model_release(p, &m, 1, p->params.bias - m->taken, false);
	}
}

static void unregister(struct mpool *p)
{
	if (p->rxq_registered)
		xdp_rxq_info_unreg(&p->rxq);
	p->rxq_registered = false;
}

static void destroy(struct mpool *p, bool unregister_first)
{
	fuzz_step = "destroy";
	release_all(p);
	if (unregister_first)
		unregister(p);
	model_destroy(p);
	unregister(p);
}

static void destroy_one(struct mpool *p)
{
	destroy(p, byte() & 1);
}

static void another_pool(void)
{
	current_pool = byte();
	if (!(current_pool & 7) && byte() < 8)
		create_wrong();
	else if (current_pool & 8 && live_pools() < LIVE_POOLS)
		create();
}

/* The owner */

static void allocate(struct mpool *p, bool bulk)
{
	static const gfp_t gfps[] = { GFP_ATOMIC, GFP_KERNEL, GFP_KERNEL_ACCOUNT,
				      GFP_ATOMIC | __GFP_NOWARN };
	gfp_t gfp = gfps[byte() % ARRAY_SIZE(gfps)];
	unsigned int n = bulk ? how_many(p) : 1;
	bool may_fail, softirq = somewhere();

	fuzz_step = bulk ? "alloc_bulk" : "alloc";
	may_fail = failing_begins(p);
	model_alloc(p, n, gfp, bulk, may_fail);
	failing_ends(p);
	leave(softirq);
}

static void alloc(struct mpool *p)
{
	allocate(p, false);
}

static void alloc_bulk(struct mpool *p)
{
	allocate(p, true);
}

struct mpage *a_posted(struct mpool *p)
{
	return p->n_posted ? p->posted[below(p->n_posted)] : NULL;
}

static void release(struct mpool *p)
{
	struct mpage *m = a_posted(p);

	fuzz_step = "release";
	if (m)
		model_release(p, &m, 1, p->params.bias - m->taken, false);
}

/* Those that are as much used as the first. */
static void release_bulk(struct mpool *p)
{
	unsigned int i, n = 0, most = how_many(p);
	struct mpage *m = a_posted(p), *same[POSTED];

	fuzz_step = "release_bulk";
	for (i = 0; i < p->n_posted && n < min(most, POSTED); i++)
		if (p->posted[i]->taken == m->taken)
			same[n++] = p->posted[i];
	if (n)
		model_release(p, same, n, p->params.bias - m->taken, true);
}

static void steer(struct mpool *p)
{
	struct mpage *m = a_posted(p);
	u32 hash = flow_hash(byte() % 8);
	struct page_pool *was, *ring;
	int cpu = model_reader(hash);

	fuzz_step = "steer";
	if (!m || m->taken)
		return;
	was = real(m)->pp;
	rxpool_steer(p->rx, real(m), hash);
	EXPECT_EQ(rxpool_page_retained(p->rx, real(m)), m->retained);
	ring = cpu >= 0 && m->retained ? p->rx->shard[cpu % p->rx->shards] : was;
	EXPECT(real(m)->pp == ring);
	p->steered += ring != was;
	p->changed = true;
}

static void sync_part(struct mpool *p)
{
	struct mpage *m = a_posted(p);
	unsigned int offset = below(PAGE_SIZE), len = below(PAGE_SIZE - offset + 1);

	fuzz_step = "sync";
	if (!m)
		return;
	if (len & 1)
		rxpool_sync_for_cpu(p->rx, real(m), offset, len);
	else
		rxpool_sync_for_device(p->rx, real(m), offset, len);
}

/* Of a pool that is watched: the second release is refused. */
static void release_again(struct mpool *p)
{
	struct mpage *m = p->last_released;

	fuzz_step = "release again";
	if (!p->params.debug || !m || m->posted || m->pool != p || m->pool_id != p->id)
		return;
	rxpool_release(p->rx, real(m), p->params.bias);
	p->misuse++;
	p->changed = true;
}

static void pass_time(u64 ns)
{
	fuzz_step = "time passes";
	fuzz_advance(ns);
	if (ns >= NSEC_PER_SEC)
		model_buried(true);
}

static void some_time(void)
{
	pass_time(NSEC_PER_SEC / HZ << byte() % 14);
}

static void fail(void)
{
	unsigned int b = byte();

	fuzz_step = "fail";
	if (b & 1)
		fail_nth = 1 + byte() % 64;
	fail_on = b & 2;
	if (b & 4)
		fail_maps = 1 + byte() % 64;
	if ((b & 0x18) == 0x18)
		current->flags = PF_MEMALLOC;
}

enum {
	ALLOC, ALLOC_BULK, RELEASE, RELEASE_BULK, GIVE_PACKET, GIVE_RAW, GIVE_FRAME, GIVE_MANY,
	DROP, PUT_BULK, RETURN_FRAMES, HOLD, CLONE, COPY_HEAD, READ_PACKET, STEER, SYNC, POOL,
	TIME, LEARN, FAIL, AGAIN, DESTROY,
};

/* How often each comes. */
static const u8 weights[] = {
	[ALLOC] = 6, [ALLOC_BULK] = 5, [RELEASE] = 4, [RELEASE_BULK] = 3, [GIVE_PACKET] = 8,
	[GIVE_RAW] = 4, [GIVE_FRAME] = 3, [GIVE_MANY] = 2, [DROP] = 8, [PUT_BULK] = 2,
	[RETURN_FRAMES] = 1, [HOLD] = 2, [CLONE] = 2, [COPY_HEAD] = 1, [READ_PACKET] = 2,
	[STEER] = 3, [SYNC] = 1, [POOL] = 2, [TIME] = 1, [LEARN] = 1, [FAIL] = 1, [AGAIN] = 1,
	[DESTROY] = 1,
};

static unsigned int an_operation(void)
{
	unsigned int i, n = 0;

	for (i = 0; i < ARRAY_SIZE(weights); i++)
		n += weights[i];
	n = byte() % n;
	for (i = 0; n >= weights[i]; i++)
		n -= weights[i];
	return i;
}

static void owner_step(unsigned int operation)
{
	static void (*const steps[])(struct mpool *p) = {
		[ALLOC] = alloc, [ALLOC_BULK] = alloc_bulk, [RELEASE] = release,
		[RELEASE_BULK] = release_bulk, [GIVE_PACKET] = give_packet, [GIVE_RAW] = give_raw,
		[GIVE_FRAME] = give_frame, [GIVE_MANY] = give_many, [STEER] = steer,
		[SYNC] = sync_part, [AGAIN] = release_again, [DESTROY] = destroy_one,
	};
	struct mpool *p = a_pool();

	if (p)
		steps[operation](p);
	else
		create();
}

static void step(void)
{
	static void (*const steps[])(void) = {
		[DROP] = drop_some, [PUT_BULK] = put_bulk, [RETURN_FRAMES] = return_frames,
		[HOLD] = hold, [CLONE] = clone_packet, [COPY_HEAD] = copy_head,
		[READ_PACKET] = copy_to_reader, [POOL] = another_pool, [TIME] = some_time,
		[LEARN] = rxpool_learn, [FAIL] = fail,
	};
	unsigned int operation = an_operation();

	if (operation < ARRAY_SIZE(steps) && steps[operation])
		steps[operation]();
	else
		owner_step(operation);
	fuzz_steps++;
	model_check();
}

/* All flows are known, and none is about to be learned. */
static void learn_all(void)
{
	unsigned int flow;
	u32 hash;

	rxpool_learn();
	pass_time(NSEC_PER_SEC / HZ);
	EXPECT(shim_copy_tp.probe);
	for (flow = 0; flow < 8; flow++) {
		struct sk_buff skb = { .pp_recycle = true };

		hash = flow_hash(flow);
		skb.hash = hash;
		shim_this_cpu.cpu = flow % NR_CPUS;
		model_learn(hash, shim_this_cpu.cpu);
		trace_skb_copy_datagram_iovec(&skb, 0);
	}
	pass_time(NSEC_PER_SEC);
	EXPECT(!shim_copy_tp.probe);
	shim_this_cpu.cpu = 0;
}

void fuzz_init(void)
{
	unsigned int i;

	shim_claim_cpus = NR_CPUS;
	shim_quiet = true;
	shim_softirq = fuzz_meanwhile;
	shim_init(MEMORY);
	/* As long as it takes until pauses get no longer. */
	for (i = 0; i < 10; i++)
		learn_all();
}

void fuzz_one(const u8 *data, size_t size)
{
	unsigned int i;

	input = data;
	input_end = data + size;
	current_pool = 0;
	learn_all();
	while (input < input_end)
		step();

	/* In any order, from what is left of the input: the last is as good as any. */
	fuzz_step = "the end";
	failing_ends(&pools[0]);
	for (i = 0; i < POOLS; i++)
		if (pools[i].rx && !pools[i].dead && i % 2)
			destroy(&pools[i], i & 2);
	drop_all();
	for (i = 0; i < POOLS; i++)
		if (pools[i].rx && !pools[i].dead)
			destroy(&pools[i], i & 2);
	model_check();
	pass_time(NSEC_PER_SEC);
	model_end();
}
