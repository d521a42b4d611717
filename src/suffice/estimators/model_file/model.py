"""Model: a fitted estimator of this package as a file, and back."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from suffice import __version__
from suffice.data.arrays import Array
from suffice.errors import InvalidFile, InvalidParameter
from suffice.estimators.indicators import Indicators
from suffice.estimators.mixture import GaussianMixture
from suffice.estimators.mixture_discriminant import MixtureDiscriminant
from suffice.estimators.model_file import indicators_part, learner_part, mixture_part, values
from suffice.estimators.model_file.classes import HOME, class_named, is_known
from suffice.estimators.model_file.schema import schema_of, take_names, training_of
from suffice.estimators.state import snapshot
from suffice.models.gaussian import GaussianModel
from suffice.models.mixture import MixtureModel
from suffice.models.product import ProductModel
from suffice.models.student import StudentModel
from suffice.statistics.container import pack
from suffice.statistics.threads import blas_threads

KIND = "model"
VERSION = 1

FIELDS = {"version", "library", "class", "parameters", "dropped", "schema", "training"}
FIELDS |= {"output", "fortran", "created", "format", "kind"}

OUTPUTS = (None, "default", "pandas", "polars")


def packed(model: Any, created: str | None = None) -> bytes:
    """The bytes of a file: equal for equal models."""
    header, arrays = written(model)
    return pack({**header, "created": created}, arrays)


def written(model: Any) -> tuple[dict[str, Any], dict[str, Array]]:
    """Header and arrays of a fitted estimator."""
    if not is_known(model):
        raise InvalidParameter(
            f"a file holds estimators of suffice and pipelines of them, not a "
            f"{type(model).__module__}.{type(model).__name__}."
        )
    check_is_fitted(model)
    model = snapshot(model)
    learned, arrays = _part(model).written(model)
    parameters, dropped = values.kept(model.get_params(deep=False))
    header = {
        "kind": KIND,
        "version": VERSION,
        "library": __version__,
        "class": type(model).__name__,
        "parameters": {
            name: values.written(name, value, arrays) for name, value in parameters.items()
        },
        "dropped": dropped,
        "output": getattr(model, "_sklearn_output_config", {}).get("transform"),
        "schema": schema_of(model),
        "training": training_of(model),
        # Columns first or rows first: a product of matrices may differ in its last bits.
        "fortran": sorted(name for name, a in arrays.items() if np.isfortran(a)),
        **learned,
    }
    return header, arrays


def unpacked(header: dict[str, Any], arrays: dict[str, Array], name: str, size: int | None) -> Any:
    """The estimator in a file, checked throughout; an error says what is wrong.

    size : of the file, if the model must not be out of proportion to it; else None
    """
    check_version(header, name, VERSION)
    kind = header.get("class")
    if not isinstance(kind, str) or kind not in HOME:
        raise InvalidFile(
            f"{name} holds a {kind!r}, which this version of suffice ({__version__}) does not "
            f"know; it was written by version {header.get('library')}. Upgrade suffice."
        )
    model = class_named(kind)()
    part = _part(model)
    check_fields(header, FIELDS | part.FIELDS, name)
    arrays = _in_order(header["fortran"], arrays)
    own = values.used(arrays)
    _set_parameters(model, header, {key: arrays[key] for key in own})
    rest = {key: array for key, array in arrays.items() if key not in own}
    with np.errstate(all="ignore"):  # numbers that overflow are refused below
        part.read(model, header, rest, name, size)
    take_names(model, header["schema"]["names"])
    _check_described(model, header)
    _check_computable(model)
    if header["output"] is not None:
        model.set_output(transform=header["output"])
    return model


def check_version(header: dict[str, Any], name: str, newest: int) -> None:
    """Raise unless this version can read the file."""
    version = header.get("version")
    if type(version) is not int or version < 1:
        raise InvalidFile(f"{name} has no version; it is damaged, or not a file of suffice.")
    if version > newest:
        raise InvalidFile(
            f"{name} was written by a newer version of suffice ({header.get('library')}, model "
            f"version {version}; this one reads up to {newest}). Upgrade suffice."
        )


def check_fields(header: dict[str, Any], expected: set[str], name: str) -> None:
    """Raise unless a header has these fields and no others."""
    unknown, missing = sorted(set(header) - expected), sorted(expected - set(header))
    if unknown:
        raise InvalidFile(
            f"{name} has the field {unknown[0]!r}, which this version of suffice ({__version__}) "
            f"does not know. Upgrade to {header.get('library')} or newer."
        )
    if missing:
        raise InvalidFile(f"{name} lacks the field {missing[0]!r}. Write it again with save.")
    for field in ("library", "created"):
        if not isinstance(header[field], str | None) or len(header[field] or "") > 100:
            raise ValueError(f"{field} is not a short text")


def _part(model: Any) -> Any:
    if isinstance(model, Indicators):
        return indicators_part
    if isinstance(model, GaussianMixture | MixtureDiscriminant):
        return mixture_part
    return learner_part


def _set_parameters(model: Any, header: dict[str, Any], arrays: dict[str, Array]) -> None:
    given, dropped = header["parameters"], header["dropped"]
    names = set(model.get_params(deep=False))
    if not isinstance(given, dict) or not isinstance(dropped, dict):
        raise ValueError("the parameters are not given by name")
    if set(given) | set(dropped) != names or set(given) & set(dropped):
        raise ValueError(f"the parameters are not those of a {header['class']}")
    if not all(isinstance(why, str) for why in dropped.values()):
        raise ValueError("it does not say why parameters were left out")
    if not isinstance(given.get("fit_prior", True), bool):
        raise ValueError("fit_prior is not true or false")
    model.set_params(**{name: values.read(value, arrays) for name, value in given.items()})


def _in_order(fortran: Any, arrays: dict[str, Array]) -> dict[str, Array]:
    if not isinstance(fortran, list) or not all(
        isinstance(name, str) and name in arrays for name in fortran
    ):
        raise ValueError("fortran does not name arrays")
    return arrays | {name: np.asfortranarray(arrays[name]) for name in fortran}


def _check_computable(model: Any) -> None:
    """Raise where numbers are finite but what is made of them is not."""
    found = model._learned.kept.get("model")
    if isinstance(found, ProductModel):
        found = found.gaussian
    if isinstance(found, MixtureModel):
        found = found.components
    if not isinstance(found, GaussianModel | StudentModel):
        return
    # Of a copy: what a model keeps may differ in its last bits with the number of threads.
    with np.errstate(all="ignore"), blas_threads(1):
        joint = replace(found).answer("joint", found.means[:1])
    if np.isnan(joint).any() or np.isposinf(joint).any():
        raise ValueError("its numbers are too large or too small to compute with")


def _check_described(model: Any, header: dict[str, Any]) -> None:
    """Raise unless the description that people read is that of the model."""
    if header["output"] not in OUTPUTS or not (
        header["output"] is None or hasattr(model, "set_output")
    ):
        raise ValueError("output is no kind of table")
    if header["schema"] != schema_of(model):
        raise ValueError("its schema does not describe the features of the model")
    if header["training"] != training_of(model):
        raise ValueError("its summary of the training does not fit the model")
    statistics = getattr(model, "statistics_", None)
    if statistics is None or statistics.feature_names is None:
        return
    if list(statistics.feature_names) != header["schema"]["names"]:
        raise ValueError("its statistics have other feature names")
