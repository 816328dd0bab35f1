#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Time the pool beside the kernel's own in user space: build/bench.json.

usage: bench.py [--quick] [--rounds N] [--only REGEX]

Each competitor is a program of its own. A round runs every workload with each of them in
turn; what is printed are medians over the rounds, with quartiles. Samples that another
process interrupted are made again. The machine's lock is held while timing.
"""

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import time

import build

ROOT = build.ROOT
KERNEL = ("rxpool_6.1", "intree_6.1", "rxpool_6.12", "intree_6.12")
ALL = (*KERNEL, "dpdk_mempool")
POOLS = ("rxpool_6.1", "rxpool_6.12", "nostats_6.1", "nostats_6.12")

# The program's workload, what it is called with, and who takes part. What stands first
# in points is the row's figure, the others are beside it.
WORKLOADS = {
    "owner_single": ("owner_single", ALL, 1 << 18, [{"batch": 1}]),
    "owner_bulk64": ("owner_groups_bulk", ALL, 1 << 18, [{"batch": 64}, {"batch": 16}]),
    "owner_256_single": ("owner_groups_single", ALL, 1 << 18, [{"batch": 256}]),
    "owner_256_bulk": ("owner_groups_bulk", ALL, 1 << 18, [{"batch": 256}]),
    "remote_one": ("remote_one", ALL, 1 << 16,
                   [{}, {"ring": 4096}, {"batch": 16}, {"batch": 16, "ring": 256}]),
    "remote_one_bulk": ("remote_one_bulk", ALL, 1 << 16, [{}, {"batch": 16}, {"ring": 4096}]),
    "remote_two_batches": ("remote_two_batches", ALL, 1 << 14, [{}, {"ring": 4096}]),
    "remote_two_interleaved": ("remote_two_interleaved", ALL, 1 << 14, [{}, {"ring": 4096}]),
    "remote_two_by_reader": ("remote_two_by_reader", ALL, 1 << 14, [{}, {"ring": 4096}]),
    "receive_like": ("receive_like", ALL, 1 << 15, [{}, {"ring": 4096}]),
    "fragments_2": ("remote_one", KERNEL, 1 << 15, [{"fragments": 2}]),
    "fragments_4": ("remote_one", KERNEL, 1 << 14, [{"fragments": 4}]),
    "fragments_16": ("remote_one", KERNEL, 1 << 12, [{"fragments": 16}]),
    "stats_cost": ("owner_single", POOLS, 1 << 18, [{"batch": 1}]),
}

# Rows with a figure of another one: part of it, or what in-tree is compared by.
PART = {"remote_one_owner_busy": ("remote_one", "owner")}
BASELINE = {"remote_one_bulk": "remote_one"}
VALUES = ("ns", "owner", "reader", "buddy", "locks")


def programs():
    made = {"dpdk_mempool": build.bench_dpdk()}
    for series in build.SERIES:
        build.tree(series)
        for kind in ("rxpool", "intree", "nostats"):
            made[f"{kind}_{series}"] = build.bench(series, kind)
    return made


def paths():
    made = {f"{kind}_{series}": f"{build.BUILD}/{series}/bench-{kind}"
            for kind in ("rxpool", "intree", "nostats") for series in build.SERIES}
    return {**made, "dpdk_mempool": f"{build.BUILD}/bench-dpdk"}


def measure(path, arguments):
    """One run of a program: the median of its samples, and how many were discarded."""
    result = subprocess.run([path, *(f"{key}={value}" for key, value in arguments.items())],
                            text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if result.returncode:
        raise SystemExit(f"{path} {arguments}: {result.stderr.strip()} ({result.returncode})")
    samples = [{key: float(value) for key, value in re.findall(r"(\w+)=([\d.]+)", line)}
               for line in result.stdout.splitlines()]
    good = [sample for sample in samples if not sample["switches"]]
    median = {key: statistics.median(sample[key] for sample in good) for key in VALUES} \
        if good else None
    return median, len(samples) - len(good)


def rounds(names, count, points):
    """Medians of each run, by (workload, point, competitor)."""
    where, taken, discarded = paths(), {}, 0
    for number in range(count):
        began = time.monotonic()
        for name in names:
            workload, competitors, pages, all_points = WORKLOADS[name]
            for point in range(min(points, len(all_points))):
                first = (number + point) % len(competitors)
                for competitor in competitors[first:] + competitors[:first]:
                    arguments = {"workload": workload, "pages": pages, "seed": number,
                                 **all_points[point]}
                    median, bad = measure(where[competitor], arguments)
                    discarded += bad
                    if median:
                        taken.setdefault((name, point, competitor), []).append(median)
        print(f"round {number + 1} of {count}, {time.monotonic() - began:.0f} s", flush=True)
    return taken, discarded


def spread(values):
    if len(values) < 2:
        return [values[0], values[0]]
    low, _, high = statistics.quantiles(values, n=4, method="inclusive")
    return [round(low, 3), round(high, 3)]


def figures(taken, name, point, key):
    """(median, quartiles) of one figure, by competitor."""
    found = {competitor: [run[key] for run in runs]
             for (workload, at, competitor), runs in taken.items()
             if (workload, at) == (name, point)}
    return ({competitor: round(statistics.median(values), 3)
             for competitor, values in found.items()},
            {competitor: spread(values) for competitor, values in found.items()})


def row(taken, name, point=0, key="ns"):
    medians, quartiles = figures(taken, name, point, key)
    made = {"ns_per_page": medians, "spread": quartiles}
    base = figures(taken, BASELINE.get(name, name), 0 if name in BASELINE else point, key)[0]
    for series in build.SERIES:
        ours, theirs = medians.get(f"rxpool_{series}"), base.get(f"intree_{series}")
        if ours and theirs:
            made[f"ratio_to_intree_{series}"] = round(ours / theirs, 3)
        without = medians.get(f"nostats_{series}")
        if ours and without:
            made[f"ratio_on_off_{series}"] = round(ours / without, 3)
    if name in BASELINE:
        made["in_tree_is"] = BASELINE[name]
    return made


def report(taken, names, points):
    workloads = {}
    for name in names:
        workloads[name] = row(taken, name)
        for key in VALUES[1:]:
            medians = figures(taken, name, 0, key)[0]
            if any(medians.values()):
                field = {"owner": "owner_ns", "reader": "reader_ns",
                         "buddy": "buddy_pages_per_1000", "locks": "zone_locks_per_1000"}[key]
                workloads[name][field] = medians
        for point in range(1, min(points, len(WORKLOADS[name][3]))):
            workloads[name].setdefault("points", []).append(
                {**WORKLOADS[name][3][point], **row(taken, name, point)})
        for part, (whole, key) in PART.items():
            if whole == name:
                workloads[part] = row(taken, name, 0, key)
    return workloads


def show(workloads):
    columns = (*ALL, "nostats_6.1", "nostats_6.12")
    print(f"{'ns per page':24}" + "".join(f"{c[-12:]:>13}" for c in columns)
          + f"{'of 6.1':>8}{'of 6.12':>8}")

    def line(label, made):
        text = f"{label:24}"
        for competitor in columns:
            value = made["ns_per_page"].get(competitor)
            text += f"{value:13.2f}" if value is not None else f"{'':13}"
        for series in build.SERIES:
            ratio = made.get(f"ratio_to_intree_{series}", made.get(f"ratio_on_off_{series}"))
            text += f"{ratio:8.2f}" if ratio else f"{'':8}"
        print(text)
    for name, made in workloads.items():
        line(name, made)
        for point in made.get("points", ()):
            line("  " + " ".join(f"{key} {point[key]}" for key in ("batch", "ring")
                                 if key in point), point)
    for name, made in workloads.items():
        if "buddy_pages_per_1000" in made:
            print(f"{name}: from the page allocator, per 1000 packets: "
                  + ", ".join(f"{c} {v:g}" for c, v in made["buddy_pages_per_1000"].items()))


def machine():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        model = re.search(r"model name\s*: (.*)", file.read())
    return {"cpu": model[1] if model else "unknown", "cpus": len(os.sched_getaffinity(0)),
            "kernel": os.uname().release}


def cpu_times():
    with open("/proc/stat", encoding="utf-8") as file:
        return [int(word) for word in file.readline().split()[1:9]]


def busy(seconds=2):
    """Share of the CPUs that others use just now, and that the hypervisor takes away."""
    before = cpu_times()
    time.sleep(seconds)
    used = [b - a for a, b in zip(before, cpu_times())]
    return {"others_busy": round(1 - (used[3] + used[4]) / sum(used), 3),
            "stolen": round(used[7] / sum(used), 3)}


def main():
    parser = argparse.ArgumentParser(prog="bench.py", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="twelve rounds, the first points")
    parser.add_argument("--rounds", type=int, help="more or fewer of them")
    parser.add_argument("--only", metavar="REGEX", default="", help="workloads that match")
    parser.add_argument("--built", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()

    names = [name for name in WORKLOADS if re.search(options.only, name)]
    if not names:
        raise SystemExit(f"no workload matches '{options.only}': {', '.join(WORKLOADS)}")
    if len(os.sched_getaffinity(0)) < 2:
        raise SystemExit("two CPUs are needed: an owner and a reader at the same time")
    if not options.built:
        try:
            programs()
        except build.Error as error:
            raise SystemExit(str(error))
        lock = f"{ROOT}/tools/vm/lock"
        os.execv(lock, [lock, sys.executable, os.path.abspath(__file__), *sys.argv[1:],
                        "--built"])
    count, points = (12, 1) if options.quick else (40, 9)
    before, began = cpu_times(), time.monotonic()
    state = {**machine(), "before": busy()}
    taken, discarded = rounds(names, options.rounds or count, points)
    used = [b - a for a, b in zip(before, cpu_times())]
    state |= {"stolen": round(used[7] / sum(used), 3), "discarded_samples": discarded,
              "rounds": options.rounds or count, "seconds": round(time.monotonic() - began)}
    workloads = report(taken, names, points)
    compiler = subprocess.run(["gcc", "--version"], text=True, check=True,
                              stdout=subprocess.PIPE).stdout.splitlines()[0]
    os.makedirs(f"{ROOT}/build", exist_ok=True)
    with open(f"{ROOT}/build/bench.json", "w", encoding="utf-8") as file:
        json.dump({"machine": state, "compiler": compiler, "workloads": workloads}, file, indent=1)
    show(workloads)
    print(f"others used {state['before']['others_busy']:.0%} of the CPUs before, the hypervisor "
          f"took {state['stolen']:.1%}; {discarded} samples were interrupted and made again")


if __name__ == "__main__":
    main()
