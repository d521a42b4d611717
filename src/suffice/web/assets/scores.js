// @ts-check
/** Scores: errors and log-loss on the rows of the model, as they are and each left out. */

import { FullCovariance, LOG_2PI } from "./covariance.js";
import { dot, eigen } from "./linalg.js";
import { buildModel, NoModel, normalise } from "./model.js";

/** @typedef {import("./model.js").Model} Model */
/** @typedef {import("./model.js").Settings} Settings */
/** @typedef {import("./statistics.js").Statistics} Statistics */
/** @typedef {{rows: number, errors: number, logLoss: number}} Score */

// A removal that leaves less of a determinant than this has lost too many digits.
const LEAST_LEFT = 1e-6;

/** Errors and mean -ln p(own class | row) of rows under a model.
 * @param {Model} model @param {Float64Array} rows @param {Int32Array} codes @returns {Score} */
export function trainingScore(model, rows, codes) {
  const { d } = model;
  const joint = new Float64Array(model.k);
  const sums = { rows: 0, errors: 0, logLoss: 0 };
  for (let i = 0; i < codes.length; i++)
    if (codes[i] >= 0) count(sums, normalise(model.joint(rows.subarray(i * d, i * d + d), joint)), codes[i]);
  sums.logLoss /= sums.rows;
  return sums;
}

/** The same with each row left out of the statistics, in closed form where there is one.
 * @param {Statistics} statistics @param {Settings} settings @param {Float64Array} rows
 * @param {Int32Array} codes @param {((i: number, logProba: Float64Array) => void) | null} [each]
 * @returns {Score} */
export function leaveOneOut(statistics, settings, rows, codes, each = null) {
  const { d } = statistics;
  const left = new LeftOut(statistics, settings);
  const sums = { rows: 0, errors: 0, logLoss: 0 };
  for (let i = 0; i < codes.length; i++) {
    if (codes[i] < 0) continue;
    const found = left.logProba(rows.subarray(i * d, i * d + d), codes[i]);
    if (each) each(i, found);
    count(sums, found, codes[i]);
  }
  sums.logLoss /= sums.rows;
  return sums;
}

/** @param {Score} sums @param {Float64Array} logProba @param {number} own */
function count(sums, logProba, own) {
  let best = 0;
  for (let c = 1; c < logProba.length; c++) if (logProba[c] > logProba[best]) best = c;
  sums.rows += 1;
  if (best !== own) sums.errors += 1;
  sums.logLoss -= logProba[own];
}

class LeftOut {
  /** @param {Statistics} statistics @param {Settings} settings */
  constructor(statistics, settings) {
    this.statistics = statistics;
    this.settings = settings;
    this.model = buildModel(statistics, settings);
    const { d } = statistics;
    this.out = new Float64Array(statistics.k);
    this.buffers = Array.from({ length: 4 }, () => new Float64Array(d));
    const pooled = statistics.pooled();
    this.hasFloor = statistics.overallVariances().some((v, j) => v > 0 && pooled[j * d + j] === 0);
    // Where a class borrows, every removal changes what it borrows.
    this.refits = this.hasFloor || this.model.borrowed.length > 0;
    this.diagonal = settings.structure !== "full";
    this.squares = Float64Array.from({ length: d }, (_, j) => pooled[j * d + j]);
    const rotated = !this.refits && !this.diagonal && settings.shrinkage > 0;
    this.frames = rotated ? this.makeFrames() : null;
  }

  /** Eigenvectors of the unshrunk covariance of each class: shrinkage leaves them as they are. */
  makeFrames() {
    const { statistics, settings } = this;
    const plain = buildUnshrunk(statistics, settings);
    /** @type {Map<any, any>} */
    const made = new Map();
    return plain.map((own) => {
      if (own && !made.has(own)) made.set(own, eigen(own, statistics.d));
      return own && made.get(own);
    });
  }

  /** ln p(y | x) of a row of class c under the model of the others; valid until the next call.
   * @param {Float64Array} x @param {number} c */
  logProba(x, c) {
    const { statistics, settings } = this;
    const n = statistics.weight[c];
    const full = !this.diagonal && settings.shrinkage === 0 && settings.pooling === 0;
    const few = n <= 1 || (full && n - 1 <= statistics.d);
    if (this.refits || few || !this.closedForm(x, c)) return this.refit(x, c);
    return normalise(this.out);
  }

  /** Priors without one row of class c, as logarithms added to `out`. @param {number} c */
  addLogPriors(c) {
    const { statistics, settings, out } = this;
    const total = statistics.total - 1;
    for (let g = 0; g < out.length; g++) {
      const weight = statistics.weight[g] - (g === c ? 1 : 0);
      if (weight <= 0) out[g] = -Infinity;
      else out[g] += settings.priors === null ? Math.log(weight / total) : this.model.logPriors[g];
    }
  }

  /** Rank-one removal from each covariance; false where too few digits are left.
   * @param {Float64Array} x @param {number} c */
  closedForm(x, c) {
    const { statistics, settings, out } = this;
    const { d } = statistics;
    const [own, step] = this.buffers;
    const n = statistics.weight[c];
    for (let j = 0; j < d; j++) own[j] = x[j] - statistics.mean[c * d + j];
    const total = statistics.total - settings.ddof * statistics.present.length;
    const lambda = settings.pooling;
    for (let g = 0; g < out.length; g++) {
      const weight = statistics.weight[g];
      if (weight <= 0) {
        out[g] = -Infinity;
        continue;
      }
      const share = g === c ? 1 : lambda;
      const before = (1 - lambda) * (weight - settings.ddof) + lambda * total;
      const after = before - share;
      const loss = (share * n) / (n - 1) / after;
      const stretch = g === c ? n / (n - 1) : 1;
      for (let j = 0; j < d; j++)
        step[j] = g === c ? own[j] * stretch : x[j] - statistics.mean[g * d + j];
      const density = this.diagonal
        ? this.diagonalDensity(g, step, own, after, loss)
        : this.density(g, step, own, before / after, loss);
      if (density === null) return false;
      out[g] = density;
    }
    this.addLogPriors(c);
    return true;
  }

