/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Included before each file of the pool: the pool without its counters, to see what
 * they cost.
 */
#include "compat.h"
#include "pool.h"

#undef rxpool_count
#define rxpool_count(pool, counter, n)	((void)(pool), (void)(n))
#undef pr_fmt
