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
    many = np.repeat(X, 10, axis=0)  # of which every tenth row is X
    table = pandas.DataFrame(many, columns=list("abcd"))
    table["label"] = np.where(np.arange(1500) % 5, np.repeat(Y, 10), -1)
    rows = da.from_array(many, chunks=(600, 4))
    found = run("Mixtures on a cluster", rows=rows, frame=dd.from_pandas(table, npartitions=3))
    expected = sf.GaussianMixture(5, random_state=0).fit(X)
    np.testing.assert_array_equal(found["mixture"].means_, expected.means_)
    assert (found["component"].compute() == expected.predict(many)).all()
    assert found["semi"].score(table.drop(columns="label"), np.repeat(Y, 10)) > 0.9


def test_tensors() -> None:
    torch = pytest.importorskip("torch")
    found = run("GPU")
    check(found["model"])
    assert found["score"] == pytest.approx(sf.LDA().fit(X, Y).score(X, Y))
    assert isinstance(found["posterior"], torch.Tensor)


@pytest.mark.skipif(
    "SUFFICE_SPARK_PAGE" not in os.environ,
    reason="takes a quarter minute; SUFFICE_SPARK_PAGE=1 runs it",
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
