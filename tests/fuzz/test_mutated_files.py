"""Mutated files: refused or sound, in little time and memory.

SUFFICE_FUZZ_FILES says how many; SUFFICE_FUZZ_SEED where to begin.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

WORKER = Path(__file__).with_name("file_mutations.py")


@pytest.mark.skipif(sys.platform != "linux", reason="memory is limited as Linux does it")
def test_mutated_files_are_refused_or_predict_in_little_time_and_memory():
    count = int(os.environ.get("SUFFICE_FUZZ_FILES", "400"))
    seed = os.environ.get("SUFFICE_FUZZ_SEED", "0")
    # Threads of their own have memory of their own.
    alone = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "SUFFICE_NUM_THREADS": "1"}
    run = subprocess.run(
        [sys.executable, str(WORKER), str(count), seed],
        capture_output=True,
        text=True,
        env=os.environ | alone,
    )
    assert run.returncode == 0, run.stderr
    found = json.loads(run.stdout)
    assert not found["failures"], "\n".join(found["failures"])
    assert sum(found["became"].values()) == count
    assert found["became"]["refused"] > 0.8 * count
    assert found["became"].get("unchanged", 0) < 0.01 * count
    assert found["became"].get("model that knows no chances", 0) == 0
