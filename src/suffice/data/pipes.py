"""Pipes: paths of pipes and open streams, which cannot be replaced like a file."""

from __future__ import annotations

import os
import re
import stat
from contextlib import suppress
from os import PathLike


def descriptor(path: str | PathLike[str]) -> int | None:
    """The number of the open file that a path stands for, directly or through links, if any.

    >>> descriptor("/dev/fd/2"), descriptor("/dev/null")
    (2, None)
    """
    current = os.fspath(path)
    # Links that the kernel follows.
    most_links = 40
    # Folders of open files: /dev/stdout and similar paths are links into them.
    descriptors = re.compile(r"/dev/fd|/proc/(\d+)(/task/\d+)?/fd")
    with suppress(OSError, ValueError):
        for _ in range(most_links):
            folder, name = os.path.split(current)
            match = descriptors.fullmatch(os.path.realpath(folder))
            if match and match[1] in (None, str(os.getpid())) and name.isdecimal():
                return int(name)
            current = os.path.join(folder, os.readlink(current))
    return None


def is_pipe(path: str | PathLike[str]) -> bool:
    """Whether a path is a named pipe, an open file such as /dev/stdout, or /dev/null."""
    if descriptor(path) is not None:
        return True
    with suppress(OSError, ValueError):
        about = os.stat(path)
        null = stat.S_ISCHR(about.st_mode) and about.st_rdev == os.stat(os.devnull).st_rdev
        return stat.S_ISFIFO(about.st_mode) or null
    return False


def write_pipe(path: str | PathLike[str], data: bytes) -> None:
    """Write to a path for which `is_pipe` holds."""
    number = descriptor(path)
    # Opened by its name, a file that a descriptor stands for would be emptied first.
    with open(path if number is None else number, "wb", closefd=number is None) as file:
        file.write(data)
