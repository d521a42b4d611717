"""Formulas as MathML: drawn by the browser itself, with no script and no request."""

from __future__ import annotations

import re
from html import escape
from typing import Any
from xml.etree import ElementTree

from docutils import nodes
from docutils.utils.math import MathError, latex2mathml, toplevel_code
from sphinx.application import Sphinx
from sphinx.util import logging

logger = logging.getLogger(__name__)

# Several lines: the converter knows the environment that stands within a formula.
LINES = re.compile(r"\\(begin|end)\{(align|aligned|gather|equation)\*?\}")
# As the converter writes them.
ACCENTS = tuple("\u02c6\u02c9~\u02d9\u00a8\u02c7\u00b4`\u02d8\u2192")
APPLIED = "\N{FUNCTION APPLICATION}"


def inline(translator: Any, node: nodes.math) -> None:
    """A formula within a line."""
    translator.body.append(mathml(node, as_block=False))
    raise nodes.SkipNode


def block(translator: Any, node: nodes.math_block) -> None:
    """A formula of its own, with its number if it has one."""
    number = node.get("number")
    label = f'<span class="eqno">({number})</span>' if number else ""
    ids = "".join(f' id="{escape(name)}"' for name in node.get("ids", [])[:1])
    formula = mathml(node, as_block=True)
    translator.body.append(f'<div class="math"{ids}>{label}{formula}</div>\n')
    raise nodes.SkipNode


def mathml(node: Any, as_block: bool) -> str:
    """The MathML of a node; of one that cannot be converted a warning and its source."""
    source = node.astext()
    code = LINES.sub("", source)
    if "\\\\" in toplevel_code(code):
        code = rf"\begin{{aligned}}{code}\end{{aligned}}"
    try:
        made = latex2mathml.tex2mathml(code, as_block=as_block)
        tree = ElementTree.fromstring(re.sub(r' xmlns="[^"]*"|&ApplyFunction;', _plain, made))
    except (MathError, ElementTree.ParseError) as error:
        logger.warning("formula %r: %s", source, error, location=node)
        return f"<code>{escape(source)}</code>"
    for element in list(tree.iter()):
        accented(element)
        spaced(element)
    return ElementTree.tostring(tree, encoding="unicode")


def _plain(match: re.Match[str]) -> str:
    return APPLIED if match[0].startswith("&") else ""


def accented(element: ElementTree.Element) -> None:
    """A subscript of an accented letter beside it; the converter puts it below."""
    if element.tag != "munderover" or (element[2].text or "") not in ACCENTS:
        return
    letter, below, accent = element
    over = ElementTree.Element("mover", {"accent": "true"})
    over.extend((letter, accent))
    element.tag = "msub"
    element[:] = [over, below]


def spaced(element: ElementTree.Element) -> None:
    """Some room after "ln" and the like, unless a bracket follows; browsers leave none."""
    for at in range(len(element) - 2, -1, -1):
        after = (element[at + 1].text or "").strip()
        if element[at].text == APPLIED and not (after and after in "([{"):
            element.insert(at + 1, ElementTree.Element("mspace", {"width": "0.167em"}))


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the renderer, which `html_math_renderer = "mathml"` chooses."""
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
