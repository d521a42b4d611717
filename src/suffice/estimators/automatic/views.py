"""Views: the same rows in the numeric form that some candidates take."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from suffice.data.arrays import Floats, Indices
from suffice.data.features import as_features, infinite, too_large
from suffice.data.powers import Powers
from suffice.data.tables.encoding import Encoding
from suffice.data.tables.labelled_table import LabelledTable
from suffice.data.tables.table_rows import TableReader
from suffice.estimators.gaussian import GaussianDiscriminant
from suffice.estimators.mixed import MixedNB
from suffice.estimators.unskewed import UnskewedDiscriminant
from suffice.models.settings import Settings
from suffice.models.structures import structure_of
from suffice.selection.criteria import effective_parameters
from suffice.selection.entrants import Entrants
from suffice.selection.family_path import DiagonalPath, Distances, FullPath, LevelPath
from suffice.selection.fold_completion import completed_moments
from suffice.selection.fold_moments import FoldMoments
from suffice.selection.folds import Fold, training_shares

# Distances of some rows to the classes of a fold, under some of several covariances.
Measure = Callable[[int, Indices, Indices], Distances]

# The same as ln p(x | y) up to a constant of the row, (s, i, k, n).
Densities = Callable[[int, Indices, Indices], Floats]


@dataclass(frozen=True, eq=False)
class FamilyView:
    """Rows for an estimator of the Gaussian family: as they are, or each feature to a power."""

    estimator: Any
    columns: Any
    rows: Floats  # (n, d); NaN where a value is missing
    moments: FoldMoments

    def full(
        self, target: str, pooling: float, shares: Sequence[float], inflations: Sequence[float]
    ) -> Iterator[Entrants]:
        """Full covariances of one pooling; none if all of them are singular."""
        measure, usable = _full_measure(self.moments, self.rows, target, pooling, shares)
        given = _combined(target, pooling, usable, "inflation", inflations)
        if given:
            kind = "linear" if pooling == 1 else "quadratic"
            yield self._entrants(kind, given, _inflated(measure, inflations), len(usable))

    def heavy_tailed(
        self, target: str, pooling: float, shares: Sequence[float], freedoms: Sequence[float]
    ) -> Iterator[Entrants]:
        """Student t classes of full covariances; none if all of them are singular."""
        measure, usable = _full_measure(self.moments, self.rows, target, pooling, shares)
        given = _combined(target, pooling, usable, "degrees_of_freedom", freedoms)
        known = np.count_nonzero(~np.isnan(self.rows[:, self.moments.variance > 0]), axis=1)

        def densities(fold: int, at: Indices, which: Indices) -> Floats:
            return measure(fold, at, which).student_scores(np.array(freedoms), known[at])

        if given:
            yield self._entrants("heavy-tailed", given, densities, len(usable))

    def independent(self, poolings: Sequence[float], inflations: Sequence[float]) -> Entrants:
        """Independent features."""
        given = [
            {"structure": "diagonal", "pooling": pooling, "inflation": factor}
            for pooling in poolings
            for factor in inflations
        ]
        measure = _diagonal_measure(self.moments, self.rows, poolings)
        return self._entrants("independent", given, _inflated(measure, inflations), len(poolings))

    def entrant(self, model: Any) -> Entrants | None:
        """A single candidate with the parameters of a model."""
        inflations = [float(model.inflation)]
        if not structure_of(model.structure).takes_matrices:
            return self.independent([model.pooling], inflations)
        member = model.target, model.pooling, [model.shrinkage]
        freedom = getattr(model, "degrees_of_freedom", None)
        if freedom is not None:
            return next(self.heavy_tailed(*member, [freedom]), None)
        return next(self.full(*member, inflations), None)

    def _entrants(
        self,
        kind: str,
        given: Sequence[Mapping[str, Any]],
        densities: Densities,
        covariances: int,
    ) -> Entrants:
        """Candidates by their parameters, those of each of several covariances together."""
        shares, each = np.log(self.moments.shares), len(given) // covariances

        def scores(some: Indices, fold: int, at: Indices) -> Floats:
            which, at_covariance = np.unique(some // each, return_inverse=True)
            found = densities(fold, at, which) + shares[fold][:, None]
            return _pick(found, at_covariance * each + some % each)

        models = [self.estimator(**one, columns=self.columns) for one in given]
        powers = self.rows.shape[1] if self.estimator._has_powers else 0
        complexity = _complexity(given, self.moments) + powers
        return Entrants(f"{kind} {self.estimator.__name__}", models, complexity, scores)


@dataclass(frozen=True, eq=False)
class LevelsView:
    """Rows for MixedNB: levels by their counts, apart from the numbers."""

    columns: Any
    table: LabelledTable
    folds: Sequence[Fold]
    levels: Sequence[tuple[Indices, int]]  # of each column: codes (n,), and how many levels
    rows: Floats  # (n, d): the numbers
    moments: FoldMoments | None  # of the numbers, if there are any

    def full(
        self, pooling: float, shares: Sequence[float], alphas: Sequence[float]
    ) -> Iterator[Entrants]:
        """One full covariance of the numbers, or one per class."""
        assert self.moments is not None
        measure, usable = _full_measure(self.moments, self.rows, "diagonal", pooling, shares)
        fixed = {"structure": "full", "pooling": pooling, "target": "diagonal"}
        given = [{**fixed, "shrinkage": share} for share in usable]
        if given:
            yield self._entrants(given, measure, alphas)

    def independent(self, poolings: Sequence[float], alphas: Sequence[float]) -> Entrants:
        """Independent numbers."""
        if self.moments is None:
            return self._entrants([{}], None, alphas)
        given = [{"pooling": pooling} for pooling in poolings]
        smoothing = MixedNB().var_smoothing
        measure = _diagonal_measure(self.moments, self.rows, poolings, smoothing)
        return self._entrants(given, measure, alphas)

    def entrant(self, model: Any) -> Entrants | None:
        """A single candidate with the parameters of a model."""
        if not structure_of(model.structure).takes_matrices or self.moments is None:
            return self.independent([model.pooling], [model.alpha])
        return next(self.full(model.pooling, [model.shrinkage], [model.alpha]), None)

    def _entrants(
        self, given: Sequence[Mapping[str, Any]], measure: Measure | None, alphas: Sequence[float]
    ) -> Entrants:
        table, k = self.table, len(self.table.classes)
        path = LevelPath.of(self.levels, table.codes, table.weight, self.folds, k, np.array(alphas))
        shares = np.log(training_shares(self.folds, table.codes, table.weight, k))

        def scores(some: Indices, fold: int, at: Indices) -> Floats:
            which, at_covariance = np.unique(some % len(given), return_inverse=True)
            found = path.scores(fold, at)[:, None] + shares[fold][:, None]
            if measure is not None:
                found = found + measure(fold, at, which).scores(np.ones(1))[:, 0]
            return _pick(found, some // len(given) * len(which) + at_covariance)

        models = [
            MixedNB(**one, alpha=alpha, columns=self.columns) for alpha in alphas for one in given
        ]
        free = float(sum(k * (m - 1) for _, m in self.levels))
        numbers = (
            np.zeros(len(given))
            if self.moments is None
            else _complexity([{"structure": "diagonal", **one} for one in given], self.moments)
        )
        complexity = free + np.tile(numbers, len(alphas))
        return Entrants("MixedNB", models, complexity, scores)


def _pick(scores: Floats, places: Indices) -> Floats:
    """Those of (a, b, k, n) at places among the first a x b, (m, k, n); no copy of all of them."""
    flat = scores.reshape(-1, *scores.shape[2:])
    return flat if np.array_equal(places, np.arange(len(flat))) else flat[places]


class Views:
    """The forms of a table that candidates take on its folds, each made once."""

    served = GaussianDiscriminant, UnskewedDiscriminant, MixedNB

    def __init__(
        self, table: LabelledTable, reader: TableReader | None, folds: Sequence[Fold], columns: Any
    ) -> None:
        self.table, self.reader, self.folds, self.columns = table, reader, folds, columns
        self.families: dict[Any, FamilyView] = {}

    @cached_property
    def numbers(self) -> tuple[Floats, int]:
        """The rows as numbers, levels as indicators; how many of them are numeric columns."""
        X, reader = self.table.X, self.reader
        names: tuple[str, ...] | None
        if reader is not None:
            # The levels are those of all rows: they say nothing about the classes.
            rows, names = Encoding.of(X, reader).encode(X), reader.numeric_names
        else:
            features = as_features(X)
            rows = np.asarray(features.read(0, features.shape[0]), np.float64)
            names = features.names
        n_numeric = rows.shape[1] if names is None else len(names)
        error = infinite(rows[:, :n_numeric], 0, names)
        if error is not None:
            raise error
        with np.errstate(over="ignore"):
            spread = np.fmax.reduce(rows, axis=0) - np.fmin.reduce(rows, axis=0)
            if np.isinf(len(rows) * spread**2).any():
                raise too_large()
        return rows, n_numeric

    def are_small(self, max_entries: int = 1 << 25, max_cubes: int = 1 << 31) -> bool:
        """Whether covariances of all folds can be computed at once.

        max_entries : of the covariances of all folds and classes
        max_cubes : features³ of all covariances that are decomposed
        """
        k, folds, d = len(self.table.classes), len(self.folds), self.numbers[0].shape[1]
        return bool(folds * k * d * d <= max_entries and folds * d**3 <= max_cubes)

    def family(self, estimator: Any) -> FamilyView:
        """The rows for the Gaussian family, each number to a power if the estimator does so."""
        if estimator not in self.families:
            rows, n = self.numbers
            if estimator._has_powers:
                rows, part = rows.copy(), rows[:, :n]
                rows[:, :n] = self.powers.apply(part)
            view = FamilyView(estimator, self.columns, rows, self._moments(rows))
            self.families[estimator] = view
        return self.families[estimator]

    @cached_property
    def powers(self) -> Powers:
        """The powers of all rows: they say nothing about the classes."""
        rows, n = self.numbers
        return Powers.of(rows[:, :n], self.table.weights)

    @cached_property
    def levels(self) -> LevelsView:
        """The rows for MixedNB, levels by their counts."""
        assert self.reader is not None
        rows, n = self.numbers
        columns = [column.encode() for column in self.reader.read(self.table.X).levels]
        levels = [(np.asarray(codes), len(names)) for names, codes in columns]
        numeric = rows[:, :n]
        moments = self._moments(numeric) if n else None
        return LevelsView(self.columns, self.table, self.folds, levels, numeric, moments)

    def entrant(self, model: Any) -> Entrants | None:
        """A single candidate with parameters of its own; None if no statistics serve it."""
        if type(model) not in self.served:
            return None
        if type(model) is not MixedNB:
            return self.family(type(model)).entrant(model)
        has_levels = self.reader is not None and self.reader.level_names
        return self.levels.entrant(model) if has_levels else None

    def log_posteriors(self, model: Any) -> Floats | None:
        """ln p(y | x) of the test rows of all folds, (rows, k), by a model of their other rows.

        None where it has parameters that no view takes.
        """
        taken = {"structure", "pooling", "shrinkage", "target", "inflation", "columns"}
        taken |= {"degrees_of_freedom", "alpha"}
        given, default = model.get_params(deep=False), type(model)().get_params(deep=False)
        others = any(given[name] is not default[name] for name in given.keys() - taken)
        words = any(isinstance(given.get(name), str) for name in ("pooling", "shrinkage"))
        entrant = None if others or words else self.entrant(model)
        if entrant is None:
            return None
        each = []
        with np.errstate(all="ignore"):
            for number, fold in enumerate(self.folds):
                (scores,) = entrant.scores(np.zeros(1, np.int64), number, fold.test)
                each.append((scores - np.logaddexp.reduce(scores, axis=0)).T)
        found = np.concatenate(each)
        return None if np.isnan(found).any() else found

    def _moments(self, rows: Floats) -> FoldMoments:
        table = self.table
        of = completed_moments if np.isnan(rows).any() else FoldMoments.of
        return of(rows, table.codes, table.weight, self.folds, len(table.classes))


def _inflated(measure: Measure, inflations: Sequence[float]) -> Densities:
    """Gaussian densities under covariances times some factors."""
    factors = np.array(inflations)
    return lambda fold, at, which: measure(fold, at, which).scores(factors)


def _combined(
    target: str, pooling: float, shares: Sequence[float], name: str, values: Sequence[float]
) -> list[dict[str, Any]]:
    """The settings for each share of the target, and each value of the parameter of this name."""
    return [
        {"pooling": pooling, "shrinkage": share, "target": target, name: value}
        for share in shares
        for value in values
    ]


def _full_measure(
    moments: FoldMoments, rows: Floats, target: str, pooling: float, shares: Sequence[float]
) -> tuple[Measure, list[float]]:
    """Distances under full covariances, for those shares of the target that make them regular."""
    path, given = FullPath.of(moments, pooling, target), np.array(shares, np.float64)
    usable = given[path.usable(given)]

    def measure(fold: int, at: Indices, which: Indices) -> Distances:
        return path.distances(fold, rows[at], usable[which])

    return measure, usable.tolist()


def _diagonal_measure(
    moments: FoldMoments, rows: Floats, poolings: Sequence[float], smoothing: float = 0.0
) -> Measure:
    path = DiagonalPath.of(moments, np.array(poolings, np.float64), smoothing)
    return lambda fold, at, which: path.some(which).distances(fold, rows[at])


def _complexity(given: Sequence[Mapping[str, Any]], moments: FoldMoments) -> Floats:
    """Effective number of parameters of members of the family, (m,)."""
    _, k, d = moments.mean.shape
    settings = [
        Settings(**{**one, "structure": structure_of(one.get("structure", "full"))})
        for one in given
    ]
    return np.array([effective_parameters(one, k, d) for one in settings])
