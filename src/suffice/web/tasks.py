"""Tasks: what the page asks Python to compute, because the browser cannot."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from suffice.data.arrays import Floats, Indices
from suffice.errors import InvalidParameter, SufficeError
from suffice.estimators.automatic.selecting import select_model
from suffice.estimators.bayesian import BayesianDiscriminant
from suffice.estimators.gaussian import GaussianDiscriminant
from suffice.estimators.mixture_discriminant import MixtureDiscriminant
from suffice.estimators.repairing import repairs_expected
from suffice.web.dataset import Dataset


@dataclass(frozen=True, eq=False, slots=True)
class Tasks:
    """Answers about one dataset with rows, as the page has edited it."""

    dataset: Dataset

    def answer(self, request: Any) -> dict[str, Any]:
        """The answer to a request, or the reason why there is none."""
        known: dict[str, Callable[[Any], dict[str, Any]]] = {
            "path": self.path,
            "select": self.select,
            "others": self.others,
        }
        task = request.get("task") if isinstance(request, dict) else None
        if not isinstance(task, str) or task not in known:
            return {"error": "there is no such task"}
        if self.dataset.rows is None:
            return {"error": "this takes rows, and there are none"}
        try:
            with warnings.catch_warnings(), repairs_expected():
                warnings.simplefilter("ignore")
                return known[task](request)
        except (SufficeError, KeyError, TypeError, ValueError, OverflowError) as error:
            return {"error": str(error)}

    def path(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Leave-one-out errors and log-loss along pooling or shrinkage, exactly."""
        name = request["parameter"]
        if name not in ("pooling", "shrinkage"):
            raise InvalidParameter("parameter must be pooling or shrinkage.")
        X, y = self._rows(request)
        settings = _settings(request["settings"])
        points = []
        # Values along a slider.
        steps = 11
        for value in np.linspace(0, 1, steps).tolist():
            model = GaussianDiscriminant(**{**settings, name: value}).fit(X, y)
            left = model.leave_one_out(X, y)
            points.append({"value": value, "errors": len(left.wrong), "log_loss": left.log_loss})
        finite = [one for one in points if np.isfinite(one["log_loss"])]
        return {"points": finite, "rows": len(y)}

    def select(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """The model that cross-validation chooses."""
        X, y = self._rows(request)
        found = select_model(X, self.dataset.classes[y])
        return {"model": " ".join(repr(found.model).split()), "summary": str(found)}

    def others(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Posteriors of models that the browser does not have, at a point."""
        X, y = self._rows(request)
        point = _numbers(request["point"], X.shape[1])
        models: dict[str, Any] = {
            "two Gaussians per class": MixtureDiscriminant(2, random_state=0),
            "means and covariances with priors of their own": BayesianDiscriminant(),
        }
        out = []
        for name, model in models.items():
            proba = model.fit(X, y).predict_proba(point[None])[0]
            by_code = dict(zip(model.classes_.tolist(), proba.tolist(), strict=True))
            whole = [by_code.get(c, 0.0) for c in range(len(self.dataset.classes))]
            errors = int((model.predict(X) != y).sum())
            out.append({"name": name, "posterior": whole, "errors": errors})
        return {"models": out, "rows": len(y)}

    def _rows(self, request: Mapping[str, Any]) -> tuple[Floats, Indices]:
        """The rows and codes with the edits of the page."""
        rows, codes = self.dataset.rows, self.dataset.codes
        assert rows is not None
        assert codes is not None
        edits = request.get("edits", [])
        # Edits that one request may hold.
        most_edits = 1000
        if not isinstance(edits, list) or len(edits) > most_edits:
            raise InvalidParameter(f"edits must be a list of at most {most_edits}.")
        X, y = [*rows], codes.tolist()
        for edit in edits:
            _apply(edit, X, y, len(self.dataset.classes))
        kept = np.array(y) >= 0
        return np.array(X)[kept], np.array(y)[kept]


def _apply(edit: Mapping[str, Any], X: list[Floats], y: list[int], k: int) -> None:
    op, d = edit["op"], len(X[0])
    if op == "add":
        X.append(_numbers(edit["values"], d))
        y.append(_whole(edit["code"], k))
    elif op == "move":
        X[_whole(edit["row"], len(X))] = _numbers(edit["values"], d)
    elif op == "remove":
        y[_whole(edit["row"], len(X))] = -1
    else:
        raise InvalidParameter("an edit adds, moves or removes a row.")


def _settings(given: Any) -> dict[str, Any]:
    names = ("structure", "pooling", "shrinkage", "ddof", "priors")
    return {name: given[name] for name in names}


def _numbers(values: Any, length: int) -> Floats:
    if not isinstance(values, list) or not all(type(one) in (int, float) for one in values):
        raise InvalidParameter("values must be a list of numbers.")
    found = np.array(values, np.float64)
    if found.shape != (length,) or not np.isfinite(found).all():
        raise InvalidParameter(f"values must be {length} finite numbers.")
    return found


def _whole(value: Any, below: int) -> int:
    if type(value) is not int or not 0 <= value < below:
        raise InvalidParameter(f"a number of a row or a class must be from 0 to {below - 1}.")
    return value
