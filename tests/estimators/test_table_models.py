"""Gaussian models of tables with levels, ids and dates: every answer, in terms of columns."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from safetensors.numpy import load_file
from sklearn.base import clone

import suffice as sf
from suffice.errors import InvalidFeatures, InvalidLabels, InvalidParameter, Mismatch

pytestmark = pytest.mark.filterwarnings("ignore::suffice.errors.RepairedModel")

MODELS = {
    "lda": sf.LDA(),
    "qda": sf.QDA(),
    "nb": sf.GaussianNB(),
    "diagonal lda": sf.DiagonalLDA(),
    "pooled": sf.GaussianDiscriminant(pooling=0.5, shrinkage=0.1, target="diagonal"),
    "bayesian": sf.BayesianDiscriminant(density="map"),
    "unskewed": sf.UnskewedDiscriminant(pooling=1.0),
    "mixture": sf.MixtureDiscriminant(1, random_state=0),
}
each_model = pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
learners = {name: model for name, model in MODELS.items() if hasattr(model, "forget")}
each_learner = pytest.mark.parametrize("model", learners.values(), ids=learners)


def people(n=240, gaps=0.0, seed=0):
    rng = np.random.default_rng(seed)
    yes = rng.random(n) < 0.4
    shares = np.where(yes[:, None], [0.6, 0.3, 0.1], [0.2, 0.3, 0.5])
    at = (rng.random(n)[:, None] > shares.cumsum(axis=1)).sum(axis=1).clip(0, 2)
    X = pd.DataFrame(
        {
            "passenger_id": np.arange(n) + 1000,
            "name": [f"person {i}" for i in range(n)],
            "age": rng.normal(40, 10, n) + 6 * yes,
            "city": np.array(["Rome", "Oslo", "Bonn"])[at],
            "smoker": rng.random(n) < 0.3 + 0.2 * yes,
            "income": [f"${v:,.0f}" for v in rng.normal(5e4, 9e3, n)],
        }
    )
    for name in ("age", "city"):
        X.loc[rng.random(n) < gaps, name] = np.nan if name == "age" else None
    return X, pd.Series(np.where(yes, "yes", "no"), name="buys")


X, Y = people()
USED = ["age", "city", "smoker", "income"]


def numbers(X):
    """The same table, encoded by hand."""
    income = X["income"].str.replace("[$,]", "", regex=True).astype(float)
    columns = {"age": X["age"], "income": income}
    for city in ("Oslo", "Rome"):
        columns[city] = np.where(X["city"].isna(), np.nan, X["city"] == city)
    return np.column_stack([*columns.values(), X["smoker"]]).astype(float)


@each_model
@pytest.mark.parametrize("gaps", [0.0, 0.1])
def test_a_table_gives_the_probabilities_of_its_numbers(model, gaps):
    X, y = people(gaps=gaps)
    by_table = model.fit(X, y).predict_proba(X)
    by_numbers = model.fit(numbers(X), y).predict_proba(numbers(X))
    assert np.allclose(by_table, by_numbers, rtol=1e-9, atol=1e-12)


@each_model
def test_a_model_names_the_columns_that_it_uses(model):
    model.fit(X, Y)
    assert model.feature_names_in_.tolist() == USED
    assert model.n_features_in_ == 4


@each_model
def test_columns_come_in_any_order_and_those_set_aside_may_be_absent(model):
    model.fit(X, Y)
    other = X[["income", "smoker", "city", "age"]].assign(extra=1)
    assert np.array_equal(model.predict_proba(other), model.predict_proba(X))
    with pytest.raises(InvalidFeatures, match="'city'"):
        model.predict(X.drop(columns="city"))


@each_model
def test_polars_gives_what_pandas_gives(model):
    by_pandas = model.fit(X, Y).predict_proba(X)
    by_polars = model.fit(pl.from_pandas(X), Y).predict_proba(pl.from_pandas(X))
    assert np.array_equal(by_pandas, by_polars)


@each_learner
def test_new_levels_are_welcome_in_later_rows(model):
    late = X.assign(city=np.where(np.arange(len(X)) >= 120, "Lima", X["city"]))
    model.fit(late[:120], Y[:120])
    model.partial_fit(late[120:], Y[120:])
    whole = clone(model).fit(late, Y)
    if hasattr(model, "powers_"):
        return  # found with the first rows, and kept
    assert np.allclose(model.predict_proba(late), whole.predict_proba(late), atol=1e-10)


@each_learner
def test_forgotten_levels_are_removed(model):
    if isinstance(model, sf.UnskewedDiscriminant):
        return  # its powers cannot forget
    late = X.assign(city=np.where(np.arange(len(X)) >= 120, "Lima", X["city"]))
    model.fit(late, Y).forget(late[120:], Y[120:])
    never = clone(model).fit(late[:120], Y[:120])
    assert model.statistics_ == never.statistics_
    assert "Lima" not in repr(model.statistics_.known_levels)
    assert np.allclose(model.predict_proba(X), never.predict_proba(X), atol=1e-9)


def test_models_of_two_tables_merge():
    a, b = sf.LDA().fit(X[:100], Y[:100]), sf.LDA().fit(X[100:], Y[100:])
    whole = sf.LDA().fit(X, Y)
    assert np.allclose(a.merge(b).predict_proba(X), whole.predict_proba(X), atol=1e-12)


@each_model
def test_a_level_never_seen_is_integrated_out(model):
    model.fit(X, Y)
    unknown, nothing = X.assign(city="Lima"), X.assign(city=None)
    assert np.array_equal(model.predict_proba(unknown), model.predict_proba(nothing))


@pytest.mark.parametrize("name", ["lda", "qda", "nb", "pooled", "unskewed"])
def test_contributions_are_by_column_and_add_up(name):
    model = MODELS[name].fit(X, Y)
    found = model.contributions(X, "yes", "no")
    assert found.values.shape == (len(X), 4)
    assert np.allclose(found.log_odds, model.log_odds(X, "yes", "no"))


def test_an_explanation_names_the_level_that_the_row_has():
    model = sf.LDA().fit(X, Y)
    for row in range(5):
        text = model.explain(X, row)
        assert f"city ({X['city'][row]})" in text
        assert not any(f"city ({city})" in text for city in {*X["city"]} - {X["city"][row]})


@each_model
def test_imputed_tables_keep_their_kind_and_types(model):
    gapped, y = people(gaps=0.2)
    model.fit(gapped, y)
    filled = model.impute(gapped)
    assert isinstance(filled, pd.DataFrame)
    assert filled.index.equals(gapped.index)
    known = ~gapped["city"].isna()
    assert filled["city"][known].equals(gapped["city"][known])
    assert set(filled["city"]) == {"Rome", "Oslo", "Bonn"}
    assert not filled[USED].isna().any().any()
    assert isinstance(model.impute(pl.from_pandas(gapped)), pl.DataFrame)


@each_model
def test_sampled_rows_are_a_table_of_levels(model):
    rows, labels = model.fit(X, Y).sample(400, random_state=0)
    assert list(rows.columns) == USED
    assert set(rows["city"]) <= {"Rome", "Oslo", "Bonn"}
    assert rows["smoker"].isin([True, False]).all()
    assert set(labels) == {"yes", "no"}
    given, _ = model.sample(50, random_state=0, given={"city": "Oslo"})
    assert set(given["city"]) == {"Oslo"}


@each_model
def test_labels_may_be_the_name_of_a_column(model):
    whole = X.assign(buys=Y)
    by_name = model.fit(whole, "buys").predict_proba(whole)
    assert model.score(whole, "buys") > 0.5
    assert np.array_equal(by_name, model.fit(X, Y).predict_proba(X))


def test_the_column_of_the_labels_is_ignored_later_if_it_is_not_a_feature():
    numeric = pd.DataFrame({"a": X["age"], "b": X["age"] ** 2 + np.arange(len(X)), "buys": Y})
    model = sf.LDA().fit(numeric, "buys")
    assert model.feature_names_in_.tolist() == ["a", "b"]
    assert np.array_equal(model.predict(numeric), model.predict(numeric[["a", "b"]]))


def test_a_boundary_names_the_levels():
    text = str(sf.LDA().fit(X, Y).boundary("yes", "no"))
    assert "city=Rome" in text
    assert "income" in text


def test_judging_needs_no_encoding_either():
    model, same = sf.LDA().fit(X, Y), sf.LDA().fit(numbers(X), Y)
    left = model.leave_one_out(X, Y), same.leave_one_out(numbers(X), Y)
    assert np.isclose(left[0].log_loss, left[1].log_loss)
    assert np.isclose(model.bic(), same.bic())


def test_ledoit_wolf_is_replaced_by_oas():
    model, same = sf.LDA(shrinkage="ledoit-wolf").fit(X, Y), sf.LDA(shrinkage="oas").fit(X, Y)
    assert np.array_equal(model.predict_proba(X), same.predict_proba(X))


def test_chosen_models_of_tables_give_every_answer():
    found = sf.select_model(X, Y, cv=3)
    assert type(found.model).__module__.startswith("suffice.")
    assert found.model.feature_names_in_.tolist() == USED
    assert found.model.with_priors("uniform").impute(X).shape == X.shape


def test_a_column_of_lists_is_set_aside():
    odd = X.assign(tags=[["a", "b"]] * len(X))
    assert sf.LDA().fit(odd, Y).feature_names_in_.tolist() == USED


def test_numbers_that_turn_into_words_are_an_error_that_names_the_cell():
    model = sf.LDA().fit(X, Y)
    with pytest.raises(InvalidFeatures, match=r"'age'.*'old'"):
        model.predict(X.assign(age=["old", *X["age"][1:].astype(str)]))


def test_a_covariance_estimator_takes_numbers():
    from sklearn.covariance import LedoitWolf

    with pytest.raises(InvalidParameter, match="Indicators"):
        sf.LDA(covariance_estimator=LedoitWolf()).fit(X, Y)


def test_statistics_of_a_table_fit_every_model():
    s = sf.summarize(X.assign(buys=Y), target="buys")
    assert s == sf.summarize(X, Y)
    for model in (sf.LDA(), sf.QDA(), sf.GaussianNB()):
        by_rows = clone(model).fit(X, Y).predict_proba(X)
        assert np.allclose(model.fit_statistics(s).predict_proba(X), by_rows, atol=1e-12)


def test_mixed_naive_bayes_reads_tables_the_same_way():
    gapped, y = people(gaps=0.1)
    model = sf.MixedNB().fit(gapped, y)
    assert model.feature_names_in_.tolist() == USED
    assert model.numeric_features_ == (0, 3)
    assert [own.tolist() for own in model.levels_] == [["Bonn", "Oslo", "Rome"], [False, True]]
    filled = model.impute(gapped)
    assert isinstance(filled, pd.DataFrame)
    assert not filled[USED].isna().any().any()
    rows, _ = model.sample(100, random_state=0)
    assert list(rows.columns) == USED
    assert set(rows["city"]) <= {"Rome", "Oslo", "Bonn"}
    found = model.contributions(gapped, "yes", "no")
    assert found.values.shape == (len(gapped), 4)
    assert np.allclose(found.log_odds, model.log_odds(gapped, "yes", "no"))
    assert f"city ({X['city'][0]})" in model.explain(X, 0)


def test_dates_are_numbers_of_one_column():
    when = pd.Timestamp("2024-01-01") + pd.to_timedelta(np.arange(len(X)) * 5, unit="D")
    dated = X.assign(joined=when)
    for model in (sf.LDA(shrinkage=0.1, target="diagonal"), sf.MixedNB()):
        model.fit(dated, Y)
        assert model.feature_names_in_.tolist() == [*USED, "joined"]
        assert model.contributions(dated).values.shape == (len(X), 5)
        rows, _ = model.sample(20, random_state=0)
        assert pd.api.types.is_datetime64_any_dtype(rows["joined"])
        filled = model.impute(dated.assign(joined=dated["joined"].where(dated.index != 3)))
        assert not filled["joined"].isna().any()


@each_model
@pytest.mark.parametrize("gaps", [0.0, 0.1])
def test_files_hold_how_tables_are_read(model, gaps, tmp_path):
    rows, y = people(gaps=gaps)
    model.fit(rows.assign(buys=y), "buys")
    model.save(tmp_path / "model")
    loaded = sf.load(tmp_path / "model")
    assert np.array_equal(loaded.predict_proba(rows), model.predict_proba(rows))
    assert loaded.feature_names_in_.tolist() == USED
    assert loaded.sample(3, random_state=0)[0].equals(model.sample(3, random_state=0)[0])
    assert np.array_equal(loaded.predict(rows.assign(buys=y)), model.predict(rows))


def test_statistics_of_tables_are_saved(tmp_path):
    s = sf.summarize(X, Y)
    s.save(tmp_path / "statistics")
    assert sf.load(tmp_path / "statistics") == s
    assert sf.load(tmp_path / "statistics").digest() == s.digest()


def test_mixed_naive_bayes_of_dates_is_saved(tmp_path):
    when = pd.Timestamp("2024-01-01") + pd.to_timedelta(np.arange(len(X)) * 5, unit="D")
    model = sf.MixedNB().fit(X.assign(joined=when), Y)
    model.save(tmp_path / "model")
    loaded = sf.load(tmp_path / "model")
    rows = X.assign(joined=when)
    assert np.array_equal(loaded.predict_proba(rows), model.predict_proba(rows))


def test_a_description_says_how_columns_are_read(tmp_path):
    found = sf.describe(X, drop=["smoker"], numeric=["passenger_id"])
    model = sf.LDA(columns=found).fit(X, Y)
    assert model.feature_names_in_.tolist() == ["passenger_id", "age", "city", "income"]
    model.save(tmp_path / "model")
    assert np.array_equal(sf.load(tmp_path / "model").predict(X), model.predict(X))
    chosen = sf.select_model(X, Y, sf.LDA(), {"shrinkage": [0.0, 0.1]}, columns=found)
    assert chosen.model.feature_names_in_.tolist() == model.feature_names_in_.tolist()
    with pytest.raises(InvalidParameter, match="columns is 3"):
        sf.LDA(columns=3).fit(X, Y)


def test_labels_by_name_go_everywhere():
    whole, model = X.assign(buys=Y), sf.LDA().fit(X, Y)
    assert sf.evaluate(model, whole, "buys").metrics == sf.evaluate(model, X, Y).metrics
    found = sf.importance(model, whole, "buys")
    assert sorted(found.table["feature"]) == sorted(USED)
    assert str(sf.diagnose(whole, "buys")) == str(sf.diagnose(X, Y))
    assert sf.thresholds(model, whole, "buys").for_cost() == sf.thresholds(model, X, Y).for_cost()
    models = [sf.LDA(), sf.GaussianNB()]
    named, given = (sf.compare(*rows, models, cv=3) for rows in ((whole, "buys"), (X, Y)))
    assert np.array_equal(named.selection.scores["log_loss"], given.selection.scores["log_loss"])


def test_a_second_fit_may_name_another_column_of_labels():
    whole = X.assign(buys=Y)
    model = sf.LDA().fit(whole, "buys").fit(whole, "city")
    assert model.feature_names_in_.tolist() == ["age", "smoker", "income", "buys"]
    assert model.classes_.tolist() == ["Bonn", "Oslo", "Rome"]


def test_a_comparison_and_a_report_read_a_table_as_fit_does(tmp_path):
    models = {"ours": sf.LDA(), "Gaussians": sf.GaussianNB()}
    raw, used = (sf.compare(rows, Y, models, cv=3) for rows in (X, X[USED]))
    assert np.array_equal(raw.selection.scores["log_loss"], used.selection.scores["log_loss"])
    page = sf.report(X, Y, tmp_path / "page.html", model=sf.LDA())
    assert "person 17" not in page.path.read_text()


def test_pictures_of_tables_show_numbers_and_hold_levels():
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    from suffice.plots import ClassesDisplay, ContributionsDisplay, RegionsDisplay

    model = sf.LDA().fit(X, Y)
    shown = RegionsDisplay.from_estimator(
        model, X.assign(buys=Y), "buys", features=("age", "income"), at={"city": "Oslo"}
    )
    assert "city = Oslo" in shown.caption_
    assert ClassesDisplay.from_estimator(model, X, Y, features=("age", "income"))
    names = ContributionsDisplay.from_estimator(model, X).names
    assert sorted(name.split(" = ")[0] for name in names) == sorted(USED)


def test_what_cannot_be_done_with_a_table_is_said():
    model = sf.LDA().fit(X, Y)
    with pytest.raises(InvalidParameter, match=r"'city' never held.*'Bonn', 'Oslo', 'Rome'"):
        model.sample(2, given={"city": "Lima"})
    with pytest.raises(Mismatch, match="a table with levels, the other from numbers"):
        model.merge(sf.LDA().fit(X[["age"]], Y))
    with pytest.raises(InvalidFeatures, match=r"no column of X can be a feature.*'name'"):
        sf.LDA().fit(X[["name"]], Y)
    with pytest.raises(InvalidLabels, match="the name of a column, but X is a ndarray"):
        sf.LDA().fit(X.to_numpy(), "buys")


def test_arrow_tables_and_columns_without_names_work_too():
    gapped, y = people(gaps=0.2)
    arrow = pl.from_pandas(gapped).to_arrow()
    filled = sf.LDA().fit(arrow, y).impute(arrow)
    assert filled.schema.names == list(gapped.columns)
    assert filled["city"].null_count == 0
    numbered = gapped.rename(columns={"age": 3})
    assert sf.LDA().fit(numbered, y).feature_names_in_.tolist() == ["3", *USED[1:]]


@each_model
def test_a_column_of_one_level_takes_others_later(model):
    single = X.assign(city="Rome")
    model.fit(single, Y)
    unknown, nothing = single.assign(city="Lima"), single.assign(city=None)
    assert np.array_equal(model.predict_proba(unknown), model.predict_proba(nothing))


def test_rows_are_read_as_the_first_ones_were_whatever_was_set_since():
    model = sf.MixedNB().fit(X, Y).set_params(categorical=["age"])
    twice = sf.MixedNB().fit(X, Y).partial_fit(X, Y)
    assert np.array_equal(model.partial_fit(X, Y).predict_proba(X), twice.predict_proba(X))


@pytest.mark.parametrize("gaps", [0.0, 0.1])
@pytest.mark.parametrize("name", ["lda", "qda", "nb", "bayesian"])
def test_the_file_after_forgetting_is_that_of_never_having_seen(name, gaps, tmp_path):
    rows, y = people(gaps=gaps)
    late = rows.assign(city=np.where(np.arange(len(rows)) >= 200, "Lima", rows["city"]))
    clone(MODELS[name]).fit(late, y).forget(late[200:], y[200:]).save(tmp_path / "forgot")
    clone(MODELS[name]).fit(late[:200], y[:200]).save(tmp_path / "never")
    forgot, never = (load_file(tmp_path / which) for which in ("forgot", "never"))
    assert forgot.keys() == never.keys()
    assert b"Lima" not in (tmp_path / "forgot").read_bytes()
    for key, wanted in never.items():
        # Low parts are what rounding leaves of the numbers, which go up to 1e5.
        size = 1e5 if key.endswith("low") else np.abs(wanted.astype(float)).max(initial=0.0)
        np.testing.assert_allclose(forgot[key], wanted, rtol=1e-7, atol=1e-10 * size)
