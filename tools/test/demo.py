# SPDX-License-Identifier: GPL-2.0
"""The demo runs, and shows what it is there to show."""

import json
import os
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def figures(_test):
    path = f"{ROOT}/build/demo.json"
    if os.path.exists(path):
        os.unlink(path)
    result = subprocess.run([f"{ROOT}/tools/demo/run"])
    yield "runs", "ok" if result.returncode == 0 else "not ok", f"ended with {result.returncode}"
    if result.returncode:
        return
    with open(path, encoding="utf-8") as file:
        runs = json.load(file)["runs"]
    for row in runs:
        name = f"{row['driver']}/{row['scene']}"
        for what, holds in goals(row).items():
            yield f"{name}: {what}", "ok" if holds else "not ok", json.dumps(row)


def goals(row):
    """What must hold for a row: a name for each, and whether it does."""
    common = {
        "enough packets to tell": row["rx_packets"] >= 50000,
        "no refused access": row["refused_accesses"] == 0,
    }
    if row["driver"] == "rxpool":
        return common | {
            "hit rate": row["recycle_hit_rate"] >= 0.999,
            "buddy pages": row["buddy_pages_per_1000_packets"] <= 1,
            "DMA maps": row["rx_dma_maps_per_1000_packets"] <= 1,
            "none lost": row["lost_pages"] == 0,
        }
    if row["scene"] == "steady":
        return common | {"stock recycles": row["recycle_hit_rate"] >= 0.9}
    # Without this the demo would show nothing.
    return common | {"stock collapses": row["recycle_hit_rate"] <= 0.01
                     and row["rx_dma_maps_per_1000_packets"] >= 400}