  /** ln p(x | g) for the covariance a C - b uu' with shrinkage, e = step; null if it is singular.
   * @param {number} g @param {Float64Array} e @param {Float64Array} u
   * @param {number} a @param {number} b */
  density(g, e, u, a, b) {
    const { d } = this.statistics;
    const [, , first, second] = this.buffers;
    if (!this.frames) {
      const covariance = /** @type {FullCovariance} */ (this.model.covariances[g]);
      covariance.whiten(e, first);
      covariance.whiten(u, second);
      const left = 1 - (b / a) * dot(second, second);
      if (!(left > LEAST_LEFT)) return null;
      const cross = dot(first, second);
      const length = (dot(first, first) + ((b / a) * cross * cross) / left) / a;
      const volume = covariance.logDeterminant + d * Math.log(a) + Math.log(left);
      return -(length + volume + d * LOG_2PI) / 2;
    }
    return this.shrunkDensity(g, e, u, a, b);
  }

  /** The same for independent features. @param {number} g @param {Float64Array} e
   * @param {Float64Array} u @param {number} after @param {number} loss */
  diagonalDensity(g, e, u, after, loss) {
    const { statistics, settings, squares } = this;
    const { d } = statistics;
    const variances = this.buffers[2];
    let mean = 0;
    for (let j = 0; j < d; j++) {
      const own = statistics.scatter[(g * d + j) * d + j];
      const sum = (1 - settings.pooling) * own + settings.pooling * squares[j];
      variances[j] = sum / after - loss * u[j] * u[j];
      // What is left of a square that nearly vanishes is rounding.
      if (!(variances[j] > (LEAST_LEFT * sum) / after)) return null;
      mean += variances[j] / d;
    }
    const share = settings.structure === "spherical" ? 1 : settings.shrinkage;
    let sum = d * LOG_2PI;
    for (let j = 0; j < d; j++) {
      const variance = (1 - share) * variances[j] + share * mean;
      sum += (e[j] * e[j]) / variance + Math.log(variance);
    }
    return -sum / 2;
  }

  /** The same in the eigenvectors of C, where the shrunk covariance is diagonal but for uu'.
   * @param {number} g @param {Float64Array} e @param {Float64Array} u
   * @param {number} a @param {number} b */
  shrunkDensity(g, e, u, a, b) {
    const { d } = this.statistics;
    const { values, vectors } = /** @type {any} */ (this.frames)[g];
    const share = this.settings.shrinkage;
    let trace = 0;
    for (const value of values) trace += value;
    const floor = (share * (a * trace - b * dot(u, u))) / d;
    let [length, cross, own, volume] = [0, 0, 0, 0];
    for (let m = 0; m < d; m++) {
      let [y, z] = [0, 0];
      for (let j = 0; j < d; j++) {
        y += vectors[m * d + j] * e[j];
        z += vectors[m * d + j] * u[j];
      }
      const variance = (1 - share) * a * values[m] + floor;
      if (!(variance > 0)) return null;
      length += (y * y) / variance;
      cross += (y * z) / variance;
      own += (z * z) / variance;
      volume += Math.log(variance);
    }
    const left = 1 - (1 - share) * b * own;
    if (!(left > LEAST_LEFT)) return null;
    length += ((1 - share) * b * cross * cross) / left;
    return -(length + volume + Math.log(left) + d * LOG_2PI) / 2;
  }

  /** By a model of the statistics without the row. @param {Float64Array} x @param {number} c
   */
  refit(x, c) {
    const { statistics, settings, out } = this;
    const { d } = statistics;
    const weight = statistics.weight[c];
    const at = c * d * d;
    const mean = statistics.mean.slice(c * d, c * d + d);
    const scatter = statistics.scatter.slice(at, at + d * d);
    statistics.remove(x, c);
    try {
      const priors = settings.priors;
      if (!statistics.present.length) throw new NoModel("no rows are left");
      const model = buildModel(statistics, { ...settings, priors });
      model.joint(x, out);
    } catch (error) {
      if (!(error instanceof NoModel)) throw error;
      out.fill(NaN);
    } finally {
      statistics.weight[c] = weight;
      statistics.mean.set(mean, c * d);
      statistics.scatter.set(scatter, at);
    }
    return normalise(out);
  }
}

/** Unshrunk covariances of the classes; the same array where they are shared.
 * @param {Statistics} statistics @param {Settings} settings */
function buildUnshrunk(statistics, settings) {
  const { d, k } = statistics;
  const pooled = statistics.pooled();
  const total = statistics.total - settings.ddof * statistics.present.length;
  const lambda = settings.pooling;
  const shared = pooled.map((value) => value / total);
  return Array.from({ length: k }, (_, c) => {
    if (statistics.weight[c] <= 0) return null;
    if (lambda === 1) return shared;
    const denominator = (1 - lambda) * (statistics.weight[c] - settings.ddof) + lambda * total;
    return Float64Array.from({ length: d * d }, (_, i) => {
      const own = statistics.scatter[c * d * d + i];
      return ((1 - lambda) * own + lambda * pooled[i]) / denominator;
    });
  });
}
