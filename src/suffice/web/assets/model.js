// @ts-check
/** The Gaussian family: statistics and settings -> priors, means and covariances of the classes. */

import { DiagonalCovariance, FullCovariance, LOG_2PI } from "./covariance.js";
import { dot } from "./linalg.js";

/** @typedef {import("./statistics.js").Statistics} Statistics */
/** @typedef {FullCovariance | DiagonalCovariance} Covariance */
/** structure: "full", "diagonal" or "spherical"; priors: null for class shares, "uniform", or
 * one number per class.
 * @typedef {{structure: string, pooling: number, shrinkage: number, ddof: number,
 *   priors: null | "uniform" | number[]}} Settings */
/** Parameters set by hand, in place of estimates.
 * @typedef {{means: number[][], covariances: number[][][], priors: number[]}} Known */

// Variance within classes of a feature that separates them exactly, as a share of its overall one.
const FLOOR = 1e-9;

/** An error whose message is for the reader of the page. */
export class NoModel extends Error {}

export class Model {
  /** @param {number} d @param {Float64Array} priors @param {Float64Array} means k * d
   * @param {(Covariance | null)[]} covariances one per class, null for a class without rows
   * @param {boolean} shared @param {number[]} borrowed classes with the pooled covariance
   * @param {number | null} [variances] free variances, where classes borrow single ones */
  constructor(d, priors, means, covariances, shared, borrowed, variances = null) {
    this.variances = variances;
    this.k = priors.length;
    this.d = d;
    this.priors = priors;
    this.means = means;
    this.covariances = covariances;
    this.shared = shared;
    this.borrowed = borrowed;
    this.logPriors = priors.map(Math.log);
    this.constants = Float64Array.from(covariances, (own, c) =>
      own ? this.logPriors[c] - (own.logDeterminant + d * LOG_2PI) / 2 : -Infinity,
    );
    this.step = new Float64Array(d);
    this.white = new Float64Array(d);
    this.centre = meanOfMeans(means, d);
    /** Whitened means about the centre, of a shared covariance. @type {Float64Array | null} */
    this.places = null;
  }

  /** Squared Mahalanobis distance of a point to the mean of class c.
   * @param {ArrayLike<number>} x @param {number} c */
  squaredDistance(x, c) {
    const own = this.covariances[c];
    if (!own) return Infinity;
    const { d, step, white } = this;
    for (let j = 0; j < d; j++) step[j] = x[j] - this.means[c * d + j];
    own.whiten(step, white);
    return dot(white, white);
  }

  /** ln p(x, y) of each class.
   * @param {ArrayLike<number>} x @param {Float64Array} [out] */
  joint(x, out = new Float64Array(this.k)) {
    if (this.shared) return this.sharedJoint(x, out);
    for (let c = 0; c < this.k; c++)
      out[c] =
        this.constants[c] === -Infinity
          ? -Infinity
          : this.constants[c] - this.squaredDistance(x, c) / 2;
    return out;
  }

  /** The same with a shared covariance: the row is whitened once, and not for each class.
   * @param {ArrayLike<number>} x @param {Float64Array} out */
  sharedJoint(x, out) {
    const { d, k, step, white, centre } = this;
    const covariance = /** @type {Covariance} */ (this.covariances.find((one) => one));
    if (!this.places) {
      this.places = new Float64Array(k * d);
      for (let c = 0; c < k; c++) {
        for (let j = 0; j < d; j++) step[j] = this.means[c * d + j] - centre[j];
        covariance.whiten(step, this.places.subarray(c * d, c * d + d));
      }
    }
    for (let j = 0; j < d; j++) step[j] = x[j] - centre[j];
    covariance.whiten(step, white);
    for (let c = 0; c < k; c++) {
      let sum = 0;
      for (let j = 0; j < d; j++) sum += (white[j] - this.places[c * d + j]) ** 2;
      out[c] = this.constants[c] === -Infinity ? -Infinity : this.constants[c] - sum / 2;
    }
    return out;
  }
}

/** @param {Float64Array} means k * d @param {number} d */
export function meanOfMeans(means, d) {
  const k = means.length / d;
  const out = new Float64Array(d);
  for (let at = 0; at < means.length; at++) out[at % d] += means[at] / k;
  return out;
}

/** ln p(y | x) from ln p(x, y), in place. @param {Float64Array} joint */
export function normalise(joint) {
  let most = -Infinity;
  for (const value of joint) if (value > most) most = value;
  if (most === -Infinity) return joint;
  let sum = 0;
  for (const value of joint) sum += Math.exp(value - most);
  const total = most + Math.log(sum);
  for (let c = 0; c < joint.length; c++) joint[c] -= total;
  return joint;
}

