"""Statistics of tables with levels: an algebra in which levels come and go."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import suffice as sf
from lawful import examples
from suffice.data.columns.description import describe
from suffice.data.tables.encoding import Encoding
from suffice.data.tables.table_rows import TableReader
from suffice.errors import InvalidFeatures, InvalidParameter, Mismatch, NeverIncluded
from suffice.statistics.exact.grid import Grid
from suffice.statistics.summarize import summarize, summarize_table
from suffice.statistics.table_statistics import TableStatistics

COLOURS = ["amber", "blue", "cyan", "dun"]
READER = TableReader.of(pd.DataFrame({"size": [1.0, 2.0], "colour": ["blue", "dun"]}))
DETAILS = ("separate", "shared", "diagonal")


def table(n, colours=COLOURS, gaps=0.0, seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"size": rng.normal(size=n), "colour": rng.choice(colours, n)})
    X.loc[rng.random(n) < gaps, "colour"] = None
    X.loc[rng.random(n) < gaps, "size"] = np.nan
    return X, rng.choice(["no", "yes"], n)


def statistics(X, y, detail="separate", weights=None):
    return summarize_table(READER.read(X), y, weights, detail, READER)


@pytest.mark.parametrize("gaps", [0.0, 0.2])
@pytest.mark.parametrize("detail", DETAILS)
def test_levels_that_one_side_has_never_seen_merge_exactly(detail, gaps):
    X, y = table(60, ["amber", "blue"], gaps)
    Z, z = table(50, ["blue", "cyan"], gaps, seed=1)
    whole = statistics(pd.concat([X, Z]), np.concatenate([y, z]), detail)
    assert statistics(X, y, detail) + statistics(Z, z, detail) == whole
    assert statistics(Z, z, detail) + statistics(X, y, detail) == whole
    assert [level for own in whole.known_levels for level in own] == ["amber", "blue", "cyan"]


@pytest.mark.parametrize("gaps", [0.0, 0.2])
@pytest.mark.parametrize("detail", DETAILS)
def test_levels_that_only_removed_rows_had_are_removed(detail, gaps):
    X, y = table(60, ["amber", "blue"], gaps)
    Z, z = table(50, ["blue", "cyan"], gaps, seed=1)
    left = (statistics(X, y, detail) + statistics(Z, z, detail)) - statistics(Z, z, detail)
    assert left == statistics(X, y, detail)
    assert left.every.feature_names == ("size", "colour=amber", "colour=blue")


@pytest.mark.parametrize("gaps", [0.0, 0.2])
@pytest.mark.parametrize("detail", DETAILS)
def test_models_take_the_statistics_of_encoded_rows(detail, gaps):
    X, y = table(300, gaps=gaps)
    X.loc[:5, "colour"] = ["even", "fawn", "even", None, "fawn", "even"]  # too rare to stand alone
    s = statistics(X, y, detail)
    rows = Encoding(READER, s.groups).encode(X)
    assert s.numbers.feature_names == (
        *("size", "colour=blue", "colour=cyan", "colour=dun", "colour=other"),
    )
    direct = summarize(rows, y, detail=detail).named(s.numbers.feature_names)
    assert direct == s.numbers


def test_weighted_rows_count_in_units_of_their_mean_weight():
    X, y = table(300)
    plain = statistics(X, y)
    light = statistics(X, y, weights=np.full(300, 1e-6))
    assert [own.labels for own in light.groups] == [own.labels for own in plain.groups]


@settings(max_examples=examples(40), deadline=None)
@given(st.lists(st.tuples(st.sampled_from([*COLOURS, None]), st.integers(0, 1)), min_size=2))
def test_any_split_of_any_rows_adds_up(cells):
    half = len(cells) // 2
    colours, y = zip(*cells, strict=True)
    X = pd.DataFrame({"size": np.arange(len(cells), dtype=float), "colour": colours}, dtype=object)
    parts = [statistics(X[at], y[at]) for at in (slice(half), slice(half, None))]
    assert parts[0] + parts[1] == statistics(X, y)


def test_a_column_without_any_level_so_far_is_missing_in_these_rows():
    X, y = table(20)
    bare = X.assign(colour=None)
    total = statistics(bare, y) + statistics(X, y)
    assert total == statistics(pd.concat([bare, X]), np.concatenate([y, y]))
    assert total.every.known_count.sum(axis=0).tolist() == [40, 20, 20, 20, 20]


def test_removing_a_level_that_was_never_added_is_refused():
    X, y = table(30, ["amber", "blue"])
    with pytest.raises(NeverIncluded, match=r"column 'colour'.*'cyan'"):
        statistics(X, y) - statistics(X.assign(colour="cyan"), y)


def test_statistics_of_different_columns_do_not_merge():
    X, y = table(30)
    Z = X.rename(columns={"colour": "hue"})
    other = TableReader.of(Z)
    with pytest.raises(Mismatch, match="different columns"):
        statistics(X, y) + summarize_table(other.read(Z), y, None, "separate", other)


@pytest.mark.parametrize("gaps", [0.0, 0.2])
@pytest.mark.parametrize("detail", DETAILS)
@pytest.mark.parametrize("grid", [None, Grid(-9, 9)])
def test_some_columns_are_selected_as_if_the_others_had_not_been_there(gaps, detail, grid):
    X, y = table(80, gaps=gaps)
    X["shade"] = np.where(X["size"] > 0, "dark", "light")
    X["n"] = np.arange(80) % 7
    columns = describe(X)
    whole = summarize(X, y, detail=detail, columns=columns, grid=grid)
    for names in (["n", "colour"], ["shade", "size"], ["colour", "shade"], ["size"]):
        alone = summarize(X[names], y, detail=detail, columns=describe(X[names]), grid=grid)
        some = whole.select(names)
        if isinstance(alone, TableStatistics):
            assert some == alone
            assert grid is None or some.digest() == alone.digest()
        at = [[*X.columns].index(name) for name in names]
        assert whole.select(at) == some
    with pytest.raises(InvalidParameter, match="no feature 'hue'"):
        whole.select(["hue"])


@pytest.mark.parametrize("numeric", [False, True])
@pytest.mark.parametrize("detail", DETAILS)
@pytest.mark.parametrize("grid", [None, Grid(0, 10)])
def test_rows_without_any_value_come_and_go_like_others(tmp_path, grid, detail, numeric):
    nothing = np.nan
    rows = pd.DataFrame({"c": ["a", "b", None, "a", None, "b"], "d": ["u", "v", None] * 2})
    rows["c"] = rows["c"].where(rows["d"].notna())
    if numeric:
        rows["n"] = [1.0, 2.0, nothing, 3.0, nothing, 5.0]
    rows.loc[4] = None
    y, empty = np.array(["p", "q", "p", "q", "q", "p"]), np.array([0, 0, 1, 0, 1, 0], bool)
    columns = sf.describe(rows)

    def of(chosen):
        return summarize(rows[chosen], y[chosen], detail=detail, columns=columns, grid=grid)

    every, some, none = of(empty | True), of(~empty), of(empty)
    for left, right in (
        (some + none, every),
        (none + some, every),
        (every - none, some),
        (every - some, none),
        (none - of(np.arange(6) == 2), of(np.arange(6) == 4)),
        (none.select(["d"]) + some.select(["d"]), every.select(["d"])),
    ):
        assert left == right
        assert grid is None or left.digest() == right.digest()
    none.save(tmp_path / "none.stats")
    assert sf.load(tmp_path / "none.stats") == none
    assert none.count.tolist() == [1, 1]
    if detail != "shared":
        assert every.drop_class("p") == of(y != "p")
        assert none.drop_class("p") == of(empty & (y != "p"))
    if not numeric:
        with pytest.raises(InvalidFeatures, match="no row has a value in 'c', 'd'; fit the model"):
            _ = none.numbers


@pytest.mark.parametrize("grid", [None, Grid(0, 1)])
def test_a_model_forgets_a_row_without_any_value(grid):
    X, y = table(60, gaps=0.2)
    X = X[["colour"]].astype(object)
    X.loc[7] = None
    kept = np.arange(60) != 7
    model = sf.LDA(grid=grid).fit(X, y)
    model.forget(X[7:8], y[7:8])
    assert model.statistics_ == sf.LDA(grid=grid).fit(X[kept], y[kept]).statistics_


def test_levels_that_are_all_rare_are_said_to_be():
    rows = pd.DataFrame({"c": ["a", "b", "b", "a"]})
    with pytest.raises(InvalidFeatures, match=r"'c' have one level.*fewer than 10 rows.*MixedNB"):
        sf.LDA().fit(rows, [0, 1, 0, 1])
