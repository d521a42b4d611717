"""Finished values to pages: one HTML file about a table and its model.

The package itself can be called: `suffice.report(table, "species", "report.html")`.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any


class _Report(ModuleType):
    """A package that can be called: importing a part of it must not hide the function."""

    def __call__(self, *args: Any, **options: Any) -> Any:
        from suffice.report.page import write_report

        return write_report(*args, **options)


sys.modules[__name__].__class__ = _Report
