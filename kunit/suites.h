/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _RXPOOL_SUITES_H
#define _RXPOOL_SUITES_H

extern struct kunit_suite pool_suite;
extern struct kunit_suite rx_suite;

#endif /* _RXPOOL_SUITES_H */
