"""The main job on a table that ships with scikit-learn: summarize once, fit the family, compare."""

from __future__ import annotations

import time

from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split

import suffice as sf

wine = load_wine()
X, X_test, y, y_test = train_test_split(
    wine.data, wine.target_names[wine.target], test_size=0.3, stratify=wine.target, random_state=0
)

start = time.perf_counter()
statistics = sf.summarize(X, y)
print(f"\nRead {len(X)} rows of {X.shape[1]} features once: {statistics}")
print(f"({1000 * (time.perf_counter() - start):.1f} ms; everything below comes from it)\n")

print(f"{'class':>10} {'rows':>6} {'prior':>7}   alcohol   colour   proline   (means)")
columns = [wine.feature_names.index(n) for n in ("alcohol", "color_intensity", "proline")]
for label, count, mean in zip(
    statistics.classes, statistics.count, statistics.mean[:, columns], strict=True
):
    share = count / statistics.count.sum()
    print(f"{label:>10} {count:>6} {share:>7.2f}" + "".join(f"{value:>10.2f}" for value in mean))

print(f"\n{'model':>44}   accuracy   log-loss   (held out)")
models = {
    "QDA": sf.QDA(),
    "LDA": sf.LDA(),
    "GaussianNB": sf.GaussianNB(),
    "DiagonalLDA": sf.DiagonalLDA(),
    "between QDA and LDA: pooling 0.5, OAS": sf.GaussianDiscriminant(
        pooling=0.5, shrinkage="oas", target="diagonal"
    ),
}
for name, model in models.items():
    model.fit_statistics(statistics)
    log_proba = model.predict_log_proba(X_test)
    truth = [list(model.classes_).index(label) for label in y_test]
    loss = -log_proba[range(len(truth)), truth].mean()
    print(f"{name:>44} {model.score(X_test, y_test):>10.3f} {loss:>10.4f}")

half = len(X) // 2
parts = sf.summarize(X[:half], y[:half]) + sf.summarize(X[half:], y[half:])
print(f"\nTwo halves, summarized apart and added, equal the whole: {parts == statistics}")
print("Next: sf.LDA().fit(X, y) on your own table; docs/differences.md; make bench.")
