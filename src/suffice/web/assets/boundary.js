// @ts-check
/** Boundaries: the log-odds of two classes as a quadratic function, its conic and its equation. */

import { precision } from "./covariance.js";

/** @typedef {import("./model.js").Model} Model */
/** @typedef {import("./model.js").Covariance} Covariance */
/** u'Qu + g'u + v with u = x - centre; changes below 1e-10 over `scale` count as zero.
 * @typedef {{centre: number[], slope: number[], value: number, curvature: number[][] | null,
 *   scale: number[]}} Form */
/** A term of an equation: a coefficient, and the positions of the features it multiplies.
 * @typedef {{coefficient: number, features: number[]}} Term */

const NEGLIGIBLE = 1e-10;
const ROUNDING = 1e-13;

/** The log-odds of a against b. @param {Model} model @param {number} a @param {number} b @returns {Form} */
export function logOddsForm(model, a, b) {
  const { d } = model;
  /** @param {number} c */
  const mean = (c) => Array.from(model.means.subarray(c * d, c * d + d));
  const own = [model.covariances[a], model.covariances[b]];
  if (!own[0] || !own[1]) throw new Error("a class without rows has no boundary");
  return formBetween(
    [mean(a), mean(b)],
    /** @type {Covariance[]} */ (model.shared ? [own[0]] : own),
    [model.logPriors[a], model.logPriors[b]],
  );
}

/** @param {number[][]} means @param {Covariance[]} covariances two, or one that both share
 * @param {number[]} logPriors @returns {Form} */
export function formBetween(means, covariances, logPriors) {
  const d = means[0].length;
  const P = covariances.map(precision);
  const scale = means[0].map((_, j) => {
    const typical = P.reduce((sum, one) => sum + one[j * d + j], 0) / P.length;
    return typical > 0 ? 1 / Math.sqrt(typical) : 1;
  });
  const centre = means[0].map((m, j) => m / 2 + means[1][j] / 2);
  const [ea, eb] = means.map((mean) => mean.map((m, j) => m - centre[j]));
  const odds = logPriors[0] - logPriors[1];
  if (P.length === 1) {
    const slope = times(P[0], means[0].map((m, j) => m - means[1][j]));
    const left = slope.reduce((sum, g, j) => sum + (g * (ea[j] + eb[j])) / 2, 0);
    return { centre, slope, value: odds - left, curvature: null, scale };
  }
  const ga = times(P[0], ea);
  const gb = times(P[1], eb);
  const volumes = covariances.map((one) => one.logDeterminant);
  const value = (inner(eb, gb) - inner(ea, ga) - volumes[0] + volumes[1]) / 2 + odds;
  const curvature = ea.map((_, i) =>
    ea.map((_, j) => (P[1][i * d + j] - P[0][i * d + j] + P[1][j * d + i] - P[0][j * d + i]) / 4),
  );
  return { centre, slope: ga.map((g, j) => g - gb[j]), value, curvature, scale };
}

/** The form of some features, the others held where a point has them.
 * @param {Form} form @param {number[]} kept @param {ArrayLike<number>} point @returns {Form} */
export function section(form, kept, point) {
  const step = form.centre.map((o, j) => (kept.includes(j) ? 0 : point[j] - o));
  const slope = slopeAt(form, step);
  const Q = form.curvature;
  return {
    centre: kept.map((j) => form.centre[j]),
    slope: kept.map((j) => slope[j]),
    value: valueAt(form, step),
    curvature: Q && kept.map((i) => kept.map((j) => Q[i][j])),
    scale: kept.map((j) => form.scale[j]),
  };
}

/** x'Qx + l'x + c: the linear part and the constant about zero. @param {Form} form */
export function expanded(form) {
  const back = form.centre.map((o) => -o);
  return { linear: slopeAt(form, back), constant: valueAt(form, back) };
}

/** @param {Form} form */
export function isLinear(form) {
  const Q = form.curvature;
  if (!Q) return true;
  return Q.every((row, i) =>
    row.every((q, j) => Math.abs(q) * form.scale[i] * form.scale[j] <= NEGLIGIBLE),
  );
}

/** The same with what counts as zero set to zero. @param {Form} form @returns {Form} */
function significant(form) {
  const { scale } = form;
  const sizes = form.slope.map((g, j) => Math.abs(g) * scale[j]);
  const least = NEGLIGIBLE * Math.max(1, ...sizes);
  const curved = form.curvature && !isLinear(form);
  return {
    ...form,
    slope: form.slope.map((g, j) => (sizes[j] > least ? g : 0)),
    value: Math.abs(form.value) > NEGLIGIBLE ? form.value : 0,
    curvature: curved
      ? /** @type {number[][]} */ (form.curvature).map((row, i) =>
          row.map((q, j) => (Math.abs(q) * scale[i] * scale[j] > NEGLIGIBLE ? q : 0)),
        )
      : null,
  };
}

/** The one feature that the form depends on, and where it is zero; null if there are others.
 * @param {Form} form @returns {{feature: number, values: number[]} | null} */
