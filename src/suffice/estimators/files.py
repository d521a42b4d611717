"""Files: what is fitted or summarized, written to one safetensors file and read back."""

from __future__ import annotations

from datetime import date
from os import PathLike
from typing import Any

from suffice.data.parameters import check_path, flag
from suffice.data.sources.files import read_whole, write_whole
from suffice.errors import InvalidParameter
from suffice.statistics.storage.container import pack, unpack
from suffice.statistics.storage.room import Room
from suffice.statistics.storage.saving import Savable
from suffice.statistics.storage.storage import (
    INCONSISTENT,
    inconsistent,
    read_statistics,
    read_value,
    to_bytes,
)
from suffice.statistics.storage.walker import to_arrays
from suffice.text import shown

# When a model was made, given by the user, so that equal models give equal files.
Created = date | str | None


def save(
    model: Any, path: str | PathLike[str], *, created: Created = None, key: bytes | None = None
) -> None:
    """Write a fitted estimator, a pipeline of them, or statistics to a file, whole or not at all.

    Parameters that are functions or random generators are left out.
    Every file has a checksum, which detects damage on disks and networks. It does not show who
    wrote the file: anybody can change one and compute the checksum again. With a key, the file is
    signed instead (HMAC-SHA256), and `load` with the same key refuses files that were not signed
    with it. The content is not encrypted.

    key : at least 16 secret bytes, such as `secrets.token_bytes(32)`

    >>> import suffice as sf, tempfile, pathlib
    >>> from sklearn.pipeline import make_pipeline
    >>> X = [["red", 1.0], ["red", 1.2], ["blue", 0.9], ["blue", 3.0], ["blue", 2.9], ["red", 3.2]]
    >>> y = ["a", "a", "a", "b", "b", "b"]
    >>> model = make_pipeline(sf.Indicators(categorical=[0]), sf.DiagonalLDA()).fit(X, y)
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "model.suffice"
    >>> sf.save(model, file, key=b"0123456789abcdef")
    >>> sf.load(file, key=b"0123456789abcdef").predict([["red", None], [None, 3.0]])
    array(['a', 'b'], dtype='<U1')
    """
    check_path(path)
    write_whole(path, file_of(model, created, key))


def file_of(model: Any, created: Created = None, key: bytes | None = None) -> bytes:
    """The bytes that `save` writes."""
    if isinstance(model, Savable):
        if created is not None:
            raise InvalidParameter("statistics have no date; created is for models.")
        return to_bytes(model, key)
    from sklearn.pipeline import Pipeline

    from suffice.estimators.model_file.model import LONGEST_NOTE, StoredModel
    from suffice.estimators.model_file.pipeline import StoredPipeline

    date_text = created.isoformat() if isinstance(created, date) else created
    if not isinstance(date_text, str | None) or len(date_text or "") > LONGEST_NOTE:
        raise InvalidParameter(f"created is {shown(created)}; it must be a date or a short text.")
    kind = StoredPipeline if isinstance(model, Pipeline) else StoredModel
    return pack(*to_arrays(kind.of(model, date_text)), key)


def load(path: str | PathLike[str], *, key: bytes | None = None, trusted: bool = False) -> Any:
    """The statistics, estimator or pipeline that `save` wrote, fully validated.

    Nothing in a file is executed, no EM is run, and the memory used is bounded by the file size.
    An estimator predicts as before, and can continue learning. The checksum of a file detects
    damage, but does not prove who wrote it: anybody can make a file that loads and predicts
    nonsense. Signatures prevent that.

    key : the secret bytes that the file was signed with; a file that was not signed, was signed
        with another key, or was changed after signing is then refused
    trusted : accept labels and models that are out of proportion to the size of their file

    >>> import suffice as sf, tempfile, pathlib
    >>> s = sf.summarize([[1.0], [2.0], [4.0], [7.0]], ["a", "a", "b", "b"])
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> s.save(folder / "part1.stats")
    >>> sf.load(folder / "part1.stats") == s
    True
    >>> sf.LDA(priors="uniform").fit_statistics(s).save(folder / "lda.suffice")
    >>> model = sf.load(folder / "lda.suffice")
    >>> model, model.predict([[1.0], [5.0]])
    (LinearDiscriminantAnalysis(priors='uniform'), array(['a', 'b'], dtype='<U1'))
    """
    check_path(path)
    trusted = flag("trusted", trusted)
    return read_file(path, key, trusted)[1]


def read_file(
    path: str | PathLike[str], key: bytes | None, trusted: bool = False
) -> tuple[Any, Any]:
    """What a file holds, and the object that was saved; both are the same for statistics."""
    data, name = read_whole(path), str(path)
    header, arrays = unpack(data, name, key)
    room = Room(None if trusted else len(data))
    models = ("StoredModel", "StoredPipeline")
    if header.get("kind") not in models:
        statistics = read_statistics(header, arrays, name, room)
        return statistics, statistics
    from suffice.estimators.model_file import pipeline  # noqa: F401 - registers what it holds

    stored = read_value(header, arrays, name, room)
    try:
        return stored, stored.restore(room)
    except INCONSISTENT as error:
        raise inconsistent(name, error) from None
