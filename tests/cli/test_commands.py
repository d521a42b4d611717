"""Every command does what the library does."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest
from command_runs import answer, flowers, iris, refused, run
from sklearn.datasets import load_iris
from sklearn.metrics import confusion_matrix, log_loss
from sklearn.pipeline import make_pipeline

import suffice as sf

FEATURES = ["sepal_length", "sepal_width", "petal_length", "petal_width"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Tables and models to ask."""
    where = tmp_path_factory.mktemp("cli")
    iris().write_csv(where / "iris.csv")
    iris()[::5].write_csv(where / "test.csv")
    flowers().write_csv(where / "flowers.csv")
    for name in ("lda", "qda"):
        run("fit", where / "iris.csv", "-t", "species", "--model", name, "-o", where / name)
    run(
        *("fit", where / "flowers.csv", "-t", "species", "--model", "mixed"),
        *("--categorical", "code", "--out", where / "mixed"),
    )
    return where


def test_fit_writes_the_model_that_python_fits(folder):
    frame = iris()
    model = sf.load(folder / "qda")
    expected = sf.QDA().fit(frame.select(FEATURES), frame["species"])
    assert model.statistics_.digest() == expected.statistics_.digest()
    assert list(model.feature_names_in_) == FEATURES


def test_fit_chooses_a_model_by_default(folder):
    frame = iris()
    out = folder / "auto.suffice"
    facts = answer("fit", folder / "iris.csv", "--target", "species", "--out", out)
    found = sf.select_model(frame.select(FEATURES), frame["species"])
    assert facts["candidates"] == found.tried
    assert facts["cross_validated"]["log_loss"] == pytest.approx(
        found.table["log_loss"][found.chosen]
    )
    assert repr(sf.load(out)) == repr(found.model)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("nb", sf.GaussianNB),
        ("diagonal-lda", sf.DiagonalLDA),
        ("gaussian", sf.GaussianDiscriminant),
        ("bayes", sf.BayesianDiscriminant),
        ("mixture", sf.MixtureDiscriminant),
        ("mixed", sf.MixedNB),
        ("pooled", sf.PooledDiscriminant),
    ],
)
def test_every_kind_of_model_is_fitted_and_predicts(folder, tmp_path, name, kind):
    out = tmp_path / "model.suffice"
    run("fit", folder / "iris.csv", "-t", "species", "--model", name, "-o", out)
    assert type(sf.load(out)) is kind
    assert answer("evaluate", out, folder / "iris.csv", "-t", "species")["accuracy"] > 0.9


def test_a_pool_forgets_and_merges_through_its_members(folder, tmp_path):
    paths = {name: tmp_path / name for name in ("whole", "less", "again")}
    run("fit", folder / "iris.csv", "-t", "species", "--model", "pooled", "-o", paths["whole"])
    gone = ("forget", paths["whole"], folder / "test.csv", "-t", "species", "-o", paths["less"])
    assert "suffice forget --keep-weights" in refused(*gone)
    run(*gone, "--keep-weights")
    less = sf.load(paths["less"])
    assert sum(less.members_["LDA"].statistics_.count) == 120
    run("merge", paths["less"], paths["less"], "-o", paths["again"])
    assert sum(sf.load(paths["again"]).members_["LDA"].statistics_.count) == 240
    assert "no such equation" in refused("boundary", paths["whole"], "setosa", "virginica")
    several = ("fit", folder / "iris.csv", folder / "test.csv", "-t", "species")
    assert "needs the rows" in refused(*several, "--model", "pooled", "-o", paths["again"])


def test_options_of_fit_reach_the_model(folder, tmp_path):
    out = tmp_path / "m.suffice"
    facts = answer(
        *("fit", folder / "iris.csv", "-t", "species", "-o", out, "--model", "gaussian"),
        *("--pooling", "0.5", "--shrinkage", "0.25", "--drop", "sepal_width"),
        *("--shrinkage-target", "diagonal"),
        *("--priors", "setosa=0.2,versicolor=0.3,virginica=0.5"),
    )
    assert facts["columns"] == ["sepal_length", "petal_length", "petal_width"]
    model = sf.load(out)
    assert (model.pooling, model.shrinkage, model.target) == (0.5, 0.25, "diagonal")
    assert model.priors_.tolist() == [0.2, 0.3, 0.5]


