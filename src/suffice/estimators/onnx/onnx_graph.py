"""ONNX graph: operators and constants of a graph under construction."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from suffice.data.arrays import Array

# The numbers of element types in ONNX, which never change.
ELEMENTS = {"float32": 1, "int64": 7, "str": 8, "bool": 9, "float64": 11}


@dataclass(frozen=True, slots=True)
class Node:
    """One operator: values by name in, one value out."""

    kind: str
    inputs: tuple[str, ...]
    output: str
    options: dict[str, Any]
    domain: str = ""


@dataclass(frozen=True, slots=True)
class Graph:
    """Nodes and constants; methods add one and return the name of its value.

    >>> graph = Graph(18)
    >>> graph.add("Sub", "X", graph.constant([1.0, 2.0]))
    'v1'
    """

    opset: int
    prefix: str = "v"  # of the names of values
    nodes: list[Node] = field(default_factory=list)
    constants: dict[str, Array] = field(default_factory=dict)

    def constant(self, values: Any, dtype: Any = np.float64) -> str:
        """An array that does not depend on the rows."""
        name = self._name()
        self.constants[name] = np.asarray(values, dtype)
        return name

    def add(self, kind: str, *inputs: str, domain: str = "", **options: Any) -> str:
        """An operator on values."""
        node = Node(kind, inputs, self._name(), options, domain)
        self.nodes.append(node)
        return node.output

    def cast(self, value: str, dtype: str) -> str:
        """A value as numbers or texts of another type."""
        return self.add("Cast", value, to=ELEMENTS[dtype])

    def reduce(self, kind: str, value: str, axis: int, *, keep: bool = True) -> str:
        """A sum, maximum or minimum along an axis."""
        options: dict[str, Any] = {"keepdims": int(keep)}
        # Opset version from which all reductions take their axis as an input.
        axis_as_input = 18
        if kind == "ReduceSum" or self.opset >= axis_as_input:
            return self.add(kind, value, self.constant([axis], np.int64), **options)
        return self.add(kind, value, axes=[axis], **options)

    def sum_of_squares(self, value: str) -> str:
        """Sum of squares of each row, (n, 1)."""
        return self.reduce("ReduceSum", self.add("Mul", value, value), 1)

    def _name(self) -> str:
        return f"{self.prefix}{len(self.nodes) + len(self.constants)}"
