// SPDX-License-Identifier: GPL-2.0
/* cxsim: a simulated ConnectX-5. Module, functions, and their threads. */
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "cxsim.h"

static int functions = 2;
module_param(functions, int, 0444);
MODULE_PARM_DESC(functions,
		 "PCI functions: 2, 4, 6 or 8; 0 is wired to 1, 2 to 3, ...");

static bool iommu;
module_param(iommu, bool, 0444);
MODULE_PARM_DESC(iommu,
		 "give out I/O addresses and refuse those not mapped at that moment");

static struct cxsim *sims;

/*
 * The device cannot see doorbells, which are plain RAM, so it polls: all the
 * time while there is work, then less and less often.
 */
#define IDLE_SPIN	20		/* rounds without a pause */
#define IDLE_SHORT	1000		/* rounds with a short one */
#define PAUSE_SHORT	20		/* microseconds */
#define PAUSE_LONG	1000

static void idle(unsigned int rounds)
{
	if (rounds < IDLE_SPIN)
		cpu_relax();
	else if (rounds < IDLE_SHORT)
		usleep_range(PAUSE_SHORT, 2 * PAUSE_SHORT);
	else
		usleep_range(PAUSE_LONG, 2 * PAUSE_LONG);
}

static int device_thread(void *data)
{
	struct cxsim *f = data;
	unsigned int rounds = 0;

	while (!kthread_should_stop()) {
		bool work;

		work = cxsim_iseg_poll(f);
		work |= cxsim_cmd_poll(f);
		work |= cxsim_link_poll(f);
		work |= cxsim_tx_poll(f);
		/* completions of the frames sent: the peer's receive CQs */
		if (cxsim_bus_master(f->peer)) {
			spin_lock(&f->peer->rx_lock);
			work |= cxsim_cqs_poll(f->peer, true);
			spin_unlock(&f->peer->rx_lock);
		}
		cxsim_irq_poll(f);
		rounds = work ? 0 : rounds + 1;
		if (rounds)
			idle(rounds);
		cond_resched();
	}
	return 0;
}

static int sim_init(struct cxsim *f, int index)
{
	struct xarray *xas[] = {
		&f->eqs, &f->cqs, &f->rqs, &f->sqs, &f->mkeys, &f->rqts,
		&f->tirs, &f->tiss, &f->pds, &f->tds, &f->uars, &f->counters,
		&f->ftables, &f->fcounters,
	};
	int i;

	f->index = index;
	f->peer = &sims[index ^ 1];
	f->gen = 1;
	snprintf(f->name, sizeof(f->name), "%u", index & 7);
	spin_lock_init(&f->rx_lock);
	for (i = 0; i < ARRAY_SIZE(xas); i++)
		xa_init_flags(xas[i], XA_FLAGS_ALLOC);
	INIT_LIST_HEAD(&f->cq_list);
	INIT_LIST_HEAD(&f->sq_list);
	f->flows = kvcalloc(CXSIM_FLOW_CACHE, sizeof(*f->flows), GFP_KERNEL);
	f->frame = kmalloc(CXSIM_FRAME_MAX + 64, GFP_KERNEL);
	f->wqe = kmalloc(CXSIM_WQE_MAX, GFP_KERNEL);
	if (!f->flows || !f->frame || !f->wqe)
		return -ENOMEM;
	cxsim_vport_init(f);
	cxsim_fault_init(f);
	return iommu ? cxsim_iommu_init(f) : 0;
}

static void sim_exit(struct cxsim *f)
{
	cxsim_iommu_exit(f);
	kvfree(f->cmd_in);
	kvfree(f->cmd_out);
	kfree(f->pages);
	kfree(f->wqe);
	kfree(f->frame);
	kvfree(f->flows);
}

static void stop_threads(void)
{
	int i;

	for (i = 0; i < functions; i++)
		if (sims[i].thread)
			kthread_stop(sims[i].thread);
	/* no thread is left that could look */
	for (i = 0; i < functions; i++)
		if (sims[i].thread)
			cxsim_cmd_reset(&sims[i]);
}

static int start_threads(void)
{
	struct task_struct *t;
	int i;

	for (i = 0; i < functions; i++) {
		t = kthread_run(device_thread, &sims[i], "cxsim/%d", i);
		if (IS_ERR(t))
			return PTR_ERR(t);
		sims[i].thread = t;
	}
	return 0;
}

static void sims_exit(void)
{
	int i;

	for (i = 0; i < functions; i++)
		sim_exit(&sims[i]);
	kvfree(sims);
}

static int __init cxsim_init(void)
{
	int i, err;

	if (functions < 2 || functions > CXSIM_MAX_FUNCTIONS || functions & 1) {
		pr_err("cxsim: functions=%d is not 2, 4, 6 or 8\n", functions);
		return -EINVAL;
	}
	sims = kvcalloc(functions, sizeof(*sims), GFP_KERNEL);
	if (!sims)
		return -ENOMEM;
	for (i = 0; i < functions; i++) {
		err = sim_init(&sims[i], i);
		if (err)
			goto err_sims;
	}
	err = cxsim_pci_init(sims, functions);
	if (err)
		goto err_sims;
	err = start_threads();
	if (err)
		goto err_pci;
	cxsim_debugfs_init(sims, functions);
	/* Drivers bind here, with the threads running. */
	cxsim_pci_start();
	return 0;

err_pci:
	cxsim_pci_exit();
	stop_threads();
	cxsim_pci_unmap();
err_sims:
	sims_exit();
	return err;
}

static void __exit cxsim_exit(void)
{
	/* Unbinds drivers, whose last commands the threads still execute. */
	cxsim_pci_exit();
	cxsim_debugfs_exit();
	stop_threads();
	cxsim_pci_unmap();
	sims_exit();
}

module_init(cxsim_init);
module_exit(cxsim_exit);
MODULE_DESCRIPTION("Simulated ConnectX-5 for testing mlx5_core without hardware");
MODULE_LICENSE("GPL");
