"""Loading of compiled loops: only when the rows read so far repay it."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from suffice.statistics.kernels import choice

NO_COMPILER = """
import sys
from sklearn.datasets import load_iris
import suffice as sf
{call}
assert "numba" not in sys.modules
"""


@pytest.mark.parametrize(
    "call",
    [
        "sf.select_model(*load_iris(return_X_y=True))",
        "import numpy as np; X = np.ones((300_000, 16)); X[1::2] = 2.0\n"
        "X[::3, :] += np.arange(16); y = np.arange(len(X)) % 2; sf.LDA(shrinkage=0.1).fit(X, y)",
    ],
    ids=["choosing a model for a small table", "a first fit of five million entries"],
)
def test_no_compiler_is_loaded_before_it_is_repaid(call):
    subprocess.run([sys.executable, "-c", NO_COMPILER.format(call=call)], check=True)


@pytest.fixture
def fresh(monkeypatch, tmp_path):
    """A process that has read nothing, on a machine where nothing was compiled."""
    monkeypatch.delitem(sys.modules, f"{choice.__package__}.compiled", raising=False)
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    return choice._Loading()


def test_loops_are_compiled_only_after_many_entries(fresh):
    assert not fresh.repaid_by(choice.BUILT_FROM - 1)
    assert fresh.repaid_by(1)


def test_loops_that_were_compiled_before_are_loaded_sooner(fresh, tmp_path):
    (tmp_path / "kernels").mkdir()
    (tmp_path / "kernels" / "compiled._class_sums-1.nbi").touch()
    assert not fresh.repaid_by(choice.LOADED_FROM - 1)
    assert fresh.repaid_by(1)


def test_plain_and_compiled_loops_agree_to_fourteen_digits():
    from suffice.statistics.kernels import compiled, plain
    from suffice.statistics.kernels.sums import ClassSums

    rng = np.random.default_rng(0)
    X, codes = rng.normal(3.0, 1.0, (5000, 7)), rng.integers(3, size=5000)
    origin = np.array([X[codes == c].mean(axis=0) for c in range(3)]) + 0.1
    one, other = ClassSums.empty(3, 7), ClassSums.empty(3, 7)
    for kernels, out in ((plain, one), (compiled, other)):
        kernels.class_sums(X, codes, np.empty(0), origin, out)
    np.testing.assert_allclose(one.square, other.square, rtol=1e-14)
    np.testing.assert_allclose(one.sum, other.sum, rtol=1e-12)
