"""Files that change while they are read: an error of ours names the file, in every format."""

from __future__ import annotations

import os
import random

import pytest
from test_streamed_files import CHOSEN, FORMATS, table

import suffice as sf
from suffice.data.sources import stream
from suffice.data.sources.table_file import read_table
from suffice.data.sources.text_blocks import TextFile
from suffice.errors import ChangedInput, InvalidFile, MissingFile, SufficeError

pytestmark = pytest.mark.usefixtures("small")


def cut(path):
    os.truncate(path, path.stat().st_size // 2)


def emptied(path):
    os.truncate(path, 0)


def removed(path):
    path.unlink()


def made_a_folder(path):
    path.unlink()
    path.mkdir()


def replaced(path):
    data = path.read_bytes()
    path.unlink()
    path.write_bytes(data[::-1])


def overwritten(path):
    noise = random.Random(0).randbytes(path.stat().st_size)
    with path.open("r+b") as file:
        file.write(noise)
    os.utime(path, (1, 1))  # clocks of file systems tick slowly


CHANGES = (cut, emptied, removed, made_a_folder, replaced, overwritten)


@pytest.fixture
def at_chunk(monkeypatch):
    """Has something happen when a chunk has been read."""

    def plan(number, happens):
        whole = stream.cut

        def chunks(*given):
            for i, piece in enumerate(whole(*given)):
                if i == number:
                    happens()
                yield piece

        monkeypatch.setattr(stream, "cut", chunks)

    return plan


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("name", FORMATS)
def test_a_file_that_changes_while_it_is_read_is_named(tmp_path, at_chunk, name, change):
    path = tmp_path / name
    FORMATS[name](table(), path)
    at_chunk(1, lambda: change(path))
    what = "removed" if change is removed else r"(changed|removed)"
    with pytest.raises(ChangedInput, match=rf"{name} was {what} while it was read; start again"):
        sf.summarize(path, **CHOSEN)


def test_a_later_file_that_is_removed_meanwhile_is_named(tmp_path, at_chunk):
    paths = [tmp_path / name for name in ("a.csv", "b.csv")]
    for path in paths:
        table().write_csv(path)
    at_chunk(1, lambda: paths[1].unlink(missing_ok=True))
    with pytest.raises(MissingFile, match=r"there is no file .*b\.csv"):
        sf.summarize(paths, **CHOSEN)


def test_the_line_of_a_byte_beyond_the_end_is_the_last_one(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("a,b\n1,2\n")
    assert TextFile(path, "rows.csv").line_at(10**6) == 3


@pytest.mark.parametrize("name", ["rows.parquet", "rows.arrow"])
def test_damaged_tables_in_memory_are_named(tmp_path, name):
    path, rng = tmp_path / name, random.Random(1)
    FORMATS[name](table(), path)
    whole, said = path.read_bytes(), []
    for _ in range(200):
        data = bytearray(whole)
        for _ in range(rng.randint(1, 4)):
            data[rng.randrange(len(data))] = rng.randrange(256)
        path.write_bytes(data[: rng.randrange(8, len(data))] if rng.random() < 0.3 else data)
        try:
            read_table(path)
        except SufficeError as error:
            said.append(str(error))
    assert len(said) > 50
    assert all(name in sentence for sentence in said)


@pytest.mark.parametrize("change", [cut, emptied, overwritten])
def test_a_model_that_is_cut_while_it_is_read_is_named(tmp_path, monkeypatch, change):
    path = tmp_path / "model.suffice"
    sf.LDA().fit([[1.0], [2.0], [4.0]], ["a", "a", "b"]).save(path)
    opened = type(path).read_bytes

    def changed(self):
        change(self)
        return opened(self)

    monkeypatch.setattr(type(path), "read_bytes", changed)
    with pytest.raises(InvalidFile, match=r"model\.suffice"):
        sf.load(path)


def test_a_model_that_is_removed_while_it_is_read_is_named(tmp_path, monkeypatch):
    path = tmp_path / "model.suffice"
    sf.LDA().fit([[1.0], [2.0], [4.0]], ["a", "a", "b"]).save(path)
    monkeypatch.setattr(type(path), "is_file", lambda self: self.unlink() is None)
    with pytest.raises(InvalidFile, match=r"model\.suffice cannot be read: No such file"):
        sf.load(path)
