"""`suffice info`: what a file holds."""

from __future__ import annotations

from typing import Any

from suffice.cli import options


def info(file: options.AnyFile, json: options.Json = False) -> None:
    """Show what a file holds: the model or statistics, columns, classes, rows."""
    from suffice.cli.facts import facts
    from suffice.cli.loaded import load_any
    from suffice.cli.output import print_json, print_lines, say
    from suffice.cli.signing import key

    content = load_any(file)
    if json:
        print_json({"file": str(file), **facts(content)})
    elif hasattr(content, "get_params"):
        from suffice.estimators.card import card_lines

        say(*card_lines(file, key()))
    elif not hasattr(content, "classes"):
        say(*str(content).splitlines())
    else:
        described = facts(content)
        say(*_describe(described))
        by_class = zip(described["classes"], described["rows"], described["weight"], strict=True)
        lines = [[str(label), str(n), f"{w:g}"] for label, n, w in by_class]
        print_lines(["class", "rows", "weight"], lines)


def _describe(described: dict[str, Any]) -> list[str]:
    most_names = 10
    names = described["columns"] or []
    more = f", ... {len(names) - most_names} more" if len(names) > most_names else ""
    listed = f" ({', '.join(names[:most_names])}{more})" if names else ""
    return [
        f"statistics of {sum(described['rows'])} rows",
        f"features: {described['features']}{listed}",
        f"detail: {described['detail']}",
        *([] if described["grid"] is None else [f"grid: {described['grid'].strip('<>')}"]),
    ]
