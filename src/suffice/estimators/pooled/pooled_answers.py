"""Pooled answers: those of a pool beyond the posterior, each the mean of the members' answers."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from suffice.answers.contributions import Contributions, explanation
from suffice.answers.integration import shapley_values
from suffice.answers.pair import class_codes, class_pair
from suffice.answers.sampling import generator, random_codes
from suffice.data.arrays import Array, Floats, Indices
from suffice.data.features import as_features
from suffice.data.parameters import check_room, count, is_number
from suffice.data.tables.frame_output import by_name, frame_kind, new_frame
from suffice.data.tables.shared_reading import shared_reading
from suffice.data.tables.table_writing import write_rows
from suffice.data.tables.user_table import row_count, take_rows
from suffice.errors import InvalidParameter
from suffice.estimators.anywhere import on_rows
from suffice.estimators.classifier import Classifier
from suffice.estimators.drawing import drawn_count, given_row
from suffice.estimators.marginals import marginal_posterior
from suffice.estimators.pooled.member_rows import MemberRows, in_columns, joined, mean_of, pick
from suffice.estimators.pooled.pooled_model import PooledModel, discrete_positions
from suffice.estimators.state import at_once
from suffice.models.independent import random_columns
from suffice.statistics.passes.threads import blas_threads
from suffice.text import plural, shown

# Rows up to which it is faster to leave out all sets of columns in one call than one by one.
FEW_ROWS = 32


class PooledAnswers(Classifier[PooledModel]):
    """What a pool of generative models answers about rows, as tables."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        return tags

    @property
    def _has_density(self) -> bool:  # type: ignore[override]
        """Whether every member is a model of this package."""
        return all(isinstance(member, Classifier) for member in self._learned.members.values())

    @on_rows
    def contributions(self, X: Any, a: Any = None, b: Any = None) -> Contributions:
        """Contribution of each feature to the log-odds of a against b; they add up exactly.

        Features are integrated out of the pooled posterior in turn; the contribution of one is
        the change that it makes, averaged over the orders of the features (Shapley values; over
        some random orders where there are more than 5 features).
        """
        pair = class_pair(self._fitted.classes, a, b)
        return self._contributions(self._rows(X), *pair)

    @on_rows
    def explain(self, X: Any, row: int = 0, a: Any = None, b: Any = None) -> str:
        """One row explained in words; by default its most probable class against the next."""
        model, n = self._fitted, row_count(X)
        if not isinstance(row, int | np.integer) or not is_number(row):
            raise InvalidParameter(f"row is {shown(row)}; it must be the number of a row, from 0.")
        if not -n <= row < n:
            raise InvalidParameter(f"there is no row {row}; X has {plural(n, 'row')}.")
        at = row % n
        one = take_rows(X, np.array([at]))
        if a is None and b is None and len(model.classes) > 1:
            order = np.argsort(-self.discriminants(one)[0], kind="stable")
            a, b = model.classes[order[0]], model.classes[order[1]]
        found = self._contributions(one, *class_pair(model.classes, a, b))
        reader = self._learned.reader
        names = self._feature_names() if reader is None else reader.row_names(one, 0)
        return explanation(found, 0, names)

    @at_once
    def sample(
        self, n_samples: int = 1, y: Any = None, random_state: Any = None, *, given: Any = None
    ) -> tuple[Any, Array]:
        """Rows drawn from a member chosen by weight, and labels from the pooled posterior.

        y : draw rows of this class, or of these classes (one per row): from the class densities of
            the members
        given : fixed values of every row: a mapping by feature name or position, or a row with
            NaN for values to be drawn
        """
        model, n = self._fitted, drawn_count(n_samples, self.n_features_in_)
        rng = generator(random_state)
        codes = None if y is None else class_codes(model.classes, y, n)
        if given is not None:
            rows = take_rows(given_row(self, given), np.zeros(n, np.int64))
            (drawn,) = self._draw_gaps(rows, 1, codes, rng)
        else:
            drawn = self._draw(n, codes, rng)
        table = self._write(drawn)
        if codes is None:
            codes = random_columns(np.exp(self.predict_log_proba(table)), rng)
        return table, np.asarray(model.classes[codes])

    @on_rows
    def impute(self, X: Any, y: Any = None) -> Any:
        """X with each missing value at its mean given the observed values of its row.

        The mean over the members, each by w_m p_m(observed values); for levels, the one for which
        the members have most weight.

        y : the class of each row; without it, classes are weighted by the members' posteriors
        """
        model, X = self._fitted, self._rows(X)
        codes = None if y is None else class_codes(model.classes, y, row_count(X))
        labels = None if codes is None else model.classes[codes]
        with shared_reading():
            tables = [member.impute(X, labels) for member in model.generative.values()]
            shares = model.member_shares(X, codes)
        return self._write(mean_of([self._read(table) for table in tables], shares), X)

    @on_rows
    def impute_draws(
        self, X: Any, n_draws: int = 1, y: Any = None, random_state: Any = None
    ) -> Any:
        """X with missing values drawn given the observed values of each row, (n_draws, n, d).

        Each row by one of the members, chosen by w_m p_m(observed values). A list of data frames
        if X is one.

        y : the class of each row; without it, each draw takes a class from its posterior
        """
        model, X = self._fitted, self._rows(X)
        rows = row_count(X)
        codes = None if y is None else class_codes(model.classes, y, rows)
        n = count("n_draws", n_draws, sys.maxsize)
        size = 8 * n * rows * self.n_features_in_ * len(model.members)
        check_room("n_draws", n, size, "Draw less often, or for fewer rows at a time.")
        rng = generator(random_state)
        tables = [self._write(one, X) for one in self._draw_gaps(X, n, codes, rng)]
        return tables if frame_kind(X) else np.stack(tables)

    @property
    def boundary(self) -> Any:
        """The boundary of a pool has no equation of second degree: an AttributeError."""
        raise AttributeError(
            "the boundary of a pool has no equation of second degree; "
            "suffice.select_model(X, y, simple=True).model is a single model that has one."
        )

    def _new_atypicality(self) -> Any:
        return PooledAtypicality(self._fitted, self._density_quantile)

    def _density_quantile(self, quantile: float) -> float:
        # Random rows from which quantiles of a pool's density are estimated.
        random_rows = 20_000
        table = self._write(self._draw(random_rows, None, np.random.default_rng(0)))
        return float(np.quantile(self._fitted.log_density(table), quantile))

    def _contributions(self, X: Any, a: int, b: int) -> Contributions:
        ask = self._together if row_count(X) <= FEW_ROWS else self._one_by_one

        def log_odds(left_out: Array) -> Floats:
            posterior = ask(X, left_out)
            return np.asarray(posterior[..., a] - posterior[..., b])

        # Small matrices: waiting for other threads takes longer than the work.
        with blas_threads(1):
            values, base = shapley_values(log_odds, self.n_features_in_)
        found = Contributions.of(self._fitted, values, a, b, base)
        return replace(found, feature_names=tuple(self._feature_names()))

    def _together(self, X: Any, left_out: Array) -> Floats:
        """ln p(y | x) without the columns of each mask (m, d), (m, n, k): all in one call."""
        m, n = len(left_out), row_count(X)
        answer = marginal_posterior(self, take_rows(X, np.tile(np.arange(n), m)))
        return answer(np.repeat(left_out, n, axis=0)).reshape(m, n, -1)

    def _one_by_one(self, X: Any, left_out: Array) -> Floats:
        """The same for many rows, which share the work of a mask."""
        return np.array(list(map(marginal_posterior(self, X), left_out)))

    def _draw(self, n: int, codes: Indices | None, rng: np.random.Generator) -> MemberRows:
        """Random rows of all members by their weights, of given classes or not."""
        model = self._fitted
        chosen = random_codes(model.pool.weights, n, rng)
        parts, places = [], []
        for i, member in enumerate(model.generative.values()):
            at = np.flatnonzero(chosen == i)
            if len(at):
                labels = None if codes is None else model.classes[codes[at]]
                parts.append(self._read(member.sample(len(at), labels, rng)[0]))
                places.append(at)
        return joined(parts, places)

    def _draw_gaps(
        self, X: Any, n: int, codes: Indices | None, rng: np.random.Generator
    ) -> list[MemberRows]:
        """Rows completed at random n times, each by one of the members."""
        model = self._fitted
        labels = None if codes is None else model.classes[codes]
        with shared_reading():
            shares = model.member_shares(X, codes)
            drawn = [one.impute_draws(X, n, labels, rng) for one in model.generative.values()]
        return [
            pick([self._read(table) for table in tables], random_columns(shares, rng))
            for tables in zip(*drawn, strict=True)
        ]

    def _rows(self, X: Any) -> Any:
        """The table itself, if it has the columns; each member reads it in its own way."""
        self._check_columns(X)
        return X

    def _check_finite(self, rows: Any) -> None:
        """Members check rows when they read them."""

    def _parse_row(self, row: Array) -> Any:
        reader, names = self._learned.reader, self._learned.columns.names
        if reader is not None:
            at = dict(zip(reader.names, row[0], strict=True))
            return np.array([[at.get(name) for name in reader.layout.names]], object)
        values = as_features(row).read(0, 1)
        return values if names is None else new_frame(by_name(values, names), self._frame)

    @property
    def _frame(self) -> str:
        form = self._learned.frame
        return "pandas" if form is None else str(form.library)

    @property
    def _discrete(self) -> Sequence[int]:
        """Positions of the columns of numbers that some member takes as levels."""
        if self._learned.reader is not None:
            return ()
        members = self._learned.members.values()
        return sorted({j for member in members for j in discrete_positions(member)})

    def _read(self, table: Any) -> MemberRows:
        return MemberRows.of(table, self._learned.reader, self._discrete)

    def _write(self, rows: MemberRows, like: Any = None) -> Any:
        """Rows as a table of the user's kind, with the observed values of `like`."""
        reader, frame = self._learned.reader, self._learned.frame
        if reader is not None:
            return write_rows(reader, rows.numbers, rows.levels, like, frame)
        values = in_columns(rows, self._discrete)
        if like is not None:
            features = as_features(like)
            given = features.read(0, features.shape[0])
            values = np.where(np.isnan(given), values, given)
        return self._as_table(values, like)


@dataclass(frozen=True, slots=True)
class PooledAtypicality:
    """How unusual rows are for the members, on average.

    A weighted mean p of valid p-values is below u with probability at most 2u, whatever the
    dependence between them (Vovk and Wang 2020).
    """

    model: PooledModel
    quantile_of_density: Any

    def of_classes(self, X: Any) -> Floats:
        """The mean over the members of the p-value in each class, (n, k)."""
        return self._mean(X, by_class=True)

    def of_model(self, X: Any) -> Floats:
        """The mean over the members of the p-value, (n,)."""
        return self._mean(X, by_class=False)

    def threshold(self, quantile: float) -> float:
        """The log density below which this share of the rows of the model lies."""
        return float(self.quantile_of_density(quantile))

    def _mean(self, X: Any, by_class: bool) -> Floats:
        weights = self.model.pool.weights / self.model.pool.weights.sum()
        members = self.model.generative.values()
        with shared_reading():
            parts = [member.outlier_pvalue(X, by_class=by_class) for member in members]
        return np.asarray(np.tensordot(weights, np.stack(parts), axes=1))
