// SPDX-License-Identifier: GPL-2.0
/*
 * The initialization segment: command queue address, NIC state, health
 * buffer, timer.  The driver's writes are found by polling.
 */
#include <linux/bitfield.h>
#include <linux/io.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>

#include "cxsim.h"

#define ISEG(f, field) \
	((f)->bar + offsetof(struct mlx5_init_seg, field))

#define FW_MAJOR	16
#define FW_MINOR	35
#define FW_SUBMINOR	1000
#define CMDIF_REV	5
#define CMDQ_FORMAT	0x56		/* 32 entries of 64 bytes */
#define NIC_STATE	GENMASK(10, 8)
#define NIC_SW_RESET	7
#define NIC_DISABLED	1
#define SW_RESET_CAP	BIT(30)
#define HEALTH_FATAL	BIT(7)		/* in rfr_severity */
#define HEALTH_SYND	0x10		/* high temperature: needs no detail */

static u32 rd(const void __iomem *p)
{
	return ioread32be(p);
}

static void wr(void __iomem *p, u32 v)
{
	iowrite32be(v, p);
}

void cxsim_iseg_init(struct cxsim *f)
{
	wr(ISEG(f, fw_rev), FW_MINOR << 16 | FW_MAJOR);
	wr(ISEG(f, cmdif_rev_fw_sub), CMDIF_REV << 16 | FW_SUBMINOR);
	wr(ISEG(f, cmdq_addr_l_sz), CMDQ_FORMAT);
	wr(ISEG(f, initializing), SW_RESET_CAP);
	wr(ISEG(f, health.fw_ver), FW_MAJOR << 24 | FW_MINOR << 16 |
	   FW_SUBMINOR);
	wr(ISEG(f, health.hw_id), 0x20d);
}

static void sw_reset(struct cxsim *f)
{
	f->resets++;
	cxsim_cmd_reset(f);
	writeb(0, ISEG(f, health.rfr_severity));
	writeb(0, ISEG(f, health.synd));
	wr(ISEG(f, cmdq_addr_h), 0);
	wr(ISEG(f, cmdq_addr_l_sz), NIC_DISABLED << 8 | CMDQ_FORMAT);
}

static void tick(struct cxsim *f)
{
	u64 ns = ktime_get_ns();

	if (time_before(jiffies, f->health_next))
		return;
	f->health_next = jiffies + HZ / 4;
	wr(ISEG(f, health_counter), ++f->health & 0xffffff);
	wr(ISEG(f, internal_timer_h), upper_32_bits(ns));
	wr(ISEG(f, internal_timer_l), lower_32_bits(ns));
	if (f->fault.fatal) {
		f->fault.fatal = false;
		writeb(HEALTH_SYND, ISEG(f, health.synd));
		writeb(HEALTH_FATAL, ISEG(f, health.rfr_severity));
	}
}

bool cxsim_iseg_poll(struct cxsim *f)
{
	u32 low = rd(ISEG(f, cmdq_addr_l_sz));

	tick(f);
	if (FIELD_GET(NIC_STATE, low) == NIC_SW_RESET) {
		sw_reset(f);
		return true;
	}
	if ((low & 0xff) == CMDQ_FORMAT)
		return false;
	/*
	 * The driver overwrote the format, with the low word of the address or
	 * with a NIC state; it must be there again for the next driver.
	 */
	if (!(low & NIC_STATE))
		f->cmdq = (u64)rd(ISEG(f, cmdq_addr_h)) << 32 |
			  (low & PAGE_MASK);
	wr(ISEG(f, cmdq_addr_l_sz), (low & NIC_STATE) | CMDQ_FORMAT);
	return true;
}
