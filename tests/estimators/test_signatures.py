"""Signed files: whatever was not written with the key is refused, in a sentence."""

from __future__ import annotations

import secrets

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline

import suffice as sf
from forged import resealed
from suffice.errors import InvalidFile, InvalidParameter
from suffice.estimators.card import model_card
from suffice.statistics.storage import container

KEY = secrets.token_bytes(32)
OTHER = secrets.token_bytes(16)

X = np.random.default_rng(0).normal(size=(30, 2))
Y = np.arange(30) % 3
FRAME = pd.DataFrame({"u": X[:, 0], "colour": np.array(["red", "blue"])[Y % 2]})

KINDS = {
    "statistics": sf.summarize(X, Y),
    "statistics of gaps": sf.summarize(np.where(X > 1, np.nan, X), Y),
    "counts": sf.count_levels(Y[:, None], Y),
    "mixed statistics": sf.MixedNB().fit(FRAME, Y).statistics_,
    "model": sf.LDA().fit(X, Y),
    "mixture": sf.GaussianMixture(2, random_state=0).fit(X),
    "pipeline": make_pipeline(sf.Indicators(), sf.LDA()).fit(FRAME, Y),
}
kinds = pytest.mark.parametrize("kind", KINDS)


@kinds
def test_what_was_signed_is_loaded_with_the_key_and_nothing_else(kind, tmp_path):
    path = tmp_path / "signed"
    sf.save(KINDS[kind], path, key=KEY)
    again = sf.load(path, key=KEY)
    assert type(again) is type(KINDS[kind])
    if hasattr(again, "digest"):
        assert again.digest() == KINDS[kind].digest()
    with pytest.raises(InvalidFile, match="signed is signed; give the key"):
        sf.load(path)
    with pytest.raises(InvalidFile, match="signed does not carry the signature of this key"):
        sf.load(path, key=OTHER)


@kinds
def test_a_file_without_a_signature_is_refused_where_one_is_required(kind, tmp_path):
    path = tmp_path / "plain"
    sf.save(KINDS[kind], path)
    with pytest.raises(InvalidFile, match="plain is not signed"):
        sf.load(path, key=KEY)
    assert sf.load(path) is not None


@pytest.mark.parametrize("kind", ["statistics", "model"])
def test_the_method_of_an_object_signs_as_the_function_does(kind, tmp_path):
    sf.save(KINDS[kind], tmp_path / "a", key=KEY)
    KINDS[kind].save(tmp_path / "b", key=KEY)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_no_change_passes_for_what_was_signed(tmp_path):
    path = tmp_path / "signed"
    sf.summarize([[1.0], [2.0]], ["a", "a"]).save(path, key=KEY)
    data, passed = path.read_bytes(), []
    for at in range(len(data)):
        changed = data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]
        for one in (changed, resealed(changed)):
            path.write_bytes(one)
            try:
                sf.load(path, key=KEY)
            except InvalidFile:
                continue
            passed.append(at)
    assert passed == []


def test_a_signature_cannot_be_stripped_or_replaced_by_a_checksum(tmp_path):
    path = tmp_path / "signed"
    KINDS["model"].save(path, key=KEY)
    header, arrays = container.unpack(path.read_bytes(), "it", KEY)
    for forged in (
        container.pack({**header, "signed": False}, arrays),
        container.pack({**header, "signed": True}, arrays),
        container.pack(header, arrays, OTHER),
    ):
        path.write_bytes(forged)
        with pytest.raises(InvalidFile):
            sf.load(path, key=KEY)


@pytest.mark.parametrize("key", ["secret secret secret", b"too short", b"", 5, bytearray(32)])
def test_what_is_no_key_is_an_error_that_says_how_to_make_one(key, tmp_path):
    path = tmp_path / "file"
    with pytest.raises(InvalidParameter, match=r"secrets\.token_bytes\(32\)"):
        sf.save(KINDS["model"], path, key=key)
    assert not path.exists()
    KINDS["model"].save(path)
    with pytest.raises(InvalidParameter, match=r"secrets\.token_bytes\(32\)"):
        sf.load(path, key=key)


def test_a_card_of_a_signed_file_takes_its_key(tmp_path):
    KINDS["model"].save(tmp_path / "m", key=KEY)
    assert model_card(tmp_path / "m", key=KEY).startswith("LinearDiscriminantAnalysis")
    with pytest.raises(InvalidFile, match="is signed"):
        model_card(tmp_path / "m")
