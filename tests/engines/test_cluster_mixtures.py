"""Mixtures on a cluster: the model of memory, from parts; the sample that they start from."""

import os
import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import suffice as sf
from suffice.data.features import as_features
from suffice.data.partial_labels import Coding
from suffice.engines import drawing
from suffice.engines.drawing import Drawn, drawn, share
from suffice.engines.mixtures import Expectation, Partitions, learn
from suffice.engines.parts import Job, found
from suffice.engines.survey import Surveying
from suffice.errors import (
    InvalidLabels,
    InvalidParameter,
    Mismatch,
    NotFinite,
    TooFewRows,
)

dask = pytest.importorskip("dask", reason="Dask is not installed")
da = pytest.importorskip("dask.array", reason="Dask is not installed")
dd = pytest.importorskip("dask.dataframe", reason="Dask is not installed")

GAPS = [False, True]


@pytest.fixture(autouse=True)
def _threads():
    """Without a cluster, by threads of this process."""
    with dask.config.set(scheduler="threads"):
        yield


def blobs(n=900, d=3, k=3, seed=0, offset=1e3, gaps=False):
    """Rows of classes with two blobs each, their labels, and weights of which some are zero."""
    rng = np.random.default_rng(seed)
    y, half = rng.integers(k, size=n), rng.integers(2, size=n)
    centres = 4 * rng.standard_normal((k, 2, d))
    X = rng.standard_normal((n, d)) @ rng.standard_normal((d, d)) / 2 + centres[y, half] + offset
    if gaps:
        X[rng.random(X.shape) < 0.1] = np.nan
    weight = rng.uniform(0.5, 2.0, n) * (rng.random(n) > 0.05)
    return X, y, weight


def cut(values, sizes=(300, 1, 0, 250, 349)):
    """An array in partitions, one of them without rows."""
    return da.from_array(values, chunks=(sizes, *((n,) for n in values.shape[1:])))


def assert_same_mixture(a, b, X, rounding=1e-10):
    """Two fits of the same rows; components may be numbered otherwise."""
    assert a.n_iter_ == b.n_iter_
    assert a.converged_ == b.converged_
    assert a.n_features_in_ == b.n_features_in_
    assert a._model.components.borrowed == b._model.components.borrowed
    np.testing.assert_allclose(a.log_likelihoods_, b.log_likelihoods_, rtol=rounding)
    mine, theirs = (np.lexsort(model.means_.T) for model in (a, b))
    spread = np.nanstd(X, axis=0)
    np.testing.assert_allclose(
        a.means_[mine] / spread, b.means_[theirs] / spread, rtol=0, atol=rounding
    )
    np.testing.assert_allclose(a.weights_[mine], b.weights_[theirs], rtol=0, atol=rounding)
    np.testing.assert_allclose(a.score_samples(X), b.score_samples(X), rtol=0, atol=100 * rounding)


KINDS = {
    "full": {},
    "tied": {"covariance_type": "tied"},
    "diag": {"covariance_type": "diag"},
    "spherical": {"covariance_type": "spherical"},
    "pooled in part": {"pooling": 0.5, "shrinkage": 0.1, "target": "diagonal"},
    "oas": {"shrinkage": "oas", "n_init": 2},
    "larger variances": {"reg_covar": 0.1},
}


