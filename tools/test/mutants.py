# SPDX-License-Identifier: GPL-2.0
"""The tests notice when one of the pool's safeguards is taken away."""

import glob
import re
import shutil
from dataclasses import dataclass

import copies


@dataclass
class Mutant:
    name: str
    path: str
    safeguard: str	# what the file has, once
    without: str	# what replaces it
    case: str		# that has to fail


MUTANTS = (
    Mutant("lost-page search", "page_pool/chunk.c",
           "	if (likely(!pool->lost_owed))\n		return;\n", "	return;\n",
           "held_page_is_lost_once"),
    Mutant("fragment drain at descriptor release", "mlx5_glue/rxpool_rx.c",
           "rx->bias - taken[i]);", "1);", "late_packets_come_home"),
    Mutant("wait for pages at destroy", "page_pool/teardown.c",
           "	if (!rxpool_awaits_pages(pool)) {", "	if (true) {",
           "destroy_unmaps_pages_in_flight"),
    Mutant("owner check of the kernel's direct returns", "page_pool/ring.c",
           "	pp->alloc.count = PP_ALLOC_CACHE_SIZE;\n", "", "xdp_frames_come_home"),
    Mutant("owner check of the debug option", "page_pool/debug.c",
           "atomic_inc_return(&d->inside) > 1", "atomic_inc_return(&d->inside) > 1000",
           "owner_on_two_cpus"),
    Mutant("unmap at destroy", "page_pool/teardown.c",
           "	rxpool_chunk_unmap_all(pool);\n", "", "destroy_unmaps_pages_in_flight"),
    Mutant("zero-length completion check", "mlx5_glue/rxpool_rx.h",
           "return bytes >= ETH_HLEN;", "return true;", "completions_without_a_packet"),
)


def killed(test):
    for mutant in MUTANTS:
        place = copies.make("mutant")
        with open(f"{place}/{mutant.path}", encoding="utf-8") as file:
            text = file.read()
        if text.count(mutant.safeguard) != 1:
            yield mutant.name, "not ok", f"{mutant.path} has no '{mutant.safeguard.strip()}'"
            continue
        with open(f"{place}/{mutant.path}", "w", encoding="utf-8") as file:
            file.write(text.replace(mutant.safeguard, mutant.without))
        cases, out = copies.run_tests(place, f"^vm/pool {re.escape(test.kernel)}$")
        failed = [case["case"] for case in cases if case["result"] == "failed"]
        # A kernel that died of it has not summed up its cases.
        logs = "".join(open(log, encoding="utf-8", errors="replace").read()
                       for log in glob.glob(f"{place}/build/vm/*.log"))
        noticed = any(mutant.case in case for case in failed) or \
            re.search(rf"# {mutant.case}: (failed|EXPECTATION FAILED|ASSERTION FAILED)", logs)
        yield mutant.name, "ok" if noticed else "not ok", \
            "" if noticed else f"{mutant.case} did not fail, but {failed or out[-200:]}"
    shutil.rmtree(f"{copies.ROOT}/build/mutant", ignore_errors=True)
