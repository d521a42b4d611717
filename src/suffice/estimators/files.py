"""Files: fitted estimators written to one safetensors file."""

from __future__ import annotations

from datetime import date
from os import PathLike
from typing import Any

from suffice.data.files import write_whole
from suffice.data.parameters import check_path
from suffice.errors import InvalidParameter
from suffice.statistics.container import pack
from suffice.statistics.saving import Savable
from suffice.statistics.storage import to_bytes
from suffice.statistics.walker import to_arrays
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