def test_pooling_and_shrinkage_are_found_by_cross_validation(folder, tmp_path):
    out = tmp_path / "m.suffice"
    cv = ("--pooling", "cv", "--shrinkage", "cv")
    run("fit", folder / "iris.csv", "-t", "species", "-o", out, "--model", "gaussian", *cv)
    assert "by cross-validation" in run("info", out).stdout


def test_priors_apply_to_the_automatic_choice(folder, tmp_path):
    out = tmp_path / "m.suffice"
    table = iris().vstack(iris()[:50])
    table.write_csv(tmp_path / "t.csv")
    options = ("--priors", "uniform", "--folds", 2)
    run("fit", tmp_path / "t.csv", "-t", "species", "-o", out, *options)
    assert sf.load(out).priors_ == pytest.approx([1 / 3] * 3)


def test_weights_count_rows(tmp_path):
    frame = iris().with_columns(w=pl.Series([2.0] * 50 + [0.0] * 10 + [1.0] * 90))
    frame.write_csv(tmp_path / "w.csv")
    out = tmp_path / "m"
    run("fit", tmp_path / "w.csv", "-t", "species", "--weights", "w", "--model", "lda", "-o", out)
    model = sf.load(out)
    assert model.statistics_.weight.tolist() == [100.0, 40.0, 50.0]
    assert list(model.feature_names_in_) == FEATURES


def test_rows_without_a_label_are_dropped_or_learnt_from(folder, tmp_path):
    frame = iris()
    labels = [None if i % 3 == 0 else label for i, label in enumerate(frame["species"])]
    frame.with_columns(species=pl.Series(labels)).write_csv(tmp_path / "some.csv")
    out = tmp_path / "m"
    facts = answer(
        *("fit", tmp_path / "some.csv", "-t", "species", "--model", "lda", "-o", out),
        "--drop-unlabelled",
    )
    assert sum(facts["rows"]) == 100
    facts = answer("fit", tmp_path / "some.csv", "-t", "species", "--model", "mixture", "-o", out)
    assert facts["classes"] == ["setosa", "versicolor", "virginica"]
    assert "rather than" in run("explain", out, folder / "flowers.csv").stdout
    assert "no such equation" in refused("boundary", out, "setosa", "virginica")
    assert "--drop-unlabelled" in refused(
        "fit", tmp_path / "some.csv", "-t", "species", "--model", "lda", "-o", out
    )


def test_text_is_taken_as_categories(folder):
    model = sf.load(folder / "mixed")
    assert [levels.tolist() for levels in model.levels_] == [["b", "g", "red"], ["1", "2", "3"]]


@pytest.mark.parametrize("kind", ["lda", "nb"])
def test_models_of_numbers_take_levels_too(folder, tmp_path, kind):
    out = tmp_path / "m"
    run("fit", folder / "flowers.csv", "-t", "species", "--model", kind, "-o", out)
    facts = answer("info", out)
    assert facts["levels"] == {"colour": ["b", "g", "red"]}
    assert answer("evaluate", out, folder / "flowers.csv", "-t", "species")["accuracy"] > 0.9


def test_a_model_of_categories_answers_by_column(folder, tmp_path):
    out = tmp_path / "m"
    run("fit", folder / "flowers.csv", "-t", "species", "--model", "lda", "-o", out)
    facts = answer("explain", out, folder / "flowers.csv", "--row", 60)
    assert set(facts["contributions"]) == {*FEATURES, "code", "colour"}
    assert sum(facts["contributions"].values()) + facts["base"] == pytest.approx(facts["log_odds"])
    assert "colour=red" in run("boundary", out, "setosa", "virginica").stdout
    frame = flowers().drop("species")
    expected = sf.load(out).outlier_pvalue(frame)
    rows = answer("outliers", out, folder / "flowers.csv", "--no-keep")
    assert [row["outlier_pvalue"] for row in rows] == pytest.approx(expected.tolist())
    rows = answer("sample", out, "-n", 20, "--seed", 1)
    assert {row["colour"] for row in rows} <= {*flowers()["colour"]}
    assert {*rows[0]} == {*FEATURES, "code", "colour", "species"}


