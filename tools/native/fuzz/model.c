// SPDX-License-Identifier: GPL-2.0
/*
 * Predicts what each call does, makes it, and compares.
 */
#include "world.h"

struct mpool pools[POOLS];
struct mpage mpages[MEMORY];
static struct mpage *touched[HOLDERS * FRAGS];
static unsigned int n_touched;
static unsigned int orphans;	/* pages that only plain references keep */
static u32 last_id;

static bool stamped(const struct mpage *m)
{
	return rxpool_owns(m->pool->rx, real(m));
}

/* Does the model know this page as one of the pool's? */
static bool known(const struct mpage *m)
{
	return m->pool && m->pool->rx && m->pool->id == m->pool_id;
}

struct mpool *model_new_pool(void)
{
	unsigned int i;

	for (i = 0; i < POOLS; i++)
		if (!pools[i].rx)
			break;
	if (i == POOLS)
		return NULL;
	memset(&pools[i], 0, sizeof(pools[i]));
	pools[i].id = ++last_id;
	pools[i].changed = true;
	return &pools[i];
}

/* Flows and their readers, one for each slot that the pool has for them. */
static struct {
	u32 hash;
	int cpu;
} learned[16];

void model_learn(u32 hash, int cpu)
{
	learned[hash % ARRAY_SIZE(learned)].hash = hash;
	learned[hash % ARRAY_SIZE(learned)].cpu = cpu;
}

int model_reader(u32 hash)
{
	return learned[hash % ARRAY_SIZE(learned)].hash == hash ?
	       learned[hash % ARRAY_SIZE(learned)].cpu : -1;
}

/* Hand-out */

static void adopt(struct mpool *p, struct page *page)
{
	struct mpage *m = model(page);
	bool retained = rxpool_page_retained(p->rx, page), again = false;

	EXPECT(page >= mem_map && page < mem_map + mem_pages);
	if (known(m)) {
		EXPECT(!m->posted);
		EXPECT(m->home);
		/* What a living pool retains stays with it. */
		EXPECT(!m->retained || m->pool == p || m->pool->dead);
		again = m->retained && m->pool == p;
		EXPECT(!again || retained);
	}
	EXPECT_EQ(m->out, 0);
	EXPECT_EQ(m->held, 0);
	EXPECT_EQ(page_ref_count(page), 1);
	EXPECT(rxpool_owns(p->rx, page));
	if (p->params.bias > 1)
		EXPECT_EQ(atomic_long_read(rxpool_refs(page)), p->params.bias);
	EXPECT(!retained || !page_is_pfmemalloc(page));
	EXPECT(mdev_mapping(&p->dev, m));
	EXPECT(mdev_synced(&p->dev, m, p->params.offset,
			   p->params.max_len ?: PAGE_SIZE - p->params.offset));
	if (again)
		EXPECT_EQ(mdev_mapping(&p->dev, m), m->mapping);
	else if (retained)
		p->first++;

	memset(m, 0, sizeof(*m));
	m->pool = p;
	m->pool_id = p->id;
	m->retained = retained;
	m->reserve = page_is_pfmemalloc(page);
	m->mapping = mdev_mapping(&p->dev, m);
	m->posted = true;
	m->at = p->n_posted;
	p->posted[p->n_posted++] = m;
}

static void unpost(struct mpool *p, struct mpage *m)
{
	EXPECT(m->posted && p->posted[m->at] == m);
	m->posted = false;
	p->posted[m->at] = p->posted[--p->n_posted];
	p->posted[m->at]->at = m->at;
}

void model_alloc(struct mpool *p, unsigned int n, gfp_t gfp, bool bulk, bool may_fail)
{
	struct page *pages[POSTED];
	u64 maps = p->dev.maps, buddy = buddy_count().allocated;
	unsigned int i, got, retained = 0, home = p->retained - p->out, want;

	n = min(n, POSTED - p->n_posted);
	if (bulk) {
		got = rxpool_alloc_bulk(p->rx, pages, n, gfp);
	} else {
		n = min(n, 1U);
		pages[0] = n ? rxpool_alloc(p->rx, gfp) : NULL;
		got = !!pages[0];
	}
	EXPECT(got <= n, got, n);
	for (i = 0; i < got; i++) {
		adopt(p, pages[i]);
		retained += model(pages[i])->retained;
	}

	/* First what came back, then new pages up to the capacity, then burst pages. */
	want = min(n, home + p->params.capacity - p->retained);
	EXPECT(retained <= want, retained, want);
	EXPECT(retained >= min(n, home), retained, home);
	if (!may_fail) {
		EXPECT_EQ(got, n);
		EXPECT_EQ(retained, want);
	}
	p->alloc += got;
	p->burst += got - retained;
	p->alloc_failed += n - got;
	p->out += retained;
	p->burst_out += got - retained;
	p->burst_posted += got - retained;
	p->retained += p->dev.maps - maps - (got - retained);
	p->from_buddy += buddy_count().allocated - buddy;
	EXPECT(p->retained <= p->params.capacity, p->retained);
	p->changed = true;
}

