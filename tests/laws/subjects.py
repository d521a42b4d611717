"""What the laws are about: estimators, rows that suit them, and when two of them are the same."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from sklearn.base import clone

import suffice as sf
from closeness import near
from lawful import LABELS, Rows, rows

# The Gaussian family

# Those for which the units of features do not matter.
UNITLESS = [
    sf.LDA(),
    sf.QDA(),
    sf.GaussianNB(),
    sf.DiagonalLDA(),
    sf.GaussianDiscriminant(pooling=0.4),
    sf.GaussianDiscriminant(structure="diagonal", pooling=0.4, ddof=1),
    sf.LDA(shrinkage=0.3, target="diagonal"),
    sf.QDA(shrinkage="oas", target="diagonal"),
]
FAMILY = [
    *UNITLESS,
    sf.LDA(shrinkage="auto", ddof=1),
    sf.QDA(shrinkage="ledoit-wolf"),
    sf.QDA(reg_param=0.1),
    sf.DiagonalLDA(shrinkage="oas"),
    sf.GaussianDiscriminant(pooling=0.4, shrinkage=0.2, ddof=1, priors="uniform"),
    sf.GaussianDiscriminant(structure="spherical", pooling=0.4),
    sf.GaussianDiscriminant(structure="spherical", pooling=1.0, shrinkage="oas"),
]

# Models of levels, or of numbers and levels

LEVELS = {
    "strings": ["", "blue", "red", "a long name"],
    "integers": [0, 1, 4],
    "halves": [0, 0.5, 2, 3],
    "booleans": [False, True],
    "bits": [0.0, 1.0],
}
WEIGHTS = (None, [0.5, 1.0, 4.5], [1e-6, 1.0, 1e6])


class Table(Rows):
    """Rows of numbers and levels; None where a value is missing."""

    def __init__(self, X, y, w, Q, kinds, alpha):
        super().__init__(X, y, w, Q)
        self.kinds, self.alpha = kinds, alpha  # by column

    def columns(self, at):
        kinds, alpha = [self.kinds[j] for j in at], self.alpha[at]
        return Table(self.X[:, at], self.y, self.w, self.Q[:, at], kinds, alpha)

    @property
    def discrete(self):
        return [j for j, kind in enumerate(self.kinds) if kind != "numbers"]


class Case:
    """An estimator, and the columns it takes."""

    def __init__(self, kinds, estimator, by_feature=False):
        self.kinds, self.estimator, self.by_feature = kinds, estimator, by_feature

    def of(self, table):
        """The estimator for a table: some parameters name its columns."""
        model = clone(self.estimator)
        if isinstance(model, sf.MixedNB):
            model.set_params(categorical=table.discrete)
        return model.set_params(alpha=table.alpha[table.discrete]) if self.by_feature else model


NAMES = ("strings", "integers", "halves", "booleans")
MIXED = ("numbers", *NAMES)
CASES = {
    "binary": Case(["bits"], sf.BernoulliNB()),
    "binary, unsmoothed": Case(["bits"], sf.BernoulliNB(alpha=0, binarize=None)),
    "levels": Case(NAMES, sf.CategoricalNB()),
    "levels, by feature": Case(NAMES, sf.CategoricalNB(), by_feature=True),
    "levels, unsmoothed": Case(NAMES, sf.CategoricalNB(alpha=0, fit_prior=False)),
    "mixed": Case(MIXED, sf.MixedNB()),
    "mixed, by feature": Case(MIXED, sf.MixedNB(pooling=0.3, priors="uniform"), by_feature=True),
    "mixed, unsmoothed": Case(MIXED, sf.MixedNB(alpha=0)),
    "mixed, full": Case(MIXED, sf.MixedNB(structure="full", pooling=1.0)),
}


def column(rng, kind, y, gaps):
    """Values that lean on the class, some of them missing."""
    n = len(y)
    if kind == "numbers":
        values = (rng.normal(size=n) + y).astype(object)
    else:
        levels = np.array(LEVELS[kind], dtype=object)
        values = levels[(rng.integers(0, len(levels), n) * rng.integers(0, 2, n) + y) % len(levels)]
    values[rng.random(n) < gaps] = None
    return values


@st.composite
def tables(draw, case, weighted=True):
    """Rows of two or three classes, some of one row; levels and classes may come late.

    The first three rows are of one class and know their numbers, so that any prefix has a model.
    """
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    k, kinds = draw(st.integers(2, 3)), CASES[case].kinds
    kinds = draw(st.lists(st.sampled_from(kinds), min_size=1, max_size=4))
    sizes = [draw(st.integers(1, 7)) for _ in range(k)]
    y = np.concatenate([[0, 0, 0], rng.permutation(np.repeat(np.arange(k), sizes))])
    n, gaps = len(y), draw(st.sampled_from([0.0, 0.2, 0.6]))
    some = np.concatenate([y, rng.integers(0, k, 6)])
    both = np.empty((n + 6, len(kinds)), object)
    for j, kind in enumerate(kinds):
        # Of a full covariance with gaps there are estimates by EM only.
        full = kind == "numbers" and case == "mixed, full"
        both[:, j] = column(rng, kind, some, 0.0 if full else gaps)
        if kind == "numbers":
            both[:3, j] = rng.normal(size=3)
    # Extreme ones leave next to nothing of a full covariance but a few rows.
    weights = draw(st.sampled_from(WEIGHTS[: 2 if "full" in case else 3])) if weighted else None
    w = None if weights is None else rng.choice(weights, n)
    if case.startswith("binary"):
        both = both.astype(np.float64)
    labels = draw(st.sampled_from(LABELS))[y]
    return Table(both[:n], labels, w, both, kinds, rng.choice([0.0, 0.1, 1.0, 5.0], len(kinds)))


class Gaussian:
    """A member of the Gaussian family, for any rows of numbers."""

    def __init__(self, estimator):
        self.estimator = estimator

    def __repr__(self):
        return repr(self.estimator)

    def rows(self, weighted=None):
        return rows(weighted=weighted)

    def of(self, table):
        return clone(self.estimator)

    def check_same(self, a, b, Q, tolerance=1e-8):
        """The same classes, parameters and answers, relative to the largest."""
        near(a.means_, b.means_, 1e-11)
        near(a.covariances_, b.covariances_, tolerance)
        assert list(a.borrowed_classes_) == list(b.borrowed_classes_)
        check_same(a, b, Q, tolerance)


class Levelled:
    """A model of levels, or of numbers and levels."""

    def __init__(self, case):
        self.case = case

    def __repr__(self):
        return self.case

    def rows(self, weighted=None):
        return tables(self.case, weighted is not False)

    def of(self, table):
        return CASES[self.case].of(table)

    def check_same(self, a, b, Q, tolerance=1e-9):
        check_same(a, b, Q, tolerance, max(tolerance, 1e-12))


SUBJECTS = [*map(Gaussian, FAMILY), *map(Levelled, CASES)]


def check_same(a, b, Q, tolerance=1e-9, priors=1e-12):
    """The same classes, levels and answers, relative to the largest."""
    assert np.array_equal(a.classes_, b.classes_)
    for mine, theirs in zip(getattr(a, "levels_", []), getattr(b, "levels_", []), strict=True):
        assert np.array_equal(mine, theirs)
    near(a.priors_, b.priors_, priors)
    near(a.predict_joint_log_proba(Q), b.predict_joint_log_proba(Q), tolerance)
    near(a.predict_log_proba(Q), b.predict_log_proba(Q), tolerance)
