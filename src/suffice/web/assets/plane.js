// @ts-check
/** The plane of two coordinates: log densities as quadratic functions of them, and their curves. */

import { eigenOfTwo, formBetween, logOddsForm, roots, section } from "./boundary.js";
import { FullCovariance, LOG_2PI } from "./covariance.js";
import { dot, eigen } from "./linalg.js";

/** @typedef {import("./model.js").Model} Model */
/** What is drawn: two features, the others held at a point or integrated out, or the discriminant
 * axes.
 * @typedef {{kind: "features", i: number, j: number, others: "out" | "point"} |
 *   {kind: "axes"}} View */
/** ln p = c0 + c1 u + c2 v + c3 uu + c4 uv + c5 vv. @typedef {Float64Array} Six */
/** @typedef {{x0: number, x1: number, y0: number, y1: number}} Box */
/** Directions with unit variance within classes. @typedef {{directions: Float64Array[],
 *   centre: Float64Array, shares: number[]}} Axes */

/** The discriminant axes: where class means differ most, in units of the pooled covariance.
 * @param {Model} model with a covariance that all classes share @returns {Axes} */
export function discriminantAxes(model) {
  const { d, k } = model;
  const covariance = model.covariances.find((one) => one);
  if (!covariance) throw new Error("there are no classes");
  const centre = new Float64Array(d);
  for (let c = 0; c < k; c++)
    for (let j = 0; j < d; j++) centre[j] += model.priors[c] * model.means[c * d + j];
  const between = new Float64Array(d * d);
  const white = new Float64Array(d);
  for (let c = 0; c < k; c++) {
    if (!model.covariances[c]) continue;
    const step = centre.map((o, j) => model.means[c * d + j] - o);
    covariance.whiten(step, white);
    for (let i = 0; i < d; i++)
      for (let j = 0; j < d; j++) between[i * d + j] += model.priors[c] * white[i] * white[j];
  }
  const { values, vectors } = eigen(between, d);
  const kept = Math.min(k - 1, d);
  const total = values.slice(0, kept).reduce((a, b) => a + Math.max(b, 0), 0) || 1;
  const directions = Array.from({ length: kept }, (_, m) =>
    positive(unwhiten(covariance, vectors.subarray(m * d, m * d + d))),
  );
  return { directions, centre, shares: Array.from(values.slice(0, kept), (v) => v / total) };
}

/** The direction w with w'step = vector'whiten(step).
 * @param {import("./model.js").Covariance} covariance @param {Float64Array} vector */
function unwhiten(covariance, vector) {
  const { d } = covariance;
  const unit = new Float64Array(d);
  const white = new Float64Array(d);
  return Float64Array.from({ length: d }, (_, j) => {
    unit.fill(0);
    unit[j] = 1;
    covariance.whiten(unit, white);
    return dot(white, vector);
  });
}

/** With the largest entry positive. @param {Float64Array} vector */
function positive(vector) {
  let at = 0;
  vector.forEach((v, j) => {
    if (Math.abs(v) > Math.abs(vector[at])) at = j;
  });
  return vector[at] < 0 ? vector.map((v) => -v) : vector;
}

/** Mean and covariance of a class in the plane: its marginal distribution there.
 * @param {Model} model @param {number} c @param {View} view @param {Axes | null} axes */
export function planeGaussian(model, c, view, axes) {
  const { d } = model;
  const own = model.covariances[c];
  if (!own) return null;
  if (view.kind === "axes" && axes) {
    const [p, q] = planeDirections(axes, d);
    const matrix = own.matrix();
    /** @param {Float64Array} a @param {Float64Array} b */
    const form = (a, b) => {
      let sum = 0;
      for (let i = 0; i < d; i++) for (let j = 0; j < d; j++) sum += a[i] * matrix[i * d + j] * b[j];
      return sum;
    };
    const step = axes.centre.map((o, j) => model.means[c * d + j] - o);
    return { mean: [dot(p, step), dot(q, step)], matrix: [form(p, p), form(p, q), form(q, q)] };
  }
  const { i, j } = /** @type {{i: number, j: number}} */ (view);
  return {
    mean: [model.means[c * d + i], model.means[c * d + j]],
    matrix: [own.entry(i, i), own.entry(i, j), own.entry(j, j)],
  };
}

