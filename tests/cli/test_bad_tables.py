"""What cannot be used is refused in one sentence that says what to try."""

from __future__ import annotations

import polars as pl
import pytest
from command_runs import iris, refused, run

import suffice as sf


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    where = tmp_path_factory.mktemp("bad")
    iris().write_csv(where / "iris.csv")
    run("fit", where / "iris.csv", "-t", "species", "--model", "lda", "-o", where / "lda.suffice")
    run("summarize", where / "iris.csv", "-t", "species", "-o", where / "iris.stats")
    return where


def fit_refused(path, *more, target="y"):
    out = path.parent / "never.suffice"
    message = refused("fit", path, "--target", target, "--out", out, *more)
    assert not out.exists()
    return message


def written(folder, data, name="t.csv"):
    file = folder / name
    file.write_bytes(data if isinstance(data, bytes) else data.encode())
    return file


def test_a_missing_file(folder):
    assert "there is no file" in fit_refused(folder / "nothing.csv")
    assert "Did you mean" in (message := fit_refused(folder / "irsi.csv"))
    assert "iris.csv" in message


def test_a_missing_folder(folder):
    message = refused("fit", folder / "no" / "iris.csv", "-t", "y", "-o", folder / "m")
    assert "Nor is there a folder" in message


def test_a_folder(folder):
    assert "is a folder" in fit_refused(folder / ".." / folder.name)


def test_an_empty_file(tmp_path):
    assert "is empty" in fit_refused(written(tmp_path, ""))
    assert "is empty" in fit_refused(written(tmp_path, "\n\n"))


def test_a_header_only(tmp_path):
    assert "no rows" in fit_refused(written(tmp_path, "a,y\n"))


@pytest.mark.parametrize("row", ["3", "3,4,5"])
def test_ragged_rows(tmp_path, row):
    message = fit_refused(written(tmp_path, f"a,y\n1,u\n{row}\n2,v\n"))
    assert "line 3" in message
    assert "the first line has 2" in message


def test_blank_lines_are_not_rows(tmp_path):
    file = written(tmp_path, "a,y\n1,u\n\n2,v\n1.5,u\n2.5,v\n\n\n")
    run("fit", file, "-t", "y", "--model", "nb", "-o", tmp_path / "m")
    assert sf.load(tmp_path / "m").statistics_.count.tolist() == [2, 2]


def test_a_target_that_is_not_a_column(folder):
    message = fit_refused(folder / "iris.csv", target="Specie")
    assert "Did you mean 'species'?" in message
    assert "no column 'zzz'" in fit_refused(folder / "iris.csv", "--drop", "zzz", target="species")


def test_no_target(folder):
    assert "--target" in refused("fit", folder / "iris.csv", "-o", folder / "x.suffice")


def test_a_constant_target(tmp_path):
    assert "is constant" in fit_refused(written(tmp_path, "a,y\n1,u\n2,u\n3,u\n"))


def test_a_continuous_target(folder, tmp_path):
    message = fit_refused(folder / "iris.csv", target="petal_width")
    assert "is continuous" in message
    rows = "\n".join(f"{i},{7 * i}" for i in range(40))
    assert "looks continuous: it holds 40 different numbers" in fit_refused(
        written(tmp_path, f"a,y\n{rows}\n")
    )


def test_a_target_of_free_text(tmp_path):
    rows = "\n".join(f"{i},name {i}" for i in range(40))
    assert "40 different texts" in fit_refused(written(tmp_path, f"a,y\n{rows}\n"))


def test_a_target_without_values_and_with_gaps(tmp_path):
    assert "has no values" in fit_refused(written(tmp_path, "a,y\n1,\n2,NA\n"))
    message = fit_refused(written(tmp_path, "a,y\n1,u\n2,\n3,v\n"))
    assert "missing in 1 row, first in row 1" in message


