"""The page on the command line shows what its commands print."""

from __future__ import annotations

import re
import shlex
from doctest import ELLIPSIS, NORMALIZE_WHITESPACE, OutputChecker
from pathlib import Path

import pytest

pytest.importorskip("typer")

from typer.testing import CliRunner

from suffice.cli.app import EXAMPLES, app

PAGE = Path(__file__).parents[2] / "docs" / "guides" / "command_line.md"
TEXT = PAGE.read_text(encoding="utf-8")
SETUP = TEXT.rpartition("```python\n")[2].partition("```")[0]


def shown() -> list[tuple[str, str]]:
    """Each command of the page and what it says that the command prints."""
    found = []
    for block in re.findall(r"```console\n(.*?)```", TEXT, re.DOTALL):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, printed = part.partition("\n")
            found.append((command, printed))
    return found


def test_what_the_page_shows_is_what_comes_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    exec(compile(SETUP, str(PAGE), "exec"), {})
    for command, printed in shown():
        program, *words = shlex.split(command)
        assert program == "suffice"
        got = CliRunner().invoke(app, words)
        same = OutputChecker().check_output(printed, got.output, ELLIPSIS | NORMALIZE_WHITESPACE)
        assert same, f"$ {command}\n{got.output}"


def test_every_command_is_shown() -> None:
    assert {command.split()[1] for command, _ in shown()} == set(EXAMPLES)
