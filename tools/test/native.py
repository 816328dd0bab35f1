# SPDX-License-Identifier: GPL-2.0
"""Tests of the pool in user space."""

import concurrent.futures
import os
import re
import subprocess
import sys

import static

sys.path.insert(0, os.path.join(static.ROOT, "tools/native"))
import build  # noqa: E402
import counts  # noqa: E402

# What a sanitizer says, or the shim; the lines after it tell more. Some warnings are provoked.
COMPLAINT = re.compile(r"ERROR: \w+Sanitizer|WARNING: (?!\S+ rxpool: debug-test: )|runtime error: |"
                       r"^BUG: (?!debug-test: )")
OPTIONS = {"TSAN_OPTIONS": f"suppressions={build.HERE}/tsan.supp",
           "ASAN_OPTIONS": "detect_leaks=1:detect_stack_use_after_return=1"}


def instructions(_test):
    """The pool's instructions per page are what they were."""
    try:
        found = counts.measure()
    except build.Error as error:
        yield static.judge("build", str(error))
        return
    for case, complaint in counts.compare(found):
        yield static.judge(case, complaint)


def ktap(lines):
    """(case, complaint) of each case, and of suites that did not end."""
    suite, seen, plan, why = None, 0, None, []
    for line in lines:
        if match := re.match(r"    # Subtest: (\S+)", line):
            suite, why = match[1], []
        elif ": failed at " in line:
            why.append(line.strip())
        elif match := re.match(r"    (not )?ok \d+ (\S+)", line):
            yield f"{suite}.{match[2]}", "\n".join(why or ["no reason given"]) if match[1] else ""
            why = []
        elif re.match(r"(not )?ok \d+ ", line):
            suite, seen = None, seen + 1
        elif match := re.match(r"1\.\.(\d+)", line):
            plan = int(match[1])
    if suite or plan != seen:
        yield f"end of {suite or 'the suites'}", "it did not come"


def run_suites(program, kind, arguments):
    """(case, complaint) of a run, whose log is kept beside the program."""
    log = f"{program}{''.join(arguments)}.log"
    with open(log, "w", encoding="utf-8") as file:
        result = subprocess.run([program, *arguments], env=os.environ | OPTIONS, timeout=300,
                                stdout=file, stderr=subprocess.STDOUT)
    with open(log, encoding="utf-8", errors="replace") as file:
        lines = file.read().splitlines()
    said = next((lines[i:i + 20] for i, line in enumerate(lines) if COMPLAINT.search(line)), [])
    if result.returncode and not said:
        said = [f"ended with {result.returncode}, see {log}"]
    name = f"{kind}{' debug' if arguments else ''}"
    return [(f"{name}: {case}", why) for case, why in [*ktap(lines), ("run", "\n".join(said))]]


def together(jobs):
    """Results of functions that run side by side, in their order."""
    with concurrent.futures.ThreadPoolExecutor(len(jobs)) as pool:
        return [future.result() for future in [pool.submit(*job) for job in jobs]]


def suites(test):
    """The pool's suites under sanitizers; once more with all pools watched."""
    build.BUILD = f"{build.ROOT}/build/native/suites"
    kinds = list(build.SANITIZERS)
    try:
        build.tree(test.kernel)
        programs = together([(build.suites, test.kernel, kind) for kind in kinds])
    except build.Error as error:
        yield static.judge("build", str(error))
        return
    for found in together([(run_suites, program, kind, arguments) for arguments in ([], ["debug"])
                           for kind, program in zip(kinds, programs)]):
        for case, complaint in found:
            yield static.judge(case, complaint)
