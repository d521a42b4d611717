"""Spark: the same statistics and answers as in memory, also where a task fails at first."""

import os
import shutil
import sys

import numpy as np
import pandas as pd
import pytest
from close import (
    BLOCKER,
    LEVELS,
    NUMERIC,
    assert_equal_models,
    assert_equal_statistics,
    numbers,
    table,
)
from sklearn.base import clone

import suffice as sf
from suffice.engines import spark as spark_engine
from suffice.errors import (
    InvalidFeatures,
    InvalidInput,
    InvalidLabels,
    InvalidParameter,
    InvalidWeights,
    MissingPackage,
    NeedsAllRows,
    NotFinite,
    NotNumbers,
)

pyspark = pytest.importorskip("pyspark", reason="PySpark is not installed")
if shutil.which("java") is None:
    pytest.skip("Spark needs Java, and there is none", allow_module_level=True)

# PySpark's own: it says so of every pandas that is newer than itself.
pytestmark = [
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning:pyspark.*"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]

NAMES = ["a", "b.x", "c", "d"]
X, Y, WEIGHT = numbers(300)
WHOLE = pd.DataFrame(X, columns=NAMES).assign(label=Y, importance=WEIGHT)


@pytest.fixture(scope="module")
def spark(tmp_path_factory):
    """Two cores of this machine; a task may fail twice."""
    from pyspark.sql import SparkSession

    kept = {name: os.environ.get(name) for name in ("PYSPARK_PYTHON", "PYSPARK_DRIVER_PYTHON")}
    os.environ.update(dict.fromkeys(kept, sys.executable))
    folder = tmp_path_factory.mktemp("spark")
    options = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.sql.shuffle.partitions": "1",
        # Jobs are tiny: no time for compilers.
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.codegen.factoryMode": "NO_CODEGEN",
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1",
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.local.dir": str(folder),
    }
    builder = SparkSession.builder.master("local[2, 3]").appName("suffice")
    for name, value in options.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()
    for name, value in kept.items():
        os.environ.pop(name) if value is None else os.environ.update({name: value})


@pytest.fixture(autouse=True)
def _one_round(monkeypatch):
    """Few partitions need no second round, which takes time."""
    monkeypatch.setattr(spark_engine, "ROUNDS", 1)


@pytest.fixture(scope="module")
def frame(spark):
    """The numbers in three partitions."""
    return spark.createDataFrame(WHOLE).repartition(3).cache()


def plain(frame, *more):
    """The features and some other columns."""
    return frame.select(*(f"`{name}`" for name in NAMES), *more)


@pytest.mark.parametrize("detail", ["separate", "shared", "diagonal"])
def test_exact_statistics_have_the_digest_of_those_in_memory(frame, detail):
    grid, rows = sf.Grid(-1e6, 1e6), WHOLE.drop(columns="importance")
    expected = sf.summarize(rows, target="label", detail=detail, grid=grid)
    found = sf.summarize(plain(frame, "label"), target="label", detail=detail, grid=grid)
    assert found.digest() == expected.digest()


def test_statistics_equal_those_in_memory(frame):
    for detail in ("separate", "diagonal"):
        found = sf.summarize(plain(frame, "label"), detail=detail, target="label")
        assert_equal_statistics(found, sf.summarize(WHOLE[NAMES], Y, detail=detail))
    found = sf.summarize(frame, "label", "importance")
    assert_equal_statistics(found, sf.summarize(WHOLE[NAMES], Y, WEIGHT))
    assert found.digest() == sf.summarize(frame, "label", "importance").digest()


@pytest.mark.parametrize("name", ["Ledoit-Wolf", "Bayesian", "Bernoulli"])
def test_fitting_equals_fitting_in_memory(frame, name):
    expected = clone(NUMERIC[name]).fit(WHOLE[NAMES], Y, WEIGHT)
    found = clone(NUMERIC[name]).fit(frame, "label", "importance")
    assert_equal_statistics(found.statistics_, expected.statistics_)
    assert_equal_models(found, expected, WHOLE[NAMES])
    assert list(found.feature_names_in_) == NAMES


def test_levels_and_gaps_are_read_as_in_memory(spark):
    rows, labels, _ = table(300)
    whole = rows.astype({"colour": object}).assign(fruit=labels)
    whole["colour"] = whole["colour"].where(whole["colour"].notna(), None)
    schema = "size double, `weight.kg` double, colour string, ripe boolean, fruit string"
    values = whole.astype(object).where(whole.notna(), None).values.tolist()
    frame = spark.createDataFrame(values, schema).repartition(4)
    expected = clone(LEVELS["mixed"]).fit(rows, labels)
    found = clone(LEVELS["mixed"]).fit(frame, "fruit")
    assert_equal_statistics(found.statistics_, expected.statistics_)
    assert_equal_models(found, expected, rows)
    filled = found.impute(frame)
    assert dict(filled.dtypes) == dict(frame.dtypes)
    assert not filled.toPandas().isna().any().any()
    levels = sf.CategoricalNB().fit(frame.select("colour", "ripe", "fruit"), "fruit")
    local = sf.CategoricalNB().fit(rows[["colour", "ripe"]], labels)
    assert levels.statistics_.digest() == local.statistics_.digest()
    summed = sf.summarize(frame, target="fruit")
    assert summed == sf.summarize(whole, target="fruit", columns=summed.reader.layout)
    assert summed.reader.level_names == ("colour", "ripe")
    exact = sf.summarize(frame, target="fruit", grid=sf.Grid(-1e6, 1e6))
    columns = summed.reader.layout
    here = sf.summarize(whole, target="fruit", columns=columns, grid=sf.Grid(-1e6, 1e6))
    assert exact.digest() == here.digest()


