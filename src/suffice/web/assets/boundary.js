// @ts-check
/** Boundaries: a log-odds as a quadratic function of one or two features, its conic and its terms. */

/** A term of an equation: a coefficient, and the positions of the features it multiplies.
 * @typedef {{coefficient: number, features: number[]}} Term */

const NEGLIGIBLE = 1e-10;
const ROUNDING = 1e-13;

/** The log-odds of two classes of a plane, about an origin near both.
 * @param {Six} a @param {Six} b @param {number[]} centre of one or two features
 * @param {number[]} scale @returns {Form} */
export function formBetween(a, b, centre, scale) {
  const [value, p, q, r, s, t] = a.map((coefficient, m) => coefficient - b[m]);
  const curvature = [[r, s / 2], [s / 2, t]];
  const all = [...centre.keys()];
  return { centre, value, slope: all.map((i) => [p, q][i]), curvature: all.map((i) => all.map((j) => curvature[i][j])), scale };
}

/** x'Qx + l'x + c: the linear part and the constant about zero. @param {Form} form */
export function expanded({ centre, slope, value, curvature }) {
  const bent = curvature.map((row) => inner(row, centre));
  return { linear: slope.map((g, i) => g - 2 * bent[i]), constant: value - inner(slope, centre) + inner(bent, centre) };
}

/** The same with what counts as zero, below 1e-10 over the scale, set to zero. @param {Form} form @returns {Form} */
function significant(form) {
  const { scale } = form;
  const sizes = form.slope.map((g, j) => Math.abs(g) * scale[j]);
  const least = NEGLIGIBLE * Math.max(1, ...sizes);
  return {
    ...form,
    slope: form.slope.map((g, j) => (sizes[j] > least ? g : 0)),
    value: Math.abs(form.value) > NEGLIGIBLE ? form.value : 0,
    curvature: form.curvature.map((row, i) => row.map((q, j) => (Math.abs(q) * scale[i] * scale[j] > NEGLIGIBLE ? q : 0))),
  };
}

/** The one feature that the form depends on, and where it is zero; null if there are others.
 * @param {Form} form @returns {{feature: number, values: number[]} | null} */
export function solutions(form) {
  const { slope, value, curvature, centre, scale } = significant(form);
  const used = slope.map((g, j) => g !== 0 || curvature[j].some((q) => q !== 0));
  const feature = used.indexOf(true);
  if (used.filter(Boolean).length !== 1) return null;
  const values = roots(curvature[feature][feature], slope[feature], value).map((t) => centre[feature] + t);
  return { feature, values: values.map((x) => (Math.abs(x) > NEGLIGIBLE * scale[feature] ? x : 0)) };
}

/** The terms of the equation form = 0; rounding errors are left out. @param {Form} form */
export function equationTerms(form) {
  const kept = significant(form);
  const { centre, slope, value, curvature } = kept;
  const { linear, constant } = expanded(kept);
  // All sizes added up: what is smaller by ROUNDING is what cancellation has left.
  const sizes = expanded({
    ...kept, centre: centre.map((o) => -Math.abs(o)), slope: slope.map(Math.abs), value: Math.abs(value),
    curvature: curvature.map((row) => row.map(Math.abs)),
  });
  const terms = /** @type {Term[]} */ ([]);
  curvature.forEach((row, i) => row.forEach((q, j) => {
    if (j >= i && q !== 0) terms.push({ coefficient: i === j ? q : 2 * q, features: [i, j] });
  }));
  linear.forEach((l, j) => {
    if (Math.abs(l) > ROUNDING * sizes.linear[j]) terms.push({ coefficient: l, features: [j] });
  });
  const isRounding = Math.abs(constant) <= ROUNDING * sizes.constant;
  if (!isRounding || !terms.length) terms.push({ coefficient: isRounding ? 0 : constant, features: [] });
  return terms;
}

/** Significant digits that leave a few for the spread of features far from zero. @param {Form} form */
export function enoughDigits(form) {
  const far = Math.max(...form.centre.map((o, j) => Math.abs(o / form.scale[j])));
  return Math.min(17, 4 + Math.trunc(Math.log10(Math.max(1, far))));
}

/** Which conic a form is zero on; of one feature, how many points. @param {Form} form */
export function conicKind(form) {
  if (form.centre.length === 1) return ["empty", "point", "two points"][solutions(form)?.values.length ?? 0];
  const [s, t] = form.scale;
  const [[a, b], [, c]] = form.curvature;
  const { values, vectors } = eigenOfTwo(a * s * s, b * s * t, c * t * t);
  const lambda = values.map((v) => (Math.abs(v) <= NEGLIGIBLE ? 0 : v));
  const along = vectors.map(([x, y]) => {
    const [p, q] = [x * form.slope[0] * s, y * form.slope[1] * t];
    return Math.abs(p + q) > NEGLIGIBLE * Math.max(1, Math.abs(p) + Math.abs(q)) ? p + q : 0;
  });
  const squares = lambda.map((l, i) => (l ? along[i] ** 2 / (4 * l) : 0));
  const extreme = form.value - squares[0] - squares[1];
  const size = 1 + Math.abs(form.value) + Math.abs(squares[0]) + Math.abs(squares[1]);
  return kindOf(lambda, along, Math.abs(extreme) <= NEGLIGIBLE * size ? 0 : extreme);
}

/** @param {number[]} lambda @param {number[]} along @param {number} extreme */
function kindOf([large, small], along, extreme) {
  if (large === 0) return along[0] || along[1] ? "line" : extreme ? "empty" : "everything";
  if (small === 0 && along[1] !== 0) return "parabola";
  if (extreme === 0) return small === 0 ? "line" : large * small > 0 ? "point" : "pair of lines";
  const opposite = large * extreme < 0;
  if (small === 0) return opposite ? "pair of lines" : "empty";
  if (large * small < 0) return "hyperbola";
  return opposite ? "ellipse" : "empty";
}

/** Eigenvalues of [[a, b], [b, c]], the one of larger size first, and their vectors.
 * @param {number} a @param {number} b @param {number} c */
export function eigenOfTwo(a, b, c) {
  const angle = 0.5 * Math.atan2(2 * b, a - c);
  const [x, y] = [Math.cos(angle), Math.sin(angle)];
  const first = a * x * x + 2 * b * x * y + c * y * y;
  const second = a * y * y - 2 * b * x * y + c * x * x;
  return Math.abs(first) >= Math.abs(second)
    ? { values: [first, second], vectors: [[x, y], [-y, x]] }
    : { values: [second, first], vectors: [[-y, x], [x, y]] };
}

/** Real t with a t² + b t + c = 0, ascending. @param {number} a @param {number} b @param {number} c */
export function roots(a, b, c) {
  if (a === 0) return b ? [-c / b] : [];
  const discriminant = b * b - 4 * a * c;
  if (discriminant < 0) return [];
  // The root without cancellation first, the other from the product of the two.
  const half = -(b + (b < 0 || Object.is(b, -0) ? -1 : 1) * Math.sqrt(discriminant)) / 2;
  return [...new Set([half / a, half ? c / half : 0])].sort((x, y) => x - y);
}

/** @param {number[]} a @param {number[]} b */
function inner(a, b) {
  return a.reduce((sum, value, i) => sum + value * b[i], 0);
}
