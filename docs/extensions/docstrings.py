"""Docstrings as pages: terse lists of parameters become lists, names in backticks become links."""

from __future__ import annotations

import re
from itertools import groupby
from typing import Any

from sphinx.application import Sphinx
from sphinx.ext.autosummary import Autosummary

import suffice
from suffice import plots

HEADINGS = ("Parameters", "Attributes")
ENTRY = re.compile(r"^\w[\w*, ;]*? : ")  # "name, name : what it is"
FURTHER = re.compile(r"; (?=\w[\w*, ]* : )")  # "...; name : what it is" in the same line
NAME = re.compile(r"(?<![`:\w])`(?:suffice\.)?(\w+)`(?!`)")
TRAILING = re.compile(r"(?<![\w`.])([a-z]\w*_)(?![\w`])")  # "classes_" would be a link to rst
ROLE = re.compile(r":\w+:`([^`<]*?)(?: <[^>]*>)?`")

# What scikit-learn adds to every estimator for its own use.
PLUMBING = re.compile(r"^(get_metadata_routing|set_\w+_request)$")


def rendered(app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Rewrite the lines of a docstring in place."""
    paragraphs = [
        list(group) for filled, group in groupby(lines, lambda line: bool(line.strip())) if filled
    ]
    if str(getattr(obj, "__module__", "")).startswith("sklearn."):
        lines[:] = [ROLE.sub(r"\1", line) for line in paragraphs[0]]
    else:
        lines[:] = [line for one in paragraphs for line in ("", *as_rst(one))]
    lines.append("")


def as_rst(paragraph: list[str]) -> list[str]:
    """A paragraph as reStructuredText: examples as they are, lists as lists, the rest as text."""
    if paragraph[0].lstrip().startswith(">>>"):
        return paragraph
    if paragraph[0] in HEADINGS:
        return ["", f".. rubric:: {paragraph[0]}", "", *entries(paragraph[2:])]
    if ENTRY.match(paragraph[0]):
        return entries(paragraph)
    return [marked(line) for line in paragraph]


def entries(lines: list[str]) -> list[str]:
    """Lines "name : text", the further lines of a text indented, as a definition list."""
    joined: list[str] = []
    for line in lines:
        further = line.startswith(" ") or (joined and " : " not in joined[-1])
        if further and joined:
            joined[-1] += " " + line.strip()
        else:
            joined.append(line)
    made: list[str] = []
    for entry in (part for one in joined for part in FURTHER.split(one)):
        names, _, text = entry.partition(" : ")
        *bare, names = names.split(" ; ")
        made += [line for one in bare for line in ("", code(one), "")]
        made += [code(names), f"    {marked(text)}"] if text else [code(names), ""]
    return made


def code(names: str) -> str:
    """Names between commas, each as code."""
    return ", ".join(f"``{name.strip()}``" for name in names.split(","))


def marked(text: str) -> str:
    """Public names as links, other names as code."""
    return TRAILING.sub(r"``\1``", NAME.sub(_link, text))


def _link(match: re.Match[str]) -> str:
    name = match[1]
    if name in suffice.__all__:
        return f":py:obj:`~suffice.{name}`"
    if name in plots.__all__:
        return f":py:obj:`~suffice.plots.{name}`"
    return f"``{name}``"


def skipped(app: Sphinx, what: str, name: str, obj: Any, skip: bool, options: Any) -> bool | None:
    """Leave out what scikit-learn adds for its own use."""
    return True if PLUMBING.match(name) else None


class Summaries(Autosummary):
    """Autosummary in which a second name of a class, such as LDA, has the summary of the class."""

    def get_items(self, names: list[str]) -> list[tuple[str, str | None, str, str]]:
        """Name, signature, summary and full name of each object."""
        items = super().get_items(names)
        return [(name, how, text or _first_line(full), full) for name, how, text, full in items]


def _first_line(full_name: str) -> str:
    """The first line of what an object of this package says about itself."""
    found = getattr(suffice, full_name.removeprefix("suffice."), None)
    return (found.__doc__ or "").strip().partition("\n")[0] if found is not None else ""


def setup(app: Sphinx) -> dict[str, Any]:
    """Listen to autodoc, and fill the summaries of second names."""
    app.connect("autodoc-process-docstring", rendered)
    app.connect("autodoc-skip-member", skipped)
    app.add_directive("autosummary", Summaries, override=True)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
