"""Loading: any file written by this package -> the saved object."""

from __future__ import annotations

from os import PathLike
from typing import Any

from suffice.data.files import read_whole
from suffice.data.parameters import check_path, flag
from suffice.statistics.container import unpack
from suffice.statistics.room import Room
from suffice.statistics.storage import INCONSISTENT, inconsistent, read_statistics, read_value


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
