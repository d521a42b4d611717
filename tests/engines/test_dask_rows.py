"""Dask: the same statistics and answers as in memory, on a real cluster that loses a worker."""

import os
import pickle
import signal
import threading
import time
from pathlib import Path

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
from suffice.errors import (
    InvalidFeatures,
    InvalidInput,
    InvalidLabels,
    InvalidParameter,
    InvalidWeights,
    Mismatch,
    MissingPackage,
    NeedsAllRows,
    NeverIncluded,
    NotFinite,
)

dask = pytest.importorskip("dask", reason="Dask is not installed")
da = pytest.importorskip("dask.array", reason="Dask is not installed")
dd = pytest.importorskip("dask.dataframe", reason="Dask is not installed")
distributed = pytest.importorskip("distributed", reason="distributed is not installed")

X, Y, WEIGHT = numbers()


@pytest.fixture(autouse=True)
def _threads():
    """Without a cluster, by threads of this process."""
    with dask.config.set(scheduler="threads"):
        yield


def frames(parts=5):
    frame, labels, weight = table()
    whole = frame.assign(fruit=labels, importance=weight)
    return whole, dd.from_pandas(whole, npartitions=parts)


def irregular(values, seed):
    """An array cut anywhere, also into parts without rows."""
    rng = np.random.default_rng(seed)
    cuts = np.sort(rng.choice(len(values) + 1, 6))
    sizes = np.diff([0, *cuts, len(values)]).tolist()
    width = {} if values.ndim == 1 else {1: (values.shape[1],)}
    return da.from_array(values, chunks={0: tuple(sizes), **width})


@pytest.mark.parametrize("seed", range(8))
def test_statistics_do_not_depend_on_where_rows_are_cut(seed):
    rows, labels, weight = numbers(seed=seed, n=120)
    for detail in ("separate", "shared", "diagonal"):
        found = sf.summarize(irregular(rows, seed), irregular(labels, seed + 1), detail=detail)
        assert_equal_statistics(found, sf.summarize(rows, labels, detail=detail))
    found = sf.summarize(irregular(rows, seed), irregular(labels, 7), irregular(weight, 9))
    assert_equal_statistics(found, sf.summarize(rows, labels, weight))


def test_the_same_rows_give_the_same_bits_every_time():
    rows, labels = irregular(X, 1), irregular(Y, 1)
    assert len({sf.summarize(rows, labels).digest() for _ in range(5)}) == 1


def test_many_partitions_are_added_in_a_tree():
    rows = da.from_array(X, chunks=(4, 4))
    assert rows.npartitions == 100
    assert_equal_statistics(sf.summarize(rows, Y), sf.summarize(X, Y))


@pytest.mark.parametrize("name", NUMERIC)
def test_fitting_arrays_equals_fitting_in_memory(name):
    expected = clone(NUMERIC[name]).fit(X, Y, WEIGHT)
    rows = da.from_array(X, chunks=(70, 3))
    found = clone(NUMERIC[name]).fit(rows, irregular(Y, 3), WEIGHT)
    assert_equal_statistics(found.statistics_, expected.statistics_)
    assert_equal_models(found, expected, X)


@pytest.mark.parametrize("name", LEVELS)
def test_fitting_frames_equals_fitting_in_memory(name):
    whole, frame = frames()
    whole = whole[["colour", "ripe", "fruit"]] if name == "categorical" else whole
    frame = frame[list(whole.columns)]
    weight = "importance" if name == "mixed" else None
    expected = clone(LEVELS[name]).fit(
        whole.drop(columns=["fruit", "importance"], errors="ignore"),
        whole["fruit"],
        None if weight is None else whole[weight],
    )
    found = clone(LEVELS[name]).fit(frame, "fruit", weight)
    assert_equal_statistics(found.statistics_, expected.statistics_)
    rows = whole.drop(columns=["fruit", "importance"], errors="ignore")
    assert_equal_models(found, expected, rows)
    assert list(found.feature_names_in_) == list(rows.columns)


def test_counts_are_equal_to_the_last_bit():
    levels = np.random.default_rng(0).integers(5, size=(400, 3))
    expected = sf.CategoricalNB().fit(levels, Y)
    found = sf.CategoricalNB().fit(irregular(levels, 2), irregular(Y, 5))
    assert found.statistics_.digest() == expected.statistics_.digest()


