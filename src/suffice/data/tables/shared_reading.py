"""Shared reading: what several models ask about the same table is answered once."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

Answer = TypeVar("Answer")

# Of each table, by its identity: the table, which is kept so that the identity stays its own, and
# the answers.
_answers: ContextVar[dict[int, tuple[Any, dict[Hashable, Any]]] | None] = ContextVar(
    "answers_of_tables", default=None
)


@contextmanager
def shared_reading() -> Iterator[None]:
    """A context in which each table is described once, and read once by each reader.

    Its tables must not change meanwhile. It ends with what it holds; one within another shares
    the answers of the outer one.

    >>> with shared_reading():
    ...     table = [["red"]]
    ...     read_once(table, "first", lambda: table[0][0]), read_once(table, "first", lambda: "?")
    ('red', 'red')
    """
    if _answers.get() is not None:
        yield
        return
    token = _answers.set({})
    try:
        yield
    finally:
        _answers.reset(token)


def read_once(X: Any, question: Hashable, answer: Callable[[], Answer]) -> Answer:
    """The answer to a question about a table, kept where reading is shared."""
    shared = _answers.get()
    if shared is None:
        return answer()
    known = shared.setdefault(id(X), (X, {}))[1]
    if question not in known:
        known[question] = answer()
    return known[question]  # type: ignore[no-any-return]
