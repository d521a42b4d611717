"""`suffice digest`: the SHA-256 of what a file holds."""

from __future__ import annotations

from suffice.cli import options


def digest(file: options.AnyFile, json: options.Json = False) -> None:
    """Show the SHA-256 of a model, statistics or a grid: equal for equal content.

    On a grid it does not depend on the order of the rows, on shards or threads, nor on rows that
    were removed since.
    """
    from suffice.cli.loaded import load_any
    from suffice.cli.output import answer

    digest_of_file = load_any(file).digest()
    answer({"file": str(file), "digest": digest_of_file}, json, digest_of_file)
