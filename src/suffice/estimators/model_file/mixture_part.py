"""Mixture part: the components estimated by EM, to the last bit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from suffice.answers.sampling import generator
from suffice.data.parameters import choice, count, not_negative
from suffice.errors import InvalidParameter
from suffice.estimators.columns import LearnedColumns
from suffice.estimators.fitting import FittedMixture
from suffice.estimators.mixture import STARTS, GaussianMixture
from suffice.estimators.mixture_discriminant import MixtureDiscriminant
from suffice.estimators.model_file import gaussian_part
from suffice.models.computable import check_computable
from suffice.models.mixture import MixtureModel
from suffice.models.training import Given
from suffice.statistics.nesting import Arrays, check_names
from suffice.statistics.room import Room
from suffice.statistics.texts import read_labels, write_labels

FIELDS = {"converged", "lower_bound"}

Mixture = GaussianMixture | MixtureDiscriminant

_FLOATS = ("priors", "shares", "component_priors", "component_weight", "log_likelihoods")
_NAMES = {*_FLOATS, "owner", "classes", "classes.ends", *gaussian_part.NAMES}


def to_arrays(model: Mixture) -> tuple[dict[str, Any], Arrays]:
    """Header and arrays of a fitted mixture."""
    if isinstance(model, GaussianMixture) and model._settings() != model._built_with:
        raise InvalidParameter(
            "the parameters of this GaussianMixture were changed after it was fitted, so they do "
            "not describe it. Fit it again, or restore them."
        )
    mixture, parts = model._fitted, model._fitted.components
    arrays: Arrays = {
        **write_labels("classes", mixture.classes),
        "priors": mixture.priors,
        "shares": mixture.shares,
        "component_priors": parts.priors,
        "component_weight": model._component_weight,
        "log_likelihoods": model.log_likelihoods_,
        "owner": np.asarray(mixture.owner, np.int64),
        **gaussian_part.to_arrays(parts),
    }
    header = {
        "converged": bool(model.converged_),
        "lower_bound": None if np.isinf(model.lower_bound_) else float(model.lower_bound_),
    }
    return header, arrays


def read(model: Mixture, header: dict[str, Any], arrays: Arrays, room: Room) -> None:
    """Set the fitted state of an estimator; a ValueError says what is wrong."""
    check_names(arrays, _NAMES, ["covariances"])
    classes = read_labels("classes", arrays, room)
    K = _check_arrays(arrays, len(classes))
    components = gaussian_part.read(arrays, np.arange(K), arrays["component_priors"])
    _check_parameters(model, K, components.means.shape[1])
    mixture = MixtureModel(classes, arrays["priors"], components, arrays["owner"], arrays["shares"])
    _check_shares(mixture)
    check_computable(mixture)
    _set_state(model, mixture, header, arrays)


def _set_state(
    model: Mixture, mixture: MixtureModel, header: dict[str, Any], arrays: Arrays
) -> None:
    bound = header["lower_bound"]
    if not isinstance(header["converged"], bool) or not isinstance(bound, float | None):
        raise ValueError("converged or lower_bound has the wrong type")
    if isinstance(model, GaussianMixture) and mixture.classes.tolist() != [0]:
        raise ValueError("a mixture without labels has classes")
    model._state = FittedMixture(
        columns=LearnedColumns(mixture.components.means.shape[1]),
        kept={"model": mixture},
        classes=mixture.classes,
        settings=model._settings(),
        component_weight=arrays["component_weight"],
        log_likelihoods=arrays["log_likelihoods"],
        converged=header["converged"],
        lower_bound=-np.inf if bound is None else bound,
    )


def _check_parameters(model: Mixture, K: int, d: int) -> None:
    """Raise if `fit` would refuse the parameters."""
    settings, requested, addition = model._settings(), model.n_components, 0.0
    generator(model.random_state)
    if isinstance(model, GaussianMixture):
        addition = not_negative("reg_covar", model.reg_covar)
        choice("init_params", model.init_params, STARTS)
        init = model.weights_init, model.means_init, model.precisions_init
        Given.checked(*init, settings, (K, d))
        if count("n_components", requested) != K:
            raise ValueError(f"n_components is {requested}, but there are {K} components")
    elif isinstance(requested, str):
        choice("n_components", requested, ("bic",))
    elif not isinstance(requested, Mapping):
        count("n_components", requested)
    model._effort(addition)


def _check_arrays(arrays: Arrays, k: int) -> int:
    """Number of components, after checking their arrays."""
    owner = arrays["owner"]
    shapes: dict[str, tuple[int, ...]] = dict.fromkeys(
        ("shares", "component_priors", "component_weight", "owner"), owner.shape[:1]
    )
    shapes |= {"priors": (k,), "log_likelihoods": (arrays["log_likelihoods"].size,)}
    for name, shape in shapes.items():
        kind = np.int64 if name == "owner" else np.float64
        if arrays[name].shape != shape or arrays[name].dtype != kind:
            raise ValueError(f"{name} has shape {arrays[name].shape}, not {shape}, or another type")
        if not np.isfinite(arrays[name]).all():
            raise ValueError(f"{name} holds values that are not finite")
        if name != "log_likelihoods" and (arrays[name] < 0).any():
            raise ValueError(f"{name} holds negative values")
    if not len(owner) or (np.diff(owner) < 0).any():
        raise ValueError("there are no components, or their classes are not in order")
    if not np.array_equal(np.unique(owner), np.arange(k)):
        raise ValueError("a class has no component, or a component no class")
    return len(owner)


def _check_shares(mixture: MixtureModel) -> None:
    totals = np.bincount(mixture.owner, mixture.shares)
    expected = mixture.priors[mixture.owner] * mixture.shares
    if not np.allclose(totals, 1.0, rtol=0, atol=1e-8):
        raise ValueError("the shares of the components do not add up to 1")
    if not np.isclose(mixture.priors.sum(), 1.0, rtol=0, atol=1e-8):
        raise ValueError("the priors do not add up to 1")
    if not np.allclose(mixture.components.priors, expected, rtol=0, atol=1e-8):
        raise ValueError("the priors of the components do not match those of the classes")