def test_predict_writes_classes_and_probabilities(folder, tmp_path):
    out = tmp_path / "p.csv"
    run("predict", folder / "qda", folder / "test.csv", "--out", out)
    found = pl.read_csv(out)
    model, rows = sf.load(folder / "qda"), iris()[::5].select(FEATURES)
    assert found["prediction"].to_list() == model.predict(rows).tolist()
    names = [f"probability_{label}" for label in model.classes_]
    assert found.columns == ["prediction", *names]
    np.testing.assert_allclose(
        found.select(names).to_numpy(), model.predict_proba(rows), rtol=1e-15
    )


def test_columns_are_found_by_name_in_any_order(folder, tmp_path):
    frame = iris()[::5]
    mixed_up = frame.select(["species", *FEATURES[::-1]]).with_columns(extra=pl.lit("x"))
    mixed_up.write_csv(tmp_path / "other.csv")
    ordered = run("predict", folder / "lda", folder / "test.csv").stdout
    assert run("predict", folder / "lda", tmp_path / "other.csv").stdout == ordered


def test_predict_keeps_the_table_and_leaves_probabilities_out(folder, tmp_path):
    frame = iris()[:3].with_columns(prediction=pl.lit("mine"))
    frame.write_csv(tmp_path / "t.csv")
    rows = answer("predict", folder / "lda", tmp_path / "t.csv", "--keep", "--no-probabilities")
    assert list(rows[0]) == [*FEATURES, "species", "prediction", "prediction_"]


def test_predict_under_other_priors(folder):
    rows = answer(
        *("predict", folder / "lda", folder / "test.csv"),
        *("--priors", "setosa=0,versicolor=0,virginica=1"),
    )
    assert {row["prediction"] for row in rows} == {"virginica"}


def test_rows_with_gaps_and_new_levels_are_predicted(folder, tmp_path):
    table = "colour,code,sepal_length,sepal_width,petal_length,petal_width\nmauve,7,,3.0,1.4,NA\n"
    (row,) = answer("predict", folder / "mixed", "-", stdin=table)
    assert row["prediction"] == "setosa"


def test_evaluate_agrees_with_scikit_learn(folder):
    facts = answer("evaluate", folder / "qda", folder / "test.csv", "-t", "species")
    model, frame = sf.load(folder / "qda"), iris()[::5]
    rows, y = frame.select(FEATURES), frame["species"].to_list()
    assert facts["rows"] == len(y)
    assert facts["accuracy"] == np.mean(model.predict(rows) == y)
    assert facts["log_loss"] == pytest.approx(log_loss(y, model.predict_proba(rows)), rel=1e-12)
    assert facts["confusion"] == confusion_matrix(y, model.predict(rows)).tolist()
    assert 0 <= facts["calibration_error"] <= 1
    assert facts["recall"] == pytest.approx(
        [np.mean(model.predict(rows)[np.array(y) == c] == c) for c in model.classes_]
    )


def test_evaluate_shows_metrics_beside_their_baseline(folder):
    asked = ("evaluate", folder / "qda", folder / "test.csv", "-t", "species")
    facts = answer(*asked)
    frame = iris()[::5]
    found = sf.evaluate(sf.load(folder / "qda"), frame.select(FEATURES), frame["species"])
    for name in ("roc_auc", "f1_macro", "balanced_accuracy", "average_precision"):
        assert facts[name] == found.metrics[name]
        assert facts["standard_errors"][name] == found.errors[name]
        assert facts["baseline"][name] == found.baseline[name]
    text = run(*asked).output
    assert "ROC AUC" in text
    assert "class shares alone" in text


