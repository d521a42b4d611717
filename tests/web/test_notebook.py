"""A notebook that shows the explorer: run in JupyterLab, and converted to a page by nbconvert."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time

import pytest

CELL = """import suffice as sf
from sklearn.datasets import load_iris
X, y = load_iris(return_X_y=True)
sf.explore(X, y)"""
DRAWN = """root => {
  const canvas = root?.querySelector("canvas.points");
  return canvas?.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.some(v => v);
}"""
IN_THE_WIDGET = """() => [...document.querySelectorAll(".jp-OutputArea-output *")]
  .find(one => one.shadowRoot?.querySelector(".suffice-explorer"))?.shadowRoot"""


@pytest.fixture
def notebook(tmp_path):
    """A notebook that was not run yet."""
    cell = {"cell_type": "code", "id": "one", "metadata": {}, "outputs": [], "source": CELL}
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    path = tmp_path / "lesson.ipynb"
    path.write_text(
        json.dumps(
            {
                "cells": [{**cell, "execution_count": None}],
                "metadata": {"kernelspec": kernel},
                "nbformat": 4,
                "nbformat_minor": 5,
            }
        )
    )
    return path


@pytest.fixture
def environment(tmp_path):
    """Jupyter with folders of its own, and with the modules that these tests see."""
    folders = {
        f"JUPYTER_{name}_DIR": str(tmp_path / name.lower())
        for name in ("CONFIG", "DATA", "RUNTIME")
    }
    path = os.pathsep.join(one for one in sys.path if one)
    return {**os.environ, **folders, "PYTHONPATH": path, "IPYTHONDIR": str(tmp_path / "ipython")}


@pytest.fixture
def offline(new_context):
    """A tab that reaches nothing but this machine."""
    context = new_context(viewport={"width": 1400, "height": 1000})
    context.route(
        lambda url: not url.startswith(("http://127.0.0.1", "file:", "blob:", "data:")),
        lambda route: route.abort(),
    )
    page = context.new_page()
    page.problems = []
    page.on("pageerror", lambda error: page.problems.append(error.stack))
    return page


@pytest.mark.exhaustive
def test_a_converted_notebook_draws_without_a_network(notebook, environment, offline):
    pytest.importorskip("nbconvert", reason="nbconvert is not installed")
    pytest.importorskip("ipykernel", reason="ipykernel is not installed")
    words = ["nbconvert", "--execute", "--to", "html", str(notebook)]
    done = subprocess.run(
        [sys.executable, "-m", *words], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    offline.goto(notebook.with_suffix(".html").as_uri())
    frame = offline.locator("iframe").element_handle().content_frame()
    frame.wait_for_function(f"() => ({DRAWN})(document)")
    assert "hyperbola" in frame.locator(".suffice-explorer").inner_text()
    frame.get_by_role("button", name="LDA", exact=True).click()
    frame.get_by_text("alone: a line").wait_for()


@pytest.fixture
def lab(notebook, environment, tmp_path):
    """The address of a JupyterLab on this machine."""
    pytest.importorskip("jupyterlab", reason="JupyterLab is not installed")
    pytest.importorskip("ipykernel", reason="ipykernel is not installed")
    pytest.importorskip("anywidget", reason="anywidget is not installed")
    options = {
        "ServerApp.ip": "127.0.0.1",
        "ServerApp.port": "0",
        "ServerApp.root_dir": str(tmp_path),
        "ServerApp.open_browser": "False",
        "ServerApp.allow_root": "True",
        "LabApp.news_url": "",
        "LabApp.check_for_updates_class": "jupyterlab.NeverCheckForUpdate",
    }
    words = [f"--{name}={value}" for name, value in options.items()]
    with subprocess.Popen(
        [sys.executable, "-m", "jupyterlab", *words],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        try:
            runtime = tmp_path / "runtime"
            for _ in range(1800):
                if process.poll() is not None or list(runtime.glob("jpserver-*.json")):
                    break
                time.sleep(0.1)
            found = json.loads(next(runtime.glob("jpserver-*.json")).read_text())
            yield f"{found['url']}lab/tree/{notebook.name}?token={found['token']}"
        finally:
            process.terminate()


@pytest.mark.exhaustive
def test_a_cell_of_jupyterlab_shows_the_widget(lab, offline):
    offline.goto(lab)
    cell = offline.locator(".jp-CodeCell .cm-content").first
    cell.click()
    offline.locator(".jp-Notebook-ExecutionIndicator[data-status=idle]").wait_for()
    assert any(_draws(offline, cell) for _ in range(3))
    assert offline.locator(".jp-OutputArea-output iframe").count() == 0
    assert offline.problems == []


def _draws(page, cell):
    """Whether the cell, run once, draws; keys are lost while JupyterLab connects to its kernel."""
    from playwright.sync_api import TimeoutError as NothingDrawn

    cell.click()
    page.keyboard.press("Control+Enter")
    try:
        page.wait_for_function(f"() => ({DRAWN})(({IN_THE_WIDGET})())", timeout=60_000)
    except NothingDrawn:
        return False
    return True
