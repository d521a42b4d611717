"""The package as a whole: what importing it loads, what it offers, what its wheel holds."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import suffice as sf

ROOT = Path(__file__).parents[1]
HEAVY = ("scipy.stats", "sklearn", "numba", "pandas", "matplotlib", "polars", "pyarrow")


def loaded_by(program):
    """The heavy modules that a program has loaded when it ends."""
    report = f"import sys; print(*[name for name in {HEAVY!r} if name in sys.modules])"
    run = [sys.executable, "-c", f"{program}\n{report}"]
    return subprocess.run(run, capture_output=True, text=True, check=True).stdout.split()


def test_importing_the_package_loads_nothing_heavy():
    assert loaded_by("import suffice") == []


def test_summarizing_a_small_array_loads_nothing_heavy():
    program = "import suffice as sf\ns = sf.summarize([[1.0], [2.0]], ['a', 'b'])\ns + s - s"
    assert loaded_by(program) == []


def test_every_public_name_resolves():
    assert len(set(sf.__all__)) == len(sf.__all__)
    assert all(getattr(sf, name) is not None for name in sf.__all__)
    assert dir(sf) == sorted([*sf.__all__, "plots"])
    assert callable(sf.report)
    assert sf.plots.ClassesDisplay is not None
    assert {"Statistics", "load", "summarize"} <= set(dir(sf))


def test_an_unknown_name_is_the_usual_error():
    with pytest.raises(AttributeError, match="no attribute 'summarise'"):
        sf.summarise  # noqa: B018


def test_all_errors_can_be_caught_as_one():
    from suffice import errors

    classes = [e for e in vars(errors).values() if isinstance(e, type) and issubclass(e, Exception)]
    assert len(classes) > 10
    assert all(issubclass(e, errors.SufficeError | Warning) and e.__doc__ for e in classes)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    run = [sys.executable, "-m", "build", "--no-isolation", "--wheel", "--outdir", str(folder)]
    subprocess.run([*run, str(ROOT)], capture_output=True, check=True)
    (file,) = folder.glob("*.whl")
    return file


def test_the_wheel_holds_types_licence_and_every_module(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    assert "suffice/py.typed" in names
    assert any(name.endswith("licenses/LICENSE") for name in names)
    sources = {
        path.relative_to(ROOT / "src").as_posix() for path in (ROOT / "src/suffice").rglob("*.py")
    }
    assets = (ROOT / "src/suffice/web/assets").iterdir()
    sources |= {path.relative_to(ROOT / "src").as_posix() for path in assets}
    assert sources <= set(names)
    assert not [name for name in names if "test" in name or "__pycache__" in name]


def test_the_wheel_states_version_licence_and_python(wheel):
    archive = zipfile.ZipFile(wheel)
    (metadata,) = [name for name in archive.namelist() if name.endswith("METADATA")]
    text = archive.read(metadata).decode()
    assert f"\nVersion: {sf.__version__}\n" in text
    assert "\nLicense-Expression: BSD-3-Clause\n" in text
    assert "\nRequires-Python: >=3.11\n" in text


def test_the_wheel_works_where_it_was_not_built(wheel, tmp_path):
    zipfile.ZipFile(wheel).extractall(tmp_path / "installed")
    program = (
        f"import sys; sys.path.insert(0, {str(tmp_path / 'installed')!r})\n"
        "import suffice as sf\n"
        "print(sf.__file__)\n"
        "print(sf.summarize([[1.0], [3.0]], ['a', 'a']).mean)"
    )
    run = [sys.executable, "-c", program]
    found = subprocess.run(run, capture_output=True, text=True, check=True, cwd=tmp_path).stdout
    assert found.splitlines() == [str(tmp_path / "installed/suffice/__init__.py"), "[[2.]]"]
