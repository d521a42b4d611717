"""Dask workers: whether they have the package, asked before they are sent work."""

from __future__ import annotations

from typing import Any
from weakref import WeakSet

import suffice
from suffice.errors import MissingPackage
from suffice.statistics.statistics import listed

_checked: WeakSet[Any] = WeakSet()


def check_workers() -> None:
    """Raise unless the workers of the cluster in use, if any, can import this version.

    A worker that cannot would drop its connection over every task, and the job would never end.
    """
    from dask.base import get_scheduler

    client: Any = getattr(get_scheduler(), "__self__", None)
    if not hasattr(client, "run") or client.asynchronous or client in _checked:
        return
    # By built-in names only: what is sent must not need the package to be read.
    versions = client.run(eval, "__import__('suffice').__version__", on_error="return")
    wrong = {worker: found for worker, found in versions.items() if found != suffice.__version__}
    if wrong:
        worker, found = next(iter(wrong.items()))
        what = (
            f"cannot import suffice ({found})" if isinstance(found, Exception) else f"has {found}"
        )
        raise MissingPackage(
            f"{len(wrong)} of {len(versions)} workers lack suffice {suffice.__version__}: {worker} "
            f"{what}. Install the same version on {listed(wrong)}."
        )
    _checked.add(client)