def test_labels_may_stand_beside_a_frame_or_in_it():
    whole, frame = frames()
    columns = ["size", "weight.kg"]
    expected = sf.summarize(whole[columns], whole["fruit"], whole["importance"])
    beside = sf.summarize(frame[columns], frame["fruit"], frame["importance"])
    one_column = sf.summarize(frame[columns], frame[["fruit"]], frame["importance"])
    named = sf.summarize(frame[[*columns, "fruit", "importance"]], "fruit", "importance")
    labels = frame["fruit"].map_partitions(
        lambda part: part.to_numpy(object), meta=np.empty(0, object)
    )
    array = sf.summarize(frame[columns], labels, frame["importance"].to_dask_array())
    target = sf.summarize(frame[[*columns, "fruit"]], target="fruit")
    for found in (beside, one_column, named, array):
        assert found == expected
        assert found.digest() == beside.digest()
    assert target == sf.summarize(whole[columns], whole["fruit"])


def test_partitions_are_loaded_once():
    loaded = []

    def load(number):
        loaded.append(number)
        return pd.DataFrame({"a": X[number::3, 0], "b": X[number::3, 1], "label": Y[number::3]})

    frame = dd.from_map(load, range(3), meta=load(0).iloc[:0])
    loaded.clear()
    found = sf.summarize(frame[["a", "b"]], frame["label"])
    assert sorted(loaded) == [0, 1, 2]
    assert_equal_statistics(found, sf.summarize(pd.DataFrame({"a": X[:, 0], "b": X[:, 1]}), Y))


def test_all_partitions_decide_the_kind_of_columns_without_a_type():
    # The second column holds strings in one partition only, and nothing at all in another.
    rows = np.array([[1.0, None], [2.0, None], [2.5, "u"], [3.0, "v"], [4.0, "u"]], object)
    labels = np.array([0, 1, 0, 1, 1])
    expected = sf.MixedNB().fit(rows, labels)
    found = sf.MixedNB().fit(da.from_array(rows, chunks=(2, 2)), labels)
    assert found.categorical_features_ == (1,)
    assert_equal_statistics(found.statistics_, expected.statistics_)
    lists = [dask.delayed(rows[:2]), dask.delayed(rows[2:])]
    found = sf.MixedNB().fit(lists, [labels[:2], labels[2:]])
    assert_equal_statistics(found.statistics_, expected.statistics_)


def test_delayed_tables_are_partitions():
    parts = [slice(0, 150), slice(150, 151), slice(151, 400)]
    expected = sf.summarize(X, Y, WEIGHT)
    tables = [dask.delayed(X)[part] for part in parts]
    labels = [dask.delayed(Y)[part] for part in parts]
    weights = [WEIGHT[part] for part in parts]
    tuples = [dask.delayed((X[part], Y[part], WEIGHT[part])) for part in parts]
    assert_equal_statistics(sf.summarize(tables, labels, weights), expected)
    assert_equal_statistics(sf.summarize(tuples), expected)
    assert_equal_statistics(sf.summarize(dask.delayed(X), Y, WEIGHT), expected)
    model = sf.LDA().fit(tables, labels)
    answers = model.predict(tables)
    assert (np.concatenate(dask.compute(*answers)) == model.predict(X)).all()
    assert (model.predict(dask.delayed(X)).compute() == model.predict(X)).all()
    whole, _ = frames()
    found = sf.summarize([dask.delayed(whole[["size", "fruit"]])], target="fruit")
    assert found == sf.summarize(whole[["size"]], whole["fruit"])


def test_more_rows_and_fewer():
    first, rest = slice(0, 250), slice(250, 400)
    model = sf.QDA().partial_fit(da.from_array(X[first], chunks=(90, 4)), Y[first])
    model.partial_fit(da.from_array(X[rest], chunks=(40, 4)), Y[rest], classes=[0, 1, 2])
    assert_equal_statistics(model.statistics_, sf.summarize(X, Y))
    model.forget(da.from_array(X[rest], chunks=(50, 4)), Y[rest])
    assert model.statistics_ == sf.summarize(X[first], Y[first])
    mixed, frame = frames()
    cut = sf.MixedNB().partial_fit(frame.drop(columns="importance"), "fruit")
    cut.partial_fit(frame.drop(columns="importance"), "fruit")
    local = sf.MixedNB().fit(mixed.drop(columns=["importance", "fruit"]), mixed["fruit"])
    assert cut.statistics_ == local.statistics_ + local.statistics_


