// @ts-check
/** Scores: errors and log-loss on the rows of the model, as they are and each left out. */

import { FullCovariance, LOG_2PI } from "./covariance.js";
import { dot, eigen, product } from "./linalg.js";
import { buildModel, Groups, meanOfMeans, NoModel, normalise } from "./model.js";

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

/** Coordinates in which a covariance is diagonal, and the class means in them. */
class Frame {
  /** @param {(step: Float64Array, out: Float64Array) => void} project @param {Float64Array} means
   * @param {Float64Array} centre @param {number} logDeterminant
   * @param {Float64Array | null} variances along the coordinates; null if all are 1 */
  constructor(project, means, centre, logDeterminant, variances) {
    const d = centre.length;
    this.project = project;
    this.logDeterminant = logDeterminant;
    this.variances = variances;
    this.trace = variances ? variances.reduce((a, b) => a + b, 0) : d;
    this.places = new Float64Array(means.length);
    const step = new Float64Array(d);
    for (let at = 0; at < means.length; at += d) {
      for (let j = 0; j < d; j++) step[j] = means[at + j] - centre[j];
      project(step, this.places.subarray(at, at + d));
    }
  }
}

class LeftOut {
  /** @param {Statistics} statistics @param {Settings} settings */
  constructor(statistics, settings) {
    this.statistics = statistics;
    this.settings = settings;
    this.model = buildModel(statistics, settings);
    const { d } = statistics;
    this.out = new Float64Array(statistics.k);
    this.total = statistics.total;
    this.pooledTotal = this.total - settings.ddof * statistics.present.length;
    this.centre = meanOfMeans(statistics.mean, d);
    this.buffers = Array.from({ length: 4 }, () => new Float64Array(d));
    const pooled = statistics.pooled();
    this.hasFloor = statistics.overallVariances().some((v, j) => v > 0 && pooled[j * d + j] === 0);
    // Where a class borrows, every removal changes what it borrows.
    this.refits = this.hasFloor || this.model.borrowed.length > 0;
    this.diagonal = settings.structure !== "full";
    this.squares = Float64Array.from({ length: d }, (_, j) => pooled[j * d + j]);
    this.frames = this.refits || this.diagonal ? [] : this.makeFrames();
    this.logPriors = Array.from(this.out.keys(), (c) => this.logPriorsWithout(c));
  }

  /** One frame per class, the same one where they share a covariance. */
  makeFrames() {
    const { statistics, settings, model } = this;
    const { d } = statistics;
    // Shrinkage leaves the eigenvectors of the unshrunk covariance as they are.
    const plain = settings.shrinkage > 0 ? new Groups(statistics, settings).unshrunk() : model.covariances;
    /** @type {Map<any, Frame>} */
    const made = new Map();
    return plain.map((own) => {
      if (!own) return null;
      const known = made.get(own);
      if (known) return known;
      const frame = own instanceof Float64Array ? this.rotated(own, d) : this.whitened(/** @type {FullCovariance} */ (own));
      made.set(own, frame);
      return frame;
    });
  }

  /** @param {FullCovariance} covariance */
  whitened(covariance) {
    const { mean } = this.statistics;
    return new Frame((step, out) => covariance.whiten(step, out), mean, this.centre, covariance.logDeterminant, null);
  }

