"""The engine of the explorer, in Node and in the browser, against the library."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from suffice.web.bundle import asset, bundle

HERE = Path(__file__).parent
NODE = shutil.which("node")


@pytest.mark.skipif(NODE is None, reason="there is no Node on this machine")
def test_the_modules_pass_their_own_tests(oracle_file):
    env = {**os.environ, "SUFFICE_ORACLE": str(oracle_file)}
    done = subprocess.run(
        [NODE, "--test", str(HERE / "engine.test.mjs")],
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    assert int(re.search(r"pass (\d+)", done.stdout)[1]) >= 40


def test_the_browser_computes_the_same(new_context, oracle_file):
    """The oracle once more, by the code that pages hold, in the engine that runs it."""
    check = (HERE / "check_oracle.mjs").read_text()
    body = check.partition("const RELATIVE")[1] + check.partition("const RELATIVE")[2]
    names = ", ".join(
        f"...module_{name}"
        for name in (
            "boundary",
            "contributions",
            "covariance",
            "equation",
            "model",
            "plane",
            "scores",
            "statistics",
        )
    )
    page = new_context().new_page()
    page.evaluate(
        f"(() => {{ {bundle()}\nconst engine = {{ {names} }};\n"
        f"{body.replace('export function', 'function')}\n"
        "globalThis.differences = differences; })()"
    )
    found = page.evaluate("text => differences(JSON.parse(text))", oracle_file.read_text())
    assert found[:10] == []


def test_every_module_is_part_of_the_bundle():
    folder = Path(__file__).parents[2] / "src" / "suffice" / "web" / "assets"
    modules = {path.stem for path in folder.glob("*.js")} - {"engine"}
    assert {found[1] for found in re.finditer(r"const module_(\w+) = ", bundle())} == modules
    assert "import {" not in bundle()
    assert "innerHTML" not in bundle()
    assert asset("explorer.css").count("http") == 0
