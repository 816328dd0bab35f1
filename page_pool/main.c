// SPDX-License-Identifier: GPL-2.0
#include <linux/module.h>
#include "compat.h"
#include "pool.h"

static int __init rxpool_init(void)
{
	int err = rxpool_teardown_init();

	if (err)
		return err;
	rxpool_steer_init();
	rxpool_debugfs_init();
	return 0;
}

static void __exit rxpool_exit(void)
{
	rxpool_debugfs_exit();
	rxpool_steer_exit();
	rxpool_teardown_exit();
}

module_init(rxpool_init);
module_exit(rxpool_exit);

MODULE_DESCRIPTION("Page pool for the receive rings of NIC drivers");
MODULE_LICENSE("GPL");
