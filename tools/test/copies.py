# SPDX-License-Identifier: GPL-2.0
"""A copy of the repository, for tests of it that are changed or built differently."""

import json
import os
import shutil
import subprocess

import static

ROOT = static.ROOT


def make(name):
    """A fresh copy in build/NAME, without what was built; its path."""
    place = f"{ROOT}/build/{name}"
    shutil.rmtree(place, ignore_errors=True)
    for path in static.sources():
        os.makedirs(os.path.dirname(f"{place}/{path}"), exist_ok=True)
        shutil.copy(f"{ROOT}/{path}", f"{place}/{path}")
    return place


def run_tests(place, regex, environment=None):
    """Run tests in a copy: their cases, and all that was printed."""
    result = subprocess.run([f"{place}/tools/test/run", "--full", "--only", regex], text=True,
                            env=os.environ | (environment or {}),
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    try:
        with open(f"{place}/build/test.json", encoding="utf-8") as file:
            return json.load(file)["cases"], result.stdout
    except FileNotFoundError:
        return [], result.stdout
