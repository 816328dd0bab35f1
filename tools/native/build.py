# SPDX-License-Identifier: GPL-2.0
"""Compile the pools in user space: ours, and the kernel's as it is in the packaged source.

The kernel's files are copied or linked into build/native/SERIES. Of its headers those in
REAL are used; all others are empty, since shim.h, which has it all, is included first.
"""

import concurrent.futures
import glob
import os
import re
import shutil
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HERE = f"{ROOT}/tools/native"
BUILD = f"{ROOT}/build/native"
# Where page_pool/, include/ and kunit/ are taken from: another version can be looked at.
POOL = os.environ.get("RXPOOL_SOURCE") or ROOT
SERIES = {"6.1": "KERNEL_VERSION(6, 1, 0)", "6.12": "KERNEL_VERSION(6, 12, 0)"}

REAL = ("linux/poison.h", "linux/list.h", "linux/ptr_ring.h", "linux/dma-direction.h",
        "net/page_pool.h", "net/page_pool/types.h", "net/page_pool/helpers.h",
        "net/page_pool/memory_provider.h", "net/netmem.h")
# Beside page_pool.c.
PRIVATE = ("page_pool_priv.h", "netmem_priv.h", "mp_dmabuf_devmem.h")
SYSTEMS = ("asm/errno.h",)

# A file's own pr_fmt() comes before its first header, the default after.
EMPTY = """#ifndef pr_fmt
#define pr_fmt(fmt) fmt
#endif
"""

# The kernel's optimisation; it has no vector registers.
CFLAGS = ("-std=gnu11 -O2 -g -fno-strict-aliasing -fno-tree-vectorize -fno-common "
          "-fno-pie -fno-delete-null-pointer-checks -fno-strict-overflow -fshort-wchar "
          "-D_GNU_SOURCE -D__KERNEL__ -DCONFIG_64BIT -DCONFIG_NUMA -DCONFIG_PAGE_POOL "
          "-DCONFIG_ILLEGAL_POINTER_VALUE=0xdead000000000000 -DCONFIG_DMA_NEED_SYNC").split()
WARNINGS = ("-Wall -Werror -Wno-format -Wno-unused-function -Wno-frame-address "
            "-Wno-unused-but-set-variable -Wno-stringop-overflow -Wno-pointer-sign").split()


class Error(Exception):
    """What could not be built, and why."""


# Sanitizers that go together, and what they need. Lists point to their heads as if those were
# entries, which is no access, so alignment is not watched, as in x86 kernels.
SANITIZERS = {
    "asan": ("-O1", "-g1", "-fno-omit-frame-pointer", "-fsanitize=address,undefined",
             "-fno-sanitize=alignment", "-fno-sanitize-recover=undefined"),
    "tsan": ("-O1", "-g1", "-fsanitize=thread"),
}

# What was built here, for variant().
PROGRAMS = {}
COMPILERS = concurrent.futures.ThreadPoolExecutor(os.cpu_count())


def kernel(what, series):
    return subprocess.run([f"{ROOT}/tools/vm/kernel", what, series], text=True, check=True,
                          stdout=subprocess.PIPE).stdout.strip()


def included(path):
    with open(path, encoding="utf-8") as file:
        return re.findall(r'^\s*#\s*include\s+<((?:linux|net|asm|trace)/\S+)>', file.read(), re.M)


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def tree(series):
    """A directory with include/ and core/, of one kernel."""
    source, place = kernel("source", series), f"{BUILD}/{series}"
    shutil.rmtree(place, ignore_errors=True)
    os.makedirs(f"{place}/core")
    shutil.copy(f"{source}/net/core/page_pool.c", f"{place}/core")
    write(f"{place}/core/dev.h", EMPTY)
    for name in PRIVATE:
        if os.path.exists(f"{source}/net/core/{name}"):
            shutil.copy(f"{source}/net/core/{name}", f"{place}/core")
    files = [*glob.glob(f"{place}/core/*"), *glob.glob(f"{POOL}/page_pool/*.[ch]"),
             *glob.glob(f"{POOL}/kunit/*.[ch]"), *glob.glob(f"{POOL}/include/*.h"),
             *glob.glob(f"{POOL}/mlx5_glue/rxpool_rx.[ch]")]
    wanted = [*REAL, *(name for path in files for name in included(path))]
    for name in wanted:
        path = f"{place}/include/{name}"
        if os.path.lexists(path) or name in SYSTEMS:
            continue
        if name not in REAL:
            write(path, EMPTY)
        elif os.path.exists(f"{source}/include/{name}"):
            os.makedirs(os.path.dirname(path), exist_ok=True)
            os.symlink(f"{source}/include/{name}", path)
            wanted += included(path)
    return place


def run(*command):
    result = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if result.returncode:
        raise Error(f"{result.stdout}{' '.join(command)}")


def placed():
    """What to run sanitized programs with: they do not stand addresses as random as some
    kernels make them.
    """
    command = ["setarch", "-R"]
    try:
        return [] if subprocess.run([*command, "true"], stderr=subprocess.DEVNULL).returncode \
            else command
    except FileNotFoundError:
        return []


