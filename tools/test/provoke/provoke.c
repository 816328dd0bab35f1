// SPDX-License-Identifier: GPL-2.0
/*
 * Bugs, one for each thing that must be reported. Loading it with what=NAME has that bug.
 */
#include <linux/delay.h>
#include <linux/dma-mapping.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/platform_device.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/timer.h>

static char *what = "";
module_param(what, charp, 0444);

static void freed(void)
{
	char *p = kmalloc(64, GFP_KERNEL);

	if (!p)
		return;
	OPTIMIZER_HIDE_VAR(p);
	kfree(p);
	WRITE_ONCE(p[1], READ_ONCE(p[0]));
}

/* The same in pages, which have no cache of their own. */
static void page(void)
{
	struct page *p = alloc_page(GFP_KERNEL);
	char *data;

	if (!p)
		return;
	data = page_address(p);
	__free_page(p);
	OPTIMIZER_HIDE_VAR(data);
	WRITE_ONCE(data[0], 1);
}

static DEFINE_MUTEX(one);
static DEFINE_MUTEX(two);

static void order(void)
{
	mutex_lock(&one);
	mutex_lock(&two);
	mutex_unlock(&two);
	mutex_unlock(&one);
	mutex_lock(&two);
	mutex_lock(&one);
	mutex_unlock(&one);
	mutex_unlock(&two);
}

static void __rcu *nobody;

static void rcu(void)
{
	if (rcu_dereference(nobody))
		pr_info("somebody\n");
}

static DEFINE_SPINLOCK(spin);

static void sleep(void)
{
	spin_lock(&spin);
	might_sleep();
	spin_unlock(&spin);
}

struct ticking {
	struct timer_list timer;
};

static void tick(struct timer_list *timer)
{
}

static void active(void)
{
	struct ticking *p = kmalloc(sizeof(*p), GFP_KERNEL);

	if (!p)
		return;
	timer_setup(&p->timer, tick, 0);
	mod_timer(&p->timer, jiffies + 1000 * HZ);
	kfree(p);
}

static void unmap(void)
{
	struct platform_device *dev;
	void *data = kmalloc(256, GFP_KERNEL);
	dma_addr_t dma;

	dev = platform_device_register_simple("provoke", -1, NULL, 0);
	if (data && !IS_ERR(dev) &&
	    !dma_coerce_mask_and_coherent(&dev->dev, DMA_BIT_MASK(64))) {
		dma = dma_map_single(&dev->dev, data, 256, DMA_TO_DEVICE);
		if (!dma_mapping_error(&dev->dev, dma))
			dma_unmap_single(&dev->dev, dma, 128, DMA_TO_DEVICE);
	}
	if (!IS_ERR(dev))
		platform_device_unregister(dev);
	kfree(data);
}

static void count(void)
{
	refcount_t none = REFCOUNT_INIT(0);

	refcount_inc(&none);
}

static void leak(void)
{
	void *p = kmalloc(1024, GFP_KERNEL);

	OPTIMIZER_HIDE_VAR(p);
}

static int raced;

static int racer(void *unused)
{
	while (!kthread_should_stop()) {
		int n;

		for (n = 0; n < 1000; n++) {
			raced++;
			barrier();
		}
		cond_resched();
	}
	return 0;
}

static void race(void)
{
	struct task_struct *other = kthread_run(racer, NULL, "racer");
	int n;

	if (IS_ERR(other))
		return;
	for (n = 0; n < 200; n++) {
		raced++;
		msleep(20);
	}
	kthread_stop(other);
}

static const struct {
	const char *name;
	void (*provoke)(void);
} bugs[] = {
	{ "freed", freed }, { "page", page }, { "order", order }, { "rcu", rcu },
	{ "sleep", sleep }, { "active", active }, { "unmap", unmap },
	{ "count", count }, { "leak", leak }, { "race", race },
};

/* It never stays, so that it can be loaded again with another name. */
static int __init provoke_init(void)
{
	unsigned int n;

	for (n = 0; n < ARRAY_SIZE(bugs); n++) {
		if (!strcmp(bugs[n].name, what)) {
			bugs[n].provoke();
			return -ECANCELED;
		}
	}
	return -EINVAL;
}
module_init(provoke_init);

MODULE_DESCRIPTION("Bugs to be reported");
MODULE_LICENSE("GPL");
