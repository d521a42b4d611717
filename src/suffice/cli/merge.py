"""`suffice merge`: statistics of parts, or models of them -> those of the whole."""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import partial, reduce
from pathlib import Path
from typing import Annotated, Any

from suffice.cli import options
from suffice.errors import InvalidParameter, Mismatch


def merge(
    parts: Annotated[
        list[Path],
        options.argument("Files of statistics, or of models of one kind."),
    ],
    out: options.OutFile,
    json: options.Json = False,
) -> None:
    """Add up what was learnt from parts: the same as from all rows at once."""
    from suffice.cli.loaded import is_ours, load_any, load_model, load_statistics
    from suffice.cli.output import check_model_out, save_and_report, say

    check_model_out(out)
    for part in sorted({one for one in parts if parts.count(one) > 1}):
        say(f"note: {part} is named more than once; its rows count each time.", err=True)
    if is_ours(parts[0]) and hasattr(load_any(parts[0]), "get_params"):
        models = [load_model(part) for part in parts]
        for one in models:
            one.method("merge", "which has no statistics to add up")
        total = reduce(partial(_sum, _merge), [(one.model, one.source) for one in models])[0]
    else:
        statistics = [(load_statistics(part), str(part)) for part in parts]
        total = reduce(partial(_sum, operator.add), statistics)[0]
    save_and_report(total, out, json)


def _merge(model: Any, other: Any) -> Any:
    return model.merge(other)


def _sum(add: Callable[[Any, Any], Any], a: tuple[Any, str], b: tuple[Any, str]) -> tuple[Any, str]:
    """The sum of what two files hold; an error names them."""
    try:
        return add(a[0], b[0]), a[1]
    except TypeError:
        raise InvalidParameter(
            f"{a[1]} and {b[1]} hold statistics of different kinds: only one has categories."
        ) from None
    except Mismatch as error:
        raise Mismatch(f"{a[1]} and {b[1]} do not match: {error}") from None
