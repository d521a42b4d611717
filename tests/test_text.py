"""Names of the data as text: on terminals, in messages and in Markdown they are only names."""

from __future__ import annotations

import html
import pickle
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

import suffice as sf
from lawful import examples
from suffice import errors
from suffice.text import markdown, visible, visible_lines

READERS = (MarkdownIt("commonmark"), MarkdownIt("commonmark").enable(["table", "strikethrough"]))
ACTING = {"Cc", "Cs", "Zl", "Zp"}
REORDERING = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"

# Letters of which markup is made, and of which it is not.
MARKS = st.sampled_from("`*_[]()<>!|~&#;:/\\@ax1.= -\"'{}+^$\n\t\x1b")


@given(st.text())
def test_what_is_visible_has_no_control_characters_and_stays_so(text):
    shown = visible(text)
    assert not any(unicodedata.category(letter) in ACTING for letter in shown)
    assert not set(shown) & set(REORDERING)
    assert visible(shown) == shown
    shown.encode()


@given(st.text(st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp", "Cf"])))
def test_other_texts_are_left_as_they_are(text):
    assert visible(text) == text


def test_text_of_other_scripts_and_emoji_is_left_as_it_is():
    for text in ("größe", "наука", "می‌خواهم", "👩‍🔬", "a\u00a0b", "C:\\new"):
        assert visible(text) == text


@given(st.text())
def test_lines_stay_lines(text):
    assert visible_lines(text).count("\n") == text.count("\n")


@settings(max_examples=examples(2000))
@given(st.text(MARKS, max_size=14))
def test_markdown_shows_a_text_as_it_is(text):
    for reader in READERS:
        shown = reader.render(f"classes: {markdown(text)} (1)")
        assert shown.startswith("<p>")
        inside = shown.removeprefix("<p>").removesuffix("</p>\n")
        assert "<" not in inside
        assert html.unescape(inside) == f"classes: {visible(text)} (1)"


@pytest.mark.parametrize(
    "text", ["petal_width", "sepal length (cm)", "<=50K", "length [cm]", "a-b"]
)
def test_everyday_names_look_the_same_in_markdown(text):
    assert markdown(text) == text


KINDS = [one for one in vars(errors).values() if isinstance(one, type)]
KINDS = [kind for kind in KINDS if issubclass(kind, errors.SufficeError)]


@pytest.mark.parametrize("kind", KINDS)
def test_errors_escape_what_acts_on_a_terminal(kind):
    error = kind("class 'a\x1b]0;x\x07\n\u202e\x9b'")
    assert str(error) == r"class 'a\x1b]0;x\x07\n\u202e\x9b'"
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is kind
    assert str(again) == str(error)


def nasty(folder):
    """A model whose labels, columns and parameters hold markup, and its file."""
    labels = ["a|b`c`", "x\n# head\x1b[1m", "<script>alert(1)</script>", "[x](javascript:y)"]
    rows = [[float(i), float(i % 3)] for i in range(16)]
    import pandas as pd

    X = pd.DataFrame(rows, columns=["![i](http://x/y.png)", "_em_ **b** ~~s~~"])
    y = [labels[i // 4] for i in range(16)]
    priors = dict.fromkeys(labels, 0.25)
    model = sf.GaussianNB(priors=list(priors.values())).fit(X, y)
    path = folder / "model"
    model.save(path, created="<b>[today](x)</b>\n# now")
    return model, path, [*labels, *X.columns]


def test_a_model_card_shows_names_and_labels_as_they_are(tmp_path):
    model, path, names = nasty(tmp_path)
    for card in (sf.model_card(model), sf.model_card(path)):
        shown = READERS[1].render(card)
        assert shown.count("<") == 2  # of one paragraph
        for name in names:
            assert visible(name) in html.unescape(shown)
    assert r"created: <b>[today](x)</b>\n# now" in html.unescape(shown)
    lines = sf.model_card(model).splitlines()
    assert [line.split(":")[0] for line in lines[1:]] == [
        *("features", "classes", "trained on", "parameters"),
    ]


def test_a_card_of_a_pipeline_names_its_steps_as_they_are():
    from sklearn.pipeline import Pipeline

    steps = [("[x]", sf.Indicators(categorical=[0])), ("<b>|", sf.DiagonalLDA())]
    X, y = [["red", 1.0], ["red", 1.2], ["blue", 3.0], ["blue", 2.9]], ["a", "a", "b", "b"]
    shown = READERS[1].render(sf.model_card(Pipeline(steps).fit(X, y)))
    assert "[x]: Indicators" in shown
    assert "&lt;b&gt;|: DiagonalLDA" in shown