def test_a_failed_update_leaves_the_model_as_it_was():
    model = sf.LDA().fit(X, Y)
    before = pickle.dumps(model.__dict__)
    wrong = np.where(np.arange(400)[:, None] == 399, np.inf, X)
    with pytest.raises(NotFinite, match=r"partition 3: .* row 99"):
        model.partial_fit(da.from_array(wrong, chunks=(100, 4)), Y)
    with pytest.raises(NeverIncluded):
        model.forget(da.from_array(X + 1e6, chunks=(100, 4)), Y)
    with pytest.raises(InvalidLabels, match=r"partition 0: .*not among"):
        model.partial_fit(da.from_array(X, chunks=(100, 4)), Y, classes=[0, 1])
    assert pickle.dumps(model.__dict__) == before


ANSWERS = {
    "predict": (),
    "predict_proba": (),
    "predict_log_proba": (),
    "predict_joint_log_proba": (),
    "decision_function": (),
    "score_samples": (),
    "discriminants": (),
    "log_odds": (0, 2),
    "log_likelihood_ratio": (0, 1),
    "squared_mahalanobis": (),
    "outlier_pvalue": (),
    "transform": (),
    "whiten": (),
    "impute": (),
    "decide": (None, 0.2),
}


@pytest.mark.parametrize("method", ANSWERS)
def test_answers_stay_lazy_and_equal_those_in_memory(method):
    model = sf.LDA().fit(X, Y)
    read = []
    rows = irregular(X, 4).map_blocks(lambda part: read.append(1) or part, meta=X[:0])
    answer = getattr(model, method)(rows, *ANSWERS[method])
    assert isinstance(answer, da.Array)
    assert not read
    expected = getattr(model, method)(X, *ANSWERS[method])
    assert answer.shape == expected.shape
    assert answer.dtype == expected.dtype
    assert answer.chunks[0] == rows.chunks[0]
    found = answer.compute()
    if method in ("predict", "decide"):
        assert (found == expected).all()
    else:
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


def test_answers_to_frames_are_arrays():
    whole, frame = frames()
    columns = ["size", "weight.kg", "colour", "ripe"]
    model = sf.MixedNB().fit(whole[columns], whole["fruit"])
    labels, odds = model.predict(frame[columns]), model.predict_proba(frame[columns])
    assert isinstance(labels, da.Array)
    assert labels.dtype == model.classes_.dtype
    assert odds.shape[1] == 3
    assert (labels.compute() == model.predict(whole[columns])).all()
    np.testing.assert_allclose(odds.compute(), model.predict_proba(whole[columns]), rtol=1e-12)
    empty = frame[columns][frame["size"] > 1e9]
    assert model.predict(empty).compute().shape == (0,)
    assert model.predict_proba(empty).compute().shape == (0, 3)


def test_unknown_chunks_are_taken_as_they_come():
    rows = da.from_array(X, chunks=(90, 4))
    some = rows[:, 0] > X[:, 0].mean()
    kept = X[:, 0] > X[:, 0].mean()
    left, labels = rows[some], da.from_array(Y, chunks=90)[some]
    assert np.isnan(left.shape[0])
    found = sf.QDA().fit(left, labels)
    assert_equal_statistics(found.statistics_, sf.summarize(X[kept], Y[kept]))
    assert (found.predict(left).compute() == found.predict(X[kept])).all()
    assert found.predict_proba(left).compute().shape == (kept.sum(), 3)


def test_sums_over_rows():
    model, rows = sf.QDA().fit(X, Y), irregular(X, 6)
    assert model.log_likelihood(rows, irregular(Y, 2)) == pytest.approx(
        model.log_likelihood(X, Y), rel=1e-12
    )
    mixture = sf.GaussianMixture(2, random_state=0).fit(X)
    for method in ("score", "aic", "bic"):
        assert getattr(mixture, method)(rows) == pytest.approx(
            getattr(mixture, method)(X), rel=1e-12
        )
    assert (mixture.predict(rows).compute() == mixture.predict(X)).all()


SCORED = {**NUMERIC, "mixture": sf.MixtureDiscriminant(2, random_state=0)}


