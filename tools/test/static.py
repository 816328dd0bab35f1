# SPDX-License-Identifier: GPL-2.0
"""Checks of the sources that need no virtual machine."""

import concurrent.futures
import glob
import os
import re
import shutil
import subprocess
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# By what a checkpatch type would have us do worse, and where.
CHECKPATCH_IGNORE = {
    # Being where kernel versions are told apart is what these files are for.
    r"compat\.h$": "LINUX_VERSION_CODE,CONSTANT_COMPARISON",
    # They are programs, and define what the kernel's code is told to use.
    r"^tools/native/": "AVOID_BUG,ARRAY_SIZE,COMPLEX_MACRO,CONSTANT_COMPARISON,"
                       "CONST_STRUCT,DATA_RACE,EXPORT_SYMBOL,IS_ENABLED_CONFIG,LINUX_VERSION_CODE,"
                       "MACRO_ARG_REUSE,MEMORY_BARRIER,NEW_TYPEDEFS,NR_CPUS,"
                       "PREFER_DEFINED_ATTRIBUTE_MACRO,PRINTK_WITHOUT_KERN_LEVEL,"
                       "SINGLE_STATEMENT_DO_WHILE_MACRO,SPACING,STATIC_CONST_CHAR_ARRAY,"
                       "UNSPECIFIED_INT,VOLATILE",
}


def command(*words, **options):
    return subprocess.run(words, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          cwd=ROOT, **options)


def judge(case, complaint):
    """A case that passes if there is nothing to complain of."""
    complaint = complaint.strip()
    if complaint:
        print("\n".join("   | " + line for line in complaint.splitlines()[:20]), flush=True)
    return case, "not ok" if complaint else "ok", complaint.splitlines()[0] if complaint else ""


def sources(*endings):
    """Our files with such endings (all, without), relative to the repository."""
    found = []
    for directory, below, names in os.walk(ROOT):
        below[:] = [name for name in below if name not in (".git", "build", "__pycache__")]
        found += [os.path.relpath(os.path.join(directory, name), ROOT) for name in names]
    return sorted(path for path in found if path.endswith(endings or "")
                  and not re.search(r"\.(o|ko|mod|cmd|symvers|pyc)$", path))


def text_of(path):
    with open(os.path.join(ROOT, path), encoding="utf-8", errors="replace") as file:
        return file.read()


def is_script(path):
    return text_of(path).startswith("#!")


def files(_test):
    """What every source file must have and must not."""
    code = [path for path in sources()
            if path.endswith((".c", ".h", ".cocci", ".sh", ".py", "Kbuild", "Makefile", ".conf",
                              ".rst")) or is_script(path)]
    yield judge("SPDX lines", "\n".join(
        f"{path}: no SPDX-License-Identifier in its first three lines" for path in code
        if "SPDX-License-Identifier: GPL-2.0" not in "\n".join(text_of(path).split("\n")[:3])))
    # Spelled so that this file passes its own check.
    unfinished = re.compile("|".join(r"\b" + word + r"\b" for word in ("TO" "DO", "FIX" "ME", "XX" "X")))
    yield judge("nothing unfinished", "\n".join(
        f"{path}: {match[0]}" for path in code if (match := unfinished.search(text_of(path)))))
    yield judge("no trailing blanks", "\n".join(
        f"{path}: trailing blank" for path in sources() if re.search(r"[ \t]$", text_of(path), re.M)))


def scripts(_test):
    """Scripts that their interpreter can read."""
    for path in sources():
        if path.endswith(".sh") or re.match(r"#!\S*/(env )?sh\n|#!/bin/busybox", text_of(path)):
            yield judge(path, command("dash", "-n", path).stdout)
        elif path.endswith(".py") or re.match(r"#!.*python3", text_of(path)):
            try:
                compile(text_of(path), path, "exec")
                yield judge(path, "")
            except SyntaxError as error:
                yield judge(path, str(error))