/** Priors of classes, those without rows left out.
 * @param {Float64Array} weight @param {Settings["priors"]} priors */
export function classPriors(weight, priors) {
  const given = Float64Array.from(weight, (w, c) => {
    if (w <= 0) return 0;
    return priors === null ? w : priors === "uniform" ? 1 : priors[c];
  });
  const total = given.reduce((a, b) => a + b, 0);
  if (!(total > 0)) throw new NoModel("Every class with rows has a prior of 0.");
  return Math.abs(total - 1) < 1e-15 ? given : given.map((value) => value / total);
}

/** @param {Statistics} statistics @param {Settings} settings */
export function buildModel(statistics, settings) {
  if (!statistics.present.length) throw new NoModel("There are no rows: add some.");
  const priors = classPriors(statistics.weight, settings.priors);
  const groups = new Groups(statistics, settings);
  if (groups.total - settings.ddof * groups.present.length <= 0)
    throw new NoModel("There are too few rows to divide by their number minus one for each class.");
  const build = settings.structure === "full" ? fullCovariances : diagonalCovariances;
  const { covariances, borrowed, variances } = build(groups);
  const means = Float64Array.from(statistics.mean);
  const shared = settings.pooling === 1;
  return new Model(statistics.d, priors, means, covariances, shared, borrowed, variances);
}

/** @param {Known} known @param {Settings} settings @param {number} d */
export function knownModel(known, settings, d) {
  const priors = Float64Array.from(known.priors);
  const covariances = known.covariances.map((matrix) => {
    const entries = Float64Array.from(matrix.flat());
    if (settings.structure === "full") return FullCovariance.of(entries, d);
    const variances = Float64Array.from({ length: d }, (_, j) => entries[j * d + j]);
    return variances.every((v) => v > 0) ? new DiagonalCovariance(variances) : null;
  });
  if (covariances.includes(null)) throw new NoModel("A covariance is not positive definite.");
  const means = Float64Array.from(known.means.flat());
  return new Model(d, priors, means, covariances, settings.pooling === 1, []);
}

/** Scatter and denominators after pooling (Friedman 1989). */
export class Groups {
  /** @param {Statistics} statistics @param {Settings} settings */
  constructor(statistics, settings) {
    this.statistics = statistics;
    this.settings = settings;
    this.present = statistics.present;
    this.total = statistics.total;
    this.d = statistics.d;
    this.pooledScatter = statistics.pooled();
    const overall = statistics.overallVariances();
    const d = this.d;
    this.floor = overall.map((v, j) => (this.pooledScatter[j * d + j] === 0 ? FLOOR * v : 0));
    this.constant = overall.findIndex((v) => v === 0);
  }

  get pooledDenominator() {
    return this.total - this.settings.ddof * this.present.length;
  }

  /** Rows that a regular full covariance must exceed d by. @param {number | null} c */
  rows(c) {
    const pooled = this.total - this.present.length + 1;
    return c === null || this.settings.pooling > 0 ? pooled : this.statistics.weight[c];
  }

  /** Unshrunk covariance of class c, or the pooled one for null; null without rows to divide by.
   * @param {number | null} c */
  covariance(c) {
    const { statistics, d, settings } = this;
    const share = c === null ? 1 : settings.pooling;
    const own = c === null ? 0 : statistics.weight[c] - settings.ddof;
    const denominator = (1 - share) * own + share * this.pooledDenominator;
    if (!(denominator > 0)) return null;
    const out = new Float64Array(d * d);
    const at = c === null ? 0 : c * d * d;
    for (let i = 0; i < d * d; i++) {
      const scatter = share === 1 ? 0 : (1 - share) * statistics.scatter[at + i];
      out[i] = (scatter + share * this.pooledScatter[i]) / denominator;
    }
    for (let j = 0; j < d; j++) out[j * d + j] += this.floor[j];
    return out;
  }

  /** Unshrunk covariances of the classes, the same array where they share one. */
  unshrunk() {
    const shared = this.settings.pooling === 1 ? this.covariance(null) : null;
    return Array.from(this.statistics.weight, (weight, c) => (weight > 0 ? shared ?? this.covariance(c) : null));
  }

  /** In place: the share of the scaled identity. @param {Float64Array} matrix */
  shrink(matrix) {
    const { d } = this;
    const share = this.settings.shrinkage;
    if (share === 0) return matrix;
    let trace = 0;
    for (let j = 0; j < d; j++) trace += matrix[j * d + j];
    for (let i = 0; i < d * d; i++) matrix[i] *= 1 - share;
    for (let j = 0; j < d; j++) matrix[j * d + j] += (share * trace) / d;
    return matrix;
  }

