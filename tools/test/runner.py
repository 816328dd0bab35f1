# SPDX-License-Identifier: GPL-2.0
"""Tests of the runner itself: whatever goes wrong in a guest must be called a failure."""

import importlib.machinery
import importlib.util
import io
import json
import os
import re
import subprocess
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
WORD = "0123456789abcdef"

# One line of a kernel's log, and whether it must fail a run.
LINES = (
    ("WARNING: CPU: 0 PID: 12 at net/core/page_pool.c:12 page_pool_destroy+0x1/0x2", True),
    ("WARNING: possible circular locking dependency detected", True),
    ("WARNING: suspicious RCU usage", True),
    ("WARNING: inconsistent lock state", True),
    ("WARNING: bad unlock balance detected!", True),
    ("WARNING: SOFTIRQ-safe -> SOFTIRQ-unsafe lock order detected", True),
    ("WARNING: lock held when returning to user space!", True),
    ("INFO: trying to register non-static key.", True),
    ("[ BUG: Invalid wait context ]", True),
    ("BUG: MAX_LOCKDEP_ENTRIES too low!", True),
    ("turning off the locking correctness validator.", True),
    ("BUG: kernel NULL pointer dereference, address: 0000000000000000", True),
    ("BUG: KASAN: use-after-free in rxpool_put+0x1/0x2", True),
    ("BUG: KCSAN: data-race in rxpool_put [rxpool] / rxpool_alloc [rxpool]", True),
    ("ODEBUG: free active (active state 0) object type: timer_list hint: tick+0x0/0x9", True),
    ("ODEBUG: Out of memory. ODEBUG disabled", True),
    ("pagealloc: memory corruption", True),
    ("page dumped because: VM_BUG_ON_PAGE(page_ref_count(page) == 0)", True),
    ("BUG kmalloc-64 (Tainted: G           O      ): Object already free", True),
    ("kernel BUG at mm/slub.c:379!", True),
    ("refcount_t: addition on 0; use-after-free.", True),
    ("list_del corruption. prev->next should be ffff8880, but was ffff8881", True),
    ("BUG: sleeping function called from invalid context at mm/page_alloc.c:5", True),
    ("BUG: Bad page state in process iperf3  pfn:1234", True),
    ("watchdog: BUG: soft lockup - CPU#1 stuck for 26s!", True),
    ("UBSAN: array-index-out-of-bounds in drivers/x.c:1:2", True),
    ("Oops: 0000 [#1] PREEMPT SMP NOPTI", True),
    ("general protection fault, probably for non-canonical address", True),
    ("Kernel panic - not syncing: Fatal exception", True),
    ("rcu: INFO: rcu_preempt detected stalls on CPUs/tasks:", True),
    ("rcu: INFO: rcu_preempt self-detected stall on CPU", True),
    ("INFO: task modprobe:77 blocked for more than 120 seconds.", True),
    ("unreferenced object 0xffff888003c5a000 (size 64):", True),
    ("kmemleak: 3 new suspected memory leaks (see /sys/kernel/debug/kmemleak)", True),
    ("kmemleak: Kernel memory leak detector disabled", True),
    ("kmemleak: Found object by alias at 0xffff888003c5a000", True),
    ("cxsim 10000:00:00.0: refused access: read of 64 bytes at 0x1000", True),
    ("DMA-API: mlx5_core 10000:00:00.0: device driver frees DMA memory with wrong size", True),
    ("DMA-API: cacheline tracking EEXIST, overlapping mappings aren't supported", True),
    ("DMA-API: debugging out of memory - disabling", True),
    ("NETDEV WATCHDOG: eth0 (mlx5_core): transmit queue 0 timed out", True),
    ("modprobe: page allocation failure: order:4, mode:0xcc0(GFP_KERNEL)", True),
    ("irq 3: nobody cared (try booting with the \"irqpoll\" option)", True),
    ("Call Trace:", True),
    ("x86/cpu: RETBleed: WARNING: Spectre v2 mitigation leaves CPU vulnerable", False),
    ("rxpool: loading out-of-tree module taints kernel.", False),
    ("clocksource: timekeeping watchdog on CPU1: Marking clocksource as unstable", False),
    ("rcu: Hierarchical RCU implementation.", False),
    ("rcu: RCU calculated value of scheduler-enlistment delay is 25 jiffies.", False),
    ("kasan: KernelAddressSanitizer initialized", False),
    ("kcsan: enabled early", False),
    ("BUG: KCSAN: data-race in tick_nohz_stop_tick / tick_sched_timer", False),
    ("kmemleak: Kernel memory leak detector initialized (mem pool available: 38800)", False),
    ("DMA-API: preallocated 65536 debug entries", False),
    ("DMA-API: debugging enabled by kernel config", False),
    ("ok 5 debug_bugs", False),
)


