// @ts-check
/** The plane of one or two coordinates: log densities as quadratic functions of them, and their curves. */

import { eigenOfTwo, formBetween, roots } from "./boundary.js";
import { entries, FullCovariance, LOG_2PI } from "./covariance.js";
import { dot, eigen } from "./linalg.js";

/** The discriminant axes: where class means differ most, in units of the pooled covariance.
 * @param {Model} model with a covariance that all classes share @returns {Axes} */
export function discriminantAxes(model) {
  const { d, k, means, priors } = model;
  const covariance = /** @type {Covariance} */ (model.covariances.find((one) => one));
  const centre = new Float64Array(d);
  for (let at = 0; at < k * d; at++) centre[at % d] += priors[Math.floor(at / d)] * means[at];
  const between = new Float64Array(d * d);
  const white = new Float64Array(d);
  for (let c = 0; c < k; c++) {
    covariance.whiten(model.stepFrom(centre, c), white);
    for (let i = 0; i < d; i++) for (let j = 0; j < d; j++) between[i * d + j] += priors[c] * white[i] * white[j];
  }
  const { values, vectors } = eigen(between, d);
  const kept = values.slice(0, Math.min(k - 1, d));
  const total = kept.reduce((a, b) => a + Math.max(b, 0), 0) || 1;
  const directions = Array.from(kept, (_, m) => positive(unwhiten(covariance, vectors.subarray(m * d, m * d + d))));
  return { directions, centre, shares: Array.from(kept, (v) => v / total) };
}

/** The vector w with w'step = vector'whiten(step). @param {Covariance} covariance @param {Float64Array} vector */
function unwhiten(covariance, vector) {
  const white = new Float64Array(vector.length);
  return vector.map((_, j) => {
    covariance.whiten(vector.map((__, i) => (i === j ? 1 : 0)), white);
    return dot(white, vector);
  });
}

/** With the largest entry positive. @param {Float64Array} vector */
function positive(vector) {
  const largest = vector.reduce((most, v) => (Math.abs(v) > Math.abs(most) ? v : most));
  return largest < 0 ? vector.map((v) => -v) : vector;
}

/** A point along the first two axes, or the only one. @param {ArrayLike<number>} x @param {Axes} axes */
export function alongAxes(x, { directions, centre }) {
  const step = centre.map((o, j) => x[j] - o);
  return directions.slice(0, 2).map((direction) => dot(direction, step));
}

/** The features of a plane. @param {{i: number, j: number}} view @param {number} d */
function featuresOf(view, d) {
  return d > 1 ? [view.i, view.j] : [0];
}

/** Mean and covariance of a class in the plane: its marginal distribution there.
 * @param {Model} model @param {number} c @param {View} view @param {Axes | null} axes */
export function planeGaussian(model, c, view, axes) {
  const { d, means } = model;
  const own = model.covariances[c];
  if (!own) return null;
  const mean = means.subarray(c * d, c * d + d);
  if (view.kind === "features") {
    const kept = featuresOf(view, d);
    return { mean: kept.map((i) => mean[i]), matrix: kept.map((i) => kept.map((j) => own.entry(i, j))) };
  }
  if (!axes) return null;
  const rows = entries(own).map((row) => Float64Array.from(row));
  const directions = axes.directions.slice(0, 2);
  const products = directions.map((direction) => Float64Array.from(rows, (row) => dot(row, direction)));
  return { mean: alongAxes(mean, axes), matrix: directions.map((p) => products.map((q) => dot(p, q))) };
}

/** ln p(x, y) of a class in the plane, about an origin; null where it has no density there.
 * @param {Model} model @param {number} c @param {View} view @param {Axes | null} axes
 * @param {ArrayLike<number>} point where other features are held @param {number[]} origin @returns {Six | null} */