  singular() {
    const few = this.total - this.present.length < this.d;
    const why = this.constant >= 0 ? "a feature never varies" : few ? "there are too few rows" : "features depend on each other";
    return new NoModel(`The covariance is singular: ${why}. Raise shrinkage, or choose a diagonal structure.`);
  }
}

/** @typedef {{covariances: (Covariance | null)[], borrowed: number[], variances?: number}} Estimate */

/** @param {Groups} groups @returns {Estimate} */
function fullCovariances(groups) {
  const { d, settings, statistics } = groups;
  /** @param {number | null} c */
  const regular = (c) => {
    if (settings.shrinkage === 0 && groups.rows(c) <= d) return null;
    const matrix = groups.covariance(c);
    return matrix && FullCovariance.of(groups.shrink(matrix), d);
  };
  /** @type {FullCovariance | null | undefined} */
  let pooled;
  const base = () => {
    if (pooled === undefined) pooled = regular(null);
    if (!pooled) throw groups.singular();
    return pooled;
  };
  const borrowed = /** @type {number[]} */ ([]);
  const covariances = Array.from(statistics.weight, (weight, c) => {
    if (weight <= 0) return null;
    if (settings.pooling === 1) return base();
    const own = regular(c);
    if (!own) borrowed.push(c);
    return own || base();
  });
  return { covariances, borrowed };
}

/** @param {Groups} groups @returns {Estimate} */
function diagonalCovariances(groups) {
  const { d, settings, statistics } = groups;
  /** @param {number | null} c */
  const finished = (c) => {
    const matrix = groups.covariance(c);
    let variances = new Float64Array(d);
    if (matrix) variances = variances.map((_, j) => Math.max(matrix[j * d + j], 0));
    const mean = variances.reduce((a, b) => a + b, 0) / d;
    const share = settings.structure === "spherical" ? 1 : settings.shrinkage;
    return share === 0 ? variances : variances.map((v) => (1 - share) * v + share * mean);
  };
  const pooled = finished(null);
  if (pooled.some((v) => !(v > 0))) throw groups.singular();
  const shared = new DiagonalCovariance(pooled);
  const borrowed = /** @type {number[]} */ ([]);
  const lent = new Set();
  let own = 0;
  const covariances = Array.from(statistics.weight, (weight, c) => {
    if (weight <= 0) return null;
    if (settings.pooling === 1) return shared;
    const found = finished(c);
    own += found.filter((v) => v > 0).length;
    if (found.every((v) => v > 0)) return new DiagonalCovariance(found);
    borrowed.push(c);
    found.forEach((v, j) => v > 0 || lent.add(j));
    return new DiagonalCovariance(found.map((v, j) => (v > 0 ? v : pooled[j])));
  });
  const single = borrowed.length && settings.structure === "diagonal" && settings.shrinkage === 0;
  return single ? { covariances, borrowed, variances: own + lent.size } : { covariances, borrowed };
}

/** Sum of ln p(x, y) over the rows of the statistics. @param {Model} model @param {Statistics} statistics */
export function logLikelihood(model, statistics) {
  const { d } = model;
  const column = new Float64Array(d);
  let total = 0;
  for (const c of statistics.present) {
    const own = model.covariances[c];
    if (!own) return -Infinity;
    let trace = 0;
    for (let j = 0; j < d; j++) {
      const at = (c * d + j) * d;
      own.solve(statistics.scatter.subarray(at, at + d), column);
      trace += column[j];
    }
    // About the model's mean, which is not that of the rows where it was set by hand.
    const mean = statistics.mean.subarray(c * d, c * d + d);
    const n = statistics.weight[c];
    total += n * (model.constants[c] - model.squaredDistance(mean, c) / 2) - trace / 2;
  }
  return total;
}

/** Number of parameters that the model estimates.
 * @param {Model} model @param {Settings} settings */
export function freeParameters(model, settings) {
  const { d } = model;
  const k = model.covariances.filter((one) => one).length;
  const structure = { full: (d * (d + 1)) / 2, diagonal: d, spherical: 1 }[settings.structure] || d;
  const entries = settings.shrinkage === 1 ? Math.min(1, structure) : structure;
  const groups = settings.pooling === 1 ? 1 : k - model.borrowed.length + Math.min(model.borrowed.length, 1);
  const means = k * d + (settings.priors === null ? k - 1 : 0);
  return means + (model.variances ?? groups * entries);
}
