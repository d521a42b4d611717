"""Constructors: what the class methods that make a display share, and drawing it at once."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import Parameter, signature
from typing import Any, Concatenate, TypeVar

from suffice.plots.display import Display, set_parameters
from suffice.plots.view import View

D = TypeVar("D", bound=Display)


def drawn(make: Callable[Concatenate[type[D], ...], D]) -> Callable[..., D]:
    """Let a constructor draw: it takes `ax`, axes or None for a new figure, and options of `plot`.

    Keywords that the constructor does not name are the options.
    """
    own = signature(make).parameters

    @wraps(make)
    def draw(cls: type[D], *args: Any, ax: Any = None, **options: Any) -> D:
        given = {name: options.pop(name) for name in own.keys() & options.keys()}
        return make(cls, *args, **given).plot(ax, **options)

    options = Parameter("options", Parameter.VAR_KEYWORD, annotation=Any)
    ax = Parameter("ax", Parameter.KEYWORD_ONLY, default=None, annotation=Any)
    set_parameters(draw, [*own.values(), ax, options])
    return draw


def on_plane(
    *keywords: str, **defaults: Any
) -> Callable[[Callable[Concatenate[type[D], View, ...], D]], Callable[..., D]]:
    """Let a constructor of a view take a model, rows, and what to show of them; and draw.

    keywords : names of the keywords in the order that `help` shows them: those of `View.of`, which
        make the view, and those that the constructor takes itself
    defaults : of keywords of `View.of`, where they differ from those there
    """
    of_view = signature(View.of).parameters

    def decorate(make: Callable[Concatenate[type[D], View, ...], D]) -> Callable[..., D]:
        own = signature(make).parameters

        @wraps(make)
        def of_model(cls: type[D], model: Any, X: Any = None, y: Any = None, **chosen: Any) -> D:
            given = {name: chosen.pop(name) for name in own.keys() & chosen.keys()}
            return make(cls, View.of(model, X, y, **{**defaults, **chosen}), **given)

        named = ({**of_view, **own}[name] for name in keywords)
        shown = [
            one.replace(kind=one.KEYWORD_ONLY, default=defaults.get(one.name, one.default))
            for one in named
        ]
        rows = (of_view[name] for name in ("model", "X", "y"))
        set_parameters(of_model, [own["cls"], *rows, *shown])
        return drawn(of_model)

    return decorate
