"""Frames in, frames out: probabilities, imputed tables and samples keep kind and column types."""

from __future__ import annotations

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import suffice as sf
from suffice.errors import InvalidParameter

pytestmark = pytest.mark.filterwarnings("ignore::suffice.errors.RepairedModel")

SIZE = 60
RNG = np.random.default_rng(0)
Y = RNG.choice(["no", "yes"], SIZE)
COLUMNS = {
    "count": (RNG.integers(0, 50, SIZE) + 20 * (Y == "yes")).tolist(),
    "size": RNG.normal(size=SIZE).tolist(),
    "wet": (RNG.random(SIZE) < 0.5).tolist(),
    "grade": RNG.choice(["x", "y", "z"], SIZE).tolist(),
    "town": RNG.choice(["Ulm", "Wien"], SIZE).tolist(),
    "day": [datetime.date(2021, 1, 1) + datetime.timedelta(9 * i) for i in range(SIZE)],
}
TYPES = {
    "count": pl.Int64,
    "size": pl.Float32,
    "wet": pl.Boolean,
    "town": pl.String,
    "day": pl.Date,
}
TYPES["grade"] = pl.Enum(["x", "y", "z"])


def polars_table() -> pl.DataFrame:
    """Columns of every type, each with gaps."""
    gaps = {
        name: [None if (i + 3 * j) % 11 == 0 else value for i, value in enumerate(values)]
        for j, (name, values) in enumerate(COLUMNS.items())
    }
    return pl.DataFrame(gaps, schema_overrides=TYPES, strict=False)


def pandas_table() -> pd.DataFrame:
    frame = polars_table().to_pandas().set_index(np.arange(100, 100 + SIZE))
    return frame.astype({"count": "Int64", "wet": "boolean", "size": "float32", "day": "M8[us]"})


TABLES = {
    "pandas": pandas_table,
    "pandas, nullable": lambda: pandas_table().astype({"size": "Float64", "town": "string"}),
    "polars": polars_table,
    "arrow": lambda: polars_table().to_arrow(),
}
each_table = pytest.mark.parametrize("make", TABLES.values(), ids=TABLES)
MODELS = (
    sf.LDA(),
    sf.MixedNB(),
    sf.UnskewedDiscriminant(pooling=1.0),
    sf.BayesianDiscriminant(),
    sf.MixtureDiscriminant(1),
)
each_model = pytest.mark.parametrize("model", MODELS, ids=lambda one: type(one).__name__)


def types(table) -> dict[str, str]:
    if isinstance(table, pa.Table):
        return dict(zip(table.schema.names, map(str, table.schema.types), strict=True))
    kinds = table.dtypes if isinstance(table, pd.DataFrame) else table.schema
    return {name: str(kind) for name, kind in kinds.items()}


@each_table
@each_model
def test_imputed_tables_and_draws_keep_the_types_of_columns(make, model):
    X = make()
    fitted = clone(model).fit(X, Y)
    for table in (fitted.impute(X), *fitted.impute_draws(X, 2, random_state=0)):
        assert type(table) is type(X)
        assert types(table) == types(X)
        assert pl.DataFrame(table).null_count().sum_horizontal().item() == 0
        if isinstance(X, pd.DataFrame):
            assert table.index.equals(X.index)


@each_table
@each_model
def test_samples_have_the_types_of_the_table(make, model, tmp_path):
    X = make()
    fitted = clone(model).fit(X, Y)
    fitted.save(tmp_path / "model.suffice")
    for one in (fitted, sf.load(tmp_path / "model.suffice")):
        drawn = one.sample(8, random_state=0)[0]
        assert type(drawn) is type(X)
        assert types(drawn) == types(X)


@each_table
def test_pools_draw_the_same_rows_whatever_probabilities_come_as(make):
    pool = sf.PooledDiscriminant().fit(make(), Y)
    rows, labels = pool.sample(8, random_state=0)
    pool.set_output(predict_proba="input")
    again, names = pool.sample(8, random_state=0)
    assert types(again) == types(rows) == types(make())
    assert names.tolist() == labels.tolist()


def test_whole_numbers_of_numeric_frames_are_drawn_whole():
    frame = pl.DataFrame(
        {"a": [1, 2, 3, 9], "b": [0.5, 1.0, 2.0, 2.5]}, schema_overrides={"a": pl.UInt8}
    )
    drawn = sf.GaussianNB().fit(frame, [0, 0, 1, 1]).sample(400, random_state=0)[0]
    assert drawn.schema == frame.schema
    assert drawn["a"].min() == 0