  /** @param {Float64Array} matrix @param {number} d */
  rotated(matrix, d) {
    const { values, vectors } = eigen(matrix, d);
    /** @param {Float64Array} step @param {Float64Array} out */
    const project = (step, out) => {
      for (let m = 0; m < d; m++) out[m] = product(vectors, m * d, step, d);
    };
    return new Frame(project, this.statistics.mean, this.centre, 0, values);
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

  /** ln of the priors without one row of class c. @param {number} c */
  logPriorsWithout(c) {
    const { settings, total } = this;
    return this.statistics.weight.map((weight, g) => {
      const left = weight - (g === c ? 1 : 0);
      if (left <= 0) return -Infinity;
      return settings.priors === null ? Math.log(left / (total - 1)) : this.model.logPriors[g];
    });
  }

  /** Rank-one removal from each covariance; false where too few digits are left.
   * @param {Float64Array} x @param {number} c */
  closedForm(x, c) {
    const { statistics, settings, out } = this;
    const { d } = statistics;
    const [step, place, e, u] = this.buffers;
    const n = statistics.weight[c];
    const lambda = settings.pooling;
    for (let j = 0; j < d; j++) step[j] = x[j] - this.centre[j];
    let last = null;
    for (let g = 0; g < out.length; g++) {
      const weight = statistics.weight[g];
      const share = g === c ? 1 : lambda;
      if (weight <= 0 || share === 0) {
        // Rows of other classes leave this one as it is.
        const { model } = this;
        out[g] = weight <= 0 ? -Infinity : model.constants[g] - model.logPriors[g] - model.squaredDistance(x, g) / 2;
        continue;
      }
      const before = (1 - lambda) * (weight - settings.ddof) + lambda * this.pooledTotal;
      const after = before - share;
      const loss = (share * n) / (n - 1) / after;
      const stretch = g === c ? n / (n - 1) : 1;
      const frame = this.frames[g];
      if (frame && frame !== last) frame.project(step, place);
      last = frame;
      const from = frame ? place : x;
      const means = frame ? frame.places : statistics.mean;
      for (let j = 0; j < d; j++) {
        e[j] = (from[j] - means[g * d + j]) * stretch;
        u[j] = from[j] - means[c * d + j];
      }
      const density = frame ? this.density(frame, before / after, loss) : this.diagonalDensity(g, e, u, after, loss);
      if (density === null) return false;
      out[g] = density;
    }
    const logPriors = this.logPriors[c];
    for (let g = 0; g < out.length; g++) out[g] += logPriors[g];
    return true;
  }

  /** ln p(x | class) for the covariance a C - b uu', shrunk, at the step e; null if it is singular.
   * @param {Frame} frame @param {number} a @param {number} b */
  density(frame, a, b) {
    const { d } = this.statistics;
    const [, , e, u] = this.buffers;
    const { variances } = frame;
    const kept = 1 - this.settings.shrinkage;
    let length = 0;
    let cross = 0;
    let own = 0;
    let volume = frame.logDeterminant;
    if (!variances) {
      for (let m = 0; m < d; m++) {
        length += e[m] * e[m];
        cross += e[m] * u[m];
        own += u[m] * u[m];
      }
      length /= a;
      cross /= a;
      own /= a;
      volume += d * Math.log(a);
    } else {
      const floor = ((1 - kept) * (a * frame.trace - b * dot(u, u))) / d;
      let product = 1;
      for (let m = 0; m < d; m++) {
        const variance = kept * a * variances[m] + floor;
        if (!(variance > 0)) return null;
        const weighted = u[m] / variance;
        length += (e[m] * e[m]) / variance;
        cross += e[m] * weighted;
        own += u[m] * weighted;
        // One logarithm of many factors, before their product leaves what a float can hold.
        product *= variance;
        if (!(product > 1e-150 && product < 1e150)) {
          volume += Math.log(product / variance) + Math.log(variance);
          product = 1;
        }
      }
      volume += Math.log(product);
    }
    const left = 1 - kept * b * own;
    if (!(left > LEAST_LEFT)) return null;
    length += (kept * b * cross * cross) / left;
    return -(length + volume + Math.log(left) + d * LOG_2PI) / 2;
  }

  /** The same for independent features. @param {number} g @param {Float64Array} e
   * @param {Float64Array} u @param {number} after @param {number} loss */
  diagonalDensity(g, e, u, after, loss) {
    const { statistics, settings, squares } = this;
    const { d } = statistics;
    const variances = this.buffers[1];
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
