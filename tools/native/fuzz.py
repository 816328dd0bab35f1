#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Search for sequences of calls that the pool does not stand.

usage: fuzz.py [--minutes N]
       fuzz.py --kernel 6.1 FILE...

libFuzzer looks for inputs that run new code, on the ring of either kernel at the same time,
and keeps them in ${RXPOOL_CACHE:-/var/cache/rxpool}/fuzz, where the next search goes on. The
second form runs inputs once more, and needs no clang.
"""

import argparse
import concurrent.futures
import glob
import os
import random
import re
import subprocess
import sys
import time

import build

CACHE = os.environ.get("RXPOOL_CACHE") or "/var/cache/rxpool"
PLACE = f"{CACHE}/fuzz"
LONGEST = 8192
SEEDS = 32
TELL = 60  # seconds between two lines
TOO_LONG = 600  # seconds for an input, which take milliseconds; a machine may stand still a while


class Search:
    """libFuzzer on the ring of one kernel."""

    def __init__(self, kernel, seconds):
        self.kernel, self.log = kernel, f"{PLACE}/{kernel}.log"
        corpus = f"{PLACE}/{kernel}"
        os.makedirs(corpus, exist_ok=True)
        if not os.listdir(corpus):
            # Short sequences do little, and it would be long before they grow.
            rnd = random.Random(kernel)
            for number in range(SEEDS):
                with open(f"{corpus}/seed-{number}", "wb") as file:
                    file.write(rnd.randbytes(rnd.randint(256, LONGEST)))
        self.known = self.findings()
        with open(self.log, "w", encoding="utf-8") as file:
            self.process = subprocess.Popen(
                [*build.placed(), f"{build.BUILD}/{kernel}/fuzz-guided",
                 f"-max_total_time={seconds}", f"-max_len={LONGEST}", "-len_control=0",
                 f"-timeout={TOO_LONG}", f"-report_slow_units={TOO_LONG}", "-rss_limit_mb=4096",
                 "-print_final_stats=1", f"-artifact_prefix={self.prefix()}", corpus],
                stdout=file, stderr=subprocess.STDOUT)

    def prefix(self):
        return f"{PLACE}/found-{self.kernel}-"

    def findings(self):
        return set(glob.glob(f"{self.prefix()}*"))

    def last(self, pattern):
        with open(self.log, encoding="utf-8", errors="replace") as file:
            found = re.findall(pattern, file.read(), re.M)
        return found[-1] if found else ""

    def state(self):
        return f"{self.kernel}: {self.last(r'(cov: .*?) (?:lim|L:|MS:|rss)')}"

    def result(self):
        """What was found; prints it, and how to see it again."""
        found = self.findings() - self.known
        steps = self.last(r"^(\d+) steps$") or "an unknown number of"
        print(f"{self.state()}, {steps} steps, {'a finding' if found else 'no finding'}")
        if self.process.returncode and not found:
            print(f"{self.kernel}: ended with {self.process.returncode}, see {self.log}")
        for path in sorted(found):
            print(self.last(r"^.*(?:not so|ERROR|runtime error): .*$"))
            print(f"reproduce: tools/native/fuzz.py --kernel {self.kernel} {path}")
        return bool(found or self.process.returncode)


def make(kernel, guided):
    build.tree(kernel)
    return build.fuzz(kernel, guided)


def search(minutes):
    print("building", flush=True)
    with concurrent.futures.ThreadPoolExecutor() as pool:
        list(pool.map(lambda kernel: make(kernel, True), build.SERIES))
    os.makedirs(PLACE, exist_ok=True)
    searches = [Search(kernel, round(60 * minutes)) for kernel in build.SERIES]
    told = time.monotonic()
    try:
        while any(one.process.poll() is None for one in searches):
            time.sleep(1)
            if time.monotonic() - told >= TELL:
                told += TELL
                print("; ".join(one.state() for one in searches), flush=True)
    except KeyboardInterrupt:
        # They were told, too.
        for one in searches:
            one.process.wait()
    return max([one.result() for one in searches])


def reproduce(kernel, paths):
    program = make(kernel, False)
    for path in paths:
        code = subprocess.run([*build.placed(), program, path]).returncode
        print(f"{path}: {'ended with ' + str(code) if code else 'no complaint'}", flush=True)
        if code:
            return 1
    return 0


def main():
    parser = argparse.ArgumentParser(prog="fuzz.py", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--kernel", choices=build.SERIES, help="whose ring, for inputs")
    parser.add_argument("files", nargs="*", metavar="FILE", help="inputs to run once more")
    options = parser.parse_args()
    if bool(options.files) != bool(options.kernel):
        parser.error("--kernel and FILE go together")
    build.BUILD = f"{build.ROOT}/build/native/fuzzing"
    try:
        return reproduce(options.kernel, options.files) if options.files \
            else search(options.minutes)
    except build.Error as error:
        print(error, file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