def checkpatch(_test):
    tool = kernel("source", "6.1") + "/scripts/checkpatch.pl"

    def complaints(path):
        ignore = [types for pattern, types in CHECKPATCH_IGNORE.items() if re.search(pattern, path)]
        return command("perl", tool, "--no-tree", "--strict", "--terse", "--show-types",
                       "--no-summary", *(f"--ignore={types}" for types in ignore), "-f", path).stdout

    paths = sources(".c", ".h")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for path, text in zip(paths, pool.map(complaints, paths)):
            yield judge(path, text)


def coccicheck(_test):
    """The kernel's own semantic checks, in report mode."""
    base = kernel("source", "6.1") + "/scripts/coccinelle"
    # provoke.c has its bugs on purpose, and the native harness is no kernel code.
    ours = [path for path in sources(".c", ".h")
            if "/provoke/" not in path and not path.startswith("tools/native/")]

    def complaints(path):
        text = text_of(path)
        options = re.findall(r"Options:(.*)", text)
        # An OCaml script would need a compiler; those two are about other things.
        if re.search(r"^@.*script:ocaml|initialize:ocaml", text, re.M):
            return None
        result = command("spatch", "-D", "report", "--no-show-diff", "--very-quiet",
                         "--cocci-file", path, *" ".join(options).split(), *ours)
        if result.returncode:
            return f"spatch ended with {result.returncode}: {result.stdout}"
        return "\n".join(line for line in result.stdout.splitlines()
                         if not line.startswith("warning: line "))  # of the kernel's script itself

    paths = sorted(glob.glob(f"{base}/**/*.cocci", recursive=True))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for path, text in zip(paths, pool.map(complaints, paths)):
            case = os.path.relpath(path, base)
            if text is None:
                yield case, "skip", "written in OCaml, needs its compiler"
            else:
                yield judge(case, text)


def cocci(_test):
    """Our semantic patches can be read."""
    for path in sources(".cocci"):
        result = command("spatch", "--very-quiet", "--parse-cocci", path)
        yield judge(path, "" if result.returncode == 0 else result.stdout or "spatch failed")


def kernel(what, name):
    return subprocess.run([f"{ROOT}/tools/vm/kernel", what, name], text=True, check=True,
                          stdout=subprocess.PIPE).stdout.strip()


def build(test):
    """Everything compiled with all warnings and under sparse, without a word."""
    place = f"{ROOT}/build/check/{test.kernel}"
    shutil.rmtree(place, ignore_errors=True)  # what is not compiled does not warn
    result = command("tools/vm/modules", test.kernel, place, "W=1", "C=1")
    headers = os.path.dirname(kernel("headers", test.kernel))
    said = [line for line in result.stdout.splitlines()
            if re.search(r"\b(warning|error):|ERROR|WARNING", line) and not line.startswith(headers)]
    if result.returncode and not said:
        said = result.stdout.splitlines()[-20:]
    yield judge("W=1 C=1", "\n".join(line.replace(place + "/", "") for line in said))


def dkms(test):
    """dkms builds the pool, alone, from a copy of the repository."""
    release = kernel("release", test.kernel)
    with tempfile.TemporaryDirectory() as scratch:
        name, version = (re.search(rf'^PACKAGE_{key}="(.*)"', text_of("dkms.conf"), re.M)[1]
                         for key in ("NAME", "VERSION"))
        copy = f"{scratch}/{name}-{version}"
        for path in sources():
            os.makedirs(os.path.dirname(f"{copy}/{path}"), exist_ok=True)
            shutil.copy(f"{ROOT}/{path}", f"{copy}/{path}")
        os.mkdir(f"{scratch}/tree")
        trees = ("--dkmstree", f"{scratch}/tree", "--sourcetree", scratch)
        result = command("dkms", "add", f"{name}/{version}", *trees)
        if result.returncode == 0:
            result = command("dkms", "build", f"{name}/{version}", "-k", release, *trees,
                             "--kernelsourcedir", kernel("headers", test.kernel))
        built = glob.glob(f"{scratch}/tree/**/module/*.ko*", recursive=True)
        logs = glob.glob(f"{scratch}/tree/{name}/{version}/build/make.log")
        yield judge("build", result.returncode and (
            "\n".join(text_of(log) for log in logs) or result.stdout) or "")
        yield judge("the pool alone", "" if [os.path.basename(path).split(".")[0] for path in built]
                    == [name] else f"built: {built}")
