#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Time the pool beside the kernel's own in user space: build/bench.json.

usage: bench.py [--quick] [--rounds N] [--only REGEX]

Each competitor is a program of its own. A round runs every workload with each of them in
turn; what is printed are medians over the rounds, and of the rounds' ratios. Samples that
another process interrupted are made again, rounds that were not quiet are replaced as far
as possible. The machine's lock is held while building and timing.
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
QUIET = 0.03  # of the CPUs
LIMIT = 480  # seconds


def programs():
    made = {"dpdk_mempool": build.bench_dpdk()}
    for series in build.SERIES:
        build.tree(series)
        for kind in ("rxpool", "intree", "nostats"):
            made[f"{kind}_{series}"] = build.bench(series, kind)
    return made


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


def one_round(where, number, names, points):
    """What each run took, by (workload, point, competitor), and how many samples failed."""
    taken, discarded = {}, 0
    for name in names:
        workload, competitors, pages, all_points = WORKLOADS[name]
        for point in range(min(points, len(all_points))):
            first = (number + point) % len(competitors)
            for competitor in competitors[first:] + competitors[:first]:
                arguments = {"workload": workload, "pages": pages, "seed": number,
                             **all_points[point]}
                taken[name, point, competitor], bad = measure(where[competitor], arguments)
                discarded += bad
    return taken, discarded


def cpu_times():
    with open("/proc/stat", encoding="utf-8") as file:
        return [int(word) for word in file.readline().split()[1:9]]


def own_time():
    times = os.times()
    return (times.user + times.system + times.children_user + times.children_system) \
        * os.sysconf("SC_CLK_TCK")


def rounds(where, names, count, points):
    """The quietest of up to twice as many rounds, and what is to be said of them.

    A busy neighbour slows down even who shares no CPU with it.
    """
    made, began = [], time.monotonic()
    while len(made) < 2 * count and time.monotonic() - began < LIMIT:
        before, own, started = cpu_times(), own_time(), time.monotonic()
        taken, discarded = one_round(where, len(made), names, points)
        used = [b - a for a, b in zip(before, cpu_times())]
        total = sum(used) or 1
        others = max(0, 1 - (used[3] + used[4] + own_time() - own) / total)
        made.append((others, len(made), taken, discarded, used[7] / total))
        print(f"round {len(made)}: {time.monotonic() - started:.0f} s, others used "
              f"{others:.0%} of the CPUs", flush=True)
        if sum(others <= QUIET for others, *_ in made) >= count:
            break
    chosen = sorted(made)[:count]
    return [taken for _, _, taken, _, _ in chosen], {
        "rounds": len(chosen), "rounds_made": len(made),
        "discarded_samples": sum(discarded for _, _, _, discarded, _ in chosen),
        "others_used": round(max(others for others, *_ in chosen), 3),
        "stolen": round(max(stolen for *_, stolen in chosen), 3),
        "seconds": round(time.monotonic() - began)}


def spread(values):
    if len(values) < 2:
        return [values[0], values[0]]
    low, _, high = statistics.quantiles(values, n=4, method="inclusive")
    return [round(low, 3), round(high, 3)]


def values(taken, name, point, key):
    """One figure's values, by competitor and round; None where no sample was good."""
    found = {}
    for number, runs in enumerate(taken):
        for (workload, at, competitor), run in runs.items():
            if (workload, at) == (name, point) and run:
                found.setdefault(competitor, {})[number] = run[key]
    return found


def medians(taken, name, point, key):
    return {competitor: round(statistics.median(by_round.values()), 3)
            for competitor, by_round in values(taken, name, point, key).items()}


def ratio(ours, theirs):
    """The median of the rounds' ratios: what slows one down in a round slows both down."""
    both = [ours[number] / theirs[number] for number in ours
            if number in theirs and theirs[number]]
    return round(statistics.median(both), 3) if both else None


def row(taken, name, point=0, key="ns"):
    mine = values(taken, name, point, key)
    base = values(taken, BASELINE[name], 0, key) if name in BASELINE else mine
    made = {"ns_per_page": medians(taken, name, point, key),
            "spread": {competitor: spread([*by_round.values()])
                       for competitor, by_round in mine.items()}}
    for series in build.SERIES:
        ours = mine.get(f"rxpool_{series}", {})
        for field, theirs in (("ratio_to_intree", base.get(f"intree_{series}", {})),
                              ("ratio_on_off", mine.get(f"nostats_{series}", {}))):
            if ratio(ours, theirs):
                made[f"{field}_{series}"] = ratio(ours, theirs)
    if name in BASELINE:
        made["in_tree_is"] = BASELINE[name]
    return made


def report(taken, names, points):
    workloads = {}
    for name in names:
        workloads[name] = row(taken, name)
        for key in VALUES[1:]:
            found = medians(taken, name, 0, key)
            if any(found.values()):
                field = {"owner": "owner_ns", "reader": "reader_ns",
                         "buddy": "buddy_pages_per_1000", "locks": "zone_locks_per_1000"}[key]
                workloads[name][field] = found
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


def main():
    parser = argparse.ArgumentParser(prog="bench.py", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="twelve rounds, the first points")
    parser.add_argument("--rounds", type=int, help="more or fewer of them")
    parser.add_argument("--only", metavar="REGEX", default="", help="workloads that match")
    options = parser.parse_args()

    names = [name for name in WORKLOADS if re.search(options.only, name)]
    if not names:
        raise SystemExit(f"no workload matches '{options.only}': {', '.join(WORKLOADS)}")
    if len(os.sched_getaffinity(0)) < 2:
        raise SystemExit("two CPUs are needed: an owner and a reader at the same time")
    if not os.environ.get("RXPOOL_LOCKED"):
        lock = f"{ROOT}/tools/vm/lock"
        os.execv(lock, [lock, sys.executable, os.path.abspath(__file__), *sys.argv[1:]])
    build.BUILD += "/bench"
    try:
        where = programs()
    except build.Error as error:
        raise SystemExit(str(error))
    count, points = (12, 1) if options.quick else (30, 9)
    taken, state = rounds(where, names, options.rounds or count, points)
    state = {**machine(), **state}
    workloads = report(taken, names, points)
    compiler = subprocess.run(["gcc", "--version"], text=True, check=True,
                              stdout=subprocess.PIPE).stdout.splitlines()[0]
    os.makedirs(f"{ROOT}/build", exist_ok=True)
    with open(f"{ROOT}/build/bench.json", "w", encoding="utf-8") as file:
        json.dump({"machine": state, "compiler": compiler, "workloads": workloads}, file, indent=1)
    show(workloads)
    print(f"medians of {state['rounds']} rounds out of {state['rounds_made']}, in "
          f"{state['seconds']} s; others used up to {state['others_used']:.0%} of the CPUs, the "
          f"hypervisor {state['stolen']:.0%}; {state['discarded_samples']} samples were "
          "interrupted and made again")


if __name__ == "__main__":
    main()
