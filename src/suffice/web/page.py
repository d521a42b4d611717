"""Page: one HTML file that needs no other, and in which nothing else can run."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256
from typing import Any

from suffice.html import element, escaped
from suffice.web.bundle import asset, bundle
from suffice.web.dataset import Dataset
from suffice.web.presets import Preset


def payload(datasets: Sequence[Dataset], presets: Sequence[Preset] = ()) -> dict[str, Any]:
    """What the modules of the page are given."""
    return {
        "version": 1,  # of the payload that the modules read
        "datasets": [one.to_dict() for one in datasets],
        "presets": [{"title": one.title, "hash": one.hash} for one in presets],
    }


def page(title: str, content: dict[str, Any], connects: bool = False) -> str:
    """The whole file.

    connects : whether the page may talk to the server that it comes from
    """
    style, script = asset("explorer.css"), bundle()
    data = json.dumps(content, allow_nan=False).replace("<", "\\u003c")
    head = (
        '<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy(connects)}">\n'
        '<meta name="color-scheme" content="light dark">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f"<title>{escaped(title)}</title>\n<style>{style}</style>"
    )
    body = element("main", element("h1", title), id="suffice-explorer")
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n{head}\n</head>\n<body>\n{body}\n'
        f'<script type="application/json" id="suffice-data">{data}</script>\n'
        f'<script id="suffice-code">{script}</script>\n</body>\n</html>\n'
    )


def policy(connects: bool = False) -> str:
    """What the page may do: run its own code and style, draw, and nothing else.

    >>> policy().split("; ")[0], "connect-src" in policy()
    ("default-src 'none'", False)
    """
    rules = [
        "default-src 'none'",
        f"script-src '{_hash(bundle())}'",
        f"style-src '{_hash(asset('explorer.css'))}'",
        "img-src data: blob:",
        "worker-src blob:",
        "base-uri 'none'",
        "form-action 'none'",
    ]
    return "; ".join([*rules, "connect-src 'self'"] if connects else rules)


def _hash(text: str) -> str:
    return "sha256-" + b64encode(sha256(text.encode()).digest()).decode()