@pytest.mark.parametrize("gaps", GAPS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_mixture_of_parts_equals_that_of_memory(kind, gaps):
    X, _, weight = blobs(gaps=gaps)
    mixture = sf.GaussianMixture(4, random_state=1, **KINDS[kind])
    expected = clone(mixture).fit(X, sample_weight=weight)
    assert_same_mixture(clone(mixture).fit(cut(X), sample_weight=weight), expected, X)


def test_what_is_given_takes_the_place_of_the_start():
    X, _, _ = blobs()
    start = {
        "means_init": X[:2],
        "weights_init": [0.4, 0.6],
        "precisions_init": np.array([np.eye(3), 2 * np.eye(3)]),
    }
    for names in (["means_init"], list(start)):
        mixture = sf.GaussianMixture(2, **{name: start[name] for name in names})
        found = clone(mixture).fit(cut(X))
        expected = clone(mixture).fit(X)
        assert_same_mixture(found, expected, X)
        np.testing.assert_allclose(found.means_, expected.means_, rtol=1e-12)


@pytest.mark.parametrize("gaps", GAPS)
@pytest.mark.parametrize("n_components", [1, 2, {0: 1, 1: 2, 2: 3}, "bic"], ids=str)
@pytest.mark.parametrize("labels", ["all", "some"])
def test_a_discriminant_of_parts_equals_that_of_memory(n_components, labels, gaps):
    X, y, weight = blobs(gaps=gaps)
    y = np.where(np.arange(900) % 3 == 0, -1, y) if labels == "some" else y
    model = sf.MixtureDiscriminant(n_components, random_state=2, max_iter=8, tol=0.0)
    expected = clone(model).fit(X, y, weight)
    found = clone(model).fit(cut(X), cut(y), cut(weight))
    assert found.classes_.tolist() == [0, 1, 2]
    assert found.component_classes_.tolist() == expected.component_classes_.tolist()
    np.testing.assert_allclose(found.priors_, expected.priors_, rtol=1e-12)
    assert_same_mixture(found, expected, X)
    assert (found.predict(cut(X)).compute() == expected.predict(X)).all()


PRIORS = [None, "uniform", {"a": 0.0, "b": 0.7, "c": 0.3}]


@pytest.mark.parametrize("priors", PRIORS, ids=str)
def test_priors_are_those_asked_for(priors):
    X, y, _ = blobs()
    names = np.array(["a", "b", "c"])[y]
    for size in (1, 2):
        model = sf.MixtureDiscriminant(size, priors=priors, pooling=1.0, random_state=0)
        found, expected = clone(model).fit(cut(X), cut(names)), clone(model).fit(X, names)
        np.testing.assert_allclose(found.priors_, expected.priors_, rtol=1e-12)
        np.testing.assert_allclose(found.log_likelihoods_, expected.log_likelihoods_, rtol=1e-12)
        np.testing.assert_allclose(found.predict_proba(X), expected.predict_proba(X), atol=1e-12)
        if isinstance(priors, dict):
            assert found.priors_.tolist() == [0.0, 0.7, 0.3]
            assert (found.predict_proba(X)[:, 0] == 0).all()


def some_labels(y, kind):
    """Labels of which every third is none, as a user may have them."""
    none = np.arange(len(y)) % 3 == 0
    if kind == "floats":
        return np.where(none, np.nan, y)
    if kind == "marked text":
        return np.where(none, "?", np.array(["a", "b", "c"])[y])
    values = np.array(["a", "b", "c"], object)[y] if kind == "text" else y.astype(object)
    values[none] = None
    return values


@pytest.mark.parametrize("kind", ["floats", "integers", "text", "marked text"])
def test_labels_may_be_missing_in_any_way(kind):
    X, y, _ = blobs()
    labels = some_labels(y, kind)
    model = sf.MixtureDiscriminant(1, unlabelled="?" if kind == "marked text" else -1)
    expected = clone(model).fit(X, labels)
    parts = [slice(0, 400), slice(400, 401), slice(401, 900)]
    found = clone(model).fit(
        [dask.delayed(X[part]) for part in parts], [labels[part] for part in parts]
    )
    assert found.classes_.tolist() == expected.classes_.tolist()
    assert found.classes_.dtype.kind == expected.classes_.dtype.kind
    assert_same_mixture(found, expected, X)


def test_integers_with_a_gap_in_some_parts_are_floats_there():
    X, y, _ = blobs()
    first, rest = pd.Series(y[:400]), pd.Series(y[400:]).where(np.arange(500) % 4 > 0)
    assert first.dtype.kind == "i"
    assert rest.dtype.kind == "f"
    rows = [dask.delayed(X[:400]), dask.delayed(X[400:])]
    found = sf.MixtureDiscriminant(1).fit(rows, [first, dask.delayed(rest)])
    expected = sf.MixtureDiscriminant(1).fit(X, pd.concat([first, rest]))
    assert found.classes_.tolist() == expected.classes_.tolist() == [0.0, 1.0, 2.0]
    assert_same_mixture(found, expected, X)


def test_one_other_label_makes_the_mark_a_class():
    X, y, _ = blobs()
    # In the first partition there is no other label, in the others no mark.
    signs = np.where(np.arange(900) < 300, -1, 1)
    found = sf.MixtureDiscriminant(1).fit(cut(X), cut(signs))
    assert found.classes_.tolist() == [-1, 1]
    assert_same_mixture(found, sf.MixtureDiscriminant(1).fit(X, signs), X)
    three = np.where(signs < 0, -1, y)
    found = sf.MixtureDiscriminant(1).fit(cut(X), cut(three))
    assert found.classes_.tolist() == [0, 1, 2]
    assert_same_mixture(found, sf.MixtureDiscriminant(1).fit(X, three), X)


def test_frames_name_their_columns():
    X, y, weight = blobs()
    columns = ["a", "b.x", "c"]
    whole = pd.DataFrame(X, columns=columns).assign(label=some_labels(y, "text"), weight=weight)
    frame = dd.from_pandas(whole, npartitions=4)
    found = sf.MixtureDiscriminant(2, random_state=0).fit(frame, "label", "weight")
    expected = sf.MixtureDiscriminant(2, random_state=0).fit(
        whole[columns], whole["label"], whole["weight"]
    )
    assert found.feature_names_in_.tolist() == columns
    assert_same_mixture(found, expected, whole[columns])
    mixture = sf.GaussianMixture(3, random_state=0)
    expected = clone(mixture).fit(whole[columns])
    for found in (
        clone(mixture).fit(frame[columns]),
        clone(mixture).fit(frame[[*columns, "label"]], "label"),
    ):
        assert found.feature_names_in_.tolist() == columns
        assert_same_mixture(found, expected, whole[columns])
    answer = clone(mixture).fit_predict(frame[columns])
    assert (answer.compute() == expected.predict(whole[columns])).all()
    with pytest.raises(InvalidParameter, match="call fit"):
        mixture.fit_predict(frame[[*columns, "weight"]], sample_weight="weight")


def test_an_empty_component_is_started_again_as_in_memory():
    X, _, _ = blobs()
    away = {"means_init": np.array([X.mean(axis=0), X.mean(axis=0) + 1e6])}
    mixture = sf.GaussianMixture(2, max_iter=30, **away)
    expected, got = clone(mixture).fit(X), clone(mixture).fit(cut(X))
    assert expected.weights_.min() > 1e-3
    assert np.abs(expected.means_ - X.mean(axis=0)).max() < 100
    assert_same_mixture(got, expected, X)


def test_progress_is_told_and_an_interrupted_fit_keeps_the_best_so_far():
    X, _, _ = blobs()
    seen, expected = [], []
    mixture = sf.GaussianMixture(3, tol=0.0, max_iter=6, n_init=2, random_state=0)
    clone(mixture).set_params(callback=expected.append).fit(X)
    clone(mixture).set_params(callback=seen.append).fit(cut(X))
    assert [(p.start, p.iteration) for p in seen] == [(p.start, p.iteration) for p in expected]
    levels = [p.log_likelihood for p in expected]
    np.testing.assert_allclose([p.log_likelihood for p in seen], levels, rtol=1e-12)

    def stop(progress):
        if (progress.start, progress.iteration) == (2, 2):
            raise KeyboardInterrupt

    with pytest.warns(RuntimeWarning, match="best model so far"):
        kept = clone(mixture).set_params(callback=stop).fit(cut(X))
    assert not kept.converged_
    assert kept.lower_bound_ == pytest.approx(max(levels[5], levels[7]), rel=1e-12)


def test_rows_are_read_once_a_pass():
    X, _, _ = blobs()
    read = []
    rows = cut(X).map_blocks(lambda part: read.append(len(part)) or part, meta=X[:0])
    model = sf.GaussianMixture(3, random_state=0).fit(rows)
    assert sum(read) == 900 * (1 + model.n_iter_)


def test_the_same_rows_give_the_same_bits_every_time():
    X, _, _ = blobs()
    models = [sf.GaussianMixture(3, random_state=0).fit(cut(X)) for _ in range(3)]
    assert len({pickle.dumps((m.means_, m.weights_, m.log_likelihoods_)) for m in models}) == 1


def test_what_is_wrong_is_told():
    X, y, _ = blobs()
    rows, wrong = cut(X), np.where(np.arange(900)[:, None] == 700, np.inf, X)
    none = np.full(900, -1)
    for error, message, ask in (
        (NotFinite, "partition 4: .* row 149", lambda: sf.GaussianMixture(2).fit(cut(wrong))),
        (TooFewRows, "n_components is 901", lambda: sf.GaussianMixture(901).fit(rows)),
        (TooFewRows, "all 900 rows .* same", lambda: sf.GaussianMixture(2).fit(cut(X * 0))),
        (InvalidLabels, "requires y", lambda: sf.MixtureDiscriminant().fit(rows, None)),
        (InvalidLabels, "none of the 900", lambda: sf.MixtureDiscriminant().fit(rows, none)),
        (InvalidParameter, "n_components", lambda: sf.MixtureDiscriminant("aic").fit(rows, y)),
        (InvalidParameter, "tol", lambda: sf.GaussianMixture(2, tol=-1).fit(rows)),
        (
            Mismatch,
            "partition 0 and partition 1: .*strings",
            lambda: sf.MixtureDiscriminant().fit([dask.delayed(X)] * 2, [y, y.astype(str)]),
        ),
    ):
        with pytest.raises(error, match=message):
            ask()
    model = sf.GaussianMixture(2, random_state=0).fit(X)
    before = pickle.dumps(model.__dict__)
    with pytest.raises(NotFinite):
        model.fit(cut(wrong))
    assert pickle.dumps(model.__dict__) == before


def test_rows_that_change_from_pass_to_pass_are_noticed():
    with pytest.raises(InvalidLabels, match=r"class 7 .*Persist"):
        Coding(np.arange(3), -1).codes([0, 7])


def test_adding_parts_leaves_them_as_they_were():
    X, _, _ = blobs(60)
    model = sf.GaussianMixture(2, random_state=0).fit(X)
    from suffice.models.densities import Densities

    components = Densities(model._model.components)
    recipe = Expectation(None, np.zeros(2, np.int64), components, "separate", False)
    parts = [recipe.of(X[:20], None, None), recipe.of(X[20:], None, None)]
    before = pickle.dumps(parts)
    total = recipe.added(*parts)
    assert pickle.dumps(parts) == before
    whole = recipe.of(X, None, None)
    np.testing.assert_allclose(total.square, whole.square, rtol=1e-12)
    assert total.log_likelihood == pytest.approx(whole.log_likelihood, rel=1e-13)
    assert total.weight.sum() == pytest.approx(60, rel=1e-13)


def surveyed(X, y, weight, cuts, seed=5):
    job = Job(Surveying(seed, True, -1))
    pieces = np.split(np.arange(len(X)), cuts)
    parts = [
        job.part(i, X[at], y[at], None if weight is None else weight[at])
        for i, at in enumerate(pieces)
    ]
    return found(job.together(parts))


def test_a_sample_does_not_depend_on_where_rows_are_cut(monkeypatch):
    monkeypatch.setattr(drawing, "MOST_ROWS", 200)
    monkeypatch.setattr(drawing, "FEWEST_OF_CLASS", 5)
    X, y, weight = blobs()
    whole = surveyed(X, y, weight, [])
    assert [len(one.keys) for one in whole.classes] == [50, 50, 50]
    order = np.random.default_rng(3).permutation(900)
    for other in (
        surveyed(X, y, weight, [10, 400, 401]),
        surveyed(X[order], y[order], weight[order], [100, 200, 777]),
    ):
        for a, b in zip(whole.classes, other.classes, strict=True):
            np.testing.assert_array_equal(a.rows, b.rows)
            np.testing.assert_array_equal(a.weights, b.weights)
            assert a.count == b.count
            assert a.weight == pytest.approx(b.weight, rel=1e-13)
    another = surveyed(X, y, weight, [], seed=6)
    assert not np.array_equal(whole.classes[0].rows, another.classes[0].rows)
    for one in whole.classes:
        assert one.weights.sum() * one.scale == pytest.approx(one.weight, rel=1e-13)


def test_every_row_has_the_same_chance_to_be_drawn():
    rng = np.random.default_rng(0)
    # Half of the rows are the same one.
    X = np.where(np.arange(400)[:, None] % 2 == 0, rng.standard_normal((400, 2)), 3.0)
    zeros, hits = np.zeros(400, np.int64), np.zeros(400)
    most, share_before = 40, drawing.MOST_ROWS
    drawing.MOST_ROWS, fewest, drawing.FEWEST_OF_CLASS = most, drawing.FEWEST_OF_CLASS, 1
    try:
        for seed in range(200):
            (one,) = drawn(as_features(X), None, zeros, 1, seed)
            assert len(one.keys) == most
            same = (one.rows == 3.0).all(axis=1)
            hits[1] += same.sum()
            hits[np.flatnonzero(np.isin(X[:, 0], one.rows[~same, 0]))] += 1
    finally:
        drawing.MOST_ROWS, drawing.FEWEST_OF_CLASS = share_before, fewest
    # 8000 draws, binomial: four standard deviations.
    assert abs(hits[1] - 4000) < 4 * np.sqrt(8000 / 4)
    each = hits[::2]
    assert abs(each.mean() - 20) < 1
    assert abs(each.var() / (20 * 0.9) - 1) < 0.4


def test_samples_are_bounded():
    assert share(1, 3) == drawing.MOST_ROWS
    assert share(4, 3) == drawing.MOST_ROWS // 4
    assert share(1, 1 << 12) * 8 * (1 << 12) == drawing.MOST_BYTES
    assert share(10**6, 3) == drawing.FEWEST_OF_CLASS
    nothing = Drawn.none(3)
    assert (nothing + nothing).first(5).count == 0


def test_a_start_from_a_sample_stands_for_all_rows(monkeypatch):
    monkeypatch.setattr(drawing, "MOST_ROWS", 300)
    rng = np.random.default_rng(1)
    y = np.where(rng.random(4000) < 0.05, 1, 0)
    X = (
        rng.standard_normal((4000, 2))
        + 6 * y[:, None]
        + 9 * (np.arange(4000) % 2)[:, None] * [1, 0]
    )
    rows = da.from_array(X, chunks=(900, 2))
    begun = []
    monkeypatch.setattr(
        sf.MixtureDiscriminant, "_learn", lambda self, lessons, plan: begun.append(lessons)
    )
    model = sf.MixtureDiscriminant(2, random_state=0)
    learn(_sums(rows, y), model, model._plan(), True, False)
    lessons = begun[0]
    assert isinstance(lessons, Partitions)
    assert lessons.count.tolist() == np.bincount(y).tolist()
    assert len(lessons.sample.X) == 2 * share(3, 2) < 300
    weight = np.bincount(lessons.beginning.codes, lessons.beginning.weights)
    np.testing.assert_allclose(weight, np.bincount(y), rtol=1e-12)
    assert lessons.sample.weights is None


def _sums(rows, y):
    from suffice.engines.dask import rows_of

    return rows_of(rows).over(y, None)


def test_more_rows_than_a_sample_holds_come_to_the_same_model(monkeypatch):
    monkeypatch.setattr(drawing, "MOST_ROWS", 150)
    X, y, weight = blobs(2000, offset=0.0)
    rows = da.from_array(X, chunks=(700, 3))
    effort = {"tol": 1e-4, "max_iter": 500, "random_state": 0}
    mixture = sf.GaussianMixture(6, n_init=2, **effort)
    expected = clone(mixture).set_params(n_init=8).fit(X, sample_weight=weight)
    got = clone(mixture).fit(rows, sample_weight=weight)
    assert got.lower_bound_ == pytest.approx(expected.lower_bound_, rel=1e-3)
    labels = np.where(np.arange(2000) % 2 == 0, -1, y)
    model = sf.MixtureDiscriminant("bic", n_init=2, **effort)
    got = clone(model).fit(rows, labels)
    assert got.component_classes_.tolist() == [0, 0, 1, 1, 2, 2]
    assert got.score(rows, y) == pytest.approx(clone(model).fit(X, labels).score(X, y), abs=2e-3)


@pytest.mark.parametrize("kind", ["full", "tied", "diag"])
def test_a_sample_may_miss_a_feature(kind, monkeypatch):
    monkeypatch.setattr(drawing, "MOST_ROWS", 50)
    monkeypatch.setattr(drawing, "FEWEST_OF_CLASS", 20)
    rng = np.random.default_rng(0)
    X = rng.standard_normal((3000, 3)) + 5 * (np.arange(3000) >= 1500)[:, None]
    X[np.arange(3000) % 600 > 0, 2] = np.nan
    mixture = sf.GaussianMixture(2, covariance_type=kind, random_state=0)
    found = clone(mixture).fit(da.from_array(X, chunks=(700, 3)))
    assert found.lower_bound_ == pytest.approx(clone(mixture).fit(X).lower_bound_, abs=5e-3)
    np.testing.assert_allclose(np.sort(found.means_[:, 0]), [0.0, 5.0], atol=0.1)


def falls_once(part, folder, block_info=None):
    """A partition that takes its worker with it when it is first read for the second time."""
    if block_info[0]["chunk-location"][0] == 1 and len(part):
        seen = len(list(Path(folder).iterdir()))
        Path(folder, f"{seen}-{os.getpid()}").touch()
        if seen == 1:
            os._exit(1)
    return part


def test_a_worker_lost_between_iterations_counts_nothing_twice(tmp_path):
    distributed = pytest.importorskip("distributed", reason="distributed is not installed")
    X, y, weight = blobs(300)
    traces = tmp_path / "traces"
    traces.mkdir()
    labels = some_labels(y, "text")
    model = sf.MixtureDiscriminant(2, random_state=0, max_iter=4, tol=0.0)
    with (
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
            local_directory=str(tmp_path),
            silence_logs=50,
        ) as workers,
        distributed.Client(workers, set_as_default=False) as client,
        client.as_current(),
        dask.config.set(scheduler=client.get),
    ):
        rows = da.from_array(X, chunks=(100, 3)).map_blocks(falls_once, str(traces), dtype=float)
        found = clone(model).fit(rows, da.from_array(labels, chunks=100), weight)
    assert len({path.name.split("-")[1] for path in traces.iterdir()}) > 1
    assert_same_mixture(found, clone(model).fit(X, labels, weight), X)
