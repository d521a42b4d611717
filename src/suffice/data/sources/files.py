"""Files: whole files read and written; a write leaves the old file or the new one, never a part."""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from os import PathLike
from pathlib import Path
from shlex import quote

from suffice.data.sources.paths import check_file, reason, unreadable
from suffice.errors import MissingFolder, UnwritableFile

try:
    import fcntl
except ImportError:  # Windows, where no file can be removed while a process has it open
    fcntl = None  # type: ignore[assignment]


Named = str | PathLike[str]


def read_whole(path: Named) -> bytes:
    """The bytes of a file; an error says what is there instead of one."""
    source = Path(path)
    with unreadable(source):
        # A device or a pipe would be read forever.
        if not source.is_file():
            check_file(source)
        return source.read_bytes()


def write_whole(path: Named, data: bytes) -> None:
    """Write a file so that a reader finds the old one or the new one, never a part.

    A link stays, and the file it leads to is replaced. Mode, owner and group of an existing file
    are kept; a new one is created as `open` would. Only a regular file is replaced.
    """
    with unwritable(path):
        target, before = _target(path)
        _sweep(target)
        _replace(target, before, data)


def check_writable(path: Named) -> None:
    """Raise unless `write_whole` can write there, as far as that is known in advance."""
    with unwritable(path):
        _target(path)


@contextmanager
def unwritable(path: Named) -> Iterator[None]:
    """Raises an OSError as one that names the path as the user wrote it."""
    try:
        yield
    except (UnwritableFile, BrokenPipeError):
        raise
    except (OSError, ValueError) as error:
        name = os.fspath(path)
        raised = UnwritableFile(f"{name} cannot be written: {reason(error)}. Nothing was changed.")
        raised.errno = getattr(error, "errno", None)
        raise raised from None


def _target(path: Named) -> tuple[str, os.stat_result | None]:
    """Where the file is or will be once links are followed, and what is there."""
    name = os.fspath(path)
    if descriptor(name) is not None:
        raise UnwritableFile(f"{name} is an open stream, not a regular file; name a file.")
    try:
        about = os.stat(name)
    except FileNotFoundError:
        about = None
    target = os.path.realpath(name)
    folder = os.path.dirname(target)
    kinds = {
        stat.S_IFDIR: "a folder",
        stat.S_IFIFO: "a named pipe",
        stat.S_IFSOCK: "a socket",
        stat.S_IFCHR: "a device",
        stat.S_IFBLK: "a device",
    }
    if about is None:
        if not name:
            raise UnwritableFile("an empty text is not a file name; name a file.")
        if not os.path.isdir(folder):
            make = f"make it (mkdir -p {quote(folder)})"
            raise MissingFolder(f"there is no folder {folder} to write {name} to; {make}.")
    elif not stat.S_ISREG(about.st_mode):
        what = kinds.get(stat.S_IFMT(about.st_mode), "something else")
        raise UnwritableFile(f"{name} is {what}, not a regular file; name a file.")
    elif not os.access(target, os.W_OK):
        raise UnwritableFile(f"{name} is read-only; make it writable or name another file.")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise UnwritableFile(f"{name} cannot be written: its folder {folder} is read-only.")
    return target, about


def _replace(target: str, before: os.stat_result | None, data: bytes) -> None:
    handle, temporary = _temporary(target, before)
    try:
        with open(handle, "wb") as file:
            if before is not None:
                _copy_owner_and_mode(handle, before)
            file.write(data)
            file.flush()
            os.fsync(handle)
            if fcntl is None:
                file.close()
            # Until then the lock shows that this process is alive.
            os.replace(temporary, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise
    _sync_folder(os.path.dirname(target))


def _temporary(target: str, before: os.stat_result | None) -> tuple[int, str]:
    """A new file beside the target, locked, and its path."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    while True:
        path = f"{_prefix(target)}.{secrets.token_hex(8)}"
        # What replaces a file may be private; it gets that file's mode before any byte.
        handle = os.open(path, flags, 0o666 if before is None else 0o600)
        if _lock(handle) is not False and os.path.exists(path):
            return handle, path
        # Another process has removed it between these lines.
        os.close(handle)


def _prefix(target: str) -> str:
    folder, name = os.path.split(target)
    # A longer name would leave no room for the token: file systems allow 255 bytes.
    longest_name_bytes = 200
    if len(os.fsencode(name)) > longest_name_bytes:
        name = hashlib.sha256(os.fsencode(name)).hexdigest()
    return os.path.join(folder, f".{name}")


def _copy_owner_and_mode(handle: int, before: os.stat_result) -> None:
    if not hasattr(os, "fchown"):
        return
    # Only root may change the owner, and some file systems have neither owners nor modes.
    with suppress(OSError):
        os.fchown(handle, -1, before.st_gid)
    with suppress(OSError):
        os.fchown(handle, before.st_uid, -1)
    mode = stat.S_IMODE(before.st_mode) & 0o777
    if os.fstat(handle).st_gid != before.st_gid:
        # The wrong group must not read what the right one may.
        mode &= ~0o070 | (mode & 0o007) << 3
    with suppress(OSError):
        os.fchmod(handle, mode)


def _sweep(target: str) -> None:
    """Remove the temporary files of saves to this target that were killed."""
    folder, start = os.path.split(_prefix(target))
    # What follows the target's name in the name of a temporary file.
    token = re.compile(r"\.[0-9a-f]{16}")
    # A folder may be writable and not readable.
    with suppress(OSError):
        for name in os.listdir(folder):
            if name.startswith(start) and token.fullmatch(name, len(start)):
                _remove_abandoned(os.path.join(folder, name))


def _remove_abandoned(path: str, abandoned_seconds: float = 3600.0) -> None:
    """Remove a temporary file unless a process is writing to it.

    abandoned_seconds : where files cannot be locked, an older one belongs to no process any more
    """
    with suppress(OSError):
        if fcntl is None:
            os.unlink(path)
            return
        # Neither a link nor a pipe that somebody put there may be opened.
        handle = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
        try:
            about, locked = os.fstat(handle), _lock(handle)
            old = locked is None and time.time() - about.st_mtime > abandoned_seconds
            if stat.S_ISREG(about.st_mode) and (locked or old):
                os.unlink(path)
        finally:
            os.close(handle)


def _lock(handle: int) -> bool | None:
    """Lock a file: False if another process has done so, None where files cannot be locked."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except (OSError, AttributeError):
        return None
    return True


def _sync_folder(folder: str) -> None:
    """Sync a folder so that a rename survives a crash, where the system allows it."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


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