export function planeSix(model, c, view, axes, point, origin) {
  const { d } = model;
  const own = model.covariances[c];
  if (!own || model.constants[c] === -Infinity) return null;
  if (view.kind === "features" && (d <= 2 || view.others !== "out")) {
    const kept = featuresOf(view, d);
    const at = Array.from(point);
    kept.forEach((j, m) => (at[j] = origin[m]));
    return densitySix(own, model.stepFrom(at, c), kept, model.logPriors[c]);
  }
  const found = planeGaussian(model, c, view, axes);
  const marginal = found && FullCovariance.of(Float64Array.from(found.matrix.flat()), found.mean.length);
  return marginal && densitySix(marginal, Float64Array.from(found.mean, (m, i) => origin[i] - m), [...found.mean.keys()], model.logPriors[c]);
}

/** @param {Covariance} covariance @param {Float64Array} step from the mean to the origin
 * @param {number[]} kept features of the plane @param {number} logPrior @returns {Six} */
function densitySix(covariance, step, kept, logPrior) {
  const { d } = covariance;
  /** @param {ArrayLike<number>} vector */
  const white = (vector) => {
    const out = new Float64Array(d);
    covariance.whiten(vector, out);
    return out;
  };
  const z = white(step);
  const [a, b] = [0, 1].map((m) => white(step.map((_, j) => (j === kept[m] ? 1 : 0))));
  const constant = logPrior - (covariance.logDeterminant + d * LOG_2PI + dot(z, z)) / 2;
  return Float64Array.of(constant, -dot(z, a), -dot(z, b), -dot(a, a) / 2, -dot(a, b), -dot(b, b) / 2);
}

/** The log-odds of two classes as a function of the coordinates of the plane; null where there is none.
 * @param {Model} model @param {number} a @param {number} b @param {View} view
 * @param {Axes | null} axes @param {ArrayLike<number>} point */
export function planeForm(model, a, b, view, axes, point) {
  const [one, other] = [a, b].map((c) => planeGaussian(model, c, view, axes));
  if (!one || !other) return null;
  const centre = one.mean.map((m, i) => m / 2 + other.mean[i] / 2);
  const [first, second] = [a, b].map((c) => planeSix(model, c, view, axes, point, centre));
  if (!first || !second) return null;
  // As the library does: the spread of a feature, where others are known if classes have covariances of their own.
  const spread = one.matrix.map((row, i) => Math.sqrt(model.shared ? row[i] : -1 / (first[[3, 5][i]] + second[[3, 5][i]])));
  return formBetween(first, second, centre, spread);
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
      let best = 0, most = -Infinity, sum = 0;
      for (let m = 0; m < used.length; m++) {
        joint[m] = start[m] + u * (slope[m] + u * six[m][3]);
        if (joint[m] > most) most = joint[(best = m)];
      }
      // Below e^-20 a class does not change the colour.
      for (let m = 0; m < used.length; m++) if (joint[m] > most - 20) sum += Math.exp(joint[m] - most);
      if (used.length) labels[at] = used[best];
      certainty[at] = 1 / sum;
    }
  }
  return { labels, certainty, width, height };
}

