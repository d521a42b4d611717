"""Covariances that are given: kept to the last bit, and read as what they can be."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import suffice as sf
from suffice.errors import InvalidFile, InvalidParameter
from suffice.estimators.model_file.model import StoredModel
from suffice.statistics.storage.container import pack
from suffice.statistics.storage.walker import to_arrays

RNG = np.random.default_rng(3)
MEANS = np.array([[4.0, 3.0, 0.0], [0.0, 1.0, 1.0]])
LABELS = ["spam", "ham"]  # not in their sorted order


def matrix(covariances, c):
    own = covariances[c] if covariances.shape in ((2, 3, 3), (2, 3)) else covariances
    return np.diag(own) if own.ndim == 1 else own


STRETCH = RNG.uniform(0.5, 2.0, 3)
# With digits that a product of rounded factors would not give back.
SHARED = np.array([[1.0, 0.5, 0.1], [0.5, 2.0, 0.2], [0.1, 0.2, 1.5]]) * np.outer(STRETCH, STRETCH)
OWN = np.stack([SHARED, np.diag(STRETCH) + 0.2])


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        (sf.LDA, SHARED),
        (sf.QDA, OWN),
        (sf.QDA, SHARED),
        (sf.GaussianDiscriminant, OWN),
        (sf.GaussianDiscriminant, SHARED),
        (sf.GaussianDiscriminant, RNG.uniform(0.5, 2.0, (2, 3))),
        (sf.GaussianNB, RNG.uniform(0.5, 2.0, (2, 3))),
        (sf.DiagonalLDA, STRETCH),
    ],
)
def test_parameters_are_those_given_to_the_last_bit(kind, values, tmp_path):
    means, priors = MEANS * np.pi, RNG.dirichlet([1.0, 1.0])
    made = kind.from_parameters(means, values, priors, LABELS)
    made.save(tmp_path / "model.suffice")
    for model in (made, sf.load(tmp_path / "model.suffice"), made.with_priors(priors[::-1])):
        order = [LABELS.index(label) for label in model.classes_]
        assert model.means_.tobytes() == means[order].tobytes()
        expected = np.stack([matrix(values, c) for c in order])
        assert model.covariances_.tobytes() == expected.tobytes()
    assert made.priors_.tobytes() == priors[::-1].tobytes()


def test_entries_of_a_covariance_that_are_not_those_of_its_factor_are_refused(tmp_path):
    stored = StoredModel.of(sf.LDA.from_parameters(MEANS, SHARED))
    model = stored.content.parameters
    one = model.covariances[0]
    for entries in (SHARED * 1.001, SHARED + np.eye(3, k=1) * 1e-9, SHARED[:2], SHARED * 1e300):
        wrong = replace(model, covariances=(replace(one, entries=entries),))
        wrong = replace(stored, content=replace(stored.content, parameters=wrong))
        (tmp_path / "wrong.suffice").write_bytes(pack(*to_arrays(wrong), None))
        with pytest.raises(InvalidFile):
            sf.load(tmp_path / "wrong.suffice")


TWO = [[4.0, 3.0], [0.0, 1.0]]


@pytest.mark.parametrize(
    ("kind", "given", "expected"),
    [
        (sf.GaussianNB, [[1, 2], [3, 4]], [[1, 2], [3, 4]]),  # one row of variances per class
        (sf.GaussianNB, [[1, 2], [2, 1]], [[1, 2], [2, 1]]),  # not positive definite as a matrix
        (sf.GaussianNB, [[1, 0], [0, 4]], [[1, 4], [1, 4]]),  # zeros are not variances
        (sf.GaussianNB, [np.diag([1, 0.5]), np.diag([0.5, 1])], [[1, 0.5], [0.5, 1]]),
        (sf.GaussianDiscriminant, [[1, 0], [0, 4]], [[1, 4], [1, 4]]),
        (sf.GaussianDiscriminant, [np.diag([1, 2]), np.diag([3, 4])], [[1, 2], [3, 4]]),
        (sf.DiagonalLDA, [[1, 0], [0, 4]], [[1, 4], [1, 4]]),
        (sf.DiagonalLDA, [np.diag([1, 4])] * 2, [[1, 4], [1, 4]]),  # one per class, all equal
        (sf.LDA, [np.diag([1, 4])] * 2, [[1, 4], [1, 4]]),
    ],
)
def test_a_square_for_as_many_classes_as_features_is_read_as_what_it_can_be(kind, given, expected):
    model = kind.from_parameters(TWO, given)
    np.testing.assert_array_equal(np.diagonal(model.covariances_, axis1=1, axis2=2), expected)


@pytest.mark.parametrize(
    ("kind", "given", "words"),
    [
        (sf.GaussianNB, [[1, 0.5], [0.5, 1]], r"may be the variances.*np\.diag\(row\)"),
        (sf.GaussianNB, [[1, -0.5], [-0.5, 1]], r"independent features, but the covariance"),
        (sf.QDA, [[1, 2], [3, 4]], r"this one is not symmetric.*np\.diag\(row\)"),
        (sf.GaussianDiscriminant, [[1, 2], [3, 4]], "this one is not symmetric"),
        (sf.LDA, [[1, 0.5], [0.4, 1]], r"not symmetric: entry \(0, 1\) is 0\.5"),
        (sf.DiagonalLDA, [[1, 2], [3, 4]], "independent features"),
    ],
)
def test_a_square_that_could_be_either_is_refused_with_the_way_out(kind, given, words):
    with pytest.raises(InvalidParameter, match=words):
        kind.from_parameters(TWO, given)
