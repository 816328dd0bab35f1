#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Count the pool's instructions per page, which repeat exactly, and compare.

usage: counts.py [--update]

Owner and reader take turns in one thread, under callgrind. What is expected stands in
counts.txt; --update writes it anew. The figures are those of Debian 12's compiler.
"""

import concurrent.futures
import os
import re
import subprocess
import sys

import build

TABLE = f"{build.HERE}/counts.txt"
TOLERANCE = 0.02
PAGES = 16384
WORKLOADS = {
    "owner_single": ("owner_single", 1),
    "owner_bulk64": ("owner_groups_bulk", 64),
    "owner_256_single": ("owner_groups_single", 256),
    "owner_256_bulk": ("owner_groups_bulk", 256),
    "remote_one": ("remote_one", 64),
    "remote_one_bulk": ("remote_one_bulk", 64),
}


def count(program, workload, batch):
    """Instructions per page of a workload."""
    result = subprocess.run(
        ["valgrind", "--tool=callgrind", "--toggle-collect=timed_part",
         "--callgrind-out-file=/dev/null", program, f"workload={workload}", f"batch={batch}",
         f"pages={PAGES}", "turns=1"], text=True, capture_output=True)
    collected = re.search(r"Collected : (\d+)", result.stderr)
    if result.returncode or not collected:
        raise build.Error(f"{program} {workload} under callgrind: {result.stderr[-500:]}")
    return int(collected[1]) / int(re.search(r"pages=(\d+)", result.stdout)[1])


def measure():
    """Instructions per page by (workload, kernel)."""
    programs = {}
    build.BUILD = f"{build.ROOT}/build/native/counts"
    for series in build.SERIES:
        build.tree(series)
        programs[series] = build.bench(series, "rxpool")
    jobs = [(name, series) for name in WORKLOADS for series in build.SERIES]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        counts = pool.map(lambda job: count(programs[job[1]], *WORKLOADS[job[0]]), jobs)
        return dict(zip(jobs, counts))


def expected():
    with open(TABLE, encoding="utf-8") as file:
        return {(name, series): float(number) for name, series, number in
                (line.split() for line in file if not line.startswith("#"))}


def update(counts):
    with open(TABLE, "w", encoding="utf-8") as file:
        file.write("# SPDX-License-Identifier: GPL-2.0\n"
                   "# Instructions per page, by tools/native/counts.py --update\n")
        for (name, series), number in counts.items():
            file.write(f"{name} {series} {number:.1f}\n")


def compare(counts):
    """(case, complaint) of each count; no complaint if it is as expected."""
    want = expected()
    for key, number in counts.items():
        name, series = key
        if key not in want:
            yield f"{name} {series}", "not in tools/native/counts.txt: run counts.py --update"
            continue
        moved = number / want[key] - 1
        yield f"{name} {series}", "" if abs(moved) <= TOLERANCE else \
            (f"{number:.1f} instructions per page instead of {want[key]:.1f} ({moved:+.0%}): if "
             "that is meant, run tools/native/counts.py --update and commit counts.txt")


def main():
    if sys.argv[1:] not in ([], ["--update"]):
        raise SystemExit(__doc__.strip())
    try:
        counts = measure()
    except build.Error as error:
        raise SystemExit(str(error))
    if sys.argv[1:]:
        update(counts)
    bad = 0
    for (case, complaint), number in zip(compare(counts), counts.values()):
        print(f"{case:24} {number:8.1f}  {complaint}")
        bad += bool(complaint)
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
