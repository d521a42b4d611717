"""Parts: order does not matter, the first failure is reported, nothing is counted twice."""

import pickle
import random

import numpy as np
import pytest
from close import assert_equal_statistics, numbers

import suffice as sf
from suffice.engines.parts import Job, Part, run, total_value
from suffice.engines.recipes import MomentsRecipe
from suffice.errors import InvalidFeatures, InvalidWeights, MissingPackage, NotFinite

X, Y, WEIGHT = numbers(60)
JOB = Job(MomentsRecipe("separate"))


def parts(cut=20):
    return [
        JOB.part(i, X[i * cut : (i + 1) * cut], Y[i * cut : (i + 1) * cut], None)
        for i in range(60 // cut)
    ]


def test_the_order_of_arrival_changes_no_bit():
    expected = JOB.together(parts(5)).value.digest()
    for seed in range(5):
        shuffled = parts(5)
        random.Random(seed).shuffle(shuffled)
        assert JOB.together(shuffled).value.digest() == expected
    assert_equal_statistics(total_value(JOB.together(parts(5))), sf.summarize(X, Y))


def test_parts_travel_as_values():
    there = [pickle.loads(pickle.dumps(part)) for part in parts()]
    assert JOB.together(there).value.digest() == JOB.together(parts()).value.digest()


def test_the_first_failure_is_reported_whatever_came_first():
    wrong = np.full((20, 4), np.inf)
    some = [JOB.part(2, wrong, Y[:20], None), parts()[0], JOB.part(1, wrong, Y[:20], None)]
    for order in (some, some[::-1]):
        with pytest.raises(NotFinite, match=r"^partition 1: .* row 0"):
            total_value(JOB.together(order))
    later = JOB.part(3, wrong, Y[:20], None, first_row=40)
    assert later.failure is not None
    assert later.failure.message.startswith("partition 3, after 40 rows: ")


def test_partitions_without_rows_or_weight_add_nothing():
    empty = JOB.part(0, X[:0], Y[:0], None)
    weightless = JOB.part(1, X[:5], Y[:5], np.zeros(5))
    full = JOB.part(2, X, Y, WEIGHT)
    total = JOB.together([full, empty, weightless])
    assert (total.first, total.last, total.rows) == (0, 2, 65)
    assert_equal_statistics(total.value, sf.summarize(X, Y, WEIGHT))
    with pytest.raises(InvalidWeights, match="zero in every row"):
        total_value(JOB.together([empty, weightless]))
    for nothing in (None, empty, Part(0, 0)):
        with pytest.raises(InvalidFeatures, match="X is empty"):
            total_value(nothing)


def test_weights_that_are_wrong_are_not_taken_for_none():
    for weight in (np.full(60, np.nan), -WEIGHT, WEIGHT[:3]):
        with pytest.raises(InvalidWeights, match="partition 0"):
            total_value(JOB.part(0, X, Y, weight))


def test_workers_of_another_version_are_reported():
    with pytest.raises(MissingPackage, match=r"a worker has suffice .* and this process 9\.9"):
        total_value(Job(MomentsRecipe("separate"), version="9.9").part(0, X, Y, None))


def test_other_errors_of_a_job_are_left_alone():
    def fails(error):
        raise error

    with pytest.raises(OSError, match="disk"):
        run(lambda: fails(OSError("disk")))
    with pytest.raises(ModuleNotFoundError, match="'pandas'"):
        run(lambda: fails(ModuleNotFoundError("No module named 'pandas'")))
    with pytest.raises(MissingPackage, match="cannot import suffice"):
        run(lambda: fails(RuntimeError("task: No module named 'suffice.engines'")))
