"""Tables of many kinds to report on, and a reader of pages."""

from __future__ import annotations

from html.parser import HTMLParser

import numpy as np
import pandas as pd
import polars as pl

VOID = {"meta", "link", "br", "img", "input", "hr"}

SCRIPT = "<script>alert(1)</script>"
HANDLER = 'x" onmouseover="alert(2)'
LABELS = ("<b>\"a\"</b> & 'c'", "</title><img src=x onerror=alert(3)>", "${y} {{z}}")
TARGET = "</style><script>alert(4)</script>"


class Page(HTMLParser):
    """The elements of a page in order, and all of its text; fails where tags do not match."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.open, self.text, self.styles = [], [], [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        (self.styles if "style" in self.open else self.text).append(data)

    def named(self, tag):
        return [attributes for name, attributes in self.elements if name == tag]

    @property
    def words(self):
        return " ".join("".join(self.text).split())


def hostile():
    """A frame whose names, labels and levels are HTML, with a long name, a formula and gaps."""
    rng = np.random.default_rng(0)
    n = 60
    code = np.arange(n) % 3
    X = pd.DataFrame(
        {
            SCRIPT: rng.normal(size=n) + 2 * code,
            HANDLER: rng.normal(size=n),
            "$a_1$ & $\\frac$": rng.normal(size=n),
            "long name " * 30: rng.normal(size=n),
            "<i>level</i>": np.array(["<u>p</u>", 'q"'])[rng.integers(0, 2, n)],
        }
    )
    X.iloc[3, 0] = np.nan
    X.iloc[5, 4] = None
    return X.assign(**{TARGET: np.array(LABELS)[code]})


def numbers(n, d, k, seed=0):
    rng = np.random.default_rng(seed)
    codes = np.arange(n) % k
    return rng.normal(size=(n, d)) + 2 * rng.normal(size=(k, d))[codes], codes


def with_gaps():
    X, y = numbers(90, 3, 3)
    X[np.random.default_rng(1).random(X.shape) < 0.1] = np.nan
    return X, y


def levels_only():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.choice(["u", "v"], 60), "b": rng.choice(["s", "t", "w"], 60)})
    return frame, np.arange(60) % 2 == 0


def polars_frame():
    X, y = numbers(60, 2, 2)
    levels = np.where(np.arange(60) % 3 == 0, "k", "m")
    return pl.DataFrame({"a": X[:, 0], "b": X[:, 1], "l": levels, "kind": y}), "kind"
