"""Bundle: the modules of the page as one script, so that a single file needs no other."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

_IMPORT = re.compile(r'^import \{([^}]*)\} from "\./(\w+)\.js";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const) (\w+))", re.MULTILINE)


def asset(name: str) -> str:
    """The text of a file of the page."""
    return (files("suffice.web") / "assets" / name).read_text(encoding="utf-8")


@cache
def bundle() -> str:
    """One script with every module in a scope of its own, in the order of their imports.

    >>> "const module_linalg = (() => {" in bundle()
    True
    """
    order: list[str] = []
    _visit("start", order, ())  # it starts the page, and comes last
    script = '"use strict";\n' + "".join(map(_wrapped, order))
    if "</script" in script or "<!--" in script:
        raise ValueError("a module of the page cannot be part of an HTML file")
    return script


def _visit(name: str, order: list[str], path: tuple[str, ...]) -> None:
    """Append a module after those it imports."""
    if name in path:
        raise ValueError(f"modules import each other: {' -> '.join((*path, name))}")
    if name in order:
        return
    for found in _IMPORT.finditer(asset(f"{name}.js")):
        _visit(found[2], order, (*path, name))
    order.append(name)


def _wrapped(name: str) -> str:
    """A module as a function whose result holds what it exports; comments are left out."""
    text = asset(f"{name}.js").removeprefix("// @ts-check\n")
    exported = ", ".join(found[1] for found in _EXPORT.finditer(text))
    text = _IMPORT.sub(lambda found: f"const {{{found[1]}}} = module_{found[2]};\n", text)
    comment = re.compile(r"^[ \t]*/\*\*(?:(?!\*/).)*\*/[ \t]*\n", re.MULTILINE | re.DOTALL)
    text = comment.sub("", _EXPORT.sub("", text))
    return f"const module_{name} = (() => {{\n{text}return {{ {exported} }};\n}})();\n"
