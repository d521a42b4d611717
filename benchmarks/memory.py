"""Memory: what a job takes beyond its input and its result, measured in its own process.

A job is named "module:function"; called with keyword arguments, the function makes the input
and warms up, and returns the call to measure.
"""

from __future__ import annotations

import ctypes
import dataclasses
import gc
import importlib
import json
import resource
import subprocess
import sys
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent


@dataclasses.dataclass(frozen=True, slots=True)
class Usage:
    """Megabytes at the peak, less the result.

    `traced` counts what Python and NumPy ask for; `resident` is the growth of the process,
    and so also holds what compiled code and LAPACK allocate.
    """

    traced: float
    resident: float


def usage(job: str, **arguments: Any) -> Usage:
    """Measure a job in a fresh process."""
    command = [sys.executable, "-W", "ignore", "-m", "benchmarks.memory", job]
    done = subprocess.run(
        [*command, json.dumps(arguments)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"the memory job {job} failed:\n{done.stderr}")
    return Usage(**json.loads(done.stdout.splitlines()[-1]))


def array_bytes(value: Any) -> int:
    """Bytes of the arrays a result holds."""
    if isinstance(value, np.ndarray):
        return value.nbytes
    if dataclasses.is_dataclass(value):
        return sum(array_bytes(getattr(value, f.name)) for f in dataclasses.fields(value))
    if isinstance(value, (tuple, list)):
        return sum(map(array_bytes, value))
    return 0


def _measure(job: str, arguments: dict[str, Any]) -> Usage:
    module, function = job.split(":")
    call = getattr(importlib.import_module(module), function)(**arguments)
    _release_freed()
    before = _status("VmRSS")
    _forget_peak()
    result = call()
    resident = _status("VmHWM") - before - array_bytes(result)
    del result
    tracemalloc.start()
    result = call()
    traced = tracemalloc.get_traced_memory()[1] - array_bytes(result)
    return Usage(traced / 1e6, max(resident, 0) / 1e6)


def _release_freed() -> None:
    gc.collect()
    if sys.platform == "linux":
        ctypes.CDLL(None).malloc_trim(0)


def _forget_peak() -> None:
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return  # the peak so far stays; data is made in place, so it is close to the present


def _status(name: str) -> int:
    # getrusage's peak survives fork and exec on Linux: a child of a large process would start
    # with its parent's. The process's own status does not.
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak * (1 if sys.platform == "darwin" else 1024)
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(name + ":"))


if __name__ == "__main__":
    print(json.dumps(dataclasses.asdict(_measure(sys.argv[1], json.loads(sys.argv[2])))))