/** The first two axes; with two classes there is one, and the other is zero.
 * @param {Axes} axes @param {number} d */
export function planeDirections(axes, d) {
  return [axes.directions[0], axes.directions[1] || new Float64Array(d)];
}

/** Coefficients of ln p(x, y) of each class in the plane, about an origin.
 * @param {Model} model @param {View} view @param {Axes | null} axes
 * @param {ArrayLike<number>} point where other features are held @param {number[]} origin
 * @returns {(Six | null)[]} */
export function planeSixes(model, view, axes, point, origin) {
  return Array.from({ length: model.k }, (_, c) => {
    if (model.constants[c] === -Infinity) return null;
    if (view.kind === "features" && view.others === "point")
      return heldSix(model, c, view, point, origin);
    const found = planeGaussian(model, c, view, axes);
    return found && gaussianSix(found, model.logPriors[c], origin);
  });
}

/** The same for one feature: functions of the first coordinate alone.
 * @param {Model} model @param {number[]} origin @returns {(Six | null)[]} */
export function lineSixes(model, origin) {
  return Array.from({ length: model.k }, (_, c) => {
    const own = model.covariances[c];
    if (!own || model.constants[c] === -Infinity) return null;
    const precision = 1 / own.entry(0, 0);
    const step = origin[0] - model.means[c];
    const constant = model.constants[c] - (precision * step * step) / 2;
    return Float64Array.of(constant, -precision * step, 0, -precision / 2, 0, 0);
  });
}

/** @param {Model} model @param {number} c @param {{i: number, j: number}} view
 * @param {ArrayLike<number>} point @param {number[]} origin @returns {Six} */
function heldSix(model, c, view, point, origin) {
  const { d } = model;
  const own = /** @type {import("./model.js").Covariance} */ (model.covariances[c]);
  const step = Float64Array.from({ length: d }, (_, j) => point[j] - model.means[c * d + j]);
  step[view.i] = origin[0] - model.means[c * d + view.i];
  step[view.j] = origin[1] - model.means[c * d + view.j];
  const [z, a, b, unit] = Array.from({ length: 4 }, () => new Float64Array(d));
  own.whiten(step, z);
  unit[view.i] = 1;
  own.whiten(unit, a);
  unit[view.i] = 0;
  unit[view.j] = 1;
  own.whiten(unit, b);
  const constant = model.constants[c] - dot(z, z) / 2;
  return Float64Array.of(constant, -dot(z, a), -dot(z, b), -dot(a, a) / 2, -dot(a, b), -dot(b, b) / 2);
}

/** @param {{mean: number[], matrix: number[]}} found @param {number} logPrior
 * @param {number[]} origin @returns {Six | null} */
function gaussianSix({ mean, matrix: [a, b, c] }, logPrior, origin) {
  const determinant = a * c - b * b;
  if (!(determinant > 0)) return null;
  const [p, q, r] = [c / determinant, -b / determinant, a / determinant];
  const [u, v] = [origin[0] - mean[0], origin[1] - mean[1]];
  const constant = logPrior - Math.log(determinant) / 2 - LOG_2PI;
  const length = p * u * u + 2 * q * u * v + r * v * v;
  return Float64Array.of(constant - length / 2, -(p * u + q * v), -(q * u + r * v), -p / 2, -q, -r / 2);
}

/** @param {Six} six @param {number} u @param {number} v */
export function atPlane(six, u, v) {
  return six[0] + u * (six[1] + six[3] * u + six[4] * v) + v * (six[2] + six[5] * v);
}

/** The most probable class and its posterior at the cells of a grid over a box.
 * @param {(Six | null)[]} sixes @param {Box} box @param {number[]} origin
 * @param {number} width @param {number} height */
