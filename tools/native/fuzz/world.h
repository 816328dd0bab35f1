/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The model: what there is of pools, pages and those who hold them, kept beside the real
 * thing in the plainest way. It predicts what the pool must say and do.
 */
#ifndef _FUZZ_WORLD_H
#define _FUZZ_WORLD_H

#include "compat.h"
#include "pool.h"
#include "ring.h"

#define LIVE_POOLS	4
#define POOLS		12	/* with those that wait for pages */
#define MEMORY		8192	/* pages */
#define POSTED		400	/* pages of a pool that the device has, at most */
#define HOLDERS		384
#define FRAGS		4
/* Of a page: a packet each, with a cookie at the end. */
#define REGION_SIZE	64U
#define REGIONS		64U

struct mdev {
	struct device dev;
	u64 mask;
	unsigned int slot;
	unsigned int mapped;	/* now */
	u64 maps;		/* ever */
	int maps_left;		/* that succeed; -1: all */
};

/* A page, by its frame number. */
struct mpage {
	struct mpool *pool;	/* whose stamp it has, as far as known */
	u32 pool_id;
	bool retained;
	bool posted;		/* handed out and not released */
	bool home;		/* came back */
	bool reserve;		/* from the emergency reserve */
	bool touched;		/* by the operation under way */
	unsigned int at;	/* index in the pool's posted */
	unsigned int taken;	/* references given away while it is posted */
	unsigned int out;	/* references that the stack has */
	unsigned int held;	/* plain page references */
	u8 mapping;		/* number of the mapping it had when handed out */
};

struct mpool {
	struct rxpool *rx;	/* NULL: there is none */
	u32 id;			/* of this pool alone */
	bool dead;
	bool changed;		/* by the operation under way */
	struct rxpool_params params;
	char name[16];
	struct mdev dev;
	struct xdp_rxq_info rxq;
	bool rxq_registered;
	struct mpage *posted[POSTED];
	unsigned int n_posted;
	struct mpage *last_released;
	int stamped;		/* pages with its stamp, as it says itself */

	/* What its statistics must be. */
	u64 alloc, burst, first, from_buddy, alloc_failed, return_owner, steered, misuse;
	u64 landed;		/* retained pages, ever */
	u64 lost;		/* retained pages, noticed or not */
	unsigned int retained;	/* without lost ones */
	unsigned int out;	/* retained pages not back */
	unsigned int burst_out;
	unsigned int burst_posted;
	unsigned int burst_home; /* at most */
};

enum kind {
	PACKET,			/* a socket buffer */
	COPIED,			/* one whose pages are held by plain references */
	RAW,			/* a reference for rxpool_put() */
	FRAME,			/* of XDP */
	HELD,			/* a plain page reference */
};

struct mfrag {
	struct mpage *page;
	unsigned int region;
	u64 cookie;
};

/* References that go together, shared by clones. */
struct mdata {
	unsigned int users;	/* 0: not in use */
	unsigned int n;
	struct mfrag frags[FRAGS];
};

struct holder {
	enum kind kind;
	struct mdata *data;
	struct sk_buff *skb;
	struct xdp_frame *frame;
	unsigned int flow;
};

extern struct mpool pools[POOLS];
extern struct mpage mpages[MEMORY];

/* Whatever is not as it must be ends the program. */
#define EXPECT(condition, ...) do {					\
	if (unlikely(!(condition)))					\
		fuzz_fail(__FILE__, __LINE__, #condition, ##__VA_ARGS__, 0ULL, 0ULL);	\
} while (0)
#define EXPECT_EQ(a, b) do {						\
	unsigned long long __l = (a), __r = (b);			\
									\
	if (unlikely(__l != __r))					\
		fuzz_fail(__FILE__, __LINE__, #a " == " #b, __l, __r);	\
} while (0)
void __cold __noreturn fuzz_fail(const char *file, int line, const char *what,
				 unsigned long long left, unsigned long long right, ...);

extern u64 fuzz_steps;
extern const char *fuzz_step;	/* what is being done */

static inline struct page *real(const struct mpage *m)
{
	return mem_map + (m - mpages);
}

static inline struct mpage *model(const struct page *page)
{
	return &mpages[page - mem_map];
}

/* device.c */
void mdev_init(struct mdev *dev, unsigned int slot, bool syncs);
/* Number of a page's mapping, 0 if it has none. */
unsigned int mdev_mapping(const struct mdev *dev, const struct mpage *m);
bool mdev_synced(const struct mdev *dev, const struct mpage *m, unsigned int offset,
		 unsigned int len);

/* time.c */
void fuzz_advance(u64 ns);
void fuzz_meanwhile(void);

/* model.c */
struct mpool *model_new_pool(void);
void model_learn(u32 hash, int cpu);
int model_reader(u32 hash);
void model_alloc(struct mpool *p, unsigned int n, gfp_t gfp, bool bulk, bool may_fail);
void model_give(struct mpage *m, struct mdata *d);
void model_release(struct mpool *p, struct mpage **m, unsigned int n, unsigned int unused,
		   bool bulk);
void model_dropped(struct mpage *m);
void model_put(struct mpage *m);
void model_settle(void);
void model_destroy(struct mpool *p);
void model_buried(bool all);
void model_check(void);
void model_end(void);

#endif /* _FUZZ_WORLD_H */
