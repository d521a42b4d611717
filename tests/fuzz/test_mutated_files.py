"""Mutated files: refused or sound, with little work and memory.

SUFFICE_FUZZ_FILES is their number, SUFFICE_FUZZ_SEED the random seed.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from lawful import EXHAUSTIVE

WORKER = Path(__file__).with_name("fuzz_files.py")


@pytest.mark.skipif(sys.platform != "linux", reason="limits memory in the way of Linux")
def test_mutated_files_are_refused_or_serve_with_little_work_and_memory():
    count = int(os.environ.get("SUFFICE_FUZZ_FILES", 400 if EXHAUSTIVE else 150))
    seed = os.environ.get("SUFFICE_FUZZ_SEED", "0")
    # Every further thread would reserve memory of its own.
    alone = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "SUFFICE_NUM_THREADS": "1"}
    paths = [str(WORKER.parents[1]), os.environ.get("PYTHONPATH", "")]
    run = subprocess.run(
        [sys.executable, str(WORKER), "--files", str(count), "--seed", seed],
        capture_output=True,
        text=True,
        env=os.environ | alone | {"PYTHONPATH": os.pathsep.join(filter(None, paths))},
    )
    assert run.returncode == 0, run.stderr
    found = json.loads(run.stdout)
    assert not found["failures"], "\n".join(found["failures"])
    became = found["became"]
    assert sum(became.get(what, 0) for what in ("refused", "taken", "unchanged")) == count
    assert became["refused"] > 0.5 * count
    assert became["taken"] > 0.05 * count
    assert became.get("unchanged", 0) < 0.01 * count
