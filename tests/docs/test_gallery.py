"""Every script of the gallery runs as it stands, and draws."""

from __future__ import annotations

import runpy
from pathlib import Path

import matplotlib as mpl
import pytest

from lawful import few

GALLERY = Path(__file__).parents[2] / "examples" / "gallery"
SCRIPTS = sorted(GALLERY.rglob("*.py"))


@pytest.fixture
def pyplot():
    with mpl.rc_context({"backend": "Agg"}):
        from matplotlib import pyplot as plt

        plt.close("all")
        yield plt
        plt.close("all")


def test_there_are_scripts():
    assert len(SCRIPTS) > 10


@few("script", SCRIPTS, SCRIPTS[::3], ids=lambda path: path.relative_to(GALLERY).as_posix())
def test_a_script_draws(script, pyplot, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)  # wherever it is started, and leaving nothing behind
    runpy.run_path(str(script), run_name="__main__")
    figures = [pyplot.figure(number) for number in pyplot.get_fignums()]
    assert figures
    for figure in figures:
        figure.canvas.draw()
        assert any(ax.has_data() for ax in figure.axes)


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.relative_to(GALLERY).as_posix())
def test_a_script_has_a_title(script):
    text = script.read_text(encoding="utf-8")
    start = text.index('"""') + 3
    title, line = text[start : text.index('"""', start)].strip().splitlines()[:2]
    assert line == "=" * len(title)
