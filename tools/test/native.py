# SPDX-License-Identifier: GPL-2.0
"""Tests of the pool in user space."""

import os
import sys

import static

sys.path.insert(0, os.path.join(static.ROOT, "tools/native"))
import build  # noqa: E402
import counts  # noqa: E402


def instructions(_test):
    """The pool's instructions per page are what they were."""
    try:
        found = counts.measure()
    except build.Error as error:
        yield static.judge("build", str(error))
        return
    for case, complaint in counts.compare(found):
        yield static.judge(case, complaint)
