/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _RXPOOL_SUITES_H
#define _RXPOOL_SUITES_H

extern struct kunit_suite lifecycle_suite;
extern struct kunit_suite owner_suite;
extern struct kunit_suite ring_suite;
extern struct kunit_suite steer_suite;
extern struct kunit_suite fragments_suite;
extern struct kunit_suite stack_suite;
extern struct kunit_suite loss_suite;
extern struct kunit_suite stats_suite;
extern struct kunit_suite debug_suite;
extern struct kunit_suite stress_suite;
extern struct kunit_suite rx_suite;

#endif /* _RXPOOL_SUITES_H */