def test_thresholds_are_those_of_python_and_predict_applies_them(folder, tmp_path):
    picture, test = tmp_path / "costs.svg", folder / "test.csv"
    given = ("--positive", "virginica", "--costs", "virginica/versicolor=9", "--recall", "1")
    found = run(
        *("thresholds", folder / "lda", test, "-t", "species", *given),
        *("--picture", picture, "--out", tmp_path / "t.csv"),
    )
    frame, model = iris()[::5], sf.load(folder / "lda")
    table = sf.thresholds(
        model,
        frame.select(FEATURES),
        frame["species"],
        positive="virginica",
        costs={("virginica", "versicolor"): 9},
    )
    written = pl.read_csv(tmp_path / "t.csv")
    np.testing.assert_allclose(written["cost"], table.cost)
    (best,) = table.for_cost().values()
    (reached,) = table.for_recall(1).values()
    assert f"least cost: --threshold virginica={best:.6g}" in found.output
    assert f"recall 100%: --threshold virginica={reached:.6g}" in found.output
    assert "<svg" in picture.read_text()
    rows = answer("predict", folder / "lda", test, "--threshold", "virginica=0.01")
    expected = model.decide(frame.select(FEATURES), threshold={"virginica": 0.01})
    assert [row["prediction"] for row in rows] == expected.tolist()
    rows = answer("predict", folder / "lda", test, "--costs", "virginica/versicolor=900")
    expected = model.decide(frame.select(FEATURES), {("virginica", "versicolor"): 900})
    assert [row["prediction"] for row in rows] == expected.tolist()


def test_importance_is_that_of_python(folder, tmp_path):
    picture = tmp_path / "importance.png"
    asked = ("importance", folder / "mixed", folder / "flowers.csv", "-t", "species")
    rows = answer(*asked, "--picture", picture)
    assert picture.read_bytes().startswith(b"\x89PNG")
    frame, model = (
        pl.read_csv(folder / "flowers.csv").cast({"code": pl.String}),
        sf.load(folder / "mixed"),
    )
    features = frame.select(list(model.feature_names_in_))
    found = sf.importance(model, features, frame["species"])
    assert [row["feature"] for row in rows] == found.table["feature"].tolist()
    np.testing.assert_allclose([row["importance"] for row in rows], found.table["importance"])


def test_costs_and_thresholds_that_cannot_be_read_are_refused(folder):
    asked = ("predict", folder / "lda", folder / "test.csv")
    assert "is not true/predicted=cost" in refused(*asked, "--costs", "rose/setosa=3")
    assert "is not a probability" in refused(*asked, "--threshold", "often")
    assert "name the class it is for" in refused(*asked, "--threshold", "0.3")


def test_evaluate_weighs_rows(folder, tmp_path):
    frame, rng = iris(), np.random.default_rng(1)
    weights = rng.integers(0, 3, 150).astype(float)
    frame.with_columns(w=pl.Series(weights)).write_csv(tmp_path / "w.csv")
    asked = ("evaluate", folder / "lda", tmp_path / "w.csv", "-t", "species")
    facts = answer(*asked, "--weights", "w")
    model, y = sf.load(folder / "lda"), frame["species"].to_numpy()
    chances = model.predict_proba(frame.select(FEATURES))
    right = model.classes_[None] == y[:, None]
    brier = ((chances - right) ** 2).sum(axis=1)
    assert facts["brier"] == pytest.approx(np.average(brier, weights=weights), rel=1e-12)
    said = model.predict(frame.select(FEATURES))
    assert facts["confusion"] == confusion_matrix(y, said, sample_weight=weights).tolist()
    assert facts["accuracy"] == pytest.approx(np.average(said == y, weights=weights))


def test_evaluate_prints_the_confusion_matrix_and_writes_json(folder, tmp_path):
    out = tmp_path / "e.json"
    found = run("evaluate", folder / "qda", folder / "test.csv", "-t", "species", "-o", out)
    for text in ("accuracy", "log-loss", "Brier score", "calibration error", "versicolor"):
        assert text in found.stdout
    assert json.loads(out.read_text())["rows"] == 30


