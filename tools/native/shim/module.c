// SPDX-License-Identifier: GPL-2.0
/* So that the sections exist in a program without modules. */
static int shim_no_init(void)
{
	return 0;
}
module_init(shim_no_init);

static void shim_no_exit(void)
{
}
module_exit(shim_no_exit);

static bool no_param;
module_param_named(nothing, no_param, bool, 0);

bool shim_set_param(const char *name, bool value)
{
	const struct shim_param *param;

	for (param = __start_shim_params; param < __stop_shim_params; param++)
		if (!strcmp(param->name, name)) {
			WRITE_ONCE(*param->value, value);
			return true;
		}
	return false;
}

struct module shim_module;
static const struct file_operations *shown;

void shim_init(unsigned long pages)
{
	const initcall_t *call;

	shim_memory_init(pages);
	for (call = __start_shim_initcalls; call < __stop_shim_initcalls; call++)
		BUG_ON((*call)());
}

void shim_exit(void)
{
	const exitcall_t *call;

	WARN_ON(atomic_read(&shim_module.users));
	for (call = __stop_shim_exitcalls; call-- > __start_shim_exitcalls; )
		(*call)();
}

void debugfs_create_file(const char *name, int mode, struct dentry *parent, void *data,
			 const struct file_operations *fops)
{
	shown = fops;
}

void shim_debugfs_show(FILE *file)
{
	struct seq_file m = { file };

	if (shown)
		shown->show(&m, NULL);
}