/* A reference of a posted page for the stack, and a packet in the page. */
void model_give(struct mpage *m, struct mdata *d)
{
	struct mfrag *f = &d->frags[d->n++];

	f->page = m;
	f->region = m->taken;
	f->cookie = fuzz_steps * HOLDERS + d->n;
	*(u64 *)(page_address(real(m)) + (m->taken + 1) * REGION_SIZE - sizeof(u64)) = f->cookie;
	m->taken++;
	m->out++;
}

/* Coming back */

static void lands(struct mpool *p, struct mpage *m)
{
	m->home = true;
	if (m->retained)
		p->landed++;
	else
		p->burst_home++;
}

/* The kernel could not land it: it is lost, or if it was a burst page, free. */
static void gone(struct mpool *p, struct mpage *m)
{
	if (m->retained) {
		p->retained--;
		p->lost++;
	}
	orphans += !!m->held;
	m->pool = NULL;
}

static void back(struct mpool *p, struct mpage *m)
{
	unsigned int *out = m->retained ? &p->out : &p->burst_out;

	EXPECT(*out);
	--*out;
	p->changed = true;
}

/* All references have come back, the last from the stack, or a driver. */
static void returned(struct mpool *p, struct mpage *m)
{
	back(p, m);
	/* By now it may be free, and with it its pool. */
	if (p->dead) {
		gone(p, m);
		return;
	}
	if (stamped(m)) {
		EXPECT(!m->held);
		EXPECT(!m->reserve);
		lands(p, m);
		return;
	}
	/* Rings are large enough for all retained pages, if XDP fills none with others. */
	EXPECT(m->held || m->reserve || !m->retained || rxpool_landed(p->rx) >= p->params.capacity);
	gone(p, m);
}

/* All references have come back, the last from the owner. */
static void released(struct mpool *p, struct mpage *m)
{
	back(p, m);
	if (!m->retained || m->held) {
		EXPECT(!stamped(m));
		gone(p, m);
		return;
	}
	EXPECT(stamped(m));
	m->home = true;
	p->return_owner++;
}

static void check_references(struct mpage *m)
{
	unsigned int left = m->out + (m->posted ? m->pool->params.bias - m->taken : 0);

	EXPECT(stamped(m));
	EXPECT_EQ(page_ref_count(real(m)), 1 + m->held);
	if (m->pool->params.bias > 1)
		EXPECT_EQ(atomic_long_read(rxpool_refs(real(m))), left);
}

void model_release(struct mpool *p, struct mpage **m, unsigned int n, unsigned int unused,
		   bool bulk)
{
	struct page *pages[POSTED];
	unsigned int i;

	for (i = 0; i < n; i++) {
		unpost(p, m[i]);
		pages[i] = real(m[i]);
		EXPECT_EQ(mdev_mapping(&p->dev, m[i]), m[i]->mapping);
		p->burst_posted -= !m[i]->retained;
		p->last_released = m[i];
	}
	if (bulk)
		rxpool_release_bulk(p->rx, pages, n, unused);
	else
		rxpool_release(p->rx, pages[0], unused);
	p->changed = true;
	for (i = 0; i < n; i++) {
		if (m[i]->out)
			check_references(m[i]);
		else
			released(p, m[i]);
	}
}

/* The stack has dropped a reference. */
void model_dropped(struct mpage *m)
{
	EXPECT(known(m) && !m->home);
	EXPECT(m->out);
	m->out--;
	if (m->touched)
		return;
	m->touched = true;
	touched[n_touched++] = m;
}

/* A plain reference was dropped. */
void model_put(struct mpage *m)
{
	EXPECT(m->held);
	m->held--;
	if (!m->held && !m->pool)
		orphans--;
}

/* After an operation, when all that it dropped is known. */
void model_settle(void)
{
	while (n_touched) {
		struct mpage *m = touched[--n_touched];

		m->touched = false;
		if (m->posted || m->out)
			check_references(m);
		else
			returned(m->pool, m);
	}
}

/* The end */

static bool listed(const struct rxpool *rx)
{
	struct rxpool *pool;

	list_for_each_entry(pool, &rxpool_pools, node)
		if (pool == rx)
			return true;
	return false;
}

