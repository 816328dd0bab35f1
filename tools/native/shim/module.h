/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Modules, static keys, debugfs: what surrounds the code. Initialisation runs in the
 * order of linking, see shim_init().
 */
#ifndef _SHIM_MODULE_H
#define _SHIM_MODULE_H

typedef int (*initcall_t)(void);
typedef void (*exitcall_t)(void);

#define module_init(f)							\
	static const initcall_t shim_init_##f				\
	__attribute__((used, section("shim_initcalls"))) = (f)
#define module_exit(f)							\
	static const exitcall_t shim_exit_##f				\
	__attribute__((used, section("shim_exitcalls"))) = (f)

/* Made by the linker. */
extern const initcall_t __start_shim_initcalls[], __stop_shim_initcalls[];
extern const exitcall_t __start_shim_exitcalls[], __stop_shim_exitcalls[];

void shim_init(unsigned long pages);
void shim_exit(void);

struct module {
	atomic_t users;
};

extern struct module shim_module;
#define THIS_MODULE		(&shim_module)
#define __module_get(m)		atomic_inc(&(m)->users)
#define module_put(m)		atomic_dec(&(m)->users)
#define EXPORT_SYMBOL(s)	static_assert(1)
#define EXPORT_SYMBOL_GPL(s)	static_assert(1)
#define MODULE_LICENSE(s)	static_assert(1)
#define MODULE_DESCRIPTION(s)	static_assert(1)
#define MODULE_PARM_DESC(p, s)	static_assert(1)

/* Parameters are set by name, before shim_init() or at any time. */
struct shim_param {
	const char *name;
	bool *value;
} __aligned(16);

#define module_param_named(name, variable, type, mode)			\
	static const struct shim_param shim_param_of_##name		\
	__attribute__((used, section("shim_params"))) = { #name, &(variable) }
extern const struct shim_param __start_shim_params[], __stop_shim_params[];
bool shim_set_param(const char *name, bool value);

#define ALLOW_ERROR_INJECTION(f, kind)	static_assert(1)

#define module_param_cb(name, ops, arg, mode)				\
	static const void *const shim_param_##name __attribute__((used)) = (ops)

struct kernel_param;
struct kernel_param_ops {
	unsigned int flags;
	int (*set)(const char *value, const struct kernel_param *kp);
	int (*get)(char *buffer, const struct kernel_param *kp);
};

#define KERNEL_PARAM_OPS_FL_NOARG	1
#define param_set_bool(value, kp)	0
#define param_get_bool			NULL

/*
 * Static keys. In a kernel the untaken branch is a nop. It is here, too, in a program that
 * names in SHIM_KEY_ON the only one it may turn on; that, and all others without it,
 * test a variable.
 */
struct static_key_false {
	atomic_t enabled;
};

#define DEFINE_STATIC_KEY_FALSE(name)	struct static_key_false name
#define DECLARE_STATIC_KEY_FALSE(name)	extern struct static_key_false name
#ifdef SHIM_KEY_ON
#define shim_key_is_off(key)	__builtin_strcmp(#key, SHIM_KEY_ON)
#else
#define shim_key_is_off(key)	0
#endif

static __always_inline bool shim_key_nop(void)
{
	__asm__ goto(".byte 0x0f, 0x1f, 0x44, 0x00, 0x00" : : : : on);
	return false;
on:
	return true;
}

#define static_branch_unlikely(key)					\
	unlikely(shim_key_is_off(key) ? shim_key_nop() : atomic_read(&(key)->enabled) > 0)
#define static_branch_inc(key) do {					\
	if (shim_key_is_off(key))					\
		shim_bug(__FILE__, __LINE__, #key);			\
	atomic_inc(&(key)->enabled);					\
} while (0)
#define static_branch_dec(key)		atomic_dec(&(key)->enabled)
#define static_branch_enable(key)	atomic_set(&(key)->enabled, 1)

struct seq_file {
	FILE *file;
};

struct file_operations {
	int (*show)(struct seq_file *m, void *unused);
};

#define seq_puts(m, s)		fputs(s, (m)->file)
#define seq_printf(m, fmt, ...)	fprintf((m)->file, fmt, ##__VA_ARGS__)
#define DEFINE_SHOW_ATTRIBUTE(name)					\
	static const struct file_operations name##_fops = { .show = name##_show }

struct dentry;
#define debugfs_create_dir(name, parent)	((struct dentry *)NULL)
#define debugfs_remove_recursive(dir)		((void)(dir))
/* There is one file; shim_debugfs_show() prints it. */
void debugfs_create_file(const char *name, int mode, struct dentry *parent, void *data,
			 const struct file_operations *fops);
void shim_debugfs_show(FILE *file);

#endif /* _SHIM_MODULE_H */