def test_merged_parts_are_the_whole(folder, tmp_path):
    frame = iris()
    frame[::2].write_parquet(tmp_path / "a.parquet")
    frame[1::2].write_csv(tmp_path / "b.csv")
    for part in ("a.parquet", "b.csv"):
        run("summarize", tmp_path / part, "-t", "species", "-o", tmp_path / f"{part}.stats")
    parts = [tmp_path / f"{part}.stats" for part in ("a.parquet", "b.csv")]
    run("merge", *parts, "--out", tmp_path / "all.stats")
    whole = sf.summarize(frame.select(FEATURES), frame["species"])
    assert sf.load(tmp_path / "all.stats") == whole
    run("fit", tmp_path / "all.stats", "--model", "lda", "-o", tmp_path / "m.suffice")
    expected = sf.LDA().fit_statistics(whole)
    np.testing.assert_allclose(sf.load(tmp_path / "m.suffice").coef_, expected.coef_, rtol=1e-10)
    run("forget", tmp_path / "all.stats", parts[0], "--out", tmp_path / "rest.stats")
    assert sf.load(tmp_path / "rest.stats") == sf.load(parts[1])
    run(
        *("forget", tmp_path / "all.stats", tmp_path / "a.parquet", "-t", "species"),
        *("--out", tmp_path / "rest2.stats"),
    )
    assert sf.load(tmp_path / "rest2.stats") == sf.load(parts[1])


def test_statistics_with_levels_merge_and_forget(folder, tmp_path):
    frame = flowers()
    frame[::2].write_csv(tmp_path / "a.csv")
    frame[1::2].write_csv(tmp_path / "b.csv")
    for part in ("a", "b"):
        run(
            *("summarize", tmp_path / f"{part}.csv", "-t", "species", "--categorical", "code"),
            *("-o", tmp_path / f"{part}.stats", "--detail", "diagonal"),
        )
    run("merge", tmp_path / "a.stats", tmp_path / "b.stats", "-o", tmp_path / "all.stats")
    run("fit", tmp_path / "all.stats", "--model", "mixed", "-o", tmp_path / "m.suffice")
    facts = answer("evaluate", tmp_path / "m.suffice", folder / "flowers.csv", "-t", "species")
    expected = answer("evaluate", folder / "mixed", folder / "flowers.csv", "-t", "species")
    assert facts["log_loss"] == pytest.approx(expected["log_loss"], rel=1e-9)
    run(
        *("forget", tmp_path / "all.stats", tmp_path / "b.csv", "-t", "species"),
        *("-o", tmp_path / "rest.stats"),
    )
    assert sf.load(tmp_path / "rest.stats") == sf.load(tmp_path / "a.stats")


def test_models_merge_and_forget_rows(folder, tmp_path):
    frame = iris()
    frame[::2].write_csv(tmp_path / "a.csv")
    frame[1::2].write_csv(tmp_path / "b.csv")
    for part in ("a", "b"):
        run(
            *("fit", tmp_path / f"{part}.csv", "-t", "species", "--model", "qda"),
            *("-o", tmp_path / part),
        )
    run("merge", tmp_path / "a", tmp_path / "b", "-o", tmp_path / "all")
    assert sf.load(tmp_path / "all").statistics_ == sf.load(folder / "qda").statistics_
    out = tmp_path / "rest"
    run("forget", tmp_path / "all", tmp_path / "b.csv", "-t", "species", "-o", out)
    assert sf.load(out).statistics_ == sf.load(tmp_path / "a").statistics_


def test_sample_draws_the_rows_that_python_draws(folder):
    rows = answer("sample", folder / "qda", "-n", 5, "--seed", 3, "--target", "kind")
    X, y = sf.load(folder / "qda").sample(5, random_state=3)
    assert [tuple(row[name] for name in FEATURES) for row in rows] == X.rows()
    assert [row["kind"] for row in rows] == y.tolist()


