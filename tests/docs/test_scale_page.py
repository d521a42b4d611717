"""The blocks on clusters and devices of the page on scale run, and give the model of all rows."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris

import suffice as sf

PAGE = Path(__file__).parents[2] / "docs" / "guides" / "scale.md"
X, Y = load_iris(return_X_y=True)


def block(heading: str) -> str:
    """The code below a heading of the page."""
    section = PAGE.read_text(encoding="utf-8").partition(f"\n## {heading}\n")[2]
    found = re.search(r"```python\n(.*?)```", section.partition("\n## ")[0], re.DOTALL)
    assert found, heading
    return found[1]


def run(heading: str, **given: Any) -> dict[str, Any]:
    """What the code of a section leaves behind."""
    names: dict[str, Any] = {"sf": sf, "X": X, "y": Y, **given}
    exec(compile(block(heading), f"{PAGE}: {heading}", "exec"), names)
    return names


def check(model: Any) -> None:
    assert model.statistics_ == sf.summarize(X, Y, detail="shared")


def test_dask() -> None:
    pytest.importorskip("dask.array")
    found = run("Dask")
    check(found["model"])
    assert found["score"] == pytest.approx(sf.LDA().fit(X, Y).score(X, Y))
    assert hasattr(found["posterior"], "compute")


def test_mixtures() -> None:
    da = pytest.importorskip("dask.array")
    dd = pytest.importorskip("dask.dataframe")
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(X).assign(label=np.where(np.arange(150) % 5, Y, -1))
    table.columns = list(map(str, table.columns))
    frame, rows = dd.from_pandas(table, npartitions=3), da.from_array(X, chunks=(60, 4))
    found = run("Mixtures on a cluster", rows=rows, frame=frame)
    expected = sf.GaussianMixture(5, random_state=0).fit(X)
    np.testing.assert_allclose(found["mixture"].means_, expected.means_, rtol=1e-8)
    assert found["semi"].score(table.drop(columns="label"), Y) > 0.9


def test_tensors() -> None:
    torch = pytest.importorskip("torch")
    found = run("GPU")
    check(found["model"])
    assert found["score"] == pytest.approx(sf.LDA().fit(X, Y).score(X, Y))
    assert isinstance(found["posterior"], torch.Tensor)


@pytest.mark.skipif(
    "SUFFICE_SPARK_PAGE" not in os.environ, reason="a session of its own takes a quarter minute"
)
@pytest.mark.filterwarnings("ignore")
def test_spark(monkeypatch: pytest.MonkeyPatch) -> None:
    sql = pytest.importorskip("pyspark.sql")
    pandas = pytest.importorskip("pandas")
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    names = list("abcd")
    table = pandas.DataFrame(X, columns=names).assign(label=Y)
    spark = (
        sql.SparkSession.builder.master("local[1]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "1")
        .getOrCreate()
    )
    try:
        found = run("Spark", frame=spark.createDataFrame(table))
    finally:
        spark.stop()
    assert found["model"].statistics_ == sf.summarize(table[names], Y, detail="shared")
    assert len(found["predicted"]) == len(np.asarray(Y))
