// @ts-check
/** The Gaussian family: statistics and settings -> priors, means and covariances of the classes. */

import { DiagonalCovariance, entries, FullCovariance, LOG_2PI } from "./covariance.js";
import { dot } from "./linalg.js";

// Variance within classes of a feature that separates them exactly, as a share of its overall one.
const FLOOR = 1e-9;

/** An error whose message is for the reader of the page. */
export class NoModel extends Error {}

export class Model {
  /** @param {number} d @param {Float64Array} priors @param {Float64Array} means k * d
   * @param {(Covariance | null)[]} covariances one per class, null for a class without rows
   * @param {boolean} shared @param {number[]} [borrowed] classes with the pooled covariance
   * @param {number | null} [variances] free variances, where classes borrow single ones */
  constructor(d, priors, means, covariances, shared, borrowed = [], variances = null) {
    this.k = priors.length;
    this.d = d;
    this.priors = priors;
    this.means = means;
    this.covariances = covariances;
    this.shared = shared;
    this.borrowed = borrowed;
    this.variances = variances;
    this.logPriors = priors.map(Math.log);
    this.constants = Float64Array.from(covariances, (own, c) =>
      own ? this.logPriors[c] - (own.logDeterminant + d * LOG_2PI) / 2 : -Infinity);
    this.step = new Float64Array(d);
    this.white = new Float64Array(d);
    this.centre = meanOfMeans(means, d);
    /** Whitened means about the centre, of a shared covariance. @type {Float64Array | null} */
    this.places = null;
  }

  /** x - the mean of class c. @param {ArrayLike<number>} x @param {number} c */
  stepFrom(x, c) {
    const { d, means, step } = this;
    for (let j = 0; j < d; j++) step[j] = x[j] - means[c * d + j];
    return step;
  }

  /** Squared Mahalanobis distance of a point to the mean of class c.
   * @param {ArrayLike<number>} x @param {number} c */
  squaredDistance(x, c) {
    const own = this.covariances[c];
    if (!own) return Infinity;
    own.whiten(this.stepFrom(x, c), this.white);
    return dot(this.white, this.white);
  }

  /** ln p(x, y) of each class.
   * @param {ArrayLike<number>} x @param {Float64Array} [out] */
  joint(x, out = new Float64Array(this.k)) {
    if (this.shared) return this.sharedJoint(x, out);
    for (let c = 0; c < this.k; c++)
      out[c] = this.constants[c] === -Infinity ? -Infinity : this.constants[c] - this.squaredDistance(x, c) / 2;
    return out;
  }

  /** The same with a shared covariance: the row is whitened once, and not for each class.
   * @param {ArrayLike<number>} x @param {Float64Array} out */
  sharedJoint(x, out) {
    const { d, k, step, white, centre } = this;
    const covariance = /** @type {Covariance} */ (this.covariances.find((one) => one));
    if (!this.places) {
      this.places = new Float64Array(k * d);
      for (let c = 0; c < k; c++) covariance.whiten(this.stepFrom(centre, c), this.places.subarray(c * d, c * d + d));
    }
    for (let j = 0; j < d; j++) step[j] = x[j] - centre[j];
    covariance.whiten(step, white);
    for (let c = 0; c < k; c++) {
      let sum = 0;
      // Steps from the centre to the means have the other sign.
      for (let j = 0; j < d; j++) sum += (white[j] + this.places[c * d + j]) ** 2;
      out[c] = this.constants[c] - sum / 2;
    }
    return out;
  }
}

