"""Integration: what each feature adds to an answer, from the answers without some features."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations

import numpy as np

from suffice.data.arrays import Array, Floats, Indices


def shapley_values(
    answer: Callable[[Array], Floats], d: int, *, exact_to: int = 5, answers: int = 256
) -> tuple[Floats, Floats]:
    """The share of each feature in an answer, (n, d), and the answer without features, (n,).

    A generative model answers for any subset of the features, the others integrated out. The
    share of a feature is the change of the answer when it is added to those before it, averaged
    over the orders of the features: its Shapley value. Shares and the answer without features add
    up to the answer with all of them, in every single order.

    answer : the answers (m, n) where the features of each of m masks (m, d) are left out
    exact_to : with more features, random orders and their reverses are averaged
    answers : about how many are asked for then; each order takes d of them

    >>> weights = np.array([1.0, -2.0])
    >>> shapley_values(lambda left_out: 3.0 + ~left_out @ weights[:, None], 2)
    (array([[ 1., -2.]]), array([3.]))
    """
    orders = np.array(_orders(d, exact_to, max(1, answers // (2 * d))))
    # Features are added in the order of their ranks; after i of them, those of rank i on are left.
    left_out = np.argsort(orders, axis=1)[:, None] >= np.arange(d + 1)[:, None]
    masks, at = np.unique(left_out.reshape(-1, d), axis=0, return_inverse=True)
    every = answer(masks)
    total = np.zeros((d, every.shape[1]))
    for order, own in zip(orders, at.reshape(len(orders), d + 1), strict=True):
        total[order] += np.diff(every[own], axis=0)
    return total.T / len(orders), every[at.flat[0]]


def _orders(d: int, exact_to: int, pairs: int) -> list[Indices]:
    if d <= exact_to:
        return [np.array(order, np.int64) for order in permutations(range(d))]
    rng = np.random.default_rng(0)
    forward = [rng.permutation(d) for _ in range(pairs)]
    return [order for one in forward for order in (one, one[::-1])]