def test_sample_of_a_class_given_values(folder):
    rows = answer(
        *("sample", folder / "mixed", "-n", 4, "--class", "setosa"),
        *("--given", "colour=red,petal_width=0.25"),
    )
    assert {(row["colour"], row["petal_width"], row["species"]) for row in rows} == {
        ("red", 0.25, "setosa")
    }
    assert {row["code"] for row in rows} <= {"1", "2", "3"}


def test_impute_fills_gaps_and_nothing_else(folder, tmp_path):
    frame, out = flowers(), tmp_path / "filled.parquet"
    run("impute", folder / "mixed", folder / "flowers.csv", "--out", out)
    found = pl.read_parquet(out)
    assert found.columns == frame.columns
    assert sum(found.null_count().row(0)) == 0
    known = frame["petal_width"].is_not_null()
    assert found["petal_width"].filter(known).equals(frame["petal_width"].filter(known))
    model = sf.load(folder / "mixed")
    rows = frame.drop("species").with_columns(pl.col("code").cast(pl.String))
    expected = model.impute(rows)
    assert found["petal_width"][3] == expected[3, 3]
    assert found["colour"][5] == expected[5, 4]


def test_imputing_with_known_classes(folder):
    table = "species,sepal_length,sepal_width,petal_length,petal_width\nvirginica,,,,\n"
    (row,) = answer("impute", folder / "qda", "-", "-t", "species", stdin=table)
    mean = iris().filter(pl.col("species") == "virginica")["petal_length"].mean()
    assert row["petal_length"] == pytest.approx(mean)


def test_outliers_are_scored_and_listed(folder, tmp_path):
    odd = iris()[:5].with_columns(petal_width=pl.Series([0.2, 0.2, 9.0, 0.2, 5.0]))
    odd.write_csv(tmp_path / "odd.csv")
    rows = answer("outliers", folder / "lda", tmp_path / "odd.csv")
    expected = sf.load(folder / "lda").outlier_pvalue(odd.select(FEATURES))
    assert [row["outlier_pvalue"] for row in rows] == expected.tolist()
    assert list(rows[0]) == [*FEATURES, "species", "outlier_pvalue"]
    few = answer("outliers", folder / "lda", tmp_path / "odd.csv", "--below", 0.001)
    assert [row["row"] for row in few] == [2, 4]


def test_explain_says_why_in_words(folder):
    model, frame = sf.load(folder / "lda"), iris()[::5]
    found = run("explain", folder / "lda", folder / "test.csv", "--row", 3).stdout
    assert found.strip() == f"Row 3: {model.explain(frame.select(FEATURES), row=3)}"
    facts = answer(
        *("explain", folder / "lda", folder / "test.csv", "--row", 3),
        *("--class", "virginica", "--against", "setosa"),
    )
    odds = model.log_odds(frame.select(FEATURES)[3:4], "virginica", "setosa")[0]
    assert facts["log_odds"] == pytest.approx(odds)


def test_boundary_prints_the_equation(folder):
    model = sf.load(folder / "lda")
    found = run("boundary", folder / "lda", "setosa", "virginica").stdout
    assert found.strip() == model.boundary("setosa", "virginica").equation(4)
    facts = answer("boundary", folder / "lda", "setosa", "virginica")
    assert facts["linear"] == model.boundary("setosa", "virginica").linear.tolist()
    assert "petal" in run("boundary", folder / "qda", "setosa", "virginica", "--latex").stdout


def test_info_describes_models_and_statistics(folder, tmp_path):
    text = run("info", folder / "lda").stdout
    assert "LinearDiscriminantAnalysis" in text
    assert "150 rows" in text
    run("summarize", folder / "iris.csv", "-t", "species", "-o", tmp_path / "s.stats")
    text = run("info", tmp_path / "s.stats").stdout
    assert "statistics of 150 rows" in text
    assert answer("info", tmp_path / "s.stats")["rows"] == [50, 50, 50]
    assert answer("info", folder / "mixed")["levels"]["code"] == ["1", "2", "3"]


