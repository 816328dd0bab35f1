// SPDX-License-Identifier: GPL-2.0
/*
 * Faults on demand, and the counters, in debugfs.  A module parameter of the
 * same name is a knob's value for all functions from the start.
 */
#include <linux/debugfs.h>
#include <linux/moduleparam.h>
#include <linux/seq_file.h>

#include "cxsim.h"

static struct cxsim_faults init_faults;

module_param_named(drop_rx, init_faults.drop_rx, uint, 0444);
MODULE_PARM_DESC(drop_rx, "lose every Nth receive completion");
module_param_named(drop_tx, init_faults.drop_tx, uint, 0444);
MODULE_PARM_DESC(drop_tx, "lose every Nth send completion");
module_param_named(zero_len, init_faults.zero_len, uint, 0444);
MODULE_PARM_DESC(zero_len, "every Nth receive completion says zero bytes");
module_param_named(err_rx, init_faults.err_rx, uint, 0444);
MODULE_PARM_DESC(err_rx, "every Nth receive completion is an error");
module_param_named(err_tx, init_faults.err_tx, uint, 0444);
MODULE_PARM_DESC(err_tx, "every Nth send fails");
module_param_named(fail_opcode, init_faults.fail_opcode, uint, 0444);
MODULE_PARM_DESC(fail_opcode, "fail commands of this opcode ...");
module_param_named(fail_status, init_faults.fail_status, uint, 0444);
MODULE_PARM_DESC(fail_status, "... with this status (0: none)");
module_param_named(hold_rq, init_faults.hold_rq, bool, 0444);
MODULE_PARM_DESC(hold_rq, "stop reading the receive queues");
module_param_named(hold_link, init_faults.hold_link, bool, 0444);
MODULE_PARM_DESC(hold_link, "hold the link down");

static struct dentry *root;
static struct cxsim *sims;
static int nsims;

void cxsim_fault_init(struct cxsim *f)
{
	f->fault = init_faults;
}

static int refused_get(void *data, u64 *val)
{
	struct cxsim *f = data;
	int i;

	*val = 0;
	for (i = 0; i < nsims; i++)
		if (!f || f == &sims[i])
			*val += atomic64_read(&sims[i].refused);
	return 0;
}

/* Make the device read an address of one's choice: tests the check itself. */
static int access_set(void *data, u64 addr)
{
	return cxsim_dma(data, addr, 1, false) ? 0 : -EFAULT;
}

DEFINE_DEBUGFS_ATTRIBUTE(access_fops, NULL, access_set, "%llu\n");

static u64 iommu_sum(struct cxsim *f, int which)
{
	u64 n = 0;
	int i;

	for (i = 0; i < nsims; i++)
		if (!f || f == &sims[i])
			n += cxsim_iommu_count(&sims[i], which);
	return n;
}

#define IOMMU_FILE(name, which)						\
static int name##_get(void *data, u64 *val)				\
{									\
	*val = iommu_sum(data, which);					\
	return 0;							\
}									\
DEFINE_DEBUGFS_ATTRIBUTE(name##_fops, name##_get, NULL, "%llu\n")

DEFINE_DEBUGFS_ATTRIBUTE(refused_fops, refused_get, NULL, "%llu\n");
IOMMU_FILE(iommu_mapped, CXSIM_MAPPED);
IOMMU_FILE(iommu_bad_unmap, CXSIM_BAD_UNMAP);
IOMMU_FILE(iommu_bad_sync, CXSIM_BAD_SYNC);
IOMMU_FILE(iommu_left, CXSIM_LEFT);

static void show_port(struct seq_file *s, const char *dir,
		      const struct cxsim_port_stats *p)
{
	seq_printf(s, "%s_ucast %llu\n%s_mcast %llu\n%s_bcast %llu\n",
		   dir, p->ucast, dir, p->mcast, dir, p->bcast);
	seq_printf(s, "%s_octets %llu\n", dir,
		   p->ucast_octets + p->mcast_octets + p->bcast_octets);
	seq_printf(s, "%s_drop_down %llu\n", dir, p->drop_down);
	if (*dir == 't')
		return;
	seq_printf(s, "rx_drop_steer %llu\nrx_drop_oob %llu\n",
		   p->drop_steer, p->drop_oob);
	seq_printf(s, "rx_drop_cq %llu\nrx_too_long %llu\n",
		   p->drop_cq, p->too_long);
}

static int stats_show(struct seq_file *s, void *v)
{
	struct cxsim *f = s->private;

	seq_printf(s, "link %s\nlink_downs %u\nmtu %u\n",
		   f->link_up ? "up" : "down", f->link_downs, f->mtu);
	seq_printf(s, "commands %llu\ncommands_failed %llu\nresets %llu\n",
		   f->cmds, f->cmds_failed, f->resets);
	show_port(s, "rx", &f->rx);
	show_port(s, "tx", &f->tx);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(stats);

/* The files that exist for all functions together and for each. */
static void counters(struct dentry *dir, struct cxsim *f)
{
#define FILE(name) \
	debugfs_create_file_unsafe(#name, 0444, dir, f, &name##_fops)
	FILE(refused);
	FILE(iommu_mapped);
	FILE(iommu_bad_unmap);
	FILE(iommu_bad_sync);
	FILE(iommu_left);
#undef FILE
}

void cxsim_debugfs_init(struct cxsim *s, int n)
{
	int i;

	sims = s;
	nsims = n;
	root = debugfs_create_dir("cxsim", NULL);
	counters(root, NULL);
	for (i = 0; i < n; i++) {
		struct cxsim_faults *x = &s[i].fault;
		struct dentry *d = debugfs_create_dir(s[i].name, root);

		counters(d, &s[i]);
		debugfs_create_file_unsafe("access", 0200, d, &s[i],
					   &access_fops);
		debugfs_create_file("stats", 0444, d, &s[i], &stats_fops);
		debugfs_create_u32("drop_rx", 0644, d, &x->drop_rx);
		debugfs_create_u32("drop_tx", 0644, d, &x->drop_tx);
		debugfs_create_u32("zero_len", 0644, d, &x->zero_len);
		debugfs_create_u32("err_rx", 0644, d, &x->err_rx);
		debugfs_create_u32("err_tx", 0644, d, &x->err_tx);
		debugfs_create_x32("fail_opcode", 0644, d, &x->fail_opcode);
		debugfs_create_x32("fail_status", 0644, d, &x->fail_status);
		debugfs_create_bool("hold_rq", 0644, d, &x->hold_rq);
		debugfs_create_bool("hold_link", 0644, d, &x->hold_link);
		debugfs_create_bool("fatal", 0644, d, &x->fatal);
	}
}

void cxsim_debugfs_exit(void)
{
	debugfs_remove_recursive(root);
}