export function solutions(form) {
  const kept = significant(form);
  const used = kept.slope.map((g, j) => g !== 0 || !!kept.curvature?.[j].some((q) => q !== 0));
  const feature = used.indexOf(true);
  if (used.filter(Boolean).length !== 1) return null;
  const bend = kept.curvature ? kept.curvature[feature][feature] : 0;
  const least = NEGLIGIBLE * form.scale[feature];
  const values = roots(bend, kept.slope[feature], kept.value)
    .map((t) => form.centre[feature] + t)
    .map((x) => (Math.abs(x) > least ? x : 0));
  return { feature, values };
}

/** The terms of the equation form = 0; rounding errors are left out. @param {Form} form @returns {Term[]} */
export function equationTerms(form) {
  const kept = significant(form);
  const { linear, constant } = expanded(kept);
  const sizes = absolute(kept);
  const leastSlope = slopeAt(sizes, sizes.centre).map((s) => ROUNDING * s);
  const leastValue = ROUNDING * valueAt(sizes, sizes.centre);
  /** @type {Term[]} */
  const terms = [];
  kept.curvature?.forEach((row, i) =>
    row.forEach((q, j) => {
      if (j >= i && q !== 0) terms.push({ coefficient: i === j ? q : 2 * q, features: [i, j] });
    }),
  );
  linear.forEach((l, j) => {
    if (Math.abs(l) > leastSlope[j]) terms.push({ coefficient: l, features: [j] });
  });
  if (Math.abs(constant) > leastValue || !terms.length)
    terms.push({ coefficient: Math.abs(constant) > leastValue ? constant : 0, features: [] });
  return terms;
}

/** Significant digits that leave a few for the spread of features far from zero. @param {Form} form */
export function enoughDigits(form) {
  const far = Math.max(...form.centre.map((o, j) => Math.abs(o / form.scale[j])));
  return Math.min(17, 4 + Math.trunc(Math.log10(Math.max(1, far))));
}

/** Which conic a form of two features is zero on. @param {Form} form */
export function conicKind(form) {
  const [s, t] = form.scale;
  const Q = form.curvature || [
    [0, 0],
    [0, 0],
  ];
  const a = Q[0][0] * s * s;
  const b = Q[0][1] * s * t;
  const c = Q[1][1] * t * t;
  const slope = [form.slope[0] * s, form.slope[1] * t];
  const { values, vectors } = eigenOfTwo(a, b, c);
  const lambda = values.map((v) => (Math.abs(v) <= NEGLIGIBLE ? 0 : v));
  const along = vectors.map((v) => {
    const found = v[0] * slope[0] + v[1] * slope[1];
    const rounding = Math.abs(v[0] * slope[0]) + Math.abs(v[1] * slope[1]);
    return Math.abs(found) > NEGLIGIBLE * Math.max(1, rounding) ? found : 0;
  });
  const squares = lambda.map((l, i) => (l ? along[i] ** 2 / (4 * l) : 0));
  let extreme = form.value - squares[0] - squares[1];
  const size = 1 + Math.abs(form.value) + Math.abs(squares[0]) + Math.abs(squares[1]);
  if (Math.abs(extreme) <= NEGLIGIBLE * size) extreme = 0;
  return kindOf(lambda, along, extreme);
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
  const pairs = [
    { value: first, vector: [x, y] },
    { value: second, vector: [-y, x] },
  ].sort((p, q) => Math.abs(q.value) - Math.abs(p.value));
  return { values: pairs.map((p) => p.value), vectors: pairs.map((p) => p.vector) };
}

/** Real t with a t² + b t + c = 0, ascending. @param {number} a @param {number} b @param {number} c */
export function roots(a, b, c) {
  if (a === 0) return b ? [-c / b] : [];
  const discriminant = b * b - 4 * a * c;
  if (discriminant < 0) return [];
  // The root without cancellation first, the other from the product of the two.
  const half = -(b + (b < 0 || Object.is(b, -0) ? -1 : 1) * Math.sqrt(discriminant)) / 2;
  const found = new Set([half / a, half ? c / half : 0]);
  return [...found].sort((x, y) => x - y);
}

/** @param {Form} form @param {number[]} step */
function slopeAt(form, step) {
  const Q = form.curvature;
  return form.slope.map((g, i) => (Q ? g + 2 * inner(Q[i], step) : g));
}

/** @param {Form} form @param {number[]} step */
function valueAt(form, step) {
  const linear = inner(form.slope, step) + form.value;
  const Q = form.curvature;
  return Q ? linear + step.reduce((sum, u, i) => sum + u * inner(Q[i], step), 0) : linear;
}

/** @param {Form} form @returns {Form} */
function absolute(form) {
  return {
    ...form,
    centre: form.centre.map(Math.abs),
    slope: form.slope.map(Math.abs),
    value: Math.abs(form.value),
    curvature: form.curvature && form.curvature.map((row) => row.map(Math.abs)),
  };
}

/** @param {number[]} a @param {number[]} b */
function inner(a, b) {
  return a.reduce((sum, value, i) => sum + value * b[i], 0);
}

/** @param {Float64Array} matrix @param {number[]} vector */
function times(matrix, vector) {
  const d = vector.length;
  return vector.map((_, i) => vector.reduce((sum, v, j) => sum + matrix[i * d + j] * v, 0));
}