def test_numbers_and_dates_written_as_text_are_filled_as_text():
    pay = ["1.200,50", "?", "900", "1.100,25", "700", None] * 5
    day = ["2020-01-02", None, "2021-03-01", "2022-05-05", "2020-06-06", "2021-01-01"] * 5
    frame = pd.DataFrame({"pay": pay, "day": day, "kind": list("uvwuvw") * 5})
    model = sf.LDA().fit(frame, list("aabbab") * 5)
    full = model.impute(frame)
    assert full["pay"][0] == "1.200,50"
    assert "," in full["pay"][1]
    again = model.columns_.read(full)
    assert not np.isnan(np.stack([own.values for own in again[:2]])).any()
    rows = model._rows(full)
    np.testing.assert_allclose(rows[1, 0], model._rows(full.iloc[[1]])[0, 0])


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_a_column_without_any_value_takes_the_type_of_what_is_filled_in(make):
    table = {"size": [1.0, 2.0, 1.0, 2.5], "town": ["Ulm", "Wien", "Wien", "Ulm"]}
    model = sf.LDA().fit(make(table), [0, 1, 0, 1])
    numbers = model.impute(make({"size": [None] * 4, "town": ["Ulm"] * 4}))["size"]
    np.testing.assert_allclose(np.asarray(numbers, float), model.means_[:, 0].mean(), rtol=1e-12)
    assert not any(isinstance(value, str) for value in numbers.to_numpy().tolist())
    towns = model.impute(make({"size": [1.0] * 4, "town": [None] * 4}))["town"]
    assert set(towns.to_numpy().tolist()) <= {"Ulm", "Wien"}


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_a_column_that_no_row_has_a_value_of_stays_empty(make):
    table = make({"count": [1, 2, 1, 2], "empty": [None] * 4})
    for model in (sf.CategoricalNB(), sf.MixedNB(), sf.LDA()):
        filled = model.fit(table, [0, 1, 0, 1]).impute(table)
        assert filled["count"].to_numpy().tolist() == [1, 2, 1, 2]
        assert all(value is None or value != value for value in filled["empty"].to_numpy())


@pytest.mark.parametrize("model", [sf.QDA(), sf.MixedNB(), sf.LDA()], ids=repr)
@each_table
def test_probabilities_come_as_the_frame_that_was_asked_for(make, model, tmp_path):
    X = make()
    fitted = clone(model).fit(X, Y)
    values = fitted.predict_proba(X)
    assert isinstance(values, np.ndarray)
    kinds = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.Table, "input": type(X)}
    for kind, wanted in kinds.items():
        found = clone(fitted.set_output(predict_proba=kind)).fit(X, Y).predict_proba(X)
        assert type(found) is wanted
        assert pl.DataFrame(found).columns == ["no", "yes"]
        np.testing.assert_allclose(pl.DataFrame(found).to_numpy(), values)
        if isinstance(found, pd.DataFrame) and isinstance(X, pd.DataFrame):
            assert found.index.equals(X.index)
    fitted.save(tmp_path / "model.suffice")
    assert type(sf.load(tmp_path / "model.suffice").predict_proba(X)) is type(X)
    assert isinstance(fitted.decide(X), np.ndarray)
    assert isinstance(fitted.set_output(predict_proba="default").predict_proba(X), np.ndarray)
    with pytest.raises(InvalidParameter, match="it must be one of default, pandas"):
        fitted.set_output(predict_proba="panda")


def test_labels_name_the_columns_as_they_are_in_pandas():
    X = np.arange(8.0).reshape(4, 2)
    found = sf.GaussianNB().fit(X, [3, 3, 7, 7]).set_output(transform="pandas").predict_proba(X)
    assert found.columns.tolist() == [3, 7]
    assert isinstance(
        sf.GaussianNB().fit(X, [3, 3, 7, 7]).set_output(predict_proba="input").predict_proba(X),
        np.ndarray,
    )


def test_the_output_of_transform_means_what_it_means_in_sklearn():
    X, y = load_iris(return_X_y=True, as_frame=True)
    pipe = make_pipeline(StandardScaler(), sf.LDA()).set_output(transform="pandas")
    search = GridSearchCV(
        pipe,
        {"lineardiscriminantanalysis__shrinkage": [0.0, 0.5]},
        cv=3,
        scoring="roc_auc_ovr",
        error_score="raise",
    )
    assert search.fit(X, y).best_score_ > 0.9
    both = sf.LDA().set_output(transform="pandas", predict_proba="pandas").fit(X, y)
    assert isinstance(both.transform(X), pd.DataFrame)
    assert isinstance(both.predict_proba(X), pd.DataFrame)
