"""Federated sites: each sends a file of statistics, and no row ever leaves it.

Three clinics hold patients of their own. Each summarizes its rows and sends one file; the
coordinator adds the files and has the model that all rows together would have given. A clinic
that withdraws is subtracted, as if its patients had never been seen.

Files hold counts, means, scatter, and the least and largest value of each feature by class. Of few
rows that says much of each of them: a class of one row is that row. So sites keep
back classes with fewer rows than all have agreed on.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
from sklearn.datasets import load_breast_cancer

import suffice as sf

FEWEST_ROWS = 20


def site(rows: np.ndarray, labels: np.ndarray, file: Path) -> None:
    """What runs at a site: rows in, one file out."""
    statistics = sf.summarize(rows, labels)
    for label, count in zip(statistics.classes, statistics.count, strict=True):
        if count < FEWEST_ROWS:
            statistics = statistics.drop_class(label)
    statistics.save(file)


def coordinator(files: list[Path]) -> sf.QDA:
    """What runs in the middle: files in, a model out. Nothing in a file is ever executed."""
    return sf.QDA(shrinkage=0.1).fit_statistics(sum(sf.load(file) for file in files))


def main() -> None:
    """Three sites, and one that withdraws."""
    X, y = load_breast_cancer(return_X_y=True)
    of_site = np.random.default_rng(0).integers(3, size=len(y))
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder, f"site-{number}.stats") for number in range(3)]
        for number, file in enumerate(files):
            site(X[of_site == number], y[of_site == number], file)
            print(f"site {number} sends {file.stat().st_size / 1e3:.0f} kB: {sf.load(file)}")
        model = coordinator(files)
        alone = sf.QDA(shrinkage=0.1).fit(X, y)
        same = bool((model.predict(X) == alone.predict(X)).all())
        print(f"the model of all files labels every row as that of all rows does: {same}")

        left = sf.load(files[0]) + sf.load(files[1])
        without = model.statistics_ - sf.load(files[2]) == left
        print(f"without site 2, as if it had never taken part: {without}")


if __name__ == "__main__":
    main()