def test_a_task_that_fails_at_first_counts_nothing_twice(spark):
    from pyspark import TaskContext

    def unsteady(batches):
        context = TaskContext.get()
        for number, batch in enumerate(batches):
            yield batch
            if context.partitionId() == 1 and context.attemptNumber() == 0 and number == 0:
                raise OSError("the disk is gone")

    spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "20")
    try:
        rows = spark.createDataFrame(WHOLE).repartition(3)
        schema = rows.schema
        simple = rows.toDF(*"abcdyw")
        flaky = simple.mapInArrow(unsteady, simple.schema).toDF(*schema.names)
        found = sf.summarize(flaky, "label", "importance")
    finally:
        spark.conf.unset("spark.sql.execution.arrow.maxRecordsPerBatch")
    assert_equal_statistics(found, sf.summarize(WHOLE[NAMES], Y, WEIGHT))


def test_many_partitions_are_added_in_rounds(spark, monkeypatch):
    monkeypatch.setattr(spark_engine, "ROUNDS", 2)
    monkeypatch.setattr(spark_engine, "PARTS_PER_TASK", 2)
    some = WHOLE[WHOLE["a"] > WHOLE["a"].median()]
    rows = spark.createDataFrame(WHOLE[["a", "label"]]).repartition(9)
    kept = rows.filter(rows["a"] > float(WHOLE["a"].median()))
    found = sf.summarize(kept, target="label")
    assert_equal_statistics(found, sf.summarize(some[["a"]], some["label"]))


def test_partitions_without_rows_add_nothing(spark):
    rows = spark.createDataFrame(WHOLE[["a", "label"]]).repartition(3, "label")
    only = sf.summarize(rows.filter("label = 1"), target="label")
    own = WHOLE["label"] == 1
    assert_equal_statistics(only, sf.summarize(WHOLE.loc[own, ["a"]], Y[own]))


def test_more_rows_and_fewer(spark, frame):
    rows = plain(frame, "label")
    model = sf.QDA().fit(rows, "label")
    once = model.statistics_
    model.partial_fit(rows, "label", classes=[0, 1, 2])
    assert model.statistics_ == once + once
    assert model.forget(rows, "label").statistics_ == once
    with pytest.raises(InvalidFeatures, match=r"partition \d: .*feature names"):
        model.partial_fit(rows.withColumnRenamed("a", "z"), "label")
    assert model.statistics_ == once


def test_answers_are_columns_that_stay_lazy(spark, frame):
    model = sf.LDA().fit(WHOLE[NAMES], Y)
    spark.sparkContext.setJobGroup("answers", "none should run")
    answered = model.predict(frame)
    for method in ("predict_proba", "score_samples", "transform", "outlier_pvalue"):
        answered = getattr(model, method)(answered)
    answered = model.decide(model.log_odds(answered, 0, 1), reject=0.2)
    jobs = spark.sparkContext.statusTracker().getJobIdsForGroup("answers")
    assert not jobs
    found = answered.toPandas()
    rows = found[NAMES]
    assert len(found) == 300
    assert (found["prediction"] == model.predict(rows)).all()
    assert found["decided"].isna().any()
    decided = model.decide(rows, reject=0.2)
    assert [None if np.isnan(x) else int(x) for x in found["decided"]] == decided.tolist()
    expected = {
        "probability": model.predict_proba(rows),
        "log_density": model.score_samples(rows),
        "transformed": model.transform(rows),
        "outlier_pvalue": model.outlier_pvalue(rows),
        "log_odds": model.log_odds(rows, 0, 1),
    }
    for column, values in expected.items():
        np.testing.assert_allclose(np.array(found[column].tolist()), values, rtol=1e-10, atol=1e-12)
    assert {"label", "importance"} <= set(found.columns)


def test_answers_take_columns_by_name(frame):
    model = sf.LDA().fit(WHOLE[NAMES], np.array(["u", "v", "w"])[Y])
    mixed_up = frame.select("label", "d", "c", "`b.x`", "a")
    found = model.predict(mixed_up).toPandas()
    assert (found["prediction"] == model.predict(found[NAMES])).all()
    nameless = sf.LDA().fit(X, Y)
    answered = nameless.predict(plain(frame)).toPandas()
    assert (answered["prediction"] == nameless.predict(answered[NAMES].to_numpy())).all()
    with pytest.raises(InvalidFeatures, match="6 columns"):
        nameless.predict(frame)