export function planeRegions(sixes, box, origin, width, height) {
  const labels = new Int16Array(width * height).fill(-1);
  const certainty = new Float32Array(width * height);
  const used = Array.from(sixes.keys()).filter((c) => sixes[c]);
  const six = used.map((c) => /** @type {Six} */ (sixes[c]));
  const [start, slope, joint] = Array.from({ length: 3 }, () => new Float64Array(used.length));
  for (let row = 0, at = 0; row < height; row++) {
    const v = box.y1 - ((row + 0.5) / height) * (box.y1 - box.y0) - origin[1];
    for (let m = 0; m < used.length; m++) {
      start[m] = six[m][0] + v * (six[m][2] + v * six[m][5]);
      slope[m] = six[m][1] + v * six[m][4];
    }
    for (let column = 0; column < width; column++, at++) {
      const u = box.x0 + ((column + 0.5) / width) * (box.x1 - box.x0) - origin[0];
      let best = 0;
      let most = -Infinity;
      for (let m = 0; m < used.length; m++) {
        const value = start[m] + u * (slope[m] + u * six[m][3]);
        joint[m] = value;
        if (value > most) {
          most = value;
          best = m;
        }
      }
      let sum = 0;
      // Below e^-20 a class does not change the colour.
      for (let m = 0; m < used.length; m++) if (joint[m] > most - 20) sum += Math.exp(joint[m] - most);
      if (used.length) labels[at] = used[best];
      certainty[at] = 1 / sum;
    }
  }
  return { labels, certainty, width, height };
}

/** Pairs of classes whose regions touch. @param {ReturnType<typeof planeRegions>} regions
 * @returns {number[][]} */
export function neighbours({ labels, width, height }) {
  const seen = new Map();
  /** @param {number} a @param {number} b */
  const meet = (a, b) => {
    if (a !== b && a >= 0 && b >= 0) seen.set(Math.min(a, b) * 1e5 + Math.max(a, b), [a, b]);
  };
  for (let row = 0, at = 0; row < height; row++)
    for (let column = 0; column < width; column++, at++) {
      if (column + 1 < width) meet(labels[at], labels[at + 1]);
      if (row + 1 < height) meet(labels[at], labels[at + width]);
    }
  return [...seen.values()];
}

/** The curve where a quadratic function is zero, as short segments (x, y, x, y, ...).
 * Ends lie on the curve exactly: along the side of a cell the function is a quadratic of one
 * variable. @param {Six} six @param {Box} box @param {number[]} origin @param {number} [cells] */
export function zeroCurve(six, box, origin, cells = 56) {
  const [dx, dy] = [(box.x1 - box.x0) / cells, (box.y1 - box.y0) / cells];
  const [left, low] = [box.x0 - origin[0], box.y0 - origin[1]];
  const out = /** @type {number[]} */ ([]);
  const values = new Float64Array((cells + 1) ** 2);
  for (let j = 0, at = 0; j <= cells; j++)
    for (let i = 0; i <= cells; i++, at++) values[at] = atPlane(six, left + i * dx, low + j * dy);
  /** @param {number} i @param {number} j */
  const across = (i, j) => {
    const v = low + j * dy;
    const start = left + i * dx;
    const a = six[3];
    const b = six[1] + six[4] * v + 2 * a * start;
    return start + rootBetween(a * dx * dx, b * dx, values[j * (cells + 1) + i]) * dx + origin[0];
  };
  /** @param {number} i @param {number} j */
  const up = (i, j) => {
    const u = left + i * dx;
    const start = low + j * dy;
    const a = six[5];
    const b = six[2] + six[4] * u + 2 * a * start;
    return start + rootBetween(a * dy * dy, b * dy, values[j * (cells + 1) + i]) * dy + origin[1];
  };
  const [xs, ys] = [box.x0, box.y0];
  for (let j = 0; j < cells; j++)
    for (let i = 0; i < cells; i++) {
      const at = j * (cells + 1) + i;
      const above = values[at] > 0;
      if (above === values[at + 1] > 0 && above === values[at + cells + 2] > 0 && above === values[at + cells + 1] > 0) continue;
      const corner = [values[at] > 0, values[at + 1] > 0, values[at + cells + 2] > 0, values[at + cells + 1] > 0];
      const points = /** @type {number[][]} */ ([]);
      if (corner[0] !== corner[1]) points.push([across(i, j), ys + j * dy]);
      if (corner[1] !== corner[2]) points.push([xs + (i + 1) * dx, up(i + 1, j)]);
      if (corner[3] !== corner[2]) points.push([across(i, j + 1), ys + (j + 1) * dy]);
      if (corner[0] !== corner[3]) points.push([xs + i * dx, up(i, j)]);
      for (let m = 0; m + 1 < points.length; m += 2) out.push(...points[m], ...points[m + 1]);
    }
  return out;
}

