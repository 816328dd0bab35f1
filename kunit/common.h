/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the suites of the pool have in common.
 */
#ifndef _RXPOOL_COMMON_H
#define _RXPOOL_COMMON_H

#include <linux/skbuff.h>
#include <rxpool.h>
#include "harness.h"
#include "suites.h"
#include "testdev.h"

#define TEST_CAPACITY	256
#define TEST_MANY	(TEST_CAPACITY + 100)
#define TEST_BIAS	64

/* Why a case must be skipped that fails the nth allocation of a thread. */
#if IS_ENABLED(CONFIG_KUNIT) && IS_ENABLED(CONFIG_FAILSLAB) && IS_ENABLED(CONFIG_FAIL_PAGE_ALLOC)
#define RXPOOL_FAIL_NTH							\
	"write N to failslab/ignore-gfp-wait and fail_page_alloc/ignore-gfp-wait in debugfs"
#endif

/* Warnings that the suites provoke, each once. */
#define TEST_WARNINGS	2

extern struct page *pages[TEST_MANY];

/* Kernels with checkers are some ten times as slow. */
static inline unsigned int test_rounds(unsigned int n)
{
	if (IS_ENABLED(CONFIG_PROVE_LOCKING) || IS_ENABLED(CONFIG_KCSAN))
		return DIV_ROUND_UP(n, 10);
	return n;
}

struct rxpool_params test_params(unsigned int bias);
struct rxpool *test_pool(unsigned int bias);
struct rxpool *debug_pool(unsigned int bias);
int pool_test_init(struct kunit *test);
void pool_test_exit(struct kunit *test);
struct rxpool_stats stats_of(struct rxpool *pool);
void expect_identities(struct kunit *test, struct rxpool *pool,
		       unsigned int retained_out, unsigned int burst_out);
bool dead_pools_gone(void);
struct sk_buff *packet(struct page *page, unsigned int offset, unsigned int len);
int other_cpu(void);
void free_on_other_cpu(struct sk_buff *skb);

#endif /* _RXPOOL_COMMON_H */