def test_decimals_are_numbers(spark):
    rows = spark.createDataFrame(WHOLE[["a", "label"]])
    exact = rows.selectExpr("cast(a as decimal(20, 4)) as a", "label")
    rounded = WHOLE[["a"]].round(4)
    model = sf.QDA().fit(exact, "label")
    assert_equal_statistics(model.statistics_, sf.summarize(rounded, Y), 1e-12)
    assert model.predict(exact).count() == 300


def test_errors_name_what_is_wrong(spark, frame):
    from pyspark.sql import functions as F

    rows = plain(frame, "label")
    for error, message, ask in (
        (InvalidLabels, "no column 'z'", lambda: sf.LDA().fit(rows, "z")),
        (InvalidWeights, "no column 'z'", lambda: sf.LDA().fit(rows, "label", "z")),
        (InvalidLabels, "name the column", lambda: sf.LDA().fit(rows, Y)),
        (InvalidLabels, "requires y", lambda: sf.LDA().fit(rows, None)),
        (InvalidLabels, "y is missing", lambda: sf.summarize(rows)),
        (InvalidInput, "no y beside", lambda: sf.summarize(rows, Y, target="label")),
        (InvalidFeatures, "no columns", lambda: sf.LDA().fit(rows.select("label"), "label")),
        (InvalidFeatures, "rename", lambda: sf.LDA().fit(rows.select("a", "a", "label"), "label")),
        (InvalidFeatures, "X is empty", lambda: sf.LDA().fit(rows.filter("a < 0"), "label")),
        (
            NotFinite,
            r"partition \d: .* column 'a'",
            lambda: sf.LDA().fit(rows.withColumn("a", F.lit(np.inf)), "label"),
        ),
        (
            InvalidWeights,
            "zero in every row",
            lambda: sf.LDA().fit(rows.withColumn("w", F.lit(0.0)), "label", "w"),
        ),
        (InvalidParameter, "'cv'", lambda: sf.LDA(shrinkage="cv").fit(rows, "label")),
        (NeedsAllRows, "sample", lambda: sf.GaussianMixture().fit(X).icl(rows)),
    ):
        with pytest.raises(error, match=message):
            ask()


def test_rows_to_predict_are_checked_before_the_job(frame):
    from pyspark.sql import functions as F

    model = sf.LDA().fit(WHOLE[NAMES], Y)
    with pytest.raises(InvalidFeatures, match=r"lacks the column 'b\.x'"):
        model.predict(frame.select("a", "c", "d"))
    with pytest.raises(NotNumbers, match="column 'a'"):
        model.predict(frame.withColumn("a", F.lit("text")))
    with pytest.raises(NotNumbers, match="column 'a' holds date"):
        model.predict(frame.withColumn("a", F.current_date()))


def test_workers_without_the_package(spark, frame, tmp_path):
    (tmp_path / "sitecustomize.py").write_text(BLOCKER)
    environment = spark.sparkContext.environment
    environment["PYTHONPATH"] = str(tmp_path)
    try:
        with pytest.raises(MissingPackage, match="install the same version"):
            sf.LDA().fit(plain(frame, "label"), "label")
    finally:
        del environment["PYTHONPATH"]


def test_sums_over_rows(frame):
    model = sf.QDA().fit(WHOLE[NAMES], Y)
    found = model.log_likelihood(plain(frame, "label"), "label")
    assert found == pytest.approx(model.log_likelihood(WHOLE[NAMES], Y), rel=1e-12)
    expected = model.score(WHOLE[NAMES], Y, WEIGHT)
    assert model.score(frame, "label", "importance") == pytest.approx(expected, rel=1e-12)
    text = plain(frame, frame["label"].cast("string").alias("name"))
    named = sf.LDA().fit(WHOLE[NAMES], Y.astype(str))
    score = named.score(WHOLE[NAMES], Y.astype(str))
    assert named.score(text, "name") == pytest.approx(score, rel=1e-14)
    mixture = sf.GaussianMixture(2, random_state=0).fit(WHOLE[NAMES])
    assert mixture.score(plain(frame)) == pytest.approx(mixture.score(WHOLE[NAMES]), rel=1e-12)


def test_a_mixture_takes_a_sample_in_memory(frame):
    for model, columns in (
        (sf.GaussianMixture(2), {"sample_weight": "importance"}),
        (sf.MixtureDiscriminant(1), {"y": "label", "sample_weight": "importance"}),
    ):
        with pytest.raises(NeedsAllRows, match="iteration of EM") as caught:
            model.fit(plain(frame, *columns.values()), **columns)
        call = str(caught.value).partition("fit a sample: ")[2]
        exec(call, {"model": model, "X": plain(frame, *columns.values())})
        assert model.feature_names_in_.tolist() == NAMES
