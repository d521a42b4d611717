"""Mixture part: the components that EM found, to the last bit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from suffice.answers.sampling import generator
from suffice.data.arrays import Array
from suffice.data.parameters import choice, count, not_negative
from suffice.errors import InvalidParameter
from suffice.estimators.columns import Columns
from suffice.estimators.fitting import FittedMixture
from suffice.estimators.mixture import STARTS, GaussianMixture
from suffice.estimators.mixture_discriminant import MixtureDiscriminant
from suffice.estimators.model_file import covariance_part
from suffice.models.covariance import Covariance
from suffice.models.gaussian import GaussianModel
from suffice.models.mixture import MixtureModel
from suffice.models.training import Given
from suffice.statistics.complete_file import LABEL_KINDS, labels

FIELDS = {"labels", "classes", "covariances", "borrowed", "converged", "lower_bound"}

Mixture = GaussianMixture | MixtureDiscriminant

_FLOATS = ("priors", "shares", "means", "component_priors", "component_weight", "log_likelihoods")


def written(model: Mixture) -> tuple[dict[str, Any], dict[str, Array]]:
    """Header and arrays of what was found."""
    if isinstance(model, GaussianMixture) and model._settings() != model._built_with:
        raise InvalidParameter(
            "the parameters of this GaussianMixture were changed after it was fitted, so they do "
            "not tell what it is. Fit it again, or set them back."
        )
    found, parts = model._fitted, model._fitted.components
    arrays: dict[str, Array] = {
        "priors": found.priors,
        "shares": found.shares,
        "means": parts.means,
        "component_priors": parts.priors,
        "component_weight": model._component_weight,
        "log_likelihoods": model.log_likelihoods_,
        "owner": np.asarray(found.owner, np.int64),
    }
    shapes = []
    for i, covariance in enumerate(parts.covariances):
        shape, own = covariance_part.written(covariance)
        shapes.append(shape)
        arrays |= {f"covariance.{i:06d}.{name}": array for name, array in own.items()}
    header = {
        "labels": LABEL_KINDS[found.classes.dtype.kind],
        "classes": found.classes.tolist(),
        "covariances": shapes,
        "borrowed": list(parts.borrowed),
        "converged": bool(model.converged_),
        "lower_bound": None if np.isinf(model.lower_bound_) else float(model.lower_bound_),
    }
    return header, arrays


def read(
    model: Mixture,
    header: dict[str, Any],
    arrays: dict[str, Array],
    name: str,
    size: int | None,
) -> None:
    """Give an estimator with parameters what it had found; an error says what is wrong."""
    classes = labels(header["labels"], header["classes"])
    _check_arrays(arrays, len(classes))
    K, d = arrays["means"].shape
    _check_parameters(model, K, d)
    covariances = _covariances(header["covariances"], arrays, (K, d))
    borrowed = header["borrowed"]
    if not isinstance(borrowed, list) or not all(type(c) is int and 0 <= c < K for c in borrowed):
        raise ValueError("borrowed does not name components")
    components = GaussianModel(
        np.arange(K), arrays["component_priors"], arrays["means"], covariances, tuple(borrowed)
    )
    if len(classes) > 1 and not (classes[:-1] < classes[1:]).all():
        raise ValueError("classes are not sorted or not unique")
    found = MixtureModel(classes, arrays["priors"], components, arrays["owner"], arrays["shares"])
    _check_shares(found)
    _take(model, found, header, arrays)


def _take(
    model: Mixture, found: MixtureModel, header: dict[str, Any], arrays: dict[str, Array]
) -> None:
    bound = header["lower_bound"]
    if not isinstance(header["converged"], bool) or not isinstance(bound, float | None):
        raise ValueError("converged or lower_bound is not what it says")
    if isinstance(model, GaussianMixture) and found.classes.tolist() != [0]:
        raise ValueError("a mixture without labels has classes")
    model._state = FittedMixture(
        columns=Columns(found.components.means.shape[1]),
        kept={"model": found},
        classes=found.classes,
        settings=model._settings(),
        component_weight=arrays["component_weight"],
        log_likelihoods=arrays["log_likelihoods"],
        converged=header["converged"],
        lower_bound=-np.inf if bound is None else bound,
    )


def _check_parameters(model: Mixture, K: int, d: int) -> None:
    """Raise where `fit` would not take the parameters."""
    settings, asked, addition = model._settings(), model.n_components, 0.0
    generator(model.random_state)
    if isinstance(model, GaussianMixture):
        addition = not_negative("reg_covar", model.reg_covar)
        choice("init_params", model.init_params, STARTS)
        init = model.weights_init, model.means_init, model.precisions_init
        Given.checked(*init, settings, (K, d))
        if count("n_components", asked) != K:
            raise ValueError(f"n_components is {asked}, but there are {K} components")
    elif isinstance(asked, str):
        choice("n_components", asked, ("bic",))
    elif not isinstance(asked, Mapping):
        count("n_components", asked)
    model._effort(addition)


def _check_arrays(arrays: dict[str, Array], k: int) -> None:
    missing = [name for name in (*_FLOATS, "owner") if name not in arrays]
    if missing or arrays["means"].ndim != 2:
        raise ValueError(f"the mixture lacks {missing or 'means'}")
    K = len(arrays["means"])
    shapes: dict[str, tuple[int, ...]] = dict.fromkeys(
        ("shares", "component_priors", "component_weight", "owner"), (K,)
    )
    shapes |= {"priors": (k,), "means": arrays["means"].shape}
    shapes["log_likelihoods"] = (arrays["log_likelihoods"].size,)
    for name, shape in shapes.items():
        kind = np.int64 if name == "owner" else np.float64
        if arrays[name].shape != shape or arrays[name].dtype != kind:
            raise ValueError(f"{name} has shape {arrays[name].shape}, not {shape}, or another type")
        if not np.isfinite(arrays[name]).all():
            raise ValueError(f"{name} holds values that are not finite")
        if name not in ("means", "log_likelihoods") and (arrays[name] < 0).any():
            raise ValueError(f"{name} holds negative values")
    owner = arrays["owner"]
    if not K or not arrays["means"].shape[1] or (np.diff(owner) < 0).any():
        raise ValueError("there are no components or features, or their classes are not in order")
    if not np.array_equal(np.unique(owner), np.arange(k)):
        raise ValueError("a class has no component, or a component no class")


def _check_shares(found: MixtureModel) -> None:
    totals = np.bincount(found.owner, found.shares)
    expected = found.priors[found.owner] * found.shares
    if not np.allclose(totals, 1.0, rtol=0, atol=1e-8):
        raise ValueError("the shares of the components do not add up to 1")
    if not np.isclose(found.priors.sum(), 1.0, rtol=0, atol=1e-8):
        raise ValueError("the priors do not add up to 1")
    if not np.allclose(found.components.priors, expected, rtol=0, atol=1e-8):
        raise ValueError("the priors of the components do not fit those of the classes")


def _covariances(
    shapes: Any, arrays: dict[str, Array], size: tuple[int, int]
) -> tuple[Covariance, ...]:
    K, d = size
    if not isinstance(shapes, list) or len(shapes) not in (1, K):
        raise ValueError("there is not one covariance for all components, nor one for each")
    numbers = {f"{i:06d}": i for i in range(len(shapes))}
    own: list[dict[str, Array]] = [{} for _ in shapes]
    for key in set(arrays) - {*_FLOATS, "owner"}:
        prefix, _, rest = key.partition(".")
        number, _, part = rest.partition(".")
        if prefix != "covariance" or number not in numbers:
            raise ValueError(f"the array {key!r} belongs to no covariance")
        own[numbers[number]][part] = arrays[key]
    return tuple(
        covariance_part.read(shape, parts, d) for shape, parts in zip(shapes, own, strict=True)
    )
