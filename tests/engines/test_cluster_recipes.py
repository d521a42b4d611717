"""The recipes for other clusters run as they stand."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from close import assert_equal_statistics, numbers

import suffice as sf

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def example(name):
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.filterwarnings("ignore::suffice.errors.RepairedModel")
def test_federated_sites_give_the_model_of_all_rows(tmp_path, capsys):
    federated = example("federated")
    federated.main()
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 5
    assert [line.endswith(": True") for line in lines[3:]] == [True, True]
    X, y, _ = numbers(500)
    files = [tmp_path / "one.stats", tmp_path / "two.stats"]
    federated.site(X[:200], y[:200], files[0])
    federated.site(X[200:], y[200:], files[1])
    model = federated.coordinator(files)
    kept = y < 2  # the last class is rare at both sites
    assert model.classes_.tolist() == [0, 1]
    assert_equal_statistics(model.statistics_, sf.summarize(X[kept], y[kept]))
    assert max(np.bincount(y[:200])[2], np.bincount(y[200:])[2]) < federated.FEWEST_ROWS


def test_ray_gives_what_memory_gives(tmp_path):
    if importlib.util.find_spec("ray") is None:
        pytest.skip("Ray is not installed")
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / "ray_recipe.py")],
        env={**os.environ, "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "equal to those in memory: True" in done.stdout
    assert "labels equal to those in memory: True" in done.stdout
