"""Learning: fit, update, merge and forget, for models defined by statistics."""

from __future__ import annotations

from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any, Generic, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from suffice.data.arrays import Array
from suffice.data.encoding import Encoding
from suffice.data.labels import Labels, shown
from suffice.data.powers import Powers
from suffice.errors import (
    InvalidLabels,
    InvalidParameter,
    Mismatch,
    MissingClasses,
    NeverIncluded,
    TooFewRows,
)
from suffice.estimators.anywhere import anywhere
from suffice.estimators.as_numbers import as_numbers
from suffice.estimators.base import AnyModel, Classifier
from suffice.estimators.columns import LearnedColumns
from suffice.estimators.judging import Judging
from suffice.estimators.new_rows import NewRows, RowsInMemory
from suffice.estimators.outline import Outline
from suffice.estimators.repairing import warn_repaired
from suffice.estimators.state import State, exchange, snapshot
from suffice.models.computable import check_computable
from suffice.models.gaussian import GaussianModel
from suffice.models.priors import class_priors
from suffice.selection.selection import Selection
from suffice.statistics.table_statistics import TableStatistics


@dataclass(frozen=True, eq=False, kw_only=True)
class Learned(State):
    """Statistics, and everything else that determines the model."""

    classes: Array
    statistics: Any
    settings: Any
    priors: Any  # as they were given
    selection: Selection | None = None
    powers: Powers | None = None
    from_file: FromFile | None = None  # None once something was learned after loading

    @classmethod
    def initial(cls, statistics: Any, selection: Selection | None, powers: Powers | None) -> Self:
        """A state with statistics, but without the settings that determine the model."""
        return cls(
            columns=LearnedColumns.of_statistics(statistics),
            classes=statistics.classes,
            statistics=statistics,
            settings=None,
            priors=None,
            selection=selection,
            powers=powers,
        )

    @property
    def numbers(self) -> tuple[Any, Any]:
        """The statistics and settings from which the model is built."""
        return self.once("numbers", lambda: as_numbers(self.statistics, self.settings))

    @property
    def outline(self) -> Outline:
        """The form in which more rows must be summarized."""
        return Outline.of(self.statistics, self.powers)

    def under(self, priors: Any, model: Any) -> Self:
        """The same with the model under other priors."""
        return replace(self, priors=priors, kept={"model": model})

    def without_statistics(self) -> Self:
        """The part needed to answer for single rows."""
        return replace(self, statistics=None, selection=None)


@dataclass(frozen=True, slots=True)
class FromFile:
    """The content of a model file beside the statistics.

    is_built : False if no model could be built from the statistics when it was saved
    completed : the classes estimated by EM (by part, if there are several), if rows have missing
        values
    """

    is_built: bool
    completed: GaussianModel | dict[str, GaussianModel] | None


