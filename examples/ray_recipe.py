"""Ray: statistics a block, by value, added in a tree. Takes `pip install "ray[data]"`.

Nothing of suffice knows of Ray, and nothing has to: a task returns statistics, and statistics
add up. The same ten lines serve any other cluster that runs functions.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import ray

import suffice as sf

FAN_IN = 8


@ray.remote
def summary(X: np.ndarray, y: np.ndarray) -> Any:
    """Statistics of one block: a value, so that a task that is run again counts once."""
    return sf.summarize(X, y)


@ray.remote
def added(*parts: Any) -> Any:
    """Statistics of several blocks."""
    return sum(parts)


@ray.remote
def labels(model: Any, X: np.ndarray) -> np.ndarray:
    """The most probable class of each row of a block."""
    return model.predict(X)


def total(parts: list[Any]) -> Any:
    """The sum of all parts, where they lie."""
    while len(parts) > 1:
        groups = [parts[at : at + FAN_IN] for at in range(0, len(parts), FAN_IN)]
        parts = [added.remote(*group) for group in groups]
    return ray.get(parts[0])


def main() -> None:
    """Twenty blocks, summarized and labelled by tasks."""
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=20_000)
    X = rng.standard_normal((20_000, 5)) + y[:, None]
    blocks = list(zip(np.array_split(X, 20), np.array_split(y, 20), strict=True))

    statistics = total([summary.remote(*block) for block in blocks])
    print(f"equal to those in memory: {statistics == sf.summarize(X, y)}")

    model = sf.LDA().fit_statistics(statistics)
    sent = ray.put(model)  # once, not once a task
    found = np.concatenate(ray.get([labels.remote(sent, rows) for rows, _ in blocks]))
    print(f"labels equal to those in memory: {bool((found == model.predict(X)).all())}")


if __name__ == "__main__":
    ray.init(num_cpus=2, include_dashboard=False, _node_ip_address="127.0.0.1")
    main()
    ray.shutdown()
