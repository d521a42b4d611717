"""What the pages for contributors name is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = ("CONTRIBUTING.md", "docs/architecture.md")
PLACES = (ROOT, ROOT / "src" / "suffice")
ENDINGS = r"\.(?:py|js|mjs|md|toml|yml|yaml|txt|csv|cff)"


def named(page: str) -> set[str]:
    """Paths in code marks and links: whatever has a slash or the ending of a file."""
    text = (ROOT / page).read_text(encoding="utf-8")
    links = {
        (Path(page).parent / link).as_posix()
        for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text)
    }
    code = re.findall(r"`([\w./-]+)`", text)
    return links | {one for one in code if re.search(rf"\w/|/\w|{ENDINGS}$", one)}


def exists(path: str) -> bool:
    """Whether a path leads somewhere from the root or the source; a bare name, from anywhere."""
    if "/" in path.rstrip("/"):
        return any((place / path).exists() for place in PLACES)
    tops = (ROOT / "src" / "suffice", ROOT / "tests")
    bare = path.rstrip("/")
    return any((place / bare).exists() for place in PLACES) or any(
        any(top.rglob(bare)) for top in tops
    )


@pytest.mark.parametrize("page", PAGES)
def test_every_path_that_a_page_names_exists(page: str) -> None:
    paths = named(page)
    assert len(paths) > 20
    assert [path for path in sorted(paths) if not exists(path)] == []


def test_a_path_that_does_not_exist_is_noticed() -> None:
    assert not exists("data/no_such_file.py")
    assert not exists("no_such_file.py")