class Learner(Judging, Classifier[AnyModel], Generic[AnyModel]):
    """A classifier whose model is a function of statistics, which subclasses define."""

    _state: Learned | None
    _takes = "what suffice.summarize returns"  # description of the statistics for messages
    _has_powers = False  # whether features are raised to powers first

    def _settings(self) -> Any:
        """The likelihood with its settings, after checking the parameters."""
        raise NotImplementedError

    def _is_statistics(self, statistics: Any) -> bool:
        """Whether these are statistics from which this model can be built."""
        raise NotImplementedError

    def _first_outline(self, X: Any, sample_weight: Any) -> Outline | None:
        """The form in which the first rows are summarized, if it depends on them."""
        return None

    def _summarize(
        self, X: Any, y: Any, sample_weight: Any, settings: Any, like: Outline | None
    ) -> Any:
        """Statistics of rows, in the form of `like`, if given."""
        return settings.summarize(X, y, sample_weight, None if like is None else like.detail)

    @property
    def statistics_(self) -> Any:
        """The statistics of all rows."""
        return self._learned.statistics

    @anywhere
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Summarize the rows and build the model."""
        return self._fit_to(RowsInMemory(X, y, sample_weight), self._settings())

    @anywhere
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Add rows; new classes are allowed and need not be announced in `classes`.

        The first rows may be too few for a model; `predict` then raises until more are added.
        Several threads may add rows to one model; none is lost.
        """
        return self._add(RowsInMemory(X, y, sample_weight, classes))

    def fit_statistics(self, statistics: Any) -> Self:
        """Build the model from statistics, without reading rows."""
        if not self._is_statistics(statistics):
            raise InvalidParameter(f"fit_statistics takes {self._takes}.")
        pupil = snapshot(self)
        return self._hold(pupil._next(statistics, pupil._settings()))

    def merge(self, other: Learner[Any]) -> Self:
        """Add the rows that another classifier has learned from."""
        check_is_fitted(self)
        if not isinstance(other, Learner):
            raise InvalidParameter("merge takes another fitted classifier of suffice.")
        check_is_fitted(other)
        while True:
            pupil, theirs = snapshot(self), other._learned
            if exchange(self, pupil._state, pupil._merge_state(theirs, type(other).__name__)):
                return self

    @anywhere
    def forget(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Remove rows, as if they had never been seen.

        No row, and no bound that one of them set, stays in the model, its pickle or its file. What
        may remain is rounding: about 1e-16 of the spread of the rows that were there. On a grid
        (`grid=`) not even that remains: `digest` is then the one of never having seen them.
        """
        return self._remove(RowsInMemory(X, y, sample_weight))

    def _check_forgets(self) -> None:
        """Raise if something was learned from rows that statistics cannot reproduce."""

    def _fit_to(self, rows: NewRows, settings: Any) -> Self:
        """Learn from these rows only, discarding earlier ones."""
        pupil = snapshot(self)
        pupil._state = None
        like = rows.outline(pupil, settings)
        statistics = rows.statistics(pupil, settings, like)
        powers = None if like is None else like.powers
        return self._hold(pupil._next(statistics, settings, rows, powers=powers))

    def _add(self, rows: NewRows) -> Self:
        return self._change(rows, forgets=False)

    def _remove(self, rows: NewRows) -> Self:
        check_is_fitted(self)
        return self._change(rows, forgets=True)

    def _change(self, rows: NewRows, forgets: bool) -> Self:
        """Add or remove the statistics of rows, safely while other threads do the same.

        Rows that another thread adds meanwhile are not lost: the change is then repeated on
        the current statistics. Rows are read again only if they must be summarized differently.
        """
        some = powers = None
        while True:
            pupil = snapshot(self)
            if forgets:
                pupil._check_forgets()
            before, settings = pupil._state, pupil._settings()
            like = rows.outline(pupil, settings) if before is None else before.outline
            if some is None or Outline.of(some, powers) != like:
                some = rows.statistics(pupil, settings, like)
                powers = None if like is None else like.powers
            statistics = some
            if before is not None:
                statistics = (
                    _without(before.statistics, some) if forgets else before.statistics + some
                )
            after = pupil._next(statistics, settings, rows, later=not forgets, powers=powers)
            if forgets:
                # Its scores come from folds with the removed rows, whose names are not learned.
                after = replace(
                    after, selection=None, target=pupil._learned.target, frame=pupil._learned.frame
                )
            if exchange(self, before, after):
                return self

    def _merge_state(self, theirs: Learned, name: str) -> Learned:
        mine, settings = self._learned, self._settings()
        if mine.powers != theirs.powers:
            raise Mismatch(
                "the two classifiers have different powers; add rows to one of them by partial_fit."
            )
        if not self._is_statistics(theirs.statistics):
            raise Mismatch(f"a {name} keeps different statistics than a {type(self).__name__}.")
        if isinstance(mine.statistics, TableStatistics) != isinstance(
            theirs.statistics, TableStatistics
        ):
            raise Mismatch(
                "one classifier has learned from a table with levels, the other from numbers "
                "alone; fit both to the same columns, with columns=suffice.describe(X)."
            )
        both = settings.alike(mine.statistics, theirs.statistics)
        return self._next(both[0] + both[1], settings, later=True)

    def _next(
        self,
        statistics: Any,
        settings: Any,
        rows: NewRows | None = None,
        later: bool = False,
        selection: Selection | None = None,
        powers: Powers | None = None,
    ) -> Learned:
        """The state with new statistics.

        rows : the rows by which the statistics were changed, if any
        later : build the model on first use, since more rows may come before
        selection, powers : chosen with the first rows; they stay unchanged afterwards
        """
        before, columns = self._state, None
        if before is not None:
            selection, powers = before.selection, before.powers
        reader = encoding = None
        if getattr(statistics, "reader", None) is not None:
            reader, columns = statistics.reader, LearnedColumns.of_reader(statistics.reader)
        elif before is None and rows is not None:
            columns = rows.columns()
        if isinstance(statistics, TableStatistics):
            encoding = Encoding(statistics.reader, statistics.groups)
        target, frame = (None, None) if before is None else (before.target, before.frame)
        if rows is not None:
            target, frame = target or rows.target, frame or rows.frame
        model = (rows or NewRows()).model(self, statistics, settings, later)
        return Learned(
            columns=columns or LearnedColumns.of_statistics(statistics),
            reader=reader,
            encoding=encoding,
            target=target,
            frame=frame,
            kept={} if model is None else {"model": model},
            classes=statistics.classes,
            statistics=statistics,
            settings=settings,
            priors=deepcopy(self._priors()),
            selection=selection,
            powers=powers,
        )

    def _ready(self, statistics: Any, settings: Any, later: bool) -> AnyModel | None:
        """The model, or None if it is built later; raises if it never could be."""
        if not later:
            return self._build_with_warnings(statistics, settings, self._priors())
        settings.check(statistics)
        with suppress(MissingClasses):
            class_priors(self._priors(), statistics.classes, statistics.weight)
        return None

    def _hold(self, learned: Learned) -> Self:
        self._state = learned
        return self

    @property
    def _fitted_statistics(self) -> Any:
        """The statistics that the model is built from."""
        return self._learned.numbers[0]

    @property
    def _built_with(self) -> Any:
        """The settings that the model is built with."""
        return self._learned.numbers[1]

    def _class_weight(self) -> Any:
        return self.statistics_.weight

    def _build(self, learned: Learned) -> AnyModel:
        read = learned.from_file
        if read is None:
            return self._build_with_warnings(*learned.numbers, learned.priors)
        if not read.is_built:
            raise TooFewRows(
                "no model could be built from the rows when this file was saved; add rows with "
                "partial_fit, or see why: model.fit_statistics(model.statistics_)."
            )
        with np.errstate(all="ignore"):  # overflow is detected below
            statistics, settings = learned.numbers
            model: AnyModel = settings.build(statistics, learned.priors, read.completed)
        check_computable(model)
        return model

    def _build_with_warnings(self, statistics: Any, settings: Any, priors: Any) -> AnyModel:
        """The model of statistics, with a warning if it differs from the one requested."""
        model: AnyModel = settings.build(statistics, priors)
        warn_repaired(self, model, statistics, settings)
        return model

    def _check_announced(self, y: Any, classes: Any) -> None:
        if classes is None or y is None:
            return
        try:
            announced = Labels.of(classes).classes().tolist()
        except InvalidLabels as error:
            raise InvalidParameter(f"classes must list the labels of y: {error}") from None
        unknown = [label for label in Labels.of(y).classes().tolist() if label not in announced]
        if unknown:
            raise InvalidLabels(f"y holds class {shown(unknown[0])}, which is not among `classes`.")
        seen = [] if self._state is None else self.classes_.tolist()
        forgotten = [label for label in seen if label not in announced]
        if forgotten:
            raise InvalidParameter(
                f"classes lacks class {shown(forgotten[0])}, which has been seen before; list all "
                f"of {seen} and any new ones, or leave it out: classes need no announcement."
            )


def _without(seen: Any, removed: Any) -> Any:
    left = seen - removed
    if not len(left.classes):
        raise NeverIncluded("forgetting these rows would leave none; start again with fit.")
    return left