/* Dead pools whose last page came go away within some time. */
void model_buried(bool all)
{
	struct mpool *p;

	for (p = pools; p < pools + POOLS; p++) {
		if (!p->rx || !p->dead)
			continue;
		if (listed(p->rx)) {
			EXPECT(!all || p->out + p->burst_out);
			continue;
		}
		EXPECT_EQ(p->out + p->burst_out, 0);
		p->rx = NULL;
		p->stamped = 0;
	}
}

void model_destroy(struct mpool *p)
{
	EXPECT(!p->n_posted);
	rxpool_destroy(p->rx);
	p->dead = true;
	EXPECT_EQ(p->dev.mapped, 0);
	model_buried(false);
	/* Nothing but what is out is left of it. */
	if (p->rx)
		EXPECT_EQ(rxpool_outstanding(p->rx), p->out + p->burst_out);
}

/* Statistics, the invariant in pool.h, and the identities in rxpool.h. */
static void check_live(struct mpool *p)
{
	u64 unnoticed, waiting, idle;
	struct rxpool_stats s;

	rxpool_get_stats(p->rx, &s);
	EXPECT_EQ(s.alloc, p->alloc);
	EXPECT_EQ(s.burst, p->burst);
	EXPECT_EQ(s.recycled, p->alloc - p->burst - p->first);
	EXPECT_EQ(s.from_buddy, p->from_buddy);
	EXPECT_EQ(s.return_owner, p->return_owner);
	EXPECT_EQ(s.alloc_failed, p->alloc_failed);
	EXPECT_EQ(s.steered, p->steered);
	EXPECT_EQ(s.misuse, p->misuse);
	EXPECT_EQ(s.in_flight, p->out + p->burst_out);

	EXPECT(s.lost <= p->lost, s.lost, p->lost);
	unnoticed = p->lost - s.lost;
	EXPECT_EQ(s.retained, p->retained + unnoticed);
	EXPECT_EQ(s.retained_bytes, s.retained * PAGE_SIZE);
	EXPECT_EQ(s.dma_map, p->dev.maps);
	EXPECT_EQ(p->dev.mapped, s.retained + p->burst_posted);

	EXPECT(s.return_ring <= p->landed, s.return_ring, p->landed);
	waiting = p->landed - s.return_ring;
	idle = rxpool_idle(p->rx);
	EXPECT_EQ(s.retained, idle + waiting + p->out + unnoticed);
	EXPECT_EQ(s.alloc - s.burst,
		  s.return_owner + s.return_ring + s.lost + p->out + waiting + unnoticed);

	/* Burst pages that wait for the next burst, or to be sorted out. */
	p->stamped = rxpool_outstanding(p->rx);
	EXPECT(p->stamped >= (int)(p->retained + p->burst_out), p->stamped, p->retained);
	EXPECT(p->stamped - p->retained - p->burst_out <= p->burst_home);
	p->burst_home = p->stamped - p->retained - p->burst_out;
	EXPECT_EQ(rxpool_landed(p->rx), waiting + p->burst_home);
}

static void check_dead(struct mpool *p)
{
	p->stamped = rxpool_outstanding(p->rx);
	EXPECT(p->stamped >= (int)(p->out + p->burst_out), p->stamped, p->out);
}

/* After each operation: the pools that it changed, and what they all have in common. */
void model_check(void)
{
	unsigned int live = 0, dead = 0;
	struct buddy_counters buddy;
	struct mpool *p;
	int sum = 0;

	model_buried(false);
	for (p = pools; p < pools + POOLS; p++) {
		if (!p->rx)
			continue;
		live += !p->dead;
		dead += p->dead;
		if (p->dead)
			check_dead(p);
		else if (p->changed)
			check_live(p);
		p->changed = false;
		sum += p->stamped;
	}
	EXPECT_EQ(atomic_read(&shim_module.users), live + dead);
	EXPECT_EQ(rxpool_count_pools(false), live);
	EXPECT_EQ(rxpool_count_pools(true), dead);
	buddy = buddy_count();
	EXPECT_EQ(buddy.allocated - buddy.freed, sum + orphans);
	EXPECT_EQ(shim_warnings, 0);
	EXPECT_EQ(preempt_count(), 0);
}

/* Nothing may be left. */
void model_end(void)
{
	struct buddy_counters buddy = buddy_count();

	EXPECT_EQ(rxpool_count_pools(false), 0);
	EXPECT_EQ(rxpool_count_pools(true), 0);
	EXPECT_EQ(buddy.allocated, buddy.freed);
	EXPECT_EQ(orphans, 0);
	memset(mpages, 0, sizeof(mpages));
	memset(learned, 0, sizeof(learned));
	shim_memory_reset();
}