def test_free_text_is_set_aside_with_a_note(tmp_path):
    rows = [{"a": i, "note": f"patient {i}", "y": "uv"[i % 2]} for i in range(40)]
    pl.DataFrame(rows).write_csv(tmp_path / "t.csv")
    found = run("fit", tmp_path / "t.csv", "-t", "y", "--model", "lda", "-o", tmp_path / "m")
    (note,) = found.stderr.splitlines()
    assert note.startswith("note: column 'note' is set aside: names or free text: 40 different")
    assert "--categorical note" in note
    assert (
        "no features"
        in run(
            *("fit", tmp_path / "t.csv", "-t", "y", "--drop", "a", "-o", tmp_path / "m"), code=2
        ).stderr
    )
    run(
        "fit",
        tmp_path / "t.csv",
        "-t",
        "y",
        "--drop",
        "note",
        "--model",
        "lda",
        "-o",
        tmp_path / "m",
    )
    run(
        *("fit", tmp_path / "t.csv", "-t", "y", "--categorical", "note", "--model", "nb"),
        *("-o", tmp_path / "m"),
    )


def test_nothing_but_the_target(tmp_path):
    assert "no features" in fit_refused(written(tmp_path, "y\nu\nv\n"))


def test_columns_of_the_same_name(tmp_path):
    message = fit_refused(written(tmp_path, "a,a,y\n1,2,u\n3,4,v\n"))
    assert "more than one column named 'a'" in message


def test_a_column_without_a_name(tmp_path):
    assert "no name for column 2" in fit_refused(written(tmp_path, "a,,y\n1,2,u\n3,4,v\n"))


@pytest.mark.parametrize(
    ("encoding", "message"),
    [
        ("latin-1", "Latin-1"),
        ("cp1252", "Latin-1"),  # the same bytes
        ("utf-16", "UTF-16"),
        ("utf-16-le", "UTF-16"),
    ],
)
def test_other_encodings_are_named_and_can_be_read(tmp_path, encoding, message):
    text = "größe,y\n1,é\n2,u\n1.5,é\n2.5,u\n"
    file = written(tmp_path, text.encode(encoding))
    found = fit_refused(file)
    assert message in found
    option = found.split("--encoding ")[1].split(",")[0]
    run(
        *("fit", file, "-t", "y", "--model", "nb", "-o", tmp_path / "m"),
        *("--encoding", option),
    )
    model = sf.load(tmp_path / "m")
    assert model.classes_.tolist() == ["u", "é"]
    assert model.feature_names_in_.tolist() == ["größe"]


def test_the_encoding_to_use_keeps_the_euro_sign(tmp_path):
    text = "price,y\n1,€\n2,u\n1.5,€\n2.5,u\n"
    file = written(tmp_path, text.encode("cp1252"))
    found = fit_refused(file)
    assert "looks like Windows-1252. Read it with --encoding cp1252, or" in found
    options = "-t", "y", "--model", "nb", "-o", tmp_path / "m", "--encoding", "cp1252"
    run("fit", file, *options)
    assert sf.load(tmp_path / "m").classes_.tolist() == ["u", "€"]


def test_an_encoding_that_there_is_not(tmp_path):
    file = written(tmp_path, "a,y\n1,u\n")
    assert "no encoding 'klingon'" in fit_refused(file, "--encoding", "klingon")
    file = written(tmp_path, "a,y\n1,é\n".encode("latin-1"))
    assert "is not utf-8" in fit_refused(file, "--encoding", "utf-8")


def test_files_that_are_not_text(tmp_path):
    assert "workbook" in fit_refused(written(tmp_path, b"PK\x03\x04" + bytes(50), "t.xlsx"))
    assert "not text" in fit_refused(written(tmp_path, b"a,y\n" + bytes(range(30))))
    assert "damaged" in fit_refused(written(tmp_path, b"PAR1 and no more", "t.parquet"))
    assert "not a Parquet file" in fit_refused(written(tmp_path, b"a,y\n", "t.parquet"))
    assert "damaged" in fit_refused(written(tmp_path, b"a,y\n1,u\n", "t.arrow"))
    assert "line 1 is not a record" in fit_refused(written(tmp_path, b'{"a": 1, "y"', "t.jsonl"))
    assert "decompressed" in fit_refused(written(tmp_path, b"\x1f\x8b\x08garbage", "t.csv.gz"))


def test_infinite_values_are_named(tmp_path):
    message = fit_refused(written(tmp_path, "a,y\n1,u\ninf,v\n2,u\n3,v\n"), "--model", "lda")
    assert "t.csv: column 'a' holds infinity, first in row 1." in message