@pytest.mark.parametrize("name", SCORED)
def test_a_score_of_parts_is_that_of_all_rows(name):
    model = clone(SCORED[name]).fit(X, Y)
    wanted = (Y + (np.arange(400) % 7 == 0)) % 3  # no model gets all of them
    rows, labels, weight = irregular(X, 6), irregular(wanted, 2), irregular(WEIGHT, 3)
    expected = model.score(X, wanted)
    assert model.score(rows, labels) == pytest.approx(expected, rel=1e-14)
    assert model.score(rows, wanted) == pytest.approx(expected, rel=1e-14)
    weighted = model.score(X, wanted, WEIGHT)
    assert weighted != expected
    assert model.score(rows, labels, weight) == pytest.approx(weighted, rel=1e-12)
    tables = [dask.delayed(X[:30]), dask.delayed(X[30:])]
    assert model.score(tables, [wanted[:30], wanted[30:]]) == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("name", LEVELS)
def test_a_score_takes_the_names_of_columns(name):
    whole, frame = frames()
    columns = ["colour", "ripe"] if name == "categorical" else ["size", "colour", "ripe"]
    model = clone(LEVELS[name]).fit(whole[columns], whole["fruit"])
    found = model.score(frame[[*columns, "fruit", "importance"]], "fruit", "importance")
    expected = model.score(whole[columns], whole["fruit"], whole["importance"])
    assert found == pytest.approx(expected, rel=1e-12)
    assert model.score(frame[columns], frame["fruit"]) == pytest.approx(
        model.score(whole[columns], whole["fruit"]), rel=1e-14
    )
    with pytest.raises(InvalidLabels, match="y is missing"):
        model.score(frame[columns], None)


def test_zero_weight_in_a_whole_partition_counts_as_absent():
    weight = np.where(np.arange(400) < 100, 0.0, WEIGHT)
    found = sf.summarize(da.from_array(X, chunks=(100, 4)), Y, weight)
    assert_equal_statistics(found, sf.summarize(X[100:], Y[100:], weight[100:]))
    with pytest.raises(InvalidWeights, match="zero in every row"):
        sf.summarize(da.from_array(X, chunks=(100, 4)), Y, np.zeros(400))


def test_rows_that_do_not_fit_together():
    rows = da.from_array(X, chunks=(100, 4))
    unknown = rows[rows[:, 0] > 0]
    with pytest.raises(InvalidInput, match="X has 400 rows but y has 399 entries"):
        sf.LDA().fit(rows, da.from_array(Y[:-1], chunks=50))
    with pytest.raises(InvalidInput, match="X has 400 rows but y has 3 entries"):
        sf.LDA().fit(rows, [0, 1, 2])
    with pytest.raises(InvalidInput, match=r"not known.*compute_chunk_sizes"):
        sf.LDA().fit(unknown, Y)
    with pytest.raises(InvalidInput, match=r"4 partitions and y has 8.*compute_chunk_sizes"):
        sf.LDA().fit(unknown, da.from_array(Y, chunks=50))
    with pytest.raises(InvalidInput, match="partition 0: X has 100 rows but y has 400 labels"):
        sf.LDA().fit(unknown, da.from_array(np.repeat(Y, 4), chunks=400))
    whole, frame = frames()
    with pytest.raises(InvalidInput, match="Name the column"):
        sf.LDA().fit(frame[["size"]], whole["fruit"])
    with pytest.raises(InvalidInput, match="list of 2"):
        sf.summarize([dask.delayed(X), dask.delayed(X)], Y)


def test_errors_name_the_partition():
    rows = da.from_array(X, chunks=(100, 4))
    with pytest.raises(InvalidLabels, match="estimator requires y"):
        sf.LDA().fit(rows, None)
    with pytest.raises(InvalidLabels, match="array"):
        sf.LDA().fit(rows, "label")
    with pytest.raises(InvalidFeatures, match="2D"):
        sf.LDA().fit(rows[:, 0], Y)
    with pytest.raises(InvalidFeatures, match="X is empty"):
        sf.LDA().fit(rows[:0], Y[:0])
    with pytest.raises(InvalidFeatures, match="Series"):
        sf.LDA().fit(frames()[1]["size"], Y)
    with pytest.raises(InvalidLabels, match=r"no column 'vegetable'.*'size'"):
        sf.LDA().fit(frames()[1], "vegetable")
    with pytest.raises(InvalidInput, match="both labels and weights"):
        sf.LDA().fit(frames()[1], "fruit", "fruit")
    with pytest.raises(Mismatch, match=r"partition 0 and partition 1: .*strings"):
        sf.summarize([dask.delayed((X, Y)), dask.delayed((X, Y.astype(str)))])
    with pytest.raises(Mismatch, match="partition 0 and partition 1: one side has 4 features"):
        sf.summarize([dask.delayed((X, Y)), dask.delayed((X[:, :2], Y))])


