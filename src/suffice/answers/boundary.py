"""Boundaries: where two classes are equally probable, as a quadratic function of the features."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass
from typing import Any

import numpy as np

from suffice.answers.conic import Kind, roots
from suffice.answers.curve import Box, polylines
from suffice.answers.equation import LATEX, TEXT, write_equation
from suffice.answers.form import Form
from suffice.data.arrays import Floats
from suffice.data.features import as_features, gap, infinite
from suffice.data.parameters import finite
from suffice.errors import InvalidFeatures, InvalidParameter
from suffice.text import shown


@dataclass(frozen=True, eq=False)
class Boundary:
    """Where two classes are equally probable: log-odds (a against b) = 0.

    ln p(a | x) - ln p(b | x) = x'Qx + l'x + c, with Q `quadratic`, l `linear`, c `constant`;
    evaluated about a centre between the classes, since these three lose their digits where
    features lie far from zero.

    classes : (a, b)
    log_odds : the function
    feature_names : names to write; x1, x2, ... where None

    >>> b = Boundary.of(("a", "b"), None, [4, 0], -8)
    >>> print(b.equation(), "that is,", b)
    4·x1 - 8 = 0 that is, x1 = 2
    """

    classes: tuple[Any, Any]
    log_odds: Form
    feature_names: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        if len(self.classes) != 2 or self.classes[0] == self.classes[1]:
            raise InvalidParameter(
                f"a boundary lies between two different classes; got {shown(tuple(self.classes))}."
            )
        if self.feature_names is not None and len(self.feature_names) != self.n_features:
            raise InvalidParameter(
                f"{len(self.feature_names)} feature names for {self.n_features} features; "
                "give one per feature."
            )

    @classmethod
    def of(
        cls,
        classes: tuple[Any, Any],
        quadratic: Any,
        linear: Any,
        constant: float,
        feature_names: tuple[str, ...] | None = None,
        scale: Any = None,
    ) -> Boundary:
        """The boundary x'Qx + l'x + c = 0; `quadratic` is None for a linear one.

        scale : (d,) a typical spread of each feature, over which a change of the log-odds by
            less than 1e-10 counts as none; without it, only what is exactly zero does

        >>> Boundary.of(("a", "b"), np.eye(2), [0, 0], -4).kind
        'ellipse'
        """
        slope = finite("linear", linear, (-1,))
        d = len(slope)
        value = float(finite("constant", constant, ()))
        matrix = None if quadratic is None else finite("quadratic", quadratic, (d, d))
        curvature = None if matrix is None else (matrix + matrix.T) / 2
        spread = None if scale is None else finite("scale", scale, (d,))
        return cls(classes, Form(np.zeros(d), slope, value, curvature, spread), feature_names)

    @property
    def n_features(self) -> int:
        """d."""
        return len(self.log_odds.centre)

    @property
    def quadratic(self) -> Floats:
        """Q, (d, d), symmetric."""
        return self.log_odds.matrix

    @property
    def linear(self) -> Floats:
        """l, (d,)."""
        return self.log_odds.linear

    @property
    def constant(self) -> float:
        """The number c."""
        return self.log_odds.constant

    @property
    def is_linear(self) -> bool:
        """Whether the log-odds is linear: the boundary a hyperplane, or nowhere."""
        return self.log_odds.is_linear

    @property
    def normal(self) -> Floats:
        """Unit vector across a hyperplane, towards class a."""
        slope = self._hyperplane().slope
        return np.asarray(slope / np.linalg.norm(slope))

    @property
    def offset(self) -> float:
        """Where the hyperplane is: normal'x = offset on it."""
        form = self._hyperplane()
        return float(self.normal @ form.centre - form.value / np.linalg.norm(form.slope))

    def __call__(self, X: Any) -> Floats:
        """Log-odds of class a against class b: (n,) of rows (n, d), a number of one row (d,).

        >>> Boundary.of(("a", "b"), None, [4, 0], -8)([[3, 9], [2, -1]])
        array([4., 0.])
        """
        return self.log_odds(self._rows(X))[()]

    def signed_distance(self, X: Any) -> Floats:
        """Euclidean distance to a hyperplane, positive on class a's side.

        >>> Boundary.of(("a", "b"), None, [3, 4], -5).signed_distance([[3, 4], [0, 0]])
        array([ 4., -1.])
        """
        form = self._hyperplane()
        return np.asarray(form(self._rows(X)) / np.linalg.norm(form.slope))[()]

    def crossings(self, p: Any, q: Any) -> Floats:
        """Points (m, d), m up to 2, where the line through p and q meets the boundary.

        In the order of going from p to q; where the line only touches there is one. A line
        that lies in the boundary is an error.

        >>> Boundary.of(("a", "b"), np.eye(2), [0, 0], -4).crossings([0, 0], [1, 0])
        array([[-2., 0.],
               [ 2., 0.]])
        """
        start, stop = self._row(p, "p"), self._row(q, "q")
        if (start == stop).all():
            raise InvalidParameter("p and q are the same point; a line needs two.")
        a, b, c = self.log_odds.along(start, stop - start)
        if a == b == c == 0:
            raise InvalidParameter(
                "every point of the line through p and q lies in the boundary; choose another line."
            )
        t = np.array(roots(a, b, c)).reshape(-1, 1)
        return np.asarray(start + t * (stop - start))

    def section(self, features: Sequence[Any], at: Any = None) -> Boundary:
        """The boundary within some features, by name or number, the others held fixed.

        at : (d,) point that the others are taken from; by default the centre

        >>> sphere = Boundary.of(("a", "b"), np.eye(3), [0, 0, 0], -4)
        >>> print(sphere.section([0, 2], at=[0, 1, 0]))
        x1² + x3² - 3 = 0
        """
        kept = [self._index(feature) for feature in features]
        if len(set(kept)) < len(kept) or not kept:
            raise InvalidParameter(
                f"features is {shown(features)}; choose one or more different ones."
            )
        point = self.log_odds.centre if at is None else self._row(at, "at")
        names = self.feature_names or tuple(f"x{i + 1}" for i in range(self.n_features))
        form = self.log_odds.section(kept, point)
        return Boundary(self.classes, form, tuple(names[i] for i in kept))

    @property
    def kind(self) -> Kind:
        """Which conic a boundary in two features is.

        Whether something is zero is decided relative to the terms it comes from, so units and
        origins of features do not matter. A line that counts twice is a "line".
        """
        self._require_plane()
        return self.log_odds.conic.kind

    def curve(self, box: Any, points: int = 200) -> list[Floats]:
        """A boundary in two features as polylines (m, 2) inside ((xmin, xmax), (ymin, ymax)).

        Ends lie exactly on the edges of the box, closed curves end where they begin, a point
        is one row; "empty" and "everything" give no polyline.

        points : number of points of a curved polyline

        >>> line, = Boundary.of(("a", "b"), None, [1, 0], -2).curve(((0, 4), (0, 3)))
        >>> line
        array([[2., 0.],
               [2., 3.]])
        """
        self._require_plane()
        low, high = astuple(Box.checked(box))
        if points < 3:
            raise InvalidParameter(f"points is {points}; a curve needs 3 or more.")
        origin, units, conic = self.log_odds.conic_in_box(low, high)
        inner = Box((low - origin) / units, (high - origin) / units)
        out = []
        for line in polylines(conic, inner, points):
            outer = np.clip(origin + units * line, low, high)
            outer = np.where(line == inner.low, low, np.where(line == inner.high, high, outer))
            out.append(outer)
        return out

    def equation(
        self, digits: int | None = None, solved: bool = False, centred: bool = False
    ) -> str:
        """The boundary as text; terms that are only rounding errors are left out.

        digits : significant digits of the numbers; by default 4, and more where features lie
            far from zero for their spread
        solved : as values of the feature, if it depends on only one
        centred : about the centre, which is exact however far from zero

        >>> b = Boundary.of(("a", "b"), np.diag([1, 0]), [-2, 0], -3, ("age", "size"))
        >>> b.equation(), b.equation(solved=True)
        ('age² - 2·age - 3 = 0', 'age = -1 or age = 3')
        """
        return write_equation(self.log_odds, self.feature_names, TEXT, digits, solved, centred)

    def latex(self, digits: int | None = None, solved: bool = False, centred: bool = False) -> str:
        r"""The same in LaTeX, for math mode.

        >>> print(Boundary.of(("a", "b"), [[1, 0.25], [0.25, 0]], [0, 1], -8).latex())
        x_{1}^{2} + 0.5 \, x_{1} \, x_{2} + x_{2} - 8 = 0
        """
        return write_equation(self.log_odds, self.feature_names, LATEX, digits, solved, centred)

    def __str__(self) -> str:
        return self.equation(solved=self._is_solved)

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {self.latex(solved=self._is_solved)}$"

    @property
    def _is_solved(self) -> bool:
        """Whether it depends on one feature only, and so is a list of values of that feature."""
        single = self.log_odds.single
        return single is not None and len(single[1]) > 0

    def _hyperplane(self) -> Form:
        form = self.log_odds
        if not form.is_linear:
            raise InvalidParameter(
                "this boundary is curved, so it has no normal, offset or signed distance. The "
                "log-odds itself, boundary(X), says on which side a row is and how clearly; "
                "crossings(p, q) gives points on the boundary."
            )
        if form.is_constant:
            raise InvalidParameter(
                f"the log-odds of {shown(self.classes[0])} and {shown(self.classes[1])} is the "
                "same everywhere: there is no hyperplane. Do the classes have equal means?"
            )
        return form

    def _require_plane(self) -> None:
        if self.n_features == 1:
            raise InvalidParameter(
                "kinds and curves are for 2 features; this boundary has 1, so it is made of "
                "points: crossings([0], [1]) gives them."
            )
        if self.n_features != 2:
            raise InvalidParameter(
                f"kinds and curves are for 2 features; this boundary has {self.n_features}. "
                "Choose two: section([i, j], at=point) holds the others fixed, or fit a model "
                "on two."
            )

    def _index(self, feature: Any) -> int:
        if self.feature_names is not None and feature in self.feature_names:
            return self.feature_names.index(feature)
        if isinstance(feature, int | np.integer) and 0 <= feature < self.n_features:
            return int(feature)
        known = self.feature_names or f"0 to {self.n_features - 1}"
        raise InvalidParameter(f"there is no feature {shown(feature)}; choose from {known}.")

    def _row(self, point: Any, name: str) -> Floats:
        rows = self._rows(point)
        if rows.ndim != 1:
            raise InvalidParameter(f"{name} must be one point of shape ({self.n_features},).")
        return rows

    def _rows(self, X: Any) -> Floats:
        plain = isinstance(X, list | tuple)
        single = all(np.ndim(x) == 0 for x in X) if plain else getattr(X, "ndim", 2) == 1
        features = as_features(np.asarray(X)[None] if single else X)
        if features.shape[1] != self.n_features:
            raise InvalidFeatures(
                f"X has {features.shape[1]} features, but the boundary has {self.n_features}."
            )
        rows = np.asarray(features.read(0, features.shape[0]), np.float64)
        error = infinite(rows, 0, self.feature_names) or gap(rows, 0, self.feature_names)
        if error is not None:
            raise error
        return rows[0] if single else rows
