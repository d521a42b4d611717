"""ONNX graphs of models of tables: one input for each column."""

import numpy as np
import pandas as pd
import pytest

import suffice as sf
from suffice.errors import InvalidParameter
from suffice.models.binary import Binary

pytest.importorskip("onnx", reason="onnx is not installed")
runtime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")

pytestmark = pytest.mark.filterwarnings("ignore::suffice.errors.RepairedModel")

RNG = np.random.default_rng(0)
YES = RNG.random(200) < 0.5
TABLE = pd.DataFrame(
    {
        "age": RNG.normal(40, 9, 200) + 5 * YES,
        "plan": np.where(YES, RNG.choice(["basic", "plus", "gold"], 200), "basic"),
        "smoker": RNG.random(200) < 0.4,
        "name": [f"person {i}" for i in range(200)],
    }
)
Y = np.where(YES, "yes", "no")


def answers(model, table):
    session = runtime.InferenceSession(
        sf.to_onnx(model, "float64").SerializeToString(), providers=["CPUExecutionProvider"]
    )
    feeds = {
        one.name: table[one.name].to_numpy(dtype=object if "string" in one.type else None)[:, None]
        for one in session.get_inputs()
    }
    return session.run(None, feeds)


MODELS = [
    sf.LDA(),
    sf.QDA(),
    sf.GaussianNB(),
    sf.MixedNB(),
    sf.MixedNB(structure="full", pooling=1.0),
    sf.UnskewedDiscriminant(),
    sf.UnskewedDiscriminant("diagonal"),
    sf.UnskewedDiscriminant(degrees_of_freedom=4.0),
    sf.BayesianDiscriminant(),
    sf.MixtureDiscriminant(2, random_state=0),
    sf.MixtureDiscriminant({"yes": 3, "no": 1}, structure="diagonal", random_state=0),
    sf.PooledDiscriminant(priors="uniform"),
    sf.PooledDiscriminant([sf.MixtureDiscriminant(2), sf.MixedNB(), sf.UnskewedDiscriminant()]),
    sf.AutoDiscriminant(),
]


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_a_graph_gives_the_answers_of_the_model(model):
    model.fit(TABLE, Y)
    labels, probabilities = answers(model, TABLE)
    assert labels.tolist() == model.predict(TABLE).tolist()
    assert np.allclose(probabilities, model.predict_proba(TABLE), atol=1e-12)


@pytest.mark.parametrize(
    "model", [sf.GaussianNB(), sf.MixedNB(), sf.UnskewedDiscriminant("diagonal")], ids=repr
)
def test_levels_never_seen_and_missing_are_those_of_the_model(model):
    model.fit(TABLE, Y)
    other = TABLE.assign(plan="platinum")
    assert np.allclose(answers(model, other)[1], model.predict_proba(other), atol=1e-12)
    gap, empty = TABLE.assign(plan=None, age=np.nan), TABLE.assign(plan="", age=np.nan)
    assert np.allclose(answers(model, empty)[1], model.predict_proba(gap), atol=1e-12)


@pytest.mark.parametrize("kind", [sf.GaussianNB, sf.DiagonalLDA, sf.MixedNB])
def test_graphs_have_missing_indicators(kind):
    table = TABLE.assign(age=TABLE["age"].where(np.arange(200) % 3 > 0))
    table["plan"] = table["plan"].astype(object).where(np.arange(200) % 4 > 0, None)
    model = kind(columns=sf.describe(table, missing="indicator")).fit(table, Y)
    given = table.assign(plan=table["plan"].fillna(""))
    assert np.allclose(answers(model, given)[1], model.predict_proba(table), atol=1e-12)


def test_columns_may_have_the_names_that_graphs_give_their_values():
    table = TABLE.rename(columns={"age": "v1", "plan": "v_3", "smoker": "X"})
    model = sf.LDA().fit(table, Y)
    assert np.allclose(answers(model, table)[1], model.predict_proba(table), atol=1e-12)


