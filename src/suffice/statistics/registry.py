"""Registry: statistics of other likelihoods, of which a file may hold values."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, TypeVar

from suffice.statistics.nesting import Arrays, check_names
from suffice.statistics.room import Room
from suffice.statistics.texts import names_of, read_labels, write_labels, write_names

Kind = TypeVar("Kind", bound=type)

STORABLE: dict[str, FlatFile] = {}

_TEXTS = {"classes", "classes.ends", "names", "names.ends"}


def storable(kind: Kind) -> Kind:
    """Let files hold the values of a dataclass of classes, arrays and feature names; a decorator.

    Its method `checked() -> Self` raises a ValueError that says what is wrong with a value read.
    """
    STORABLE[kind.__name__] = FlatFile(kind)
    return kind


@dataclass(frozen=True, slots=True)
class FlatFile:
    """The header and arrays of values of one class, and back."""

    kind: Any
    FIELDS: ClassVar[set[str]] = {"kind"}

    @property
    def _arrays(self) -> list[str]:
        return [f.name for f in fields(self.kind) if f.name not in ("classes", "feature_names")]

    def to_arrays(self, value: Any) -> tuple[dict[str, Any], Arrays]:
        """Header and arrays of a value."""
        arrays = {**write_labels("classes", value.classes), **write_names(value.feature_names)}
        arrays |= {name: getattr(value, name) for name in self._arrays}
        return {"kind": self.kind.__name__}, arrays

    def read(self, header: dict[str, Any], arrays: Arrays, room: Room) -> Any:
        """The value of a header and arrays; a ValueError says what is wrong."""
        check_names(arrays, _TEXTS | {*self._arrays})
        classes = read_labels("classes", arrays, room)
        value = self.kind(classes=classes, **{name: arrays[name] for name in self._arrays})
        names = names_of(arrays, value.n_features, room)
        return replace(value, feature_names=names).checked()