def test_partitions_of_another_schema():
    good = pd.DataFrame({"a": [1.0, 2.0, 4.0], "b": [0.0, 3.0, 1.0], "y": [0, 1, 0]})
    wrong = {
        "lacks 'b' and has 'c'": good.rename(columns={"b": "c"})[["a", "c", "y"]],
        "another order": good[["b", "a", "y"]],
        "column 'b' holds": good.assign(b=["u", "v", "w"]),
    }
    for message, other in wrong.items():
        parts = [good, other]
        frame = dd.from_map(lambda i, parts=parts: parts[i], [0, 1], meta=good.iloc[:0])
        with pytest.raises(InvalidFeatures, match=f"partition 1: .*{message}"):
            sf.LDA().fit(frame, "y")


def test_rows_to_predict_are_checked_before_the_job():
    whole, frame = frames()
    model = sf.LDA().fit(whole[["size", "weight.kg"]].fillna(0.0), whole["fruit"])
    with pytest.raises(InvalidFeatures, match="colour"):
        model.predict(frame[["size", "colour"]])
    with pytest.raises(InvalidFeatures, match="3 features"):
        sf.LDA().fit(X, Y).predict(da.from_array(X[:, :3], chunks=(100, 3)))


def test_what_takes_all_rows_says_so():
    rows, model = da.from_array(X, chunks=(100, 4)), sf.LDA().fit(X, Y)
    with pytest.raises(InvalidParameter, match=r"shrinkage='cv'.*sample"):
        sf.LDA(shrinkage="cv").fit(rows, Y)
    for ask in (
        lambda: sf.GaussianMixture(2).fit(X).icl(rows),
        lambda: model.leave_one_out(rows, Y),
        lambda: model.explain(rows),
        lambda: model.adapt_priors(rows),
        lambda: model.contributions(rows),
    ):
        with pytest.raises(NeedsAllRows, match="memory"):
            ask()


def sample_calls():
    """Mixtures with the arguments of a call that they refuse."""
    rows, labels = da.from_array(X, chunks=(100, 4)), da.from_array(Y, chunks=100)
    tables = [dask.delayed(X[:200]), dask.delayed(X[200:])]
    frame = frames()[1][["size", "weight.kg", "fruit", "importance"]]
    mixture, discriminant = sf.GaussianMixture(2), sf.MixtureDiscriminant(1)
    return [
        (mixture, "fit", {"X": rows}),
        (mixture, "fit_predict", {"X": rows, "sample_weight": WEIGHT}),
        (discriminant, "fit", {"X": rows, "y": labels}),
        (discriminant, "fit", {"X": rows, "y": Y}),
        (mixture, "fit", {"X": dask.delayed(X)}),
        (discriminant, "fit", {"X": tables, "y": [Y[:200], Y[200:]]}),
        (discriminant, "fit", {"X": tables, "y": [dask.delayed(Y[:200]), dask.delayed(Y[200:])]}),
        (discriminant, "fit", {"X": frame, "y": "fruit", "sample_weight": "importance"}),
        (discriminant, "fit", {"X": frame[["size", "weight.kg"]], "y": frame["fruit"]}),
    ]


@pytest.mark.parametrize("at", range(9))
def test_a_mixture_refuses_with_a_call_that_fits_a_sample(at):
    model, method, given = sample_calls()[at]
    model, before = clone(model), dict(given)
    with pytest.raises(NeedsAllRows, match=f"{method} reads the rows in every iteration") as caught:
        getattr(model, method)(given.pop("X"), **given)
    call = str(caught.value).partition("fit a sample: ")[2]
    exec(call, {"model": model, **before})
    assert model.n_features_in_ == (2 if at > 6 else 4)
    if at == 8:  # labels beside a frame are drawn with their rows
        part = before["X"].sample(frac=0.1, random_state=0).compute()
        labels = before["y"].sample(frac=0.1, random_state=0).compute()
        assert part.index.tolist() == labels.index.tolist()