def load():
    """tools/vm/run as a module."""
    loader = importlib.machinery.SourceFileLoader("vm_run", f"{ROOT}/tools/vm/run")
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("vm_run", loader))
    loader.exec_module(module)
    return module


def expect(case, wanted, got):
    good = wanted == got
    return case, "ok" if good else "not ok", "" if good else f"{got!r} instead of {wanted!r}"


def log(_test):
    """What the runner makes of what it reads, without booting anything."""
    vm = load()

    def verdict(*lines, allow=(), ended=True):
        options = vm.parse(["-", *(f"--allow={pattern}" for pattern in allow)])
        vm.with_needs(options, {})
        with tempfile.TemporaryDirectory() as directory:
            run = vm.Run(options, WORD, directory, io.StringIO())
            for source, line in lines:
                run.line(source, line)
        return run.verdict(ended)

    passed = ("guest", "@passed " + WORD)
    for text, bad in LINES:
        why = verdict(("kernel", "[   12.345678] " + text), passed)
        yield expect(f"line: {text[:60]}", bad, why is not None and text in why)
    line = ("kernel", "[    1.000000] WARNING: CPU: 0 PID: 1 at x.c:1 f+0x1/0x2")
    trace = ("kernel", "[    1.000001] Call Trace:")
    yield expect("an allowed warning, with its trace", None, verdict(line, trace, passed, allow=["x.c:1"]))
    yield expect("a trace that belongs to nothing allowed", True,
                 verdict(trace, passed, allow=["x.c:1"]) is not None)
    yield expect("another warning beside the allowed", True,
                 verdict(line, ("kernel", "[  1.0] BUG: no"), passed, allow=["x.c:1"]) is not None)
    yield expect("passed", None, verdict(passed))
    yield expect("somebody else's word", True, verdict(("guest", "@passed feed")) is not None)
    yield expect("the word on the console is not the guest's", True,
                 verdict(("kernel", "@passed " + WORD)) is not None)
    yield expect("no word", "the guest died", verdict())
    yield expect("no end", "no end after 120 s", verdict(passed, ended=False))
    yield expect("nonzero", "the guest script ended with 3", verdict(("guest", "@failed 3")))
    yield expect("not ok, but exit 0", "not ok: a case",
                 verdict(("guest", "not ok a case - why"), passed))
    yield expect("a damaged result", "result x arrived damaged",
                 verdict(("guest", "@result x"), ("guest", "@data x aGVs"), ("guest", "@end x 00"), passed))


