"""The entry point of the command line."""

from __future__ import annotations

import sys

INTERRUPTED = 130


def main() -> None:
    """Run the command that the arguments name, and leave with its exit code."""
    try:
        import typer as _typer  # noqa: F401

        from suffice.cli.app import app
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except ImportError as error:
        if error.name not in ("typer", "rich"):
            raise
        need = f"suffice: the command line needs {error.name}: pip install 'suffice[cli]'."
        print(need, file=sys.stderr)
        sys.exit(2)
    try:
        app(prog_name="suffice")
    except KeyboardInterrupt:
        # Raised while typer still builds the commands, before `exit_code` can catch it.
        sys.exit(INTERRUPTED)
