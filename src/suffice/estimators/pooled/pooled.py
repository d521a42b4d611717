"""Pooled discriminant: the weighted mean of a few calibrated models, as one classifier."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from suffice.data.arrays import Array, Floats
from suffice.data.parameters import flag
from suffice.data.tables.labelled_table import LabelledTable
from suffice.data.tables.shared_reading import shared_reading
from suffice.data.tables.table_rows import TableReader
from suffice.errors import InvalidParameter, Mismatch
from suffice.estimators.anywhere import learns, learns_afresh
from suffice.estimators.automatic.candidates import has_statistics, named_classifiers
from suffice.estimators.automatic.out_of_fold import held_out
from suffice.estimators.automatic.trial import Trial
from suffice.estimators.new_rows import facts_of_table
from suffice.estimators.pooled.pooled_answers import PooledAnswers
from suffice.estimators.pooled.pooled_members import (
    check_classes,
    checked_rows,
    class_weight,
    default_members,
    fit_member,
    shares_of,
)
from suffice.estimators.pooled.pooled_model import PooledModel
from suffice.estimators.repairing import repairs_expected
from suffice.estimators.state import State, exchange, snapshot
from suffice.models.em.effort import limited_effort, most_work
from suffice.models.priors import class_priors
from suffice.selection.pool import Pool, fit_pool
from suffice.selection.recalibration import Recalibration


@dataclass(frozen=True, eq=False, kw_only=True)
class PooledState(State):
    """Fitted members, and how they are pooled."""

    classes: Array
    members: Mapping[str, Any]
    pool: Pool
    class_weight: Floats  # (k,)
    priors: Any  # as they were given

    @classmethod
    def of(
        cls, members: Mapping[str, Any], pool: Pool, table: LabelledTable, y: Any, columns: Any
    ) -> Self:
        """The state after learning from a table; `priors` are the class shares."""
        return cls(
            **facts_of_table(table.X, y, TableReader.of(table.X, columns)),
            classes=table.classes,
            members=members,
            pool=pool,
            class_weight=class_weight(table),
            priors=None,
        )

    def under(self, priors: Any, model: Any) -> Self:
        """The same with the model under other priors."""
        return replace(self, priors=priors, kept={"model": model})


@dataclass(eq=False, repr=False)
class PooledDiscriminant(PooledAnswers):
    """The weighted mean of a few calibrated models.

    p(y | x) = sum of w_m r_m(p_m(y | x)) + w_0 share(y). Each model is recalibrated by r_m, a
    temperature and one offset per class; the class shares are one more member, a floor under the
    probabilities. Recalibrations and weights are those that predict rows outside the training
    folds best: fold by fold from statistics, without a refit.

    Every other answer is the mean of the members' answers, too: p(x) = sum of w_m p_m(x), and
    ln p(x, y) = ln p(x) + ln p(y | x). Rows are drawn from a member chosen by weight, their labels
    from the pooled posterior; missing values come from the mixture of the members' conditionals,
    each by w_m p_m(observed values). Given a class, members answer with their own class densities.
    Where some members take levels as levels and others as indicators, p(x) is that of the former:
    a Gaussian over indicators is not a density over levels.

    `partial_fit` and `merge` change the statistics of the members; weights and recalibrations, a
    few numbers found at `fit`, stay as they are: fit again to find them anew. `forget` refuses,
    since these numbers were found with the rows to be forgotten, unless they may stay:
    `forget(X, y, keep_weights=True)`.

    Parameters
    ----------
    models : classifiers, as a list or a mapping by name; None takes LDA, a pooled and shrunk
        Gaussian model, and naive Bayes. A classifier of another library may be a member; answers
        that need a density then name it and raise
    cv : number of stratified folds, a scikit-learn splitter, or (train, test) row numbers
    calibrate : False averages the posteriors as they are, without a floor
    priors : None (class shares), "uniform", a mapping by label, or an array in the order of
        `classes_`; they weight the pooled posterior by prior / share
    columns : how to read the columns of a table, see `GaussianDiscriminant`

    Attributes
    ----------
    members_ : the fitted models by name, those of little weight left out
    weights_ : of the members
    share_weight_ : of the class shares
    recalibrations_ : slope and offsets of each member
    classes_, priors_, n_features_in_, feature_names_in_, target_name_ : as for other classifiers

    >>> import suffice as sf
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True)
    >>> model = sf.PooledDiscriminant([sf.LDA(), sf.GaussianNB()]).fit(X, y)
    >>> list(model.members_)
    ['LinearDiscriminantAnalysis', 'GaussianNB']
    >>> float((model.weights_.sum() + model.share_weight_).round(9))
    1.0
    >>> model.predict_proba(X[:1]).round(2)
    array([[1., 0., 0.]])
    """

    models: Any = None
    _: KW_ONLY
    cv: Any = 5
    calibrate: bool = True
    priors: Any = None
    columns: Any = None

    @learns_afresh
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the members, then weigh and recalibrate them by rows outside their training folds."""
        calibrate = flag("calibrate", self.calibrate)
        with repairs_expected(), shared_reading():
            X, y = checked_rows(X, self.columns), self._labels(y)
            trial = Trial(X, y, sample_weight, self.cv, 1, None, self.columns)
            class_priors(self.priors, trial.table.classes, class_weight(trial.table))
            named = self._candidates(trial)
            fitted = {name: fit_member(name, model, trial) for name, model in named.items()}
            roughly = not most_work()  # where this fit is one of many that are only scored
            with limited_effort(0):  # weights do not need members that have converged
                rows = held_out(trial, trial.folds, fitted, roughly)
        found = fit_pool(rows, shares_of(class_weight(trial.table)), calibrate)
        members = {name: fitted[name] for name in [list(fitted)[i] for i in found.kept]}
        state = PooledState.of(members, found.pool, trial.table, y, self.columns)
        self._state = replace(state, priors=deepcopy(self.priors))
        return self

    @classmethod
    def _of(
        cls,
        members: Mapping[str, Any] | Sequence[Any],
        recalibrations: Sequence[Recalibration],
        weights: Sequence[float] | Floats,
        share_weight: float,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        columns: Any = None,
        **parameters: Any,
    ) -> Self:
        """The pool of members that are already fitted.

        members : fitted to X and y, all of them
        weights : (m,) of the members; divided by their sum and share_weight, if that is not 1
        parameters : of the constructor, beside models and columns
        """
        named = named_classifiers(members if isinstance(members, Mapping) else list(members))
        table = LabelledTable.of(X, y, sample_weight)
        for name, member in named.items():
            check_classes(name, member, table.classes)
        model = cls(
            {name: clone(one) for name, one in named.items()}, columns=columns, **parameters
        )
        pool = Pool.of(weights, share_weight, shares_of(class_weight(table)), recalibrations)
        state = PooledState.of(named, pool.validated(), table, y, columns)
        model._state = replace(state, priors=deepcopy(model.priors))
        return model

    @learns
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Add rows to the statistics of every member; the first rows are fitted.

        Weights and recalibrations stay; offsets of new classes are zero.
        """
        if self._state is None:
            return self.fit(X, y, sample_weight)

        return self._update(
            lambda _, member: member.partial_fit(X, y, classes, sample_weight=sample_weight)
        )

    @learns
    def forget(
        self, X: Any, y: Any, sample_weight: Any = None, *, keep_weights: bool = False
    ) -> Self:
        """Remove rows from the statistics of every member, as if they had never been seen.

        keep_weights : weights and recalibrations, which were found with these rows, too, stay as
            they are; without it, an error says so
        """
        check_is_fitted(self)
        if not flag("keep_weights", keep_weights):
            found = self.weights_.size + sum(1 + own.offsets.size for own in self.recalibrations_)
            raise InvalidParameter(
                f"the weights and recalibrations of this pool, {found} numbers, were found with "
                "the rows to be forgotten, too: call fit(X, y) with the remaining rows, or let "
                "these numbers stay: forget(X, y, keep_weights=True), or suffice forget "
                "--keep-weights."
            )
        return self._update(lambda _, member: member.forget(X, y, sample_weight))

    def merge(self, other: PooledDiscriminant) -> Self:
        """Add the rows that another pool of the same members has learned from."""
        check_is_fitted(self)
        if not isinstance(other, PooledDiscriminant):
            raise InvalidParameter("merge takes another fitted PooledDiscriminant.")
        theirs = list(other.members_.values())
        if list(map(type, theirs)) != list(map(type, self.members_.values())):
            raise Mismatch(
                f"the members are {list(self.members_)} here and {list(other.members_)} there; "
                "merge pools of the same members."
            )
        partner = dict(zip(self.members_, theirs, strict=True))
        return self._update(lambda name, member: member.merge(partner[name]))

    @property
    def members_(self) -> dict[str, Any]:
        """The fitted members by name."""
        return dict(self._learned.members)

    @property
    def weights_(self) -> Floats:
        """The weight of each member, (m,)."""
        return np.array(self._learned.pool.weights)

    @property
    def share_weight_(self) -> float:
        """The weight of the class shares."""
        return float(self._learned.pool.share_weight)

    @property
    def recalibrations_(self) -> list[Recalibration]:
        """The recalibration of each member."""
        return list(self._learned.pool.recalibrations)

    def _build(self, learned: PooledState) -> PooledModel:
        priors = class_priors(learned.priors, learned.classes, learned.class_weight)
        return PooledModel(learned.classes, priors, learned.pool, learned.members)

    def _class_weight(self) -> Floats:
        return np.asarray(self._learned.class_weight)

    def _candidates(self, trial: Trial) -> dict[str, Any]:
        models = default_members(trial.reader) if self.models is None else self.models
        named = named_classifiers(models)
        if self.columns is None:
            return named
        takes = {name: "columns" in one.get_params(deep=False) for name, one in named.items()}
        return {
            name: clone(one).set_params(columns=self.columns) if takes[name] else one
            for name, one in named.items()
        }

    def _update(self, change: Callable[[str, Any], Any]) -> Self:
        """Change copies of all members, then replace all at once: a failure changes nothing."""
        while True:
            before = self._learned
            members = {name: snapshot(one) for name, one in before.members.items()}
            for name, member in members.items():
                if not has_statistics(member):
                    raise InvalidParameter(
                        f"member {name!r} is not a function of statistics that could be updated; "
                        "fit the pool again, with all rows."
                    )
                change(name, member)
            first = next(iter(members.values()))
            weight = np.asarray(first._class_weight(), np.float64)
            pool = before.pool.relabelled(before.classes, first.classes_, shares_of(weight))
            class_priors(before.priors, first.classes_, weight)
            after = replace(
                before,
                classes=first.classes_,
                members=members,
                pool=pool,
                class_weight=weight,
                kept={},
            )
            if exchange(self, before, after):
                return self
