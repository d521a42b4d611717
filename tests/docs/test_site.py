"""The documentation builds without a warning, is complete, and asks for nothing on the network."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

import suffice
from suffice import plots

pytest.importorskip("sphinx_gallery")
pytest.importorskip("pydata_sphinx_theme")
pytest.importorskip("myst_parser")

ROOT = Path(__file__).parents[2]

# What a browser loads by itself, by tag and attribute; links are followed only by readers.
LOADED = {("script", "src"), ("img", "src"), ("iframe", "src"), ("source", "srcset")}
RELATIONS = {"stylesheet", "icon", "preload", "modulepreload", "preconnect", "dns-prefetch"}


class Page(HTMLParser):
    """What a page loads, where it links to, and the names of its places."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.loaded: list[str] = []
        self.links: list[str] = []
        self.places: set[str] = set()
        self.feed(file.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.places |= {given[name] for name in ("id", "name") if name in given}
        self.loaded += [given[name] for of, name in LOADED if of == tag and name in given]
        if tag == "link" and set(given.get("rel", "").split()) & RELATIONS:
            self.loaded.append(given["href"])
        if tag == "a" and "href" in given:
            self.links.append(given["href"])


def built(folder: Path) -> Path:
    """The built pages, from a copy: what the build generates stays out of the repository."""
    made = shutil.ignore_patterns("_build", "gallery", "generated", "__pycache__")
    shutil.copytree(ROOT / "docs", folder / "docs", ignore=made)
    shutil.copytree(ROOT / "examples", folder / "examples")
    shutil.copytree(ROOT / "tests" / "reference", folder / "tests" / "reference")
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "docs", "html"]
    quiet = os.environ | {"MPLBACKEND": "agg", "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(command, cwd=folder, env=quiet, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-4000:]
    assert done.stderr == ""
    return folder / "html"


def lacking_pages(site: Path) -> list[str]:
    """Public names without a page."""
    names = [f"suffice.{name}" for name in suffice.__all__ if name != "__version__"]
    names += [f"suffice.plots.{name}" for name in plots.__all__]
    return [n for n in names if not (site / "api" / "generated" / f"{n}.html").exists()]


def blank_rows(site: Path) -> list[str]:
    """Names in the reference beside which nothing is said."""
    rows = re.findall(r"<tr.*?</tr>", (site / "api" / "index.html").read_text("utf-8"), re.DOTALL)
    texts = [re.sub(r"<[^>]+>", " ", row).split() for row in rows]
    return [words[0] for words in texts if len(words) < 2]


def not_found(site: Path) -> list[str]:
    """Words that people look for and the search does not know."""
    index = (site / "searchindex.js").read_text("utf-8")
    words = ("class_weight", "auc", "drift", "hot", "threshold", "nan")
    return [word for word in words if not re.search(rf'[{{,]"?{word}"?:', index)]


def lacking_pictures(site: Path) -> set[str]:
    """Displays without an example in the gallery."""
    shown = {name.removesuffix("Display").lower() for name in plots.__all__ if name != "theme"}
    return shown - {file.stem for file in (site / "gallery").glob("*.html")}


def loaded_from_elsewhere(site: Path, pages: dict[Path, Page]) -> list[tuple[str, str]]:
    """Addresses beyond the site that pages or their styles load."""
    found = [
        (file.name, address)
        for file, page in pages.items()
        for address in page.loaded
        if urlsplit(address).scheme not in ("", "data") or address.startswith("//")
    ]
    remote = re.compile(r"(?:url\(|@import)\s*[\"']?\s*((?:https?:)?//[^\"')\s]+)")
    for sheet in site.rglob("*.css"):
        found += [(sheet.name, address) for address in remote.findall(sheet.read_text("utf-8"))]
    return found


def broken_links(pages: dict[Path, Page]) -> list[tuple[str, str]]:
    """Links within the site to files or places that are not there."""
    broken = []
    for file, page in pages.items():
        for link in page.links + page.loaded:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            at = (file.parent / unquote(parts.path)).resolve() if parts.path else file
            # The explorer reads its fragment as what to show, not as a place in the page.
            has_places = at in pages and at.name != "explorer.html"
            place = unquote(parts.fragment) if has_places else ""
            if not at.exists() or (place and place not in pages[at].places):
                broken.append((file.name, link))
    return broken


@pytest.mark.exhaustive
def test_the_site_is_whole_and_asks_for_nothing(tmp_path: Path) -> None:
    # One test, so that the site is built by one process only.
    site = built(tmp_path)
    # The theme keeps a template among its static files.
    files = [file for file in sorted(site.rglob("*.html")) if "_static" not in file.parts]
    pages = {file: Page(file) for file in files}
    assert not lacking_pages(site)
    assert not lacking_pictures(site)
    assert not blank_rows(site)
    assert not not_found(site)
    assert not loaded_from_elsewhere(site, pages)
    assert not broken_links(pages)
    for name in ("lecture.html", "errata.html", "guides/streaming.html"):
        text = (site / name).read_text(encoding="utf-8")
        assert "<math" in text
        assert "MathJax" not in text