/** @param {Float64Array} means k * d @param {number} d */
export function meanOfMeans(means, d) {
  const out = new Float64Array(d);
  for (let at = 0; at < means.length; at++) out[at % d] += (means[at] * d) / means.length;
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

/** Positions of the greatest values first. @param {ArrayLike<number>} values */
export function descending(values) {
  return Array.from(values, (_, at) => at).sort((a, b) => values[b] - values[a] || a - b);
}

/** Priors of classes, those without rows left out.
 * @param {Float64Array} weight @param {Settings["priors"]} priors */
function classPriors(weight, priors) {
  const given = weight.map((w, c) => (w <= 0 ? 0 : priors === null ? w : priors === "uniform" ? 1 : priors[c]));
  const total = given.reduce((a, b) => a + b, 0);
  if (!(total > 0)) throw new NoModel("Every class with rows has a prior of 0.");
  return Math.abs(total - 1) < 1e-15 ? given : given.map((value) => value / total);
}

/** @param {Statistics} statistics @param {Settings} settings */
export function buildModel(statistics, settings) {
  if (!statistics.present.length) throw new NoModel("There are no rows: add some.");
  const priors = classPriors(statistics.weight, settings.priors);
  const groups = new Groups(statistics, settings);
  if (groups.pooledDenominator <= 0)
    throw new NoModel("There are too few rows to divide by their number minus one for each class.");
  const build = settings.structure === "full" ? fullCovariances : diagonalCovariances;
  const { covariances, borrowed, variances } = build(groups);
  return new Model(statistics.d, priors, statistics.mean.slice(), covariances, settings.pooling === 1, borrowed, variances);
}

/** @param {Known} known @param {Settings} settings @param {number} d */
export function knownModel(known, settings, d) {
  const covariances = known.covariances.map((matrix) => {
    if (settings.structure === "full") return FullCovariance.of(Float64Array.from(matrix.flat()), d);
    const variances = Float64Array.from(matrix, (row, j) => row[j]);
    return variances.every((v) => v > 0) ? new DiagonalCovariance(variances) : null;
  });
  if (covariances.includes(null)) throw new NoModel("A covariance is not positive definite.");
  const [priors, means] = [Float64Array.from(known.priors), Float64Array.from(known.means.flat())];
  return new Model(d, priors, means, covariances, settings.pooling === 1);
}

/** The parameters of a model; no covariance where a class has no rows. @param {Model} model @returns {Known} */
export function parametersOf({ d, means, covariances, priors }) {
  return {
    means: covariances.map((_, c) => Array.from(means.subarray(c * d, c * d + d))),
    covariances: covariances.map((own) => (own ? entries(own) : [])),
    priors: Array.from(priors),
  };
}

/** Scatter and denominators after pooling (Friedman 1989). */
export class Groups {
  /** @param {Statistics} statistics @param {Settings} settings */
  constructor(statistics, settings) {
    this.statistics = statistics;
    this.settings = settings;
    const { present, total } = statistics;
    const d = (this.d = statistics.d);
    this.pooledScatter = statistics.pooled();
    this.pooledDenominator = total - settings.ddof * present.length;
    /** Rows of the pooled covariance, beside one for the means of each class but one. */
    this.pooledRows = total - present.length + 1;
    const overall = statistics.overallVariances();
    this.floor = overall.map((v, j) => (this.pooledScatter[j * d + j] === 0 ? FLOOR * v : 0));
    this.constant = overall.includes(0);
  }

  /** Unshrunk covariance of class c, or the pooled one for null; null without rows to divide by.
   * @param {number | null} c */
  covariance(c) {
    const { statistics, d, settings } = this;
    const share = c === null ? 1 : settings.pooling;
    const own = c === null ? 0 : statistics.weight[c] - settings.ddof;
    const denominator = (1 - share) * own + share * this.pooledDenominator;
    if (!(denominator > 0)) return null;
    const scatter = statistics.scatterOf(c ?? 0);
    const out = new Float64Array(d * d);
    for (let at = 0; at < d * d; at++) out[at] = ((share === 1 ? 0 : (1 - share) * scatter[at]) + share * this.pooledScatter[at]) / denominator;
    for (let j = 0; j < d; j++) out[j * d + j] += this.floor[j];
    return out;
  }

  /** Unshrunk covariances of the classes, the same array where they share one. */
  unshrunk() {
    const shared = this.settings.pooling === 1 ? this.covariance(null) : null;
    return Array.from(this.statistics.weight, (weight, c) => (weight > 0 ? shared ?? this.covariance(c) : null));
  }

  singular() {
    const few = this.pooledRows <= this.d;
    const why = this.constant ? "a feature never varies" : few ? "there are too few rows" : "features depend on each other";
    return new NoModel(`The covariance is singular: ${why}. Raise shrinkage, or choose a diagonal structure.`);
  }
}

/** @typedef {{covariances: (Covariance | null)[], borrowed: number[], variances?: number}} Estimate */

/** @param {Groups} groups @returns {Estimate} */
function fullCovariances(groups) {
  const { d, settings, statistics } = groups;
  const { pooling, shrinkage } = settings;
  /** @param {number | null} c */
  const regular = (c) => {
    const rows = c === null || pooling > 0 ? groups.pooledRows : statistics.weight[c];
    const matrix = shrinkage === 0 && rows <= d ? null : groups.covariance(c);
    if (!matrix) return null;
    let trace = 0;
    for (let j = 0; j < d; j++) trace += matrix[j * d + j];
    const floor = (shrinkage * trace) / d;
    return FullCovariance.of(shrinkage ? matrix.map((v, at) => (1 - shrinkage) * v + (at % (d + 1) ? 0 : floor)) : matrix, d);
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
    if (pooling === 1) return base();
    const own = regular(c);
    if (!own) borrowed.push(c);
    return own || base();
  });
  return { covariances, borrowed };
}

