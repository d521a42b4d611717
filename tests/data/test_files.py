"""Writing a file leaves the old one or the new one, and respects what is at the path."""

from __future__ import annotations

import errno
import os
import random
import resource
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import threading
import time
from itertools import count
from pathlib import Path

import pytest

import suffice as sf
from suffice.data.sources import files
from suffice.data.sources.files import descriptor, is_pipe, read_whole, write_whole
from suffice.errors import MissingFolder, SufficeError, UnreadableFile, UnwritableFile

KILLS = 50
NOBODY = 65534

# For each line that it reads, starts a process that saves until it is killed.
SAVING = """
import os, sys
from suffice.data.sources.files import write_whole
for line in sys.stdin:
    child = os.fork()
    while child == 0:
        for letter in (b"a", b"b"):
            write_whole(sys.argv[1], letter * 300_000)
    print(child, flush=True)
    print(os.waitpid(child, 0)[1], flush=True)
"""

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")


def mode(path):
    return stat.S_IMODE(os.stat(path).st_mode)


def names(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def umask():
    """Sets the umask of this process, and puts it back."""
    before = os.umask(0o022)
    yield os.umask
    os.umask(before)


@pytest.fixture
def reachable():
    """A folder that every user can reach."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        yield Path(folder)


def without_rights(work):
    """Run `work` in a child process that is not root; what it raises fails the test."""
    child = os.fork()
    if child == 0:
        try:
            if os.geteuid() == 0:
                os.setgroups([])
                os.setgid(NOBODY)
                os.setuid(NOBODY)
            work()
        except BaseException as error:
            os.write(2, repr(error).encode())
            os._exit(1)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0


def test_saves_killed_at_random_moments_leave_the_old_file_or_the_new_one(tmp_path):
    path, rng, left = tmp_path / "model.suffice", random.Random(0), 0
    wholes = {letter * 300_000 for letter in (b"a", b"b")}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "bufsize": 1}
    with subprocess.Popen([sys.executable, "-c", SAVING, str(path)], **pipes) as run:
        for kill in count():
            if kill >= KILLS and (left or kill >= 50 * KILLS):
                break
            run.stdin.write("\n")
            child = int(run.stdout.readline())
            time.sleep(rng.uniform(0, 0.02))
            os.kill(child, signal.SIGKILL)
            assert int(run.stdout.readline()) == signal.SIGKILL
            assert not path.exists() or path.read_bytes() in wholes
            left = max(left, len(names(tmp_path)) - path.exists())
        run.stdin.close()
    # A save that was killed in the middle leaves one file; the next save removes it.
    assert left == 1
    write_whole(path, b"c")
    assert names(tmp_path) == ["model.suffice"]
    assert path.read_bytes() == b"c"


def test_a_save_leaves_the_temporary_files_of_others_alone(tmp_path):
    others = [
        ".model.suffice.tmp",
        ".model.suffice.0123456789abcde",
        ".model.suffice.0123456789abcdef0",
        ".other.suffice.0123456789abcdef",
        "model.suffice.0123456789abcdef",
    ]
    for name in others:
        (tmp_path / name).write_text("mine")
    os.symlink("other", tmp_path / ".model.suffice.00000000000000aa")
    (tmp_path / ".model.suffice.00000000000000bb").mkdir()
    (tmp_path / ".model.suffice.00000000000000cc").write_text("left behind")
    write_whole(tmp_path / "model.suffice", b"new")
    kept = [".model.suffice.00000000000000aa", ".model.suffice.00000000000000bb"]
    assert names(tmp_path) == sorted([*others, *kept, "model.suffice"])


def test_a_save_leaves_the_temporary_file_of_a_live_save_alone(tmp_path, monkeypatch):
    path, sync = tmp_path / "model", os.fsync
    writing, done = threading.Event(), threading.Event()

    def slow(handle):
        if threading.current_thread().name == "slow":
            writing.set()
            assert done.wait(60)
        sync(handle)

    monkeypatch.setattr(os, "fsync", slow)
    first = threading.Thread(target=write_whole, args=(path, b"first"), name="slow")
    first.start()
    assert writing.wait(60)
    write_whole(path, b"second")
    assert path.read_bytes() == b"second"
    assert len(names(tmp_path)) == 2
    done.set()
    first.join()
    assert path.read_bytes() == b"first"
    assert names(tmp_path) == ["model"]


def test_many_saves_at_once_all_succeed(tmp_path):
    path, failed = tmp_path / "model", []

    def save(letter):
        try:
            for _ in range(30):
                write_whole(path, letter * 1000)
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=save, args=(bytes([65 + i]),)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
    assert names(tmp_path) == ["model"]
    assert len(set(path.read_bytes())) == 1


def test_where_files_cannot_be_locked_only_old_temporary_files_are_removed(tmp_path, monkeypatch):
    def unsupported(*_):
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(files.fcntl, "flock", unsupported)
    young, old = tmp_path / f".m.{'0' * 16}", tmp_path / f".m.{'1' * 16}"
    for path in (young, old):
        path.write_text("half")
    long_ago = time.time() - 2 * 3600
    os.utime(old, (long_ago, long_ago))
    write_whole(tmp_path / "m", b"new")
    assert names(tmp_path) == [young.name, "m"]


def test_a_link_stays_and_its_target_is_written(tmp_path):
    (tmp_path / "store").mkdir()
    target, link, second = tmp_path / "store" / "v1", tmp_path / "current", tmp_path / "latest"
    target.write_bytes(b"old")
    link.symlink_to("store/v1")
    second.symlink_to(link)
    write_whole(second, b"new")
    assert link.is_symlink()
    assert second.is_symlink()
    assert target.read_bytes() == b"new"
    assert names(tmp_path) == ["current", "latest", "store"]
    assert names(tmp_path / "store") == ["v1"]


def test_a_link_to_nothing_makes_the_file_that_it_names(tmp_path):
    link = tmp_path / "current"
    link.symlink_to("v2")
    write_whole(link, b"new")
    assert os.readlink(link) == "v2"
    assert (tmp_path / "v2").read_bytes() == b"new"


def test_links_in_a_circle_are_an_error(tmp_path):
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(UnwritableFile, match=r"/a cannot be written: Too many levels"):
        write_whole(tmp_path / "a", b"new")


@pytest.mark.parametrize("before", [0o600, 0o640, 0o644, 0o664, 0o660, 0o755])
def test_an_existing_file_keeps_its_mode(tmp_path, umask, before):
    umask(0o022)
    path = tmp_path / "model"
    path.write_bytes(b"old")
    path.chmod(before)
    sf.summarize([[1.0], [2.0]], ["a", "b"]).save(path)
    assert mode(path) == before
    assert path.read_bytes() != b"old"


@pytest.mark.parametrize(("mask", "expected"), [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)])
def test_a_new_file_has_the_mode_that_open_gives_it(tmp_path, umask, mask, expected):
    umask(mask)
    write_whole(tmp_path / "model", b"new")
    assert mode(tmp_path / "model") == expected
    (tmp_path / "opened").write_bytes(b"new")
    assert mode(tmp_path / "opened") == expected


@pytest.mark.parametrize("before", [None, 0o600, 0o640, 0o664])
def test_no_temporary_file_is_more_readable_than_the_file(tmp_path, umask, monkeypatch, before):
    umask(0o022)
    path, seen, opened, sync = tmp_path / "model", [], os.open, os.fsync
    if before is not None:
        path.write_bytes(b"old")
        path.chmod(before)

    def look(handle):
        if stat.S_ISREG(os.fstat(handle).st_mode):
            seen.append(mode(handle))
        return handle

    monkeypatch.setattr(os, "open", lambda *given, **more: look(opened(*given, **more)))
    monkeypatch.setattr(os, "fsync", lambda handle: sync(look(handle)))
    write_whole(path, b"new")
    assert len(seen) == 2  # as it is created, and once it holds all bytes
    assert all(one & ~mode(path) == 0 for one in seen)


@as_root
def test_an_existing_file_keeps_its_owner_and_group(tmp_path):
    path = tmp_path / "model"
    path.write_bytes(b"old")
    os.chown(path, NOBODY, 12345)
    path.chmod(0o640)
    write_whole(path, b"new")
    about = path.stat()
    assert (about.st_uid, about.st_gid, mode(path)) == (NOBODY, 12345, 0o640)


@as_root
def test_a_group_that_cannot_be_kept_does_not_pass_its_rights_on(reachable):
    folder = reachable / "shared"
    folder.mkdir()
    folder.chmod(0o777)
    path = folder / "model"
    path.write_bytes(b"old")
    os.chown(path, NOBODY, 12345)
    path.chmod(0o664)
    without_rights(lambda: write_whole(path, b"new"))
    assert path.read_bytes() == b"new"
    assert path.stat().st_uid == NOBODY
    assert mode(path) == 0o644


def test_a_read_only_file_is_refused_and_stays(reachable):
    folder = reachable / "open"
    folder.mkdir()
    folder.chmod(0o777)
    path = folder / "model"
    path.write_bytes(b"old")
    path.chmod(0o444)

    def work():
        with pytest.raises(UnwritableFile, match="model is read-only"):
            write_whole(path, b"new")

    without_rights(work)
    assert path.read_bytes() == b"old"
    assert names(folder) == ["model"]


def test_a_read_only_folder_is_named(reachable):
    folder = reachable / "closed"
    folder.mkdir()
    folder.chmod(0o555)

    def work():
        with pytest.raises(UnwritableFile, match=r"model cannot be written: its folder .*closed"):
            write_whole(folder / "model", b"new")

    without_rights(work)
    assert names(folder) == []


def test_a_folder_that_can_be_written_but_not_listed_is_enough(reachable):
    folder = reachable / "dropbox"
    folder.mkdir()
    folder.chmod(0o333)
    without_rights(lambda: write_whole(folder / "model", b"new"))
    folder.chmod(0o755)
    assert names(folder) == ["model"]


def _socket(path):
    made = socket.socket(socket.AF_UNIX)
    made.bind(str(path))
    made.close()


def _device(path):
    os.mknod(path, 0o666 | stat.S_IFCHR, os.makedev(1, 7))


@pytest.mark.parametrize(
    ("make", "what"),
    [
        (os.mkdir, "a folder"),
        (os.mkfifo, "a named pipe"),
        (_socket, "a socket"),
        pytest.param(_device, "a device", marks=as_root),
    ],
)
def test_what_is_not_a_regular_file_is_refused_and_stays(tmp_path, monkeypatch, make, what):
    monkeypatch.chdir(tmp_path)
    try:
        make("it")
    except PermissionError:
        pytest.skip("no devices here")
    before = os.lstat("it")
    os.symlink("it", "link")
    for name in ("it", "link"):
        with pytest.raises(UnwritableFile, match=f"^{name} is {what}, not a regular file"):
            sf.summarize([[1.0], [2.0]], ["a", "b"]).save(name)
        with pytest.raises(UnwritableFile, match=f"^{name} is {what}"):
            sf.LDA().fit([[1.0], [2.0], [4.0]], ["a", "a", "b"]).save(name)
    assert os.lstat("it")[:3] == before[:3]
    assert names(tmp_path) == ["it", "link"]


def test_a_missing_folder_is_named_with_the_path_as_it_was_given(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(MissingFolder, match=r"no folder .*/none to write none/\./m to; make it"):
        write_whole("none/./m", b"new")
    assert issubclass(MissingFolder, FileNotFoundError)
    (tmp_path / "file").write_bytes(b"old")
    with pytest.raises(UnwritableFile, match=r"^file/m cannot be written: Not a directory"):
        write_whole("file/m", b"new")


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("", "empty text"),
        ("a\0b", r"^a\\x00b cannot be written: embedded null"),
        ("n" * 300, "File name too long"),
        ("\ud800", r"^\\ud800 cannot be written: .*surrogates not allowed"),
        (".", r"^\. is a folder"),
    ],
)
def test_names_that_no_file_can_have_are_errors_of_ours(tmp_path, monkeypatch, path, why):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UnwritableFile, match=why) as raised:
        write_whole(path, b"new")
    assert isinstance(raised.value, OSError)
    assert names(tmp_path) == []
    with pytest.raises(UnreadableFile):
        read_whole(path)


def test_a_name_as_long_as_the_system_allows_can_be_written(tmp_path):
    path = tmp_path / ("n" * 255)
    for data in (b"old", b"new"):
        write_whole(path, data)
    assert path.read_bytes() == b"new"
    assert names(tmp_path) == ["n" * 255]


@pytest.mark.parametrize("step", ["fsync", "replace"])
@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS])
def test_a_disk_that_fails_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch, step, code):
    path = tmp_path / "model"
    path.write_bytes(b"old")
    path.chmod(0o640)

    def fail(*_):
        raise OSError(code, os.strerror(code))

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(os, step, fail)
    why = rf"^\./model cannot be written: {os.strerror(code)}"
    with pytest.raises(UnwritableFile, match=why) as raised:
        write_whole("./model", b"new")
    assert raised.value.errno == code
    assert path.read_bytes() == b"old"
    assert names(tmp_path) == ["model"]


def test_where_files_have_no_modes_the_new_one_is_private(tmp_path, monkeypatch):
    path = tmp_path / "model"
    path.write_bytes(b"old")

    def refuse(*_):
        raise PermissionError(errno.EPERM, os.strerror(errno.EPERM))

    monkeypatch.setattr(os, "fchmod", refuse)
    monkeypatch.setattr(os, "fchown", refuse)
    write_whole(path, b"new")
    assert path.read_bytes() == b"new"
    assert mode(path) == 0o600


def test_a_file_that_grows_too_large_leaves_the_old_one(tmp_path):
    path, limits = tmp_path / "model", resource.getrlimit(resource.RLIMIT_FSIZE)
    path.write_bytes(b"old")
    resource.setrlimit(resource.RLIMIT_FSIZE, (512, limits[1]))
    try:
        with pytest.raises(UnwritableFile, match="model cannot be written: File too large"):
            write_whole(path, b"new" * 1000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert path.read_bytes() == b"old"
    assert names(tmp_path) == ["model"]


def test_an_interrupted_save_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch):
    path = tmp_path / "model"
    path.write_bytes(b"old")

    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_whole(path, b"new")
    assert path.read_bytes() == b"old"
    assert names(tmp_path) == ["model"]


def test_open_streams_are_not_files_that_could_be_replaced(tmp_path):
    """Redirected to a file, standard output leads there; to replace it would lose what it holds."""
    # Not /dev/stdout itself: root would lose it, should this fail.
    (tmp_path / "out").symlink_to("/proc/self/fd/1")
    code = "import suffice as sf; sf.summarize([[1.0]], ['a']).save('out')"
    log = tmp_path / "log"
    log.write_text("before\n")
    with log.open("ab") as out:
        run = subprocess.run(
            [sys.executable, "-c", code], stdout=out, stderr=subprocess.PIPE, cwd=tmp_path
        )
    assert b"out is an open stream, not a regular file" in run.stderr
    assert log.read_text() == "before\n"
    assert names(tmp_path) == ["log", "out"]


def test_pipes_are_distinguished_from_files(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "file").touch()
    (tmp_path / "log").symlink_to("/dev/fd/2")
    found = {name: is_pipe(tmp_path / name) for name in ("pipe", "file", "log", "none")}
    assert found == {"pipe": True, "file": False, "log": True, "none": False}
    assert is_pipe("/dev/null")
    assert not is_pipe("/dev/zero")
    assert [descriptor(f"/dev/{name}") for name in ("stdout", "stderr", "fd/7")] == [1, 2, 7]


def test_every_error_of_a_save_can_be_caught_as_one(tmp_path):
    model = sf.LDA().fit([[1.0], [2.0], [4.0]], ["a", "a", "b"])
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "none" / "m", "a\0b", tmp_path / "pipe"):
        with pytest.raises(SufficeError):
            sf.save(model, path)
        with pytest.raises(OSError, match=r".+"):
            model.statistics_.save(path)
