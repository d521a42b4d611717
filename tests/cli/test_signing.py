"""--key-file: what is written is signed, and what is read must be."""

from __future__ import annotations

import secrets

import pytest
from command_runs import answer, refused, run

import suffice as sf
from suffice.errors import InvalidFile

ROWS = "u,v,label\n" + "".join(f"{i % 7},{i % 5 + i % 2},{'ab'[i % 2]}\n" for i in range(40))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rows.csv").write_text(ROWS)
    (tmp_path / "key").write_bytes(secrets.token_bytes(32))
    (tmp_path / "other").write_bytes(secrets.token_bytes(32))
    return tmp_path


def test_models_and_statistics_are_signed_and_read_with_the_key(folder):
    key, signed = (folder / "key").read_bytes(), ("--key-file", "key")
    run(*signed, "fit", "rows.csv", "--target", "label", "--model", "lda", "--out", "m.suffice")
    run(*signed, "summarize", "rows.csv", "--target", "label", "--out", "s.stats")
    run(*signed, "merge", "s.stats", "s.stats", "--out", "both.stats")
    run(*signed, "forget", "both.stats", "s.stats", "--out", "one.stats")
    assert sf.load("m.suffice", key=key).classes_.tolist() == ["a", "b"]
    assert sf.load("one.stats", key=key) == sf.load("s.stats", key=key)
    assert answer(*signed, "info", "m.suffice")["classes"] == ["a", "b"]
    assert "classes: 2 (a, b)" in run(*signed, "info", "m.suffice").stdout
    run(*signed, "predict", "m.suffice", "rows.csv", "--out", "answers.csv")
    with pytest.raises(InvalidFile, match="is signed"):
        sf.load("both.stats")


def test_what_the_key_does_not_fit_is_refused_in_a_sentence(folder):
    run("--key-file", "key", "summarize", "rows.csv", "--target", "label", "--out", "signed.stats")
    run("summarize", "rows.csv", "--target", "label", "--out", "plain.stats")
    assert "signed.stats is signed" in refused("info", "signed.stats")
    assert "signature of this key" in refused("--key-file", "other", "info", "signed.stats")
    assert "plain.stats is not signed" in refused("--key-file", "key", "info", "plain.stats")


def test_a_key_that_is_none_is_refused_before_any_work(folder):
    (folder / "short").write_bytes(b"short")
    assert "token_bytes(32)" in refused("--key-file", "short", "info", "rows.csv")
    assert "no file" in refused("--key-file", "none", "info", "rows.csv")
