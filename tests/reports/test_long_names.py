"""Long labels in a report: shortened everywhere, and still distinct."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
from pages import Page

import suffice as sf


def test_long_labels_are_shortened_in_every_sentence_and_still_differ(tmp_path):
    rng = np.random.default_rng(0)
    code = np.arange(60) % 3
    X = pd.DataFrame(rng.normal(size=(60, 2)) + 3 * code[:, None], columns=["a", "b"])
    X.iloc[5] = [30.0, -30.0]
    labels = np.array([f"{'very long label ' * 20}{letter}" for letter in "xyz"])[code]
    made = sf.report(X, labels, tmp_path / "long.html", model=sf.LDA())
    words = Page((tmp_path / "long.html").read_text()).words
    assert made is not None
    assert not re.search(r"(very long label ){6}", words)
    for letter in "xyz":
        assert f"label {letter}" in words
    assert re.search(r"'very long [^']*…[^']*label [xyz]' rather than 'very long", words)
    assert re.search(r"lass 'very long [^']*…[^']*label [xyz]'", words)


def test_names_of_two_lines_are_whole_beside_the_confusion_matrix(tmp_path):
    rng = np.random.default_rng(0)
    code = np.arange(60) % 2
    labels = np.array(["Gentoo penguin (Pygoscelis papua)", "King penguin (Aptenodytes)"])[code]
    X = rng.normal(size=(60, 2)) + 3 * code[:, None]
    report = sf.report(X, labels, tmp_path / "a.html", model=sf.LDA())
    words = Page(report.pictures["confusion"].day).words
    for line in ("Gentoo penguin", "(Pygoscelis papua)", "King penguin", "(Aptenodytes)"):
        assert words.count(line) == 2