def test_a_null_marker_that_is_not_text(tmp_path):
    file = written(tmp_path, "a,y\n1,u\n2,v\n2,u\n3,v\n")
    message = fit_refused(file, "--model", "lda", "--missing", "?,n\udce4")
    assert "--missing 'n\\udce4' is not text" in message


def test_weights_that_are_none(tmp_path):
    text = "a,w,y\n1,1,u\n2,x,v\n3,1,u\n4,1,v\n"
    assert "numbers, 0 or more" in fit_refused(written(tmp_path, text), "--weights", "w")
    text = text.replace("x", "")
    assert "missing in 1 row, first in row 1" in fit_refused(
        written(tmp_path, text), "--weights", "w"
    )
    text = "a,w,y\n1,1,u\n2,-1,v\n3,1,u\n4,1,v\n"
    message = fit_refused(written(tmp_path, text), "--weights", "w", "--model", "lda")
    assert "the weights 'w' of" in message
    assert "must be finite and not negative" in message
    assert "target and the weights" in fit_refused(written(tmp_path, text), "--weights", "y")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--priors", "a"), "is not label=number"),
        (("--priors", "setosa=x"), "is not label=number"),
        (("--priors", "setsa=1"), "Did you mean 'setosa'?"),
        (("--priors", "setosa=1", "--model", "lda"), "no entry for class"),
        (("--model", "lda", "--pooling", "0.5"), "takes no --pooling"),
        (("--pooling", "0.5"), "--model auto chooses --pooling itself"),
        (("--priors", "setosa=1"), "no entry for class"),
        (("--model", "gaussian", "--pooling", "2"), "pooling"),
        (("--model", "gaussian", "--shrinkage", "lots"), "shrinkage"),
        (("--model", "nb", "--shrinkage-target", "unit"), "nb takes no --shrinkage-target"),
        (("--shrinkage-target", "unit"), "--model auto chooses --shrinkage-target itself"),
        (("--shrinkage-target", "both"), "'both' is not one of"),
        (("--model", "foo"), "'foo' is not one of"),
        (("--foo",), "No such option"),
        (("--drop", "species"), "is the target"),
    ],
)
def test_options_that_make_no_sense(folder, options, message):
    assert message in fit_refused(folder / "iris.csv", *options, target="species")


def test_output_that_cannot_be_written(folder):
    table = ("fit", folder / "iris.csv", "-t", "species", "--model", "lda", "-o")
    assert "there is no folder" in refused(*table, folder / "nowhere" / "m.suffice")
    assert "is a folder" in refused(*table, folder)
    assert "ending of a table" in refused(*table, folder / "m.csv")
    asked = ("predict", folder / "lda.suffice", folder / "iris.csv", "-o")
    assert "the ending says" in refused(*asked, folder / "p.xlsx")
    assert "there is no folder" in refused(*asked, folder / "nowhere" / "p.csv")


def test_a_model_of_other_columns(folder, tmp_path):
    file = written(tmp_path, "a,b\n1,2\n")
    message = refused("predict", folder / "lda.suffice", file)
    assert "t.csv lacks 'sepal_length'" in message
    assert f"on which {folder / 'lda.suffice'} was trained; its columns are 'a', 'b'." in message


def test_missing_columns_are_named(folder, tmp_path):
    frame = iris().rename({"petal_width": "petal_wdth"}).drop("sepal_length")
    frame.write_csv(tmp_path / "t.csv")
    for command in ("predict", "outliers", "impute", "explain"):
        message = refused(command, folder / "lda.suffice", tmp_path / "t.csv")
        assert "lacks 'sepal_length', 'petal_width', on which" in message


def test_text_where_the_model_takes_numbers(folder, tmp_path):
    text = iris().write_csv().replace("5.1,", "much,", 1)
    message = refused("predict", folder / "lda.suffice", written(tmp_path, text))
    assert "t.csv: column 'sepal_length' holds 'much' in row 0" in message
    assert "--missing much" in message
    run("predict", folder / "lda.suffice", written(tmp_path, text), "--missing", "much,?")
    notes = iris().with_columns(sepal_length=pl.Series([f"note {i}" for i in range(150)]))
    message = refused("predict", folder / "lda.suffice", written(tmp_path, notes.write_csv()))
    assert "column 'sepal_length' holds 'note 0' in row 0" in message