def test_labels_that_are_numbers_stay_numbers(tmp_path):
    frame = iris().with_columns(species=pl.Series([1] * 50 + [2] * 50 + [3] * 50))
    frame.write_csv(tmp_path / "n.csv")
    out = tmp_path / "m"
    run("fit", tmp_path / "n.csv", "-t", "species", "--model", "lda", "-o", out)
    assert sf.load(out).classes_.tolist() == [1, 2, 3]
    assert answer("evaluate", out, tmp_path / "n.csv", "-t", "species")["accuracy"] > 0.9
    assert run("boundary", out, "1", "3").stdout.endswith("= 0\n")
    run(
        "fit",
        tmp_path / "n.csv",
        "-t",
        "species",
        "--model",
        "lda",
        "-o",
        out,
        "--priors",
        "uniform",
    )


def test_text_labels_that_look_like_numbers_in_part_of_the_rows(tmp_path):
    names = ["1"] * 50 + ["2"] * 50 + ["x"] * 50
    frame = iris().with_columns(species=pl.Series(names))
    frame.write_csv(tmp_path / "all.csv")
    frame[:100].write_csv(tmp_path / "part.csv")
    out = tmp_path / "m"
    run("fit", tmp_path / "all.csv", "-t", "species", "--model", "lda", "-o", out)
    assert answer("evaluate", out, tmp_path / "part.csv", "-t", "species")["rows"] == 100


def test_a_model_without_column_names_takes_columns_in_their_order(tmp_path):
    frame = iris()
    sf.LDA().fit(frame.select(FEATURES).to_numpy(), frame["species"]).save(tmp_path / "m")
    frame.select(FEATURES).write_csv(tmp_path / "x.csv")
    frame.write_csv(tmp_path / "xy.csv")
    assert len(answer("predict", tmp_path / "m", tmp_path / "x.csv")) == 150
    assert "4 columns without names" in refused("predict", tmp_path / "m", tmp_path / "xy.csv")


def test_report_writes_a_page(folder, tmp_path):
    out = tmp_path / "report.html"
    facts = answer("report", folder / "iris.csv", "--target", "species", "--out", out)
    assert out.read_text().lstrip().lower().startswith("<!doctype html>")
    assert "150 rows" in facts["summary"]


def test_a_small_table_is_chosen_for_with_fewer_folds(tmp_path):
    iris()[::12].write_csv(tmp_path / "few.csv")
    asked = ("fit", tmp_path / "few.csv", "-t", "species", "-o", tmp_path / "m")
    assert "greater than or equal to 2" in refused(*asked, "--folds", 1)
    assert "chosen among" in run(*asked, "--folds", 20).output
    run(*asked, "--folds", 3)


def test_a_pipeline_written_by_python_predicts_as_there(tmp_path):
    table = flowers()
    X, y = table.drop("species"), table["species"]
    levels = [name for name in X.columns if not X[name].dtype.is_numeric()]
    pipeline = make_pipeline(sf.Indicators(categorical=levels), sf.DiagonalLDA()).fit(X, y)
    sf.save(pipeline, tmp_path / "p.suffice")
    table.write_csv(tmp_path / "flowers.csv")
    found = answer("predict", tmp_path / "p.suffice", tmp_path / "flowers.csv")
    assert [row["prediction"] for row in found] == pipeline.predict(X).tolist()
    assert "holds a Pipeline" in refused(
        "explain", tmp_path / "p.suffice", tmp_path / "flowers.csv"
    )


def test_info_says_everything_once(tmp_path):
    model = sf.PooledDiscriminant([sf.LDA(), sf.GaussianNB()])
    model.fit(*load_iris(return_X_y=True)).save(tmp_path / "pool")
    lines = run("info", tmp_path / "pool").stdout.splitlines()
    assert any("not kept in the file" in line for line in lines)
    assert len(lines) == len(set(lines))
