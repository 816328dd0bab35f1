/* SPDX-License-Identifier: GPL-2.0 */
/* The only place in cxsim that knows kernel versions. */
#ifndef CXSIM_COMPAT_H
#define CXSIM_COMPAT_H

#include <linux/version.h>
#include <asm/apic.h>
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 12, 0)
#include <asm/unaligned.h>
#else
#include <linux/unaligned.h>
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 1, 0) || \
	LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
#error "cxsim supports Linux 6.1 to 6.12 only"
#endif

#ifndef CONFIG_X86_64
#error "cxsim delivers interrupts through the x86 local APIC: x86-64 only"
#endif

/* From 6.6 on the ICR write itself waits where the APIC needs it. */
static inline void cxsim_icr_write(u32 low, u32 dest)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 6, 0)
	apic->safe_wait_icr_idle();
#endif
	apic->icr_write(low, dest);
}

#endif
