"""scikit-learn's own test files, run against this package: their classes are replaced by ours."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from contextlib import ExitStack
from importlib.util import find_spec, module_from_spec
from typing import Any
from unittest.mock import patch

import pytest

import suffice as sf

OURS = {
    "sklearn.discriminant_analysis": {
        "LinearDiscriminantAnalysis": sf.LinearDiscriminantAnalysis,
        "QuadraticDiscriminantAnalysis": sf.QuadraticDiscriminantAnalysis,
    },
    "sklearn.naive_bayes": {
        "GaussianNB": sf.GaussianNB,
        "BernoulliNB": sf.BernoulliNB,
        "CategoricalNB": sf.CategoricalNB,
    },
    "sklearn.mixture": {"GaussianMixture": sf.GaussianMixture},
}


def suite(name: str, exceptions: Mapping[str, str]) -> dict[str, Any]:
    """The tests of a module of scikit-learn, in which our classes stand for theirs.

    exceptions : why a test is expected to fail, by its name, or by its name and parameters
    """
    spec = find_spec(name)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    with ExitStack() as replaced:
        for home, classes in OURS.items():
            for attribute, ours in classes.items():
                replaced.enter_context(patch.object(importlib.import_module(home), attribute, ours))
        spec.loader.exec_module(module)
    found = {key: value for key, value in vars(module).items() if key.startswith("test")}
    for key, why in exceptions.items():
        found[key] = pytest.mark.xfail(reason=why, strict=True)(found[key])
    return found


def fails_for_ours(test: Any, why: str) -> Any:
    """A test with classes as parameters, expected to fail for ours and to pass for the others."""
    ours = [one for classes in OURS.values() for one in classes.values()]
    failure = pytest.mark.xfail(reason=why, strict=True)
    (mark,) = test.pytestmark
    name, values = mark.args
    marked = [pytest.param(one, marks=failure if one in ours else ()) for one in values]
    test.pytestmark = [pytest.mark.parametrize(name, marked).mark]
    return test
