"""Loading: the file of anything this package writes -> what it was."""

from __future__ import annotations

from os import PathLike
from typing import Any

from suffice.data.arrays import Array
from suffice.data.files import read_whole
from suffice.data.parameters import check_path, flag
from suffice.errors import InvalidFile, SufficeError
from suffice.statistics.container import unpack
from suffice.statistics.storage import opened

MODELS = ("model", "pipeline")


def load(path: str | PathLike[str], *, trusted: bool = False) -> Any:
    """What `save` wrote: statistics, an estimator or a pipeline, checked throughout.

    Nothing in a file is executed. An estimator predicts as it did, and goes on learning.

    trusted : take models that are out of all proportion to the size of their file

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
    data, name = read_whole(path), str(path)
    header, arrays = unpack(data, name)
    if header.get("kind") in MODELS:
        return restored(header, arrays, name, None if trusted else len(data))
    return opened(header, arrays, name)


def restored(header: dict[str, Any], arrays: dict[str, Array], name: str, size: int | None) -> Any:
    """The estimator or pipeline in a file of that name and size."""
    from suffice.estimators.model_file import model, pipeline

    part: Any = pipeline if header["kind"] == pipeline.KIND else model
    try:
        return part.unpacked(header, arrays, name, size)
    except InvalidFile:
        raise
    except (
        SufficeError,
        KeyError,
        ValueError,
        TypeError,
        IndexError,
        AttributeError,
        OverflowError,
        RecursionError,
    ) as error:
        why = error if isinstance(error, SufficeError) or type(error) is ValueError else repr(error)
        told = str(why).rstrip(".")
        raise InvalidFile(f"{name} is not consistent: {told}.") from None
