"""Errors: one sentence on standard error and exit code 2; Ctrl-C is 130."""

from __future__ import annotations

import os
import re
import sys
import warnings
from ast import literal_eval
from collections.abc import Callable, Sequence
from shlex import quote
from typing import Any

import typer
from typer.core import TyperGroup

from suffice.cli.main import INTERRUPTED
from suffice.cli.output import say

# If this variable is set, errors keep their traceback.
DEBUG = "SUFFICE_DEBUG"

# typer brings its own copy of click or uses the package, by version.
ClickError: Any = next(k for k in typer.BadParameter.__mro__ if k.__name__ == "ClickException")


TEXT = r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\""""
# With a value, target is that of shrinkage.
PARAMETER = re.compile(
    r"\b(?!target=['\"])(target|drop|categorical|numeric|text|missing|dates|encoding"
    r"|drop_unlabelled|columns|weight|null_markers|positive)="
    rf"(\[\]|\[(?:{TEXT})(?:, (?:{TEXT}))*\]|{TEXT}|True|(?=[\s,;]|\.(?!\.)|$))"
)
CALLS = (
    # What is said about columns in Python is an option of each command.
    (re.compile(r"columns=suffice\.describe\(X, ((?:drop|categorical|numeric)=\[.*?\])\)"), r"\1"),
    (re.compile(rf"pandas\.read_csv\(path, (encoding={TEXT})\)"), r"\1"),
    (re.compile(rf"suffice\.load\(({TEXT})\) reads it"), r"`suffice info \1` shows it"),
    (
        re.compile(r"sf\.Grid\.decimal with more digits, or sf\.Grid\(low, high\)"),
        "--grid decimals=... with more digits, or --grid auto",
    ),
    (re.compile(r"any grid, such as sf\.Grid\(0, 1\)"), "any grid, such as --grid decimals=0"),
    (re.compile(rf"\bthreshold=\{{({TEXT}): ([\d.]+)\}}"), r"--threshold \1=\2"),
)


class Commands(TyperGroup):
    """The commands; an error in one is reported in a sentence."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        """Run a command and leave with its exit code."""

        def run() -> Any:
            given = (args, prog_name, complete_var, False, windows_expand_args)
            return super(Commands, self).main(*given, **extra)

        return sys.exit(exit_code(run)) if standalone_mode else run()


def exit_code(run: Callable[[], Any]) -> int:
    """Run and return the exit code; errors are reported on standard error."""
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _note
            code = run()
            sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except (KeyboardInterrupt, typer.Abort):
        return INTERRUPTED
    except BrokenPipeError:
        # Python flushes when it exits, and would raise again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141  # 128 + SIGPIPE
    except Exception as error:
        if os.environ.get(DEBUG):
            raise
        # Without any argument the help was shown already.
        if type(error).__name__ != "NoArgsIsHelpError":
            say(f"suffice: {sentence(error)}", err=True)
        return 2


def sentence(error: Exception) -> str:
    """An error in a sentence, on one line."""
    from suffice.errors import SufficeError

    if isinstance(error, ClickError):
        text = error.format_message().replace(": Value error, ", ": ").removesuffix(".")
        context = getattr(error, "ctx", None)
        hint = f" Try '{context.command_path} --help'." if context is not None else ""
        if str(getattr(error, "option_name", ""))[1:2].isdigit():
            hint = " Put -- before the first value that starts with a minus."
        return " ".join(text.split()) + ("" if text.endswith(("?", "!")) else ".") + hint
    if isinstance(error, SufficeError):
        return _line(with_options(str(error)))
    if isinstance(error, OSError) and error.strerror:
        where = f"{error.filename}: " if error.filename else ""
        return _line(f"{where}{error.strerror}. Check the path and the permissions")
    if isinstance(error, MemoryError):
        return "there is not enough memory; try fewer rows or columns."
    if isinstance(error, ValueError):
        return _line(str(error))
    return _line(
        f"unexpected {type(error).__name__}: {error}. Please report it; {DEBUG}=1 shows where it "
        "happened"
    )


def with_options(text: str) -> str:
    """A message that names parameters of Python with the options of the command line instead.

    >>> print(with_options("Leave them out with drop=['id', 'a, b'], or choose by target=."))
    Leave them out with --drop 'id,"a, b"', or choose by --target.
    >>> print(with_options("Use GaussianDiscriminant(pooling=0.5), or QDA(shrinkage='oas')."))
    Use --model gaussian --pooling 0.5, or --model qda --shrinkage oas.
    >>> print(with_options("Shrink correlations only: target='diagonal'."))
    Shrink correlations only: --shrinkage-target diagonal.
    """
    for call, command in CALLS:
        text = call.sub(command, text)
    model = re.compile(rf"\b([A-Z]\w+)\(((?:\w+=(?:{TEXT}|[\d.]+)(?:, )?)*)\)")
    text = PARAMETER.sub(_as_option, model.sub(_as_model, text))
    return re.sub(r"\btarget=(['\"])(diagonal|identity|unit)\1", r"--shrinkage-target \2", text)


def _as_model(call: re.Match[str]) -> str:
    """The options that fit the model of a call in Python; a parameter without one is left out."""
    import suffice as sf
    from suffice.cli.models import CLASSES, OPTIONS

    model = getattr(sf, call[1], None) if call[1] in sf.__all__ else None
    kind = next((kind for kind, name in CLASSES.items() if getattr(sf, name) is model), None)
    if kind is None:
        return call[0]
    options = re.findall(r"\b(pooling|shrinkage|target)=['\"]?([\w.-]+)", call[2])
    written = (f"--{OPTIONS.get(name, name)} {value}" for name, value in options)
    return " ".join([f"--model {kind}", *written])


def _as_option(parameter: re.Match[str]) -> str:
    name, value = parameter[1], parameter[2]
    # Options that are named otherwise than the parameter of Python.
    options = {"columns": "drop", "weight": "weights", "null_markers": "missing"}
    option = f"--{options.get(name, name).replace('_', '-')}"
    if value in ("", "True"):
        return option
    values = literal_eval(value)
    names = [values] if isinstance(values, str) else values
    return f"{option} {quote(','.join(_listed(name) for name in names))}"


def _listed(name: str) -> str:
    return f'"{name}"' if "," in name else name


def _line(text: str) -> str:
    joined = " ".join(text.split()) or "something went wrong"
    return joined if joined.endswith((".", "!", "?", ")", "'")) else f"{joined}."


def _note(message: Any, *_: Any, **__: Any) -> None:
    say(f"note: {_line(with_options(str(message)))}", err=True)