def boot(*arguments, script="exit 0\n"):
    """Run a guest script; the exit code and all that was printed."""
    result = subprocess.run([f"{ROOT}/tools/vm/run", *arguments, "-"], text=True, input=script,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return result.returncode, result.stdout


def errors(_test):
    """Errors that name what is wrong and what to do, before anything boots."""
    for case, arguments, script, words in (
            ("unknown kernel", ["--kernel", "6.7"], "", ["'6.7'", "6.1-cloud", "6.12-rt"]),
            ("unknown release", ["--kernel", "6.1.0-1-amd64"], "", ["'6.1.0-1-amd64'"]),
            ("unknown module", ["--module", "nonesuch"], "", ["module nonesuch", "make modules"]),
            ("missing tool", ["--tool", "nonesuch"], "", ["apt-get install nonesuch"]),
            ("missing file", ["--file", "/none/such"], "", ["/none/such"]),
            ("missing ko", ["--ko", "/none/such.ko"], "", ["/none/such.ko"]),
            ("two counted CPUs", ["--icount", "--cpus", "2"], "", ["one CPU"]),
            ("too little memory", ["--memory", "512"], "", ["1600"]),
            ("unknown word in the header", [], "# vm: kernels=6.1\n", ["kernels"])):
        code, out = boot(*arguments, script=script)
        missing = [word for word in words if word not in out]
        yield expect(case, (2, []), (code, missing))
    vm = load()
    vm.PACKAGES["nonesuch"] = "a-package"
    try:
        vm.which("nonesuch")
        why = "no error"
    except vm.Error as error:
        why = str(error)
    yield expect("the package of a tool", "nonesuch is missing: apt-get install a-package", why)


def boots(test):
    """Guests that end in every way, for real."""
    for case, code, word, timeout, script in (
            ("passes", 0, "passed", 90, ". /lib/guest.sh\nok fine\n"),
            ("ends with 3", 1, "ended with 3", 90, "exit 3\n"),
            ("panics", 1, "the kernel said", 90, "echo c >/proc/sysrq-trigger\n"),
            ("warns", 1, "WARNING: CPU", 90, "echo '<4>WARNING: CPU: 0 PID: 1 at x' >/dev/kmsg\n"),
            ("hangs", 1, "no end after 25 s", 25, "sleep 1000\n"),
            ("powers off", 1, "the guest died", 90, "poweroff -f\n")):
        got, out = boot("--kernel", test.kernel, "--cpus", "1", "--timeout", str(timeout),
                        "--name", "runner-boots", script=script)
        good = got == code and word in out
        yield case, "ok" if good else "not ok", "" if good else f"{got}: {out[-300:]!r}"


def results(test):
    """Files from the guest arrive whole, whatever is in them, in spite of other writers."""
    code, out = boot("--kernel", test.kernel, "--name", "runner-results", script="""
. /lib/guest.sh
(while sleep 0.05; do echo noise; done) &
head -c 300000 /dev/urandom >data
result data <data
printf '' | result empty
sha256sum <data | cut -d' ' -f1 | result sum
""")
    place = f"{ROOT}/build/vm/runner-results"
    yield expect("run", 0, code) if code == 0 else ("run", "not ok", out[-300:])
    if code == 0:
        digest = subprocess.run(["sha256sum", f"{place}/data"], text=True,
                                stdout=subprocess.PIPE).stdout.split()[0]
        with open(f"{place}/sum", encoding="utf-8") as file:
            yield expect("data", digest, file.read().strip())
        yield expect("empty", 0, os.path.getsize(f"{place}/empty"))


def retry(test):
    """Only a death by patched code is tried again, and it is said."""
    code, out = boot("--kernel", test.kernel, "--cpus", "2", "--accel", "tcg", "--name", "runner-retry",
                     script="echo 'int3: 0000 [#1] PREEMPT SMP' >/dev/kmsg\npoweroff -f\n")
    yield expect("three tries", (1, 2), (code, out.count("once more")))
    code, out = boot("--kernel", test.kernel, "--cpus", "2", "--accel", "tcg", "--name", "runner-retry",
                     script="echo 'BUG: other' >/dev/kmsg\necho 'int3: 0000 [#1]' >/dev/kmsg\nexit 1\n")
    yield expect("one try after another failure", (1, 0), (code, out.count("once more")))


def icount(test):
    """Counted instructions make two runs the same."""
    seen = []
    for _ in range(2):
        code, out = boot("--kernel", test.kernel, "--icount", "--name", "runner-icount",
                         script=". /lib/guest.sh\ncat /proc/uptime /proc/interrupts | result seen\n")
        if code:
            yield "run", "not ok", out[-300:]
            return
        with open(f"{ROOT}/build/vm/runner-icount/seen", encoding="utf-8") as file:
            seen.append(file.read())
    yield expect("two runs", seen[0], seen[1])


def numa(test):
    code, _ = boot("--kernel", test.kernel, "--numa", "2", "--name", "runner-numa", script="""
. /lib/guest.sh
cd /sys/devices/system/node
cat node0/cpulist node1/cpulist | result cpus
check "memory on node 1" grep -q '[1-9][0-9][0-9][0-9][0-9] kB' node1/meminfo
""")
    with open(f"{ROOT}/build/vm/runner-numa/cpus", encoding="utf-8") as file:
        yield expect("two nodes", (0, "0-1\n2-3\n"), (code, file.read()))
    with open(f"{ROOT}/build/vm/runner-numa.json", encoding="utf-8") as file:
        yield expect("memory", ["ok"], [case["result"] for case in json.load(file)["cases"]])


# What a debug kernel must call each bug of provoke.c. Locks first: nobody watches them once
# another bug was found.
REPORTS = {"debug": (("rcu", "WARNING: suspicious RCU usage"),
                     ("order", "WARNING: possible circular locking dependency"),
                     ("freed", r"BUG: KASAN: (slab-)?use-after-free in freed"),
                     ("page", r"BUG: KASAN: use-after-free in page"),
                     ("sleep", "BUG: sleeping function called from invalid context"),
                     ("active", "ODEBUG: free active .* timer_list"),
                     ("unmap", "DMA-API: .* device driver frees DMA memory with different size"),
                     ("count", "refcount_t: addition on 0"),
                     ("leak", r"kmemleak: \d+ new suspected memory leaks")),
           "kcsan": (("race", "BUG: KCSAN: data-race in race.* / racer"),)}


def debug(test):
    """A debug kernel reports what it is for. All of it in one boot: that takes a minute."""
    vm = load()
    subprocess.run([f"{ROOT}/tools/vm/modules", test.kernel], stdout=subprocess.DEVNULL, check=True)
    bugs = REPORTS[test.kernel.split("-")[1]]
    code, _ = boot("--kernel", test.kernel, "--ko", "provoke", "--name", "runner-debug",
                   "--append", "kasan_multi_shot",
                   script="for bug in " + " ".join(bug for bug, _ in bugs) + """; do
	modprobe provoke what=$bug
done
exit 0
""")
    yield expect("run", 1, code)
    with open(f"{ROOT}/build/vm/runner-debug.log", encoding="utf-8") as file:
        bad = [line for line in file if vm.BAD.search(line)]
    for bug, report in bugs:
        yield expect(bug, True, any(re.search(report, line) for line in bad))
