# SPDX-License-Identifier: GPL-2.0
"""Tests of the pool in user space."""

import concurrent.futures
import os
import re
import subprocess
import sys
from dataclasses import dataclass

import static

sys.path.insert(0, os.path.join(static.ROOT, "tools/native"))
import build  # noqa: E402
import counts  # noqa: E402

# What a sanitizer says, or the shim; the lines after it tell more. Some warnings are provoked.
COMPLAINT = re.compile(r"ERROR: \w+Sanitizer|WARNING: (?!\S+ rxpool: debug-test: )|runtime error: |"
                       r"^BUG: (?!debug-test: )")
OPTIONS = {"TSAN_OPTIONS": f"suppressions={build.HERE}/tsan.supp",
           "ASAN_OPTIONS": "detect_leaks=1:detect_stack_use_after_return=1"}


STEPS = 5_000_000  # of the fuzzer, for each kernel


@dataclass
class Mutant:
    name: str
    path: str
    safeguard: str  # what the file has, once
    without: str  # what replaces it


# The fuzzer has to notice each.
MUTANTS = (
    Mutant("lost pages are not looked for", "page_pool/chunk.c",
           "	if (likely(!pool->lost_owed))\n		return;\n", "	return;\n"),
    Mutant("the losses of rings are not added", "page_pool/chunk.c",
           "		pool->lost_owed += released - pool->lost_seen;\n", ""),
    Mutant("burst pages are taken for retained ones", "page_pool/pool.c",
           "	if (unlikely(!rxpool_retains(pool, page))) {\n", "	if (false) {\n"),
    Mutant("a released page is pushed twice", "page_pool/pool.c",
           "	*top = page;\n", "	*top++ = page;\n	*top = page;\n"),
    Mutant("the owner takes pages that somebody holds", "page_pool/pool.c",
           "	if (unlikely(page_ref_count(page) != 1)) {\n", "	if (false) {\n"),
    Mutant("a bulk return lands pages that somebody holds", "page_pool/pool.c",
           "		if (likely(page_ref_count(page) == 1))\n", "		if (true)\n"),
    Mutant("a bulk return looks at a pool that is gone", "page_pool/pool.c",
           "	if (landing)\n		rxpool_shards_land", "	rxpool_shards_land"),
    Mutant("burst pages stay among retained ones", "page_pool/pool.c",
           "		if (unlikely(rxpool_ring_outstanding(pool->burst_pp)))\n", "		if (false)\n"),
    Mutant("pages of the emergency reserve are retained", "page_pool/pool.c",
           "unlikely(page_is_pfmemalloc(page)) ||", "false ||"),
    Mutant("a page without a mapping leaks", "page_pool/pool.c",
           "			put_page(page);\n			continue;\n", "			continue;\n"),
    Mutant("too little is synced", "page_pool/pool.c",
           "sync_for_device(pool, page, pool->offset, pool->max_len);\n",
           "sync_for_device(pool, page, 0, 1);\n"),
    Mutant("the kernel's cache takes pages", "page_pool/ring.c",
           "	pp->alloc.count = PP_ALLOC_CACHE_SIZE;\n", ""),
    Mutant("burst pages are steered", "page_pool/steer.c",
           "	if (unlikely(now == pool->burst_pp))\n		return;\n", ""),
    Mutant("mappings outlive their pool", "page_pool/teardown.c",
           "	rxpool_chunk_unmap_all(pool);\n", ""),
    Mutant("a pool ends before its pages have come", "page_pool/teardown.c",
           "	if (!rxpool_awaits_pages(pool)) {\n", "	if (true) {\n"),
    Mutant("a second release is not refused", "page_pool/debug.c",
           "	else if (record->state != RXPOOL_PAGE_OUT)\n", "	else if (false)\n"),
)


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
        result = subprocess.run([*build.placed(), program, *arguments], timeout=300,
                                env=os.environ | OPTIONS, stdout=file, stderr=subprocess.STDOUT)
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


def run_fuzzer(program, *arguments):
    """All that was said, and how it ended."""
    result = subprocess.run([*build.placed(), program, *arguments], timeout=600, text=True,
                            env=os.environ | OPTIONS, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT)
    return result.stdout, result.returncode


def unnoticed(program, number, mutant):
    """A complaint if the fuzzer does not notice a mutant."""
    source = f"{build.POOL}/{mutant.path}"
    with open(source, encoding="utf-8") as file:
        text = file.read()
    if text.count(mutant.safeguard) != 1:
        return f"{mutant.path} has no '{mutant.safeguard.strip()}'"
    try:
        broken = build.variant(program, f"mutant{number}", source,
                               text.replace(mutant.safeguard, mutant.without))
    except build.Error as error:
        return str(error)
    said, code = run_fuzzer(broken, "steps=1000000")
    return "" if code else f"not noticed: {said}"


def fuzz(_test):
    """Random steps, each compared with a model; and that it notices what is broken."""
    build.BUILD = f"{build.ROOT}/build/native/fuzz"
    kernels = list(build.SERIES)
    try:
        for kernel in kernels:
            build.tree(kernel)
        programs = together([(build.fuzz, kernel) for kernel in kernels])
    except build.Error as error:
        yield static.judge("build", str(error))
        return
    for kernel, program, (said, code) in zip(kernels, programs, together(
            [(run_fuzzer, program, f"steps={STEPS}", f"seed={number}", f"save={program}.input")
             for number, program in enumerate(programs)])):
        yield static.judge(f"{kernel}: {STEPS} steps", said + f"reproduce: {program} {program}.input"
                           if code else "")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for mutant, complaint in zip(MUTANTS, pool.map(
                lambda job: unnoticed(programs[job[0] % len(programs)], *job),
                enumerate(MUTANTS))):
            yield static.judge(f"noticed: {mutant.name}", complaint)