@pytest.mark.parametrize(
    ("name", "why"),
    [("", "'' is empty"), ("label", "'label' is that of an output"), ("probabilities", "output")],
)
def test_a_column_that_cannot_be_an_input_is_named_with_the_call_that_renames_it(name, why):
    table = TABLE.rename(columns={"age": name})
    with pytest.raises(InvalidParameter, match=why) as caught:
        sf.to_onnx(sf.LDA().fit(table, Y))
    renamed = eval(str(caught.value).split("table = ")[1][:-1], {"table": table})
    assert len(sf.to_onnx(sf.LDA().fit(renamed, Y)).graph.input) == 3


def test_levels_may_be_numbers_of_an_array():
    rows = np.c_[TABLE["age"], np.arange(200) % 4, np.where(YES, 2.0, 7.0)]
    model = sf.MixedNB(categorical=[1, 2]).fit(rows, Y)
    graph = sf.to_onnx(model, "float64").SerializeToString()
    session = runtime.InferenceSession(graph, providers=["CPUExecutionProvider"])
    odd = np.where([False, True, False], [[0.0, 9.0, 0.0], [0.0, np.nan, 0.0]], rows[:2])
    for given in (rows, odd):
        wanted = model.predict_proba(given)
        assert np.allclose(session.run(None, {"X": given})[1], wanted, atol=1e-12)


def test_what_a_graph_cannot_take_is_refused():
    texts = np.array([["a", 1.0], ["b", 2.0], ["a", 1.5], ["b", 2.5]], object)
    with pytest.raises(InvalidParameter, match="one input per column"):
        sf.to_onnx(sf.MixedNB(categorical=[0]).fit(texts, [0, 1, 0, 1]))
    parts, rows = sf.MixedNB(parts={Binary(): [0]}), np.arange(80).reshape(40, 2) % 7 % 2
    with pytest.raises(InvalidParameter, match="the part 'binary'"):
        sf.to_onnx(parts.fit(rows, np.arange(40) % 3))
    pool = sf.PooledDiscriminant({"good": sf.LDA(), "other": parts}).fit(rows, np.arange(40) % 3)
    with pytest.raises(InvalidParameter, match="member 'other': the part 'binary'"):
        sf.to_onnx(pool)


DATED = TABLE.assign(
    price=[f"${i:,}" if i % 9 else "?" for i in range(900, 1100)],
    since=[f"{2000 + i % 7}-{1 + i % 12:02}-{1 + i % 28:02} {i % 24:02}:30" for i in range(200)],
)


def as_read(model, table):
    """The table with the numbers that its texts write."""
    read = [one for one in model.columns_.read(table) if hasattr(one, "values")]
    return table.assign(**{one.name: one.values for one in read})


@pytest.mark.parametrize("model", [sf.LDA(), sf.GaussianNB(), sf.MixedNB()], ids=repr)
def test_graphs_take_the_numbers_that_texts_and_dates_are_read_as(model):
    model.fit(DATED, Y)
    probabilities = answers(model, as_read(model, DATED))[1]
    known = (DATED["price"] != "?").to_numpy() | (not isinstance(model, sf.LDA))
    assert np.allclose(probabilities[known], model.predict_proba(DATED)[known], atol=1e-12)
    assert known.sum() > 150


def test_inputs_say_which_numbers_they_take():
    inputs = sf.to_onnx(sf.LDA().fit(DATED, Y)).graph.input
    notes = {one.name: one.doc_string for one in inputs}
    assert notes["price"] == "the number that a text of price writes"
    assert notes["since (weekday)"] == "weekday, from Monday, 0, to Sunday, 6, of since"
    assert notes["since (days)"] == "whole days since 1970-01-01 of since"
    assert notes["age"] == notes["plan"] == ""


def test_a_date_may_have_an_indicator_of_missing_values():
    table = DATED.assign(since=DATED["since"].where(np.arange(200) % 3 > 0))
    model = sf.GaussianNB(columns=sf.describe(table, missing="indicator")).fit(table, Y)
    probabilities = answers(model, as_read(model, table))[1]
    assert np.allclose(probabilities, model.predict_proba(table), atol=1e-12)
