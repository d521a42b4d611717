"""Machine: what the numbers were measured on."""

from __future__ import annotations

import os
import platform
from importlib.metadata import version
from pathlib import Path
from typing import Any


def machine() -> dict[str, Any]:
    """Processor, cores, and the versions that matter."""
    from threadpoolctl import threadpool_info

    blas = next((pool for pool in threadpool_info() if pool["user_api"] == "blas"), {})
    packages = ("numpy", "scipy", "scikit-learn", "numba")
    return {
        "processor": _processor(),
        "cores": len(os.sched_getaffinity(0))
        if hasattr(os, "sched_getaffinity")
        else os.cpu_count(),
        "load": os.getloadavg()[0] if hasattr(os, "getloadavg") else None,
        "system": platform.platform(),
        "python": platform.python_version(),
        "blas": {key: blas.get(key) for key in ("internal_api", "version", "num_threads")},
        **{package: version(package) for package in packages},
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()