def cluster(folder, n_workers=2, **options):
    return distributed.LocalCluster(
        n_workers=n_workers,
        threads_per_worker=1,
        host="127.0.0.1",
        dashboard_address="127.0.0.1:0",
        local_directory=str(folder),
        silence_logs=50,
        **options,
    )


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    """Two workers, processes of their own."""
    with (
        cluster(tmp_path_factory.mktemp("workers")) as workers,
        distributed.Client(workers, set_as_default=False) as found,
    ):
        yield found


def marked(part, folder, block_info=None):
    """A partition that leaves a trace of every attempt; after four, it waits for a kill."""
    number = block_info[0]["chunk-location"][0]
    Path(folder, f"{number}-{os.getpid()}-{time.time_ns()}").touch()
    if len(list(Path(folder).iterdir())) > 4:
        wait_until(Path(folder).with_name("killed").exists)
    return part


def wait_until(happened, seconds=60.0):
    deadline = time.monotonic() + seconds
    while not happened() and time.monotonic() < deadline:
        time.sleep(0.01)


def test_a_worker_killed_in_the_middle_counts_nothing_twice(client, tmp_path):
    traces = tmp_path / "traces"
    traces.mkdir()
    rows = da.from_array(X, chunks=(50, 4)).map_blocks(marked, str(traces), dtype=float)
    model, failed = sf.QDA(), []

    def fit():
        try:
            with client.as_current(), dask.config.set(scheduler=client.get):
                model.fit(rows, da.from_array(Y, chunks=50))
        except Exception as error:
            failed.append(error)

    job = threading.Thread(target=fit)
    job.start()
    # Each of the two workers is in the middle of a partition.
    wait_until(lambda: len(list(traces.iterdir())) >= 6)
    pids = [int(path.name.split("-")[1]) for path in traces.iterdir()]
    os.kill(pids[0], signal.SIGKILL)
    (tmp_path / "killed").touch()
    job.join(60)
    assert not failed
    attempts = [int(path.name.split("-")[0]) for path in traces.iterdir()]
    assert len(set(attempts)) == 8
    assert len(attempts) > 8  # what the lost worker had done was done again
    assert_equal_statistics(model.statistics_, sf.summarize(X, Y))


def test_a_cluster_gives_what_memory_gives(client):
    with client.as_current(), dask.config.set(scheduler=client.get):
        rows, labels = da.from_array(X, chunks=(60, 4)).persist(), da.from_array(Y, chunks=60)
        model = sf.LDA(shrinkage="ledoit-wolf").fit(rows, labels)
        expected = sf.LDA(shrinkage="ledoit-wolf").fit(X, Y)
        assert_equal_models(model, expected, X)
        assert (model.predict(rows).compute() == expected.predict(X)).all()
        wrong = np.where(np.arange(400)[:, None] == 150, np.inf, X)
        with pytest.raises(NotFinite, match="partition 2"):
            model.fit(da.from_array(wrong, chunks=(60, 4)), labels)
        _, frame = frames()
        found = sf.MixedNB().fit(frame.drop(columns="importance"), "fruit")
        assert found.classes_.tolist() == ["cherry", "fig", "plum"]


def test_workers_without_the_package(tmp_path):
    with (
        cluster(tmp_path, n_workers=1, preload=[BLOCKER]) as workers,
        distributed.Client(workers, set_as_default=False) as found,
        found.as_current(),
        dask.config.set(scheduler=found.get),
        pytest.raises(
            MissingPackage, match=r"1 of 1 workers.*cannot import suffice.*Install the same"
        ),
    ):
        sf.LDA().fit(da.from_array(X, chunks=(100, 4)), Y)


@pytest.mark.parametrize("model", [sf.LDA(), sf.GaussianNB(), sf.MixedNB()], ids=repr)
def test_a_table_with_text_gives_what_it_gives_in_memory(model):
    rng = np.random.default_rng(0)
    plan = rng.choice(["basic", "plus"], 300)
    table = pd.DataFrame({"age": rng.normal(size=300) + (plan == "plus"), "plan": plan})
    table["plan"] = np.where(np.arange(300) < 250, plan, "gold")  # new in the last partition
    y = pd.Series(np.where(rng.random(300) + 0.3 * (plan == "plus") > 0.6, "stays", "leaves"))
    lazy = dd.from_pandas(table.assign(y=y), npartitions=3)
    found = clone(model).fit(lazy, "y")
    whole = clone(model).fit(table, y)
    assert np.allclose(found.predict_proba(table), whole.predict_proba(table), atol=1e-12)
