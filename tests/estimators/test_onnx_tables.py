"""ONNX graphs of models of tables: one input for each column."""

import numpy as np
import pandas as pd
import pytest

import suffice as sf
from suffice.errors import InvalidParameter

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


@pytest.mark.parametrize("model", [sf.LDA(), sf.QDA(), sf.GaussianNB()], ids=repr)
def test_a_graph_gives_the_answers_of_the_model(model):
    model.fit(TABLE, Y)
    labels, probabilities = answers(model, TABLE)
    assert labels.tolist() == model.predict(TABLE).tolist()
    assert np.allclose(probabilities, model.predict_proba(TABLE), atol=1e-12)


def test_a_level_never_seen_counts_as_missing():
    model = sf.GaussianNB().fit(TABLE, Y)
    other = TABLE.assign(plan="platinum")
    assert np.allclose(answers(model, other)[1], model.predict_proba(other), atol=1e-12)


def test_columns_that_are_read_from_text_are_refused():
    model = sf.LDA().fit(TABLE.assign(price=[f"${i:,}" for i in range(900, 1100)]), Y)
    with pytest.raises(InvalidParameter, match="column 'price'"):
        sf.to_onnx(model)