/** @param {Groups} groups @returns {Estimate} */
function diagonalCovariances(groups) {
  const { d, settings, statistics } = groups;
  const share = settings.structure === "spherical" ? 1 : settings.shrinkage;
  /** @param {number | null} c */
  const finished = (c) => {
    const matrix = groups.covariance(c);
    const variances = Float64Array.from({ length: d }, (_, j) => (matrix ? Math.max(matrix[j * d + j], 0) : 0));
    const mean = variances.reduce((a, b) => a + b, 0) / d;
    return share ? variances.map((v) => (1 - share) * v + share * mean) : variances;
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
    const variances = finished(c);
    own += variances.filter((v) => v > 0).length;
    if (variances.includes(0)) borrowed.push(c);
    return new DiagonalCovariance(variances.map((v, j) => v || (lent.add(j), pooled[j])));
  });
  return { covariances, borrowed, variances: borrowed.length && share === 0 ? own + lent.size : undefined };
}

/** Sum of ln p(x, y) over the rows of the statistics. @param {Model} model @param {Statistics} statistics */
export function logLikelihood(model, statistics) {
  const { d } = model;
  const column = new Float64Array(d);
  let total = 0;
  for (const c of statistics.present) {
    const own = model.covariances[c];
    if (!own) return -Infinity;
    const scatter = statistics.scatterOf(c);
    let trace = 0;
    for (let j = 0; j < d; j++) {
      own.solve(scatter.subarray(j * d, j * d + d), column);
      trace += column[j];
    }
    // About the model's mean, which is not that of the rows where it was set by hand.
    total += statistics.weight[c] * (model.constants[c] - model.squaredDistance(statistics.meanOf(c), c) / 2) - trace / 2;
  }
  return total;
}

/** Number of parameters that the model estimates.
 * @param {Model} model @param {Settings} settings */
export function freeParameters(model, settings) {
  const { d } = model;
  const k = model.covariances.filter((one) => one).length;
  const structure = { full: (d * (d + 1)) / 2, diagonal: d }[settings.structure] ?? 1;
  const entries = settings.shrinkage === 1 ? 1 : structure;
  const groups = settings.pooling === 1 ? 1 : k - model.borrowed.length + Math.min(model.borrowed.length, 1);
  const means = k * d + (settings.priors === null ? k - 1 : 0);
  return means + (model.variances ?? groups * entries);
}