def program(name, series, sources, flags=(), cc="gcc"):
    """Compile and link; the program's path. sources: (path, more flags)."""
    place = f"{BUILD}/{series}"
    objects = f"{place}/{name}.objects"
    os.makedirs(objects, exist_ok=True)
    base = [cc, *CFLAGS, *WARNINGS, f"-DLINUX_VERSION_CODE={SERIES[series]}", *flags,
            f"-I{HERE}/shim", f"-I{POOL}/include", f"-I{POOL}/page_pool",
            f"-I{POOL}/kunit", f"-I{place}/include", f"-I{place}/core",
            "-include", f"{HERE}/shim/shim.h"]

    def compile_one(path, out, more=()):
        run(*base, f'-DKBUILD_MODNAME="{name}"', *more, "-c", path, "-o", out)
        return path, out

    def link(objects, out):
        run(cc, "-no-pie", *flags, *objects, "-lpthread", "-o", out)
        return out

    made = dict(COMPILERS.map(
        lambda job: compile_one(job[1][0], f"{objects}/{job[0]}-{os.path.basename(job[1][0])}.o",
                                job[1][1]), enumerate(sources)))
    PROGRAMS[f"{place}/{name}"] = compile_one, link, made
    return link(made.values(), f"{place}/{name}")


def variant(program_path, name, source, text):
    """A program once more, with other text in one of its sources."""
    compile_one, link, made = PROGRAMS[program_path]
    path = f"{program_path}-{name}.c"
    write(path, text)
    _, changed = compile_one(path, f"{program_path}-{name}.o")
    return link({**made, source: changed}.values(), f"{program_path}-{name}")


def shim(*without):
    """Its page allocator stands for the kernel's, whose accesses are not ours to order."""
    return [(path, ("-fno-sanitize=thread",) if path.endswith("/page.c") else ())
            for path in sorted(glob.glob(f"{HERE}/shim/*.c"))
            if os.path.basename(path) not in without]


def in_tree(series):
    return [(f"{BUILD}/{series}/core/page_pool.c", ())]


def pool(*flags):
    with open(f"{POOL}/page_pool/Kbuild", encoding="utf-8") as file:
        names = re.search(r"rxpool-y := (.*)", file.read())[1].replace(".o", "").split()
    return [(f"{POOL}/page_pool/{name}.c", flags) for name in names]


def suites(series, kind):
    """The pool's suites, and what runs them; kind is one of SANITIZERS."""
    # The harness has no word for what is skipped, and nothing need be: memory fails here.
    flags = ('-DRXPOOL_FAIL_NTH="nothing failed"', "-Dkunit_skip(test, why)=KUNIT_FAIL(test, why)",
             "-DSTRESS_PAGES=5000")
    paths = [*sorted(glob.glob(f"{POOL}/kunit/*.c")), f"{HERE}/kunit.c"]
    return program(f"suites-{kind}", series, shim() + in_tree(series) + pool()
                   + [(path, flags) for path in paths], SANITIZERS[kind])


def fuzz(series, guided=False):
    """The fuzzer: random by itself, or guided by clang's libFuzzer."""
    paths = sorted(set(glob.glob(f"{HERE}/fuzz/*.c"))
                   - {f"{HERE}/fuzz/{'main' if guided else 'libfuzzer'}.c"})
    flags = [*SANITIZERS["asan"], "-O2"]
    if guided:
        # clang says otherwise what is watched, and warns of other things.
        flags += ["-fsanitize=fuzzer", "-D__SANITIZE_ADDRESS__", "-w"]
    return program("fuzz-guided" if guided else "fuzz", series,
                   shim("clock.c", "stack.c", "work.c") + in_tree(series) + pool()
                   + [(path, ()) for path in paths], flags, "clang-14" if guided else "gcc")


def bench(series, kind):
    """A competitor's program: kind is intree, rxpool, or nostats."""
    parts = shim() + in_tree(series)
    if kind == "rxpool":
        parts += pool()
    elif kind == "nostats":
        parts += pool("-include", f"{HERE}/bench/nostats.h")
    header = "pool_intree.h" if kind == "intree" else "pool_rxpool.h"
    parts.append((f"{HERE}/bench/bench.c", (f'-DPOOL_HEADER="{header}"',)))
    return program(f"bench-{kind}", series, parts, ('-DSHIM_KEY_ON="&rxpool_steer_key"',))


def bench_dpdk():
    """DPDK's program knows no kernel. Static, so that it does not load every driver."""
    place = f"{BUILD}/bench-dpdk"
    flags = subprocess.run(["pkg-config", "--cflags", "libdpdk"], text=True, check=True,
                           stdout=subprocess.PIPE).stdout.split()
    os.makedirs(BUILD, exist_ok=True)
    run("gcc", "-std=gnu11", "-O2", "-g", "-Wall", "-D_GNU_SOURCE", "-DALLOW_EXPERIMENTAL_API",
        *flags, '-DPOOL_HEADER="pool_dpdk.h"', f"{HERE}/bench/bench.c", "-o", place,
        "-Wl,--whole-archive", "-l:librte_mempool_ring.a", "-Wl,--no-whole-archive",
        "-l:librte_mempool.a", "-l:librte_ring.a", "-l:librte_eal.a", "-l:librte_kvargs.a",
        "-l:librte_telemetry.a", "-lbsd", "-lnuma", "-lpthread", "-ldl", "-lm")
    return place