def test_labels_that_the_model_does_not_know(folder, tmp_path):
    text = iris().write_csv().replace("setosa", "rose", 1)
    message = refused("evaluate", folder / "lda.suffice", written(tmp_path, text), "-t", "species")
    assert "was not trained on: 'rose'" in message
    assert "'setosa', 'versicolor', 'virginica'" in message
    message = refused("evaluate", folder / "lda.suffice", written(tmp_path, text), "-t", "speces")
    assert "Did you mean 'species'?" in message


def test_files_of_another_kind(folder):
    model, stats, table = (folder / name for name in ("lda.suffice", "iris.stats", "iris.csv"))
    assert "holds statistics, not a model" in refused("predict", stats, table)
    assert "suffice fit" in refused("evaluate", stats, table, "-t", "species")
    assert "is a table" in refused("predict", table, model)
    assert "holds a model or statistics, not a table" in refused("predict", model, stats)
    out = folder / "x.stats"
    assert "holds a model, not statistics" in refused("merge", stats, model, "-o", out)
    assert "holds statistics, not a model" in refused("merge", model, stats, "-o", out)
    assert "is a table" in refused("merge", table, stats, "-o", out)
    assert "is a table" in refused("info", table)
    assert "there is no file" in refused("info", folder / "nothing")
    assert "holds a model" in refused("fit", model, "--model", "lda", "-o", folder / "y")
    assert "needs the rows" in refused("fit", stats, "-o", folder / "y")
    message = refused("fit", stats, "-t", "species", "--drop", "a", "-o", folder / "y")
    assert "leave out --target, --drop" in message
    message = refused("fit", stats, "--numeric", "a", "--text", "b", "-o", folder / "y")
    assert "leave out --numeric, --text" in message
    assert "--model nb" in refused("fit", stats, "--model", "mixed", "-o", folder / "y")


def test_a_damaged_model(folder, tmp_path):
    data = (folder / "lda.suffice").read_bytes()
    file = written(tmp_path, data[:-20] + bytes(20), "m.suffice")
    assert "damaged" in refused("predict", file, folder / "iris.csv")
    file = written(tmp_path, data[:50], "m.suffice")
    assert "suffice file" in refused("info", file)


def test_rows_and_classes_that_there_are_not(folder):
    model, table = folder / "lda.suffice", folder / "iris.csv"
    assert "rows 0 to 149" in refused("explain", model, table, "--row", 150)
    assert "Did you mean 'setosa'?" in refused("boundary", model, "setossa", "virginica")
    assert "name two" in refused("boundary", model, "setosa", "setosa")
    assert "name two" in refused(
        "explain", model, table, "--class", "setosa", "--against", "setosa"
    )
    assert "Did you mean 'petal_width'?" in refused("sample", model, "--given", "petalwidth=1")
    assert "takes a number" in refused("sample", model, "--given", "petal_width=wide")
    assert "is a feature" in refused("sample", model, "--target", "petal_width")


def test_forgetting_what_was_never_seen(folder, tmp_path):
    stats, out = folder / "iris.stats", tmp_path / "rest.stats"
    assert "would leave none" in refused("forget", stats, stats, "-o", out)
    other = written(tmp_path, iris()[:3].write_csv().replace("setosa", "rose"))
    refused("forget", stats, other, "-t", "species", "-o", out)
    assert not out.exists()
    assert "--target" in refused("forget", stats, other, "-o", out)


def test_parts_that_do_not_fit(folder, tmp_path):
    iris().drop("petal_width").write_csv(tmp_path / "t.csv")
    run("summarize", tmp_path / "t.csv", "-t", "species", "-o", tmp_path / "t.stats")
    message = refused("merge", folder / "iris.stats", tmp_path / "t.stats", "-o", tmp_path / "all")
    assert "do not match" in message


def test_a_model_without_boundaries(folder, tmp_path):
    out = tmp_path / "m"
    run("fit", folder / "iris.csv", "-t", "species", "--model", "mixed", "-o", out)
    assert "--model lda" in refused("boundary", out, "setosa", "virginica")


def test_a_missing_package_is_named(folder, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "polars", None)
    assert "pip install 'suffice[cli]'" in refused(
        "predict", folder / "lda.suffice", folder / "iris.csv"
    )
