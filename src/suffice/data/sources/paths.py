"""Paths: names and patterns of files -> paths of files that can be read."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from glob import glob, has_magic
from pathlib import Path
from typing import Any

from suffice.errors import InvalidFile, MissingFile, UnreadableFile


def is_paths(X: Any) -> bool:
    """Whether X names files: a path, a pattern, or a list of them.

    >>> is_paths("rows/*.parquet"), is_paths(["a.csv", "b.csv"]), is_paths([[1.0, 2.0]])
    (True, True, False)
    """
    if isinstance(X, str | os.PathLike):
        return True
    return isinstance(X, list | tuple) and bool(X) and all(isinstance(x, str | Path) for x in X)


def file_paths(X: str | os.PathLike[str] | Sequence[str | os.PathLike[str]]) -> list[Path]:
    """The files of a path, of a pattern in the order of their names, or of a list of them.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> for name in ("b.csv", "a.csv"):
    ...     (folder / name).touch()
    >>> [path.name for path in file_paths(f"{folder}/*.csv")]
    ['a.csv', 'b.csv']
    """
    named: Iterable[Any] = [X] if isinstance(X, str | os.PathLike) else X
    paths = [path for one in named for path in _expand(os.fspath(one))]
    for path in paths:
        if path.is_dir():
            pattern = f"{path}/*.parquet"
            raise UnreadableFile(f"{path} is a folder; name the files in it, such as {pattern}.")
        check_file(path)
    for path, times in Counter(paths).items():
        if times > 1:
            raise UnreadableFile(
                f"{path} is named {times} times; its rows would count more than once."
            )
    return paths


def ending_of(name: str) -> str:
    """The ending of a file's name in lower case, without that of its compression.

    >>> ending_of("rows.CSV.gz")
    '.csv'
    """
    return Path(name.lower().removesuffix(".gz").removesuffix(".zst")).suffix


def check_file(path: Path, regular: bool = True) -> None:
    """Raise unless there is a file at a path that may be read.

    regular : refuse pipes and devices, which can be read only once
    """
    if path.is_dir():
        raise UnreadableFile(f"{path} is a folder; name a file in it.")
    if not path.exists():
        raise MissingFile(f"there is no file {path}. {similar_names(path)}")
    if regular and not path.is_file():
        raise UnreadableFile(f"{path} is not a regular file.")
    if not os.access(path, os.R_OK):
        raise UnreadableFile(f"{path} cannot be read: permission denied.")


@contextmanager
def unreadable(path: object) -> Iterator[None]:
    """Raises what the system reports while a file is read as an error that names the file."""
    try:
        yield
    except InvalidFile:
        raise
    except (OSError, ValueError) as error:
        raise UnreadableFile(f"{path} cannot be read: {reason(error)}.") from None


def reason(error: Exception) -> str:
    """What the system reports of an error, without a full stop."""
    why = str(getattr(error, "strerror", None) or error).rstrip(".")
    return why or type(error).__name__


def _expand(name: str) -> list[Path]:
    name = os.path.expanduser(name)
    if not has_magic(name) or os.path.exists(name):
        return [Path(name)]
    paths = sorted(Path(one) for one in glob(name, recursive=True) if not os.path.isdir(one))
    if not paths:
        raise MissingFile(f"no file matches {name!r}. {similar_names(Path(name))}")
    return paths


def similar_names(path: Path) -> str:
    """A hint for a path where there is no file: the file with the most similar name."""
    if has_magic(str(path.parent)) or (has_magic(path.name) and path.parent.is_dir()):
        return "Check the pattern."
    if not path.parent.is_dir():
        return f"Nor is there a folder {path.parent}; check the path."
    try:
        names = sorted(one.name for one in path.parent.iterdir())
    except OSError:
        names = []
    near = get_close_matches(path.name, names, 1)
    if near:
        return f"Did you mean {path.parent / near[0]}?"
    return "Check the path." if names else f"The folder {path.parent} is empty."
