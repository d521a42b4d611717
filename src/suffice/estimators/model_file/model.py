"""Model: a fitted estimator of this package as a file, and back."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from suffice import __version__
from suffice.errors import InvalidFile, InvalidParameter
from suffice.estimators.indicators import Indicators
from suffice.estimators.mixture import GaussianMixture
from suffice.estimators.mixture_discriminant import MixtureDiscriminant
from suffice.estimators.model_file import indicators_part, learner_part, mixture_part, values
from suffice.estimators.model_file.classes import HOME, class_named, is_storable
from suffice.estimators.state import snapshot
from suffice.statistics.container import OUTER as FILE_FIELDS
from suffice.statistics.container import brief
from suffice.statistics.nesting import Arrays
from suffice.statistics.room import Room
from suffice.statistics.texts import names_of, write_names

KIND = "model"
VERSION = 1

FIELDS = {"version", "library", "class", "parameters", "dropped", "output", "fortran", "kind"}

# Fields of the outermost header only.
OUTER = FILE_FIELDS | {"created"}

OUTPUTS = (None, "default", "pandas", "polars")


def to_arrays(model: Any) -> tuple[dict[str, Any], Arrays]:
    """Header and arrays of a fitted estimator."""
    if not is_storable(model):
        raise InvalidParameter(
            f"a file holds estimators of suffice and pipelines of them, not a "
            f"{type(model).__module__}.{type(model).__name__}."
        )
    check_is_fitted(model)
    model = snapshot(model)
    learned, arrays = _part(model).to_arrays(model)
    names = getattr(model, "feature_names_in_", None)
    arrays |= write_names(None if names is None else [str(name) for name in names])
    parameters, dropped = values.split_storable(model.get_params(deep=False))
    header = {
        "kind": KIND,
        "version": VERSION,
        "library": __version__,
        "class": type(model).__name__,
        "parameters": {
            name: values.encode(name, value, arrays) for name, value in parameters.items()
        },
        "dropped": dropped,
        "output": getattr(model, "_sklearn_output_config", {}).get("transform"),
        # Memory order, on which the last bits of products of matrices may depend.
        "fortran": sorted(name for name in values.used(arrays) if np.isfortran(arrays[name])),
        **learned,
    }
    return header, arrays


def read(header: dict[str, Any], arrays: Arrays, name: str, room: Room) -> Any:
    """The estimator of a header and arrays, fully validated; an error says what is wrong.

    name : of the file
    """
    check_version(header, name, VERSION)
    kind = header.get("class")
    if not isinstance(kind, str) or kind not in HOME:
        raise InvalidFile(
            f"{name} holds a {brief(kind)}, which this version of suffice ({__version__}) does "
            f"not know; it was written by version {brief(header.get('library'))}. Upgrade suffice."
        )
    model = class_named(kind)()
    part = _part(model)
    check_fields(header, FIELDS | part.FIELDS, name)
    own = values.used(arrays)
    ordered = _in_order(header["fortran"], {key: arrays[key] for key in own})
    _set_parameters(model, header, ordered, room)
    rest = {key: a for key, a in arrays.items() if key not in own | {"names", "names.ends"}}
    with np.errstate(all="ignore"):  # overflow is detected below
        part.read(model, header, rest, room)
    _set_names(model, names_of(arrays, model.n_features_in_, room))
    _set_output(model, header["output"])
    return model


def check_version(header: dict[str, Any], name: str, newest: int) -> None:
    """Raise unless this version can read the file."""
    version = header.get("version")
    if type(version) is not int or version < 1:
        raise InvalidFile(f"{name} has no version; it is damaged, or not a file of suffice.")
    if version > newest:
        raise InvalidFile(
            f"{name} was written by a newer version of suffice ({brief(header.get('library'))}, "
            f"model version {brief(version)}; this one reads up to {newest}). Upgrade suffice."
        )


def check_fields(header: dict[str, Any], expected: set[str], name: str) -> None:
    """Raise unless a header has these fields and no others."""
    unknown, missing = sorted(set(header) - expected), sorted(expected - set(header))
    if unknown:
        raise InvalidFile(
            f"{name} has the field {brief(unknown[0])}, which this version of suffice "
            f"({__version__}) does not know. Upgrade to {brief(header.get('library'))} or newer."
        )
    if missing:
        raise InvalidFile(f"{name} lacks the field {missing[0]!r}. Write it again with save.")
    _check_short(header, "library")


def check_outer(header: dict[str, Any]) -> None:
    """Raise unless the outermost header has its special fields."""
    missing = sorted(OUTER - set(header))
    if missing:
        raise ValueError(f"it lacks the field {missing[0]!r}")
    _check_short(header, "created")


def _check_short(header: dict[str, Any], field: str) -> None:
    if not isinstance(header[field], str | None) or len(header[field] or "") > 100:
        raise ValueError(f"{field} is not a short text")


def _part(model: Any) -> Any:
    if isinstance(model, Indicators):
        return indicators_part
    if isinstance(model, GaussianMixture | MixtureDiscriminant):
        return mixture_part
    return learner_part


def _set_parameters(model: Any, header: dict[str, Any], arrays: Arrays, room: Room) -> None:
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
    model.set_params(**{name: values.read(value, arrays, room) for name, value in given.items()})


def _in_order(fortran: Any, arrays: Arrays) -> Arrays:
    if not isinstance(fortran, list) or not all(
        isinstance(name, str) and name in arrays for name in fortran
    ):
        raise ValueError("fortran does not name arrays")
    return arrays | {name: np.asfortranarray(arrays[name]) for name in fortran}


def _set_names(model: Any, names: tuple[str, ...] | None) -> None:
    """Set the feature names of a model; a ValueError if its statistics have other names."""
    of_statistics = getattr(getattr(model, "statistics_", None), "feature_names", None)
    if of_statistics is not None and of_statistics != names:
        raise ValueError("its statistics have different feature names")
    own = None if names is None else np.array([*names, None], object)[:-1]
    model._state = model._learned.renamed(own)


def _set_output(model: Any, output: Any) -> None:
    if output not in OUTPUTS or not (output is None or hasattr(model, "set_output")):
        raise ValueError("output is not a known kind of table")
    if output is not None:
        model.set_output(transform=output)
