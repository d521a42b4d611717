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


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built pages, from a copy: what the build generates stays out of the repository."""
    folder = tmp_path_factory.mktemp("site")
    made = shutil.ignore_patterns("_build", "gallery", "generated", "__pycache__")
    shutil.copytree(ROOT / "docs", folder / "docs", ignore=made)
    shutil.copytree(ROOT / "examples", folder / "examples", dirs_exist_ok=True)
    shutil.copytree(ROOT / "tests" / "reference", folder / "tests" / "reference")
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "docs", "html"]
    quiet = os.environ | {"MPLBACKEND": "agg", "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(command, cwd=folder, env=quiet, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-4000:]
    assert done.stderr == ""
    return folder / "html"


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, Page]:
    # The theme keeps a template among its static files.
    files = [file for file in sorted(site.rglob("*.html")) if "_static" not in file.parts]
    return {file: Page(file) for file in files}


def test_every_public_name_has_a_page(site: Path) -> None:
    names = [f"suffice.{name}" for name in suffice.__all__ if name != "__version__"]
    names += [f"suffice.plots.{name}" for name in plots.__all__]
    lacking = [n for n in names if not (site / "api" / "generated" / f"{n}.html").exists()]
    assert not lacking


def test_every_display_is_in_the_gallery(site: Path) -> None:
    shown = {name.removesuffix("Display").lower() for name in plots.__all__ if name != "theme"}
    assert shown <= {file.stem for file in (site / "gallery").glob("*.html")}


def test_nothing_is_loaded_from_elsewhere(site: Path, pages: dict[Path, Page]) -> None:
    outside = {
        (str(file.relative_to(site)), address)
        for file, page in pages.items()
        for address in page.loaded
        if urlsplit(address).scheme not in ("", "data") or address.startswith("//")
    }
    assert not outside
    for sheet in site.rglob("*.css"):
        addresses = re.findall(
            r"(?:url\(|@import)\s*[\"']?\s*((?:https?:)?//[^\"')\s]+)", sheet.read_text()
        )
        assert not addresses, sheet


def test_links_within_the_site_resolve(pages: dict[Path, Page]) -> None:
    broken = []
    for file, page in pages.items():
        for link in page.links + page.loaded:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            at = (file.parent / unquote(parts.path)).resolve() if parts.path else file
            lost = at.suffix == ".html" and parts.fragment and at in pages
            if not at.exists() or (lost and unquote(parts.fragment) not in pages[at].places):
                broken.append((file.name, link))
    assert not broken


def test_formulas_are_mathml(site: Path) -> None:
    for name in ("lecture.html", "errata.html", "guides/streaming.html"):
        text = (site / name).read_text(encoding="utf-8")
        assert "<math" in text
        assert "MathJax" not in text