/** Pairs of classes whose regions touch. @param {ReturnType<typeof planeRegions>} regions */
export function neighbours({ labels, width }) {
  const seen = /** @type {Map<number, number[]>} */ (new Map());
  /** @param {number} a @param {number} b */
  const meet = (a, b) => {
    if (a !== b && a >= 0 && b >= 0) seen.set(Math.min(a, b) * 1e5 + Math.max(a, b), [a, b]);
  };
  for (let at = 0; at < labels.length; at++) {
    if ((at + 1) % width) meet(labels[at], labels[at + 1]);
    if (at + width < labels.length) meet(labels[at], labels[at + width]);
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
  /** Where the side from corner (i, j) to the right, or up, meets the curve. @param {number} i @param {number} j */
  const across = (i, j) => {
    const slope = six[1] + six[4] * (low + j * dy) + 2 * six[3] * (left + i * dx);
    const t = rootBetween(six[3] * dx * dx, slope * dx, values[j * (cells + 1) + i]);
    return [box.x0 + (i + t) * dx, box.y0 + j * dy];
  };
  /** @param {number} i @param {number} j */
  const up = (i, j) => {
    const slope = six[2] + six[4] * (left + i * dx) + 2 * six[5] * (low + j * dy);
    const t = rootBetween(six[5] * dy * dy, slope * dy, values[j * (cells + 1) + i]);
    return [box.x0 + i * dx, box.y0 + (j + t) * dy];
  };
  for (let j = 0; j < cells; j++)
    for (let i = 0, at = j * (cells + 1); i < cells; i++, at++) {
      const a = values[at] > 0, b = values[at + 1] > 0, c = values[at + cells + 2] > 0, d = values[at + cells + 1] > 0;
      if (a === b && a === c && a === d) continue;
      const ends = /** @type {number[][]} */ ([]);
      if (a !== b) ends.push(across(i, j));
      if (b !== c) ends.push(up(i + 1, j));
      if (d !== c) ends.push(across(i, j + 1));
      if (a !== d) ends.push(up(i, j));
      for (let m = 0; m + 1 < ends.length; m += 2) out.push(...ends[m], ...ends[m + 1]);
    }
  return out;
}

/** The root of a t² + b t + c from 0 to 1, where the signs at both ends differ.
 * @param {number} a @param {number} b @param {number} c */
function rootBetween(a, b, c) {
  const t = roots(a, b, c).find((root) => root >= -1e-9 && root <= 1 + 1e-9) ?? 0.5;
  return Math.min(1, Math.max(0, t));
}

/** Where the two classes of a pair are equally probable and no other is more so.
 * @param {(Six | null)[]} sixes @param {number[]} pair @param {Box} box @param {number[]} origin */
export function borderSegments(sixes, [a, b], box, origin) {
  const [first, second] = [sixes[a], sixes[b]];
  if (!first || !second) return [];
  const others = sixes.filter((six) => six && six !== first && six !== second);
  const curve = zeroCurve(first.map((value, m) => value - second[m]), box, origin);
  const out = /** @type {number[]} */ ([]);
  /** Whether a third class is more probable here. @param {number} x @param {number} y */
  const hidden = (x, y) => {
    const [u, v] = [x - origin[0], y - origin[1]];
    const own = atPlane(first, u, v) + 1e-9;
    return others.some((six) => atPlane(/** @type {Six} */ (six), u, v) > own);
  };
  for (let at = 0; at < curve.length; at += 4) {
    const [x, y, p, q] = curve.slice(at, at + 4);
    const [start, end] = [hidden(x, y), hidden(p, q)];
    // Where three regions meet, a segment ends between its ends.
    if (!start || !end) out.push(...(start ? lastSeen(hidden, p, q, x, y) : [x, y]), ...(end ? lastSeen(hidden, x, y, p, q) : [p, q]));
  }
  return out;
}

/** The last point from (x, y) to (p, q) that is not hidden. @param {(x: number, y: number) => boolean} hidden
 * @param {number} x @param {number} y @param {number} p @param {number} q */
function lastSeen(hidden, x, y, p, q) {
  let [seen, gone] = [0, 1];
  for (let step = 0; step < 6; step++) {
    const t = (seen + gone) / 2;
    if (hidden(x + t * (p - x), y + t * (q - y))) gone = t;
    else seen = t;
  }
  return [x + seen * (p - x), y + seen * (q - y)];
}

/** Half axes of the ellipse at one standard deviation, the longer first, as vectors.
 * @param {number[][]} matrix 2 by 2 */
export function halfAxes([[a, b], [, c]]) {
  const { values, vectors } = eigenOfTwo(a, b, c);
  return vectors.map((vector, m) => vector.map((part) => part * Math.sqrt(Math.max(values[m], 0))));
}
