"""Crafted files: small ones, with checksums that fit, that ask for much memory or time.

Each builder returns the bytes of one. To measure all of them:

    PYTHONPATH=tests python tests/fuzz/crafted_files.py
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
import tracemalloc
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.pipeline import make_pipeline

import suffice as sf
from forged import below, parts_of, resealed, with_field, with_parts, without
from suffice.errors import SufficeError
from suffice.estimators.files import file_of
from suffice.statistics.storage.container import _START, pack, unpack
from suffice.statistics.storage.texts import write_texts

# What a load may take: this many times the size of the file, and this many bytes.
TIMES = 8
FREE = 50 << 20

RNG = np.random.default_rng(3)
X = RNG.normal(size=(60, 3)) + np.arange(60)[:, None] % 3
Y = np.array(["ant", "bee", "cat"])[np.arange(60) % 3]
GAPS = np.where(RNG.random(X.shape) < 0.2, np.nan, X)
CODES = RNG.integers(0, 3, X.shape)
MIXED = pd.DataFrame({"size": X[:, 0], "colour": np.array(["red", "blue"])[CODES[:, 0] % 2]})

BUILDERS = {}


def crafted(build):
    """Take a builder to the list, under its name in words."""
    BUILDERS[build.__name__.replace("_", " ")] = build
    return build


def contents(model):
    return unpack(file_of(model), "it")


def changed(model, fields=None, **arrays):
    """The file of a model with other fields and arrays; dots in names are given as __."""
    header, own = contents(model)
    own |= {name.replace("__", "."): array for name, array in arrays.items()}
    for path, node in (fields or {}).items():
        header = with_field(header, path, node)
    return pack(header, {name: array for name, array in own.items() if array is not None})


def diagonal(k, d, labels, prefix=""):
    """Arrays of statistics of k classes of one row each, d features."""
    own = {"count": np.ones(k, np.int64), "weight": np.ones(k)}
    own |= dict.fromkeys(("means.high", "means.low", "spread.sums.high"), np.zeros((k, d)))
    return {f"{prefix}{name}": array for name, array in (own | labels).items()}


def labelled(header, path, labels):
    """The header of statistics with these labels."""
    form = "texts" if "classes.ends" in labels else "C"
    return with_field(header, path, {"array": form})


def statistics(k, d, labels, **fields):
    header, _ = contents(sf.summarize(X, Y, detail="diagonal"))
    return pack(labelled(header, "classes", labels) | fields, diagonal(k, d, labels))


def classifier(k, d, labels):
    header, _ = contents(sf.GaussianNB().fit(X, Y))
    header = labelled(header, "content.statistics.classes", labels)
    return pack(header, diagonal(k, d, labels, "content.statistics."))


def names(k, longest=0, width=6):
    found = [f"{i:0{width}d}" for i in range(k)]
    return write_texts("classes", [*found[:-1], found[-1] + "z" * longest])


def headed(text: str) -> bytes:
    """A file of nothing but a header."""
    inner = json.dumps("0" * 64 + text)[1:]
    head = _START + inner.encode() + b"}}"
    head += b" " * (-len(head) % 8)
    return resealed(len(head).to_bytes(8, "little") + head)


def tabled(entries: str) -> bytes:
    """A file whose table of arrays is long."""
    inner = json.dumps("0" * 64 + '{"format": 3, "signed": false, "kind": "Statistics"}')[1:]
    head = _START + inner.encode() + b"}," + entries.encode() + b"}"
    head += b" " * (-len(head) % 8)
    return resealed(len(head).to_bytes(8, "little") + head)


@crafted
def a_long_label_among_many():
    return statistics(1000, 1, names(1000, 370_000))


@crafted
def a_long_label_of_two():
    return statistics(2, 1, names(2, 370_000))


@crafted
def a_long_label_of_a_model():
    return classifier(2, 1, names(2, 370_000))


@crafted
def a_label_as_long_as_may_be_among_many():
    return classifier(5000, 1, names(5000, 1000))


@crafted
def labels_as_long_as_may_be():
    return classifier(3000, 1, names(3000, 0, 1000))


@crafted
def many_classes():
    return classifier(50_000, 1, {"classes": np.arange(50_000)})


@crafted
def many_classes_by_text():
    return classifier(30_000, 1, names(30_000))


@crafted
def many_features():
    return classifier(1, 60_000, {"classes": np.arange(1)})


@crafted
def many_names():
    texts = [f"{i:x}" for i in range(60_000)]
    labels = {"classes": np.arange(1), **write_texts("feature_names", texts)}
    return statistics(1, 60_000, labels, feature_names={"tuple": "texts"})


@crafted
def more_names_than_features():
    texts = [f"{i:x}" for i in range(300_000)]
    labels = {"classes": np.arange(1), **write_texts("feature_names", texts)}
    return statistics(1, 1, labels, feature_names={"tuple": "texts"})


def lists(part, size):
    return (
        '{"format": 3, "signed": false, "kind": [' + ",".join([part] * (size // len(part))) + "]}"
    )


@crafted
def a_header_of_lists():
    return headed(lists("[]", 20 << 20))


@crafted
def a_small_header_of_lists():
    return headed(lists("[]", 340_000))


@crafted
def a_small_header_of_mappings():
    return headed(lists("{}", 340_000))


@crafted
def a_small_header_of_numbers():
    return headed(lists("999", 380_000))


@crafted
def a_small_header_of_fractions():
    return headed(lists("1.5", 380_000))


@crafted
def a_small_header_of_texts():
    return headed(lists('"ab"', 280_000))


@crafted
def a_header_of_keys():
    keys = ",".join(f'"{i:x}":0' for i in range(40_000))
    return headed('{"format": 3, "signed": false, "kind": {' + keys + "}}")


@crafted
def a_header_of_large_numbers():
    return headed(lists("9" * 4000, 500_000))


@crafted
def a_deep_header():
    return headed('{"format": 3, "kind": ' + "[" * 200_000)


@crafted
def a_header_of_wide_letters():
    return headed('{"format": 3, "signed": false, "kind": "' + "\U0001f600" * 40_000 + '"}')


@crafted
def a_table_of_empty_arrays():
    entry = '"{:x}":{{"dtype":"F64","shape":[0],"data_offsets":[0,0]}}'
    return tabled(",".join(entry.format(i) for i in range(9000)))


@crafted
def a_table_of_many_empty_arrays():
    entry = '"{:x}":{{"dtype":"F64","shape":[0],"data_offsets":[0,0]}}'
    return tabled(",".join(entry.format(i) for i in range(90_000)))


@crafted
def an_array_of_no_rows_and_many_columns():
    return tabled('"mean":{"dtype":"F64","shape":[0,1152921504606846976],"data_offsets":[0,0]}')


@crafted
def an_array_larger_than_the_file():
    return tabled('"mean":{"dtype":"F64","shape":[1073741824],"data_offsets":[0,8589934592]}')


@crafted
def no_classes_and_many_features():
    s = sf.summarize(X, Y, detail="diagonal")
    header, arrays = contents(s - s)
    wide = {n: np.zeros((0, 1 << 20)) for n, a in arrays.items() if a.ndim == 2}
    return pack(header, arrays | wide)


@crafted
def zeros():
    return bytes(20 << 20)


@crafted
def noise():
    return np.random.default_rng(0).bytes(20 << 20)


@crafted
def features_of_no_value():
    s = sf.summarize(GAPS, Y, detail="diagonal")
    return changed(s, {"parts.n_features": 1 << 24})


@crafted
def fewer_features_of_no_value():
    s = sf.summarize(GAPS, Y, detail="diagonal")
    return changed(s, {"parts.n_features": 1 << 17})


PARTS = "parts.parts.values"
KEYS = "parts.parts.keys"


@crafted
def features_of_no_pattern():
    s = sf.summarize(GAPS, Y)
    header, arrays = contents(s)
    header = with_field(header, "parts.n_features", 1 << 24)
    none = {"mapping": [{"list": []}, {"list": []}]}
    return pack(with_field(header, "parts.parts", none), without("parts.parts", arrays))


@crafted
def features_of_a_long_pattern():
    s = sf.summarize(GAPS, Y)
    d = 1 << 22
    header, arrays = contents(s)
    keys = {KEYS: np.full(d // 8, 255, np.uint8), f"{KEYS}.ends": np.array([d // 8])}
    one = with_parts(PARTS, arrays, parts_of(PARTS, arrays)[:1], arrays[f"{PARTS}#form"][:1])
    return pack(with_field(header, "parts.n_features", d), one | keys)


def gapped_parts(count, labels, k):
    """Statistics with gaps of many patterns, each with one row of the last class."""
    s = sf.summarize([[1.0, np.nan], [np.nan, 1.0]], [0, 0])
    header, arrays = contents(s)
    text = "classes.ends" in labels
    own = {".classes": np.array([k - 1])}
    if text:
        last = labels["classes"][labels["classes.ends"][-2] :]
        own = {".classes": last, ".classes.ends": np.array([len(last)])}
        header = with_field(header, "rows.classes", {"array": "texts"})
        header["parts"]["parts"]["mapping"][1]["list"]["forms"][0]["classes"] = {"array": "texts"}
    one = parts_of(PARTS, arrays)[0] | own
    d = 8 * 3
    bits = [(i, j) for i in range(d) for j in range(i)][::-1]
    single = [1 << i for i in range(d)]
    found = sorted([*single, *(1 << i | 1 << j for i, j in bits)])[:count]
    two = {n: np.repeat(a, 2, axis=1) if a.ndim == 2 else a for n, a in one.items()}
    parts = [one if int(key).bit_count() == 1 else two for key in found]
    known = b"".join(int(key).to_bytes(3, "big") for key in found)
    keys = {KEYS: np.frombuffer(known, np.uint8), f"{KEYS}.ends": 3 * (1 + np.arange(len(found)))}
    zeros = dict.fromkeys(("means.high", "means.low", "spread.sums.high"), np.zeros((k, 1)))
    whole = {"count": np.full(k, len(found)), "weight": np.full(k, float(len(found)))}
    rows = {f"rows.{name}": array for name, array in (whole | zeros | labels).items()}
    own = with_parts(PARTS, arrays, parts, np.zeros(len(parts), np.int64))
    return pack(with_field(header, "parts.n_features", d), own | rows | keys)


@crafted
def many_patterns():
    return gapped_parts(300, {"classes": np.arange(1)}, 1)


@crafted
def many_patterns_of_a_long_label():
    return gapped_parts(300, names(200, 1000), 200)


@crafted
def a_level_of_a_million():
    codes = CODES.copy()
    codes[0] = 1_000_000
    return file_of(sf.CategoricalNB().fit(codes, Y))


@crafted
def categories_that_are_not_there():
    model = sf.CategoricalNB().fit(CODES, Y)
    header, arrays = contents(model)
    header["parameters"]["names"]["min_categories"] = 10**9
    return pack(header, arrays)


@crafted
def levels_of_a_long_text():
    texts = [*(f"{i:05d}" for i in range(20_000)), "z" * 300_000]
    header, arrays = contents(make_pipeline(sf.Indicators(), sf.LDA()).fit(MIXED, Y))
    path = "steps.indicators.content.levels"
    levels = {f".each{n}": a for n, a in write_texts("", texts).items()}
    return pack(header, with_parts(path, arrays, [levels]))


@crafted
def levels_of_many_features():
    d = 40_000
    header, arrays = contents(sf.count_levels(CODES, Y))
    none = {".levels": np.zeros(0, np.int64), ".rows": np.zeros((3, 0), np.int64)}
    none |= {".weight": np.zeros((3, 0)), ".declared": np.zeros(0, np.bool_)}
    return pack(header, with_parts("tables", arrays, [none] * d, np.zeros(d, np.int64)))


@crafted
def values_of_nothing():
    header, arrays = contents(sf.count_levels(CODES, Y))
    form = {"tuple": {"forms": [{"list": [0] * 10_000}]}}
    own = without("tables", arrays) | {"tables#form": np.zeros(100_000, np.int64)}
    return pack(with_field(header, "tables", form), own)


@crafted
def a_factor_of_many_groups():
    s = sf.summarize(X[:3].repeat(9, axis=1), Y[:3])
    return changed(s, {"spread.groups": 2**40})


@crafted
def sizes_of_levels_that_are_not_there():
    s = sf.count_levels(CODES, Y)
    header, arrays = contents(s)
    return pack(header, arrays | {"tables#shapes.levels": np.array([[1, 2**62]] * 3)})


@crafted
def components_that_are_not_there():
    model = sf.GaussianMixture(2, random_state=0).fit(X)
    header, arrays = contents(model)
    header["parameters"]["names"] |= {"n_components": 10**9, "max_iter": 10**9, "n_init": 10**9}
    return pack(header, arrays)


@crafted
def an_effort_without_end():
    model = sf.GaussianMixture(2, random_state=0).fit(X)
    header, arrays = contents(model)
    header["parameters"]["names"] |= {"max_iter": 10**30, "n_init": 10**30}
    return pack(header, arrays)


@crafted
def many_components():
    model = sf.GaussianMixture(2, covariance_type="diag", random_state=0).fit(X)
    header, arrays = contents(model)
    K = 8000
    header["parameters"]["names"]["n_components"] = K
    for name in ("mixture.shares", "mixture.components.priors", "component_weight"):
        arrays[f"content.{name}"] = np.full(K, 1 / K)
    arrays["content.mixture.owner"] = np.zeros(K, np.int64)
    arrays["content.mixture.components.means"] = RNG.normal(size=(K, 3))
    arrays["content.mixture.components.means_low"] = np.zeros((K, 3))
    arrays["content.mixture.components.classes"] = np.arange(K)
    path, one = "content.mixture.components.covariances", {".variances": np.ones(3)}
    return pack(header, with_parts(path, arrays, [one] * K, np.zeros(K, np.int64)))


@crafted
def shapes_whose_product_overflows():
    model = sf.GaussianMixture(2, random_state=0).fit(X)
    header, arrays = contents(model)
    shapes = np.array([[2, 2**20, 2**20], [2, 2**62, 4]])
    path = "content.mixture.components.covariances#shapes.whitener.factor"
    return pack(header, arrays | {path: shapes})


def repeated(form, arrays):
    """A model with a parameter of many values that a single array of a few bytes describes."""
    header, own = contents(sf.LDA().fit(X, Y))
    header["parameters"]["names"]["priors"] = {"list": {"forms": [form]}}
    own |= {"parameters.priors#form": np.zeros(2000, np.int64)}
    return pack(header, own | {f"parameters.priors{name}": a for name, a in arrays.items()})


@crafted
def texts_told_again_and_again():
    return repeated({"array": "texts"}, write_texts(".each", ["z" * 90_000]))


@crafted
def lists_told_again_and_again():
    return repeated({"list": "numbers"}, {".each": np.arange(40_000.0)})


@crafted
def lists_of_the_header_told_again_and_again():
    return repeated({"list": [0] * 40_000}, {})


@crafted
def priors_by_label():
    k = 20_000
    header, _ = contents(sf.GaussianNB().fit(X, Y))
    texts = [f"{i:06d}" for i in range(k)]
    header["parameters"]["names"]["priors"] = {"mapping": [{"list": "texts"}, {"list": "numbers"}]}
    own = write_texts("parameters.priors.keys", texts)
    own |= {"parameters.priors.values": np.full(k, 1 / k)}
    labels = write_texts("classes", texts)
    header = labelled(header, "content.statistics.classes", labels)
    return pack(header, diagonal(k, 1, labels, "content.statistics.") | own)


@crafted
def many_folds():
    model = sf.GaussianDiscriminant(shrinkage="cv").fit(X, Y)
    header, arrays = contents(model)
    scores = "content.selection.scores."
    n = len(arrays[f"{scores}accuracy"])
    wide = {name: np.zeros((n, 5000)) for name in arrays if name.startswith(scores)}
    return pack(header, arrays | wide)


def thin(k, d):
    return np.zeros((k, d)) + np.arange(k)[:, None]


@crafted
def few_rows_of_many_features():
    return file_of(
        sf.QDA(shrinkage=0.5).fit(thin(60, 500) + RNG.normal(size=(60, 500)), [0, 1] * 30)
    )


@crafted
def matrices_of_single_rows():
    k, d = 200, 500
    labels = np.minimum(np.arange(k), k - 2)  # one class has two rows
    return file_of(sf.QDA(shrinkage=0.5).partial_fit(thin(k, d), labels))


@crafted
def one_large_matrix():
    return file_of(sf.LDA().fit(RNG.normal(size=(900, 400)), np.arange(900) % 2))


@crafted
def one_large_factor():
    rows = RNG.normal(size=(500, 300))
    return file_of(sf.GaussianMixture(1, random_state=0, max_iter=2, tol=1e3).fit(rows))


def gapped(rows=300, d=6):
    values = RNG.normal(size=(rows, d)) + np.arange(rows)[:, None] % 2
    return np.where(RNG.random(values.shape) < 0.4, np.nan, values)


@crafted
def a_model_of_rows_with_gaps():
    return file_of(sf.QDA(shrinkage="oas").fit(gapped(), np.arange(300) % 2))


@crafted
def a_bayesian_model_of_rows_with_gaps():
    return file_of(sf.BayesianDiscriminant().fit(gapped(), np.arange(300) % 2))


COMPLETED = "content.built.completed"


@crafted
def rows_with_gaps_that_em_has_not_seen():
    header, arrays = contents(sf.QDA(shrinkage="oas").fit(gapped(), np.arange(300) % 2))
    return pack(with_field(header, COMPLETED, None), without(COMPLETED, arrays))


@crafted
def rows_with_gaps_of_which_nothing_was_made():
    header, arrays = contents(sf.QDA(shrinkage="oas").fit(gapped(), np.arange(300) % 2))
    header = with_field(header, "content.built.is_built", False)
    return pack(with_field(header, COMPLETED, None), without(COMPLETED, arrays))


@crafted
def a_pipeline_of_many_steps():
    pipeline = make_pipeline(sf.Indicators(), sf.LDA()).fit(MIXED, Y)
    header, arrays = contents(pipeline)
    step, own = header["steps"]["names"]["indicators"], below("steps.indicators", arrays)
    all_own = {f"steps.s{i}{name}": array for i in range(150) for name, array in own.items()}
    steps = {"names": {f"s{i}": step for i in range(150)}}
    return pack(with_field(header, "steps", steps), all_own)


@crafted
def mixed_features_that_are_not_there():
    header, arrays = contents(sf.MixedNB().fit(MIXED, Y))
    path = "content.statistics.layout.parts"
    header = with_field(header, f"{path}.names.numeric", {"tuple": "numbers"})
    return pack(header, arrays | {f"{path}.numeric": np.arange(400_000)})


@crafted
def counts_beyond_all_rows():
    return changed(sf.summarize(X, Y), count=np.full(3, 2**62))


def rows_to_ask(model):
    """Rows that a model may be asked about."""
    d = getattr(model, "n_features_in_", 1)
    steps = getattr(model, "steps", None)
    if steps is not None:
        return MIXED.iloc[:5]
    return np.zeros((5, d)) if getattr(model, "feature_names_in_", None) is None else MIXED.iloc[:5]


def measured(data: bytes, traced: bool = True) -> tuple[str, int, int, float, float]:
    """What became of a file, the most bytes that loading and asking took, and their seconds."""
    path = Path(tempfile.mkdtemp()) / "crafted"
    path.write_bytes(data)
    del data
    if traced:
        tracemalloc.start()
    start = time.process_time()
    try:
        found, became = sf.load(path), "loaded"
    except SufficeError as error:
        found, became = None, f"refused: {error}"
    loading = time.process_time() - start
    most = tracemalloc.get_traced_memory()[1]
    if traced:
        tracemalloc.reset_peak()
    if hasattr(found, "predict"):
        try:
            found.predict(rows_to_ask(found))
        except SufficeError as error:
            became = f"loaded, then {error}"
    asking = time.process_time() - start - loading
    then = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    path.unlink()
    path.parent.rmdir()
    return became, most, then, loading, asking


if __name__ == "__main__":
    for name, build in BUILDERS.items():
        if len(sys.argv) > 1 and sys.argv[1] not in name:
            continue
        data = build()
        _, _, _, loading, asking = measured(data, traced=False)
        became, most, then, _, _ = measured(data)
        allowed = TIMES * len(data) + FREE
        print(
            f"{name:42s} {len(data) / 1e6:6.3f} MB  load {most / 1e6:6.1f} MB "
            f"({most / allowed:4.0%}) {loading:5.2f} s  "
            f"ask {then / 1e6:6.1f} MB {asking:5.2f} s  {became[:200]}"
        )