/** The root of a t² + b t + c from 0 to 1, where the signs at both ends differ.
 * @param {number} a @param {number} b @param {number} c */
function rootBetween(a, b, c) {
  const found = roots(a, b, c).filter((t) => t >= -1e-9 && t <= 1 + 1e-9);
  return found.length ? Math.min(1, Math.max(0, found[0])) : 0.5;
}

/** Where the two classes of a pair are equally probable and no other is more so.
 * @param {(Six | null)[]} sixes @param {number[]} pair @param {Box} box @param {number[]} origin */
export function borderSegments(sixes, [a, b], box, origin) {
  const [first, second] = [sixes[a], sixes[b]];
  if (!first || !second) return [];
  const curve = zeroCurve(first.map((value, m) => value - second[m]), box, origin);
  const out = /** @type {number[]} */ ([]);
  /** Whether a third class is more probable here. @param {number} x @param {number} y */
  const hidden = (x, y) => {
    const own = atPlane(first, x - origin[0], y - origin[1]);
    return sixes.some((six, c) => six && c !== a && c !== b && atPlane(six, x - origin[0], y - origin[1]) > own + 1e-9);
  };
  for (let at = 0; at < curve.length; at += 4) {
    const [x, y, p, q] = curve.slice(at, at + 4);
    const ends = [hidden(x, y), hidden(p, q)];
    if (ends[0] && ends[1]) continue;
    // Where three regions meet, a segment ends between its ends.
    const [low, high] = [ends[0] ? between(hidden, p, q, x, y) : [x, y], ends[1] ? between(hidden, x, y, p, q) : [p, q]];
    out.push(...low, ...high);
  }
  return out;
}

/** The last point from (x, y) to (p, q) that is not hidden. @param {(x: number, y: number) => boolean} hidden
 * @param {number} x @param {number} y @param {number} p @param {number} q */
function between(hidden, x, y, p, q) {
  let [seen, gone] = [0, 1];
  for (let step = 0; step < 6; step++) {
    const t = (seen + gone) / 2;
    if (hidden(x + t * (p - x), y + t * (q - y))) gone = t;
    else seen = t;
  }
  return [x + seen * (p - x), y + seen * (q - y)];
}

/** Half axes of the ellipse at one standard deviation, the longer first, as vectors.
 * @param {number[]} matrix a, b, c of [[a, b], [b, c]] */
export function halfAxes([a, b, c]) {
  const { values, vectors } = eigenOfTwo(a, b, c);
  return vectors.map(([x, y], m) => {
    const size = Math.sqrt(Math.max(values[m], 0));
    return [x * size, y * size];
  });
}

/** The log-odds of two classes as a function of the two coordinates of the plane.
 * @param {Model} model @param {number} a @param {number} b @param {View} view
 * @param {Axes | null} axes @param {ArrayLike<number>} point */
export function planeForm(model, a, b, view, axes, point) {
  if (model.d <= 2 && view.kind === "features") return logOddsForm(model, a, b);
  if (view.kind === "features" && view.others === "point")
    return section(logOddsForm(model, a, b), [view.i, view.j], point);
  const both = [a, b].map((c) => planeGaussian(model, c, view, axes));
  const [one, other] = both;
  if (!one || !other) throw new Error("a class without rows has no boundary");
  const covariances = both.map((own) => {
    const [p, q, r] = /** @type {{matrix: number[]}} */ (own).matrix;
    return FullCovariance.of(Float64Array.of(p, q, q, r), 2);
  });
  if (!covariances[0] || !covariances[1]) return null;
  return formBetween(
    [one.mean, other.mean],
    /** @type {FullCovariance[]} */ (model.shared ? covariances.slice(0, 1) : covariances),
    [model.logPriors[a], model.logPriors[b]],
  );
}
