// @ts-check
/** Scores: errors and log-loss on the rows of the model, as they are and each left out. */

import { LOG_2PI } from "./covariance.js";
import { dot, eigen } from "./linalg.js";
import { buildModel, Groups, meanOfMeans, NoModel, normalise } from "./model.js";

// A removal that leaves less of a determinant than this has lost too many digits.
const LEAST_LEFT = 1e-6;

/** Errors and mean -ln p(own class | row) of rows under a model.
 * @param {Model} model @param {Float64Array} rows @param {Int32Array} codes */
export function trainingScore(model, rows, codes) {
  const joint = new Float64Array(model.k);
  return score(rows, codes, model.d, (x) => normalise(model.joint(x, joint)));
}

/** The same with each row left out of the statistics, in closed form where there is one.
 * @param {Statistics} statistics @param {Settings} settings @param {Float64Array} rows
 * @param {Int32Array} codes @param {(i: number, logProba: Float64Array) => void} [each] */
export function leaveOneOut(statistics, settings, rows, codes, each = () => {}) {
  const left = new LeftOut(statistics, settings);
  return score(rows, codes, statistics.d, (x, c, i) => {
    const logProba = left.logProba(x, c);
    each(i, logProba);
    return logProba;
  });
}

/** @param {Float64Array} rows @param {Int32Array} codes negative for rows that are gone @param {number} d
 * @param {(x: Float64Array, c: number, i: number) => Float64Array} logProba @returns {Score} */
function score(rows, codes, d, logProba) {
  const sums = { rows: 0, errors: 0, logLoss: 0 };
  for (let i = 0; i < codes.length; i++) {
    const own = codes[i];
    if (own < 0) continue;
    const found = logProba(rows.subarray(i * d, i * d + d), own, i);
    let best = 0;
    for (let c = 1; c < found.length; c++) if (found[c] > found[best]) best = c;
    sums.rows += 1;
    if (best !== own) sums.errors += 1;
    sums.logLoss -= found[own];
  }
  sums.logLoss /= sums.rows;
  return sums;
}

/** Coordinates in which a covariance is diagonal, and the class means in them. */
class Frame {
  /** @param {(step: Float64Array, out: Float64Array) => void} project @param {Float64Array} means
   * @param {Float64Array} centre @param {Float64Array} variances along the coordinates
   * @param {number} logScale ln of the square of how much the coordinates shrink volumes */
  constructor(project, means, centre, variances, logScale) {
    const d = centre.length;
    this.project = project;
    this.variances = variances;
    this.logScale = logScale;
    this.trace = variances.reduce((a, b) => a + b, 0);
    this.places = new Float64Array(means.length);
    for (let at = 0; at < means.length; at += d)
      project(centre.map((o, j) => means[at + j] - o), this.places.subarray(at, at + d));
  }
}

class LeftOut {
  /** @param {Statistics} statistics @param {Settings} settings */
  constructor(statistics, settings) {
    this.statistics = statistics;
    this.settings = settings;
    this.model = buildModel(statistics, settings);
    const { d } = statistics;
    this.groups = new Groups(statistics, settings);
    this.out = new Float64Array(statistics.k);
    this.centre = meanOfMeans(statistics.mean, d);
    this.buffers = Array.from({ length: 4 }, () => new Float64Array(d));
    // Where a class borrows, or a variance has a floor, every removal changes what it borrows.
    this.refits = this.model.borrowed.length > 0 || this.groups.floor.some((v) => v > 0);
    this.diagonal = settings.structure !== "full";
    this.frames = this.refits || this.diagonal ? [] : this.makeFrames();
    this.logPriors = Array.from(this.out, (_, c) => this.logPriorsWithout(c));
  }

  /** One frame per class, the same one where they share a covariance. */
  makeFrames() {
    const { settings, centre } = this;
    const { d, mean } = this.statistics;
    const ones = new Float64Array(d).fill(1);
    /** @type {Map<any, Frame>} */
    const made = new Map();
    /** @template T @param {(T | null)[]} own @param {(one: T) => Frame} frame */
    const framed = (own, frame) => own.map((one) => {
      if (one && !made.has(one)) made.set(one, frame(one));
      return one && made.get(one);
    });
    if (settings.shrinkage === 0)
      return framed(this.model.covariances, (own) => new Frame((step, out) => own.whiten(step, out), mean, centre, ones, own.logDeterminant));
    // Shrinkage leaves the eigenvectors of the unshrunk covariance as they are.
    return framed(this.groups.unshrunk(), (matrix) => {
      const { values, vectors } = eigen(matrix, d);
      /** @param {Float64Array} step @param {Float64Array} out */
      const project = (step, out) => {
        for (let m = 0; m < d; m++) out[m] = dot(vectors, step, m * d);
      };
      return new Frame(project, mean, centre, values, 0);
    });
  }

  /** ln p(y | x) of a row of class c under the model of the others; valid until the next call.
   * @param {Float64Array} x @param {number} c */
  logProba(x, c) {
    const { statistics, settings } = this;
    const n = statistics.weight[c];
    const full = !this.diagonal && settings.shrinkage === 0 && settings.pooling === 0;
    const few = n <= 1 || (full && n - 1 <= statistics.d);
    if (this.refits || few || !this.closedForm(x, c)) this.refit(x, c);
    return normalise(this.out);
  }

  /** ln of the priors without one row of class c. @param {number} c */
  logPriorsWithout(c) {
    const { settings, statistics } = this;
    const { total } = statistics;
    return statistics.weight.map((weight, g) => {
      const left = weight - (g === c ? 1 : 0);
      if (left <= 0) return -Infinity;
      return settings.priors === null ? Math.log(left / (total - 1)) : this.model.logPriors[g];
    });
  }

  /** Rank-one removal from each covariance; false where too few digits are left.
   * @param {Float64Array} x @param {number} c */
  closedForm(x, c) {
    const { statistics, settings, groups, model, out } = this;
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
        out[g] = weight <= 0 ? -Infinity : model.constants[g] - model.logPriors[g] - model.squaredDistance(x, g) / 2;
        continue;
      }
      const before = (1 - lambda) * (weight - settings.ddof) + lambda * groups.pooledDenominator;
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
      const density = frame ? this.density(frame, before / after, loss) : this.diagonalDensity(g, after, loss);
      if (density === null) return false;
      out[g] = density;
    }
    for (let g = 0; g < out.length; g++) out[g] += this.logPriors[c][g];
    return true;
  }

  /** ln p(x | class) for the covariance a C - b uu', shrunk, at the step e; null if it is singular.
   * @param {Frame} frame @param {number} a @param {number} b */
  density(frame, a, b) {
    const { d } = this.statistics;
    const [, , e, u] = this.buffers;
    const kept = 1 - this.settings.shrinkage;
    const floor = kept === 1 ? 0 : ((1 - kept) * (a * frame.trace - b * dot(u, u))) / d;
    let length = 0, cross = 0, own = 0, volume = frame.logScale, product = 1;
    for (let m = 0; m < d; m++) {
      const variance = kept * a * frame.variances[m] + floor;
      if (!(variance > 0)) return null;
      const inverse = 1 / variance;
      length += e[m] * e[m] * inverse;
      cross += e[m] * u[m] * inverse;
      own += u[m] * u[m] * inverse;
      // One logarithm of many factors, before their product leaves what a float can hold.
      product *= variance;
      if (!(product > 1e-150 && product < 1e150)) {
        volume += Math.log(product * inverse) + Math.log(variance);
        product = 1;
      }
    }
    const left = 1 - kept * b * own;
    if (!(left > LEAST_LEFT)) return null;
    length += (kept * b * cross * cross) / left;
    return -(length + volume + Math.log(product) + Math.log(left) + d * LOG_2PI) / 2;
  }

  /** The same for independent features. @param {number} g @param {number} after @param {number} loss */
  diagonalDensity(g, after, loss) {
    const { statistics, settings, groups } = this;
    const { d } = statistics;
    const [, variances, e, u] = this.buffers;
    let mean = 0;
    for (let j = 0; j < d; j++) {
      const own = statistics.scatter[(g * d + j) * d + j];
      const sum = (1 - settings.pooling) * own + settings.pooling * groups.pooledScatter[j * d + j];
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

  /** By a model of the statistics without the row. @param {Float64Array} x @param {number} c */
  refit(x, c) {
    const { statistics, settings, out } = this;
    const [mean, scatter, weight] = [statistics.meanOf(c), statistics.scatterOf(c), statistics.weight[c]];
    const before = [mean.slice(), scatter.slice()];
    statistics.remove(x, c);
    try {
      buildModel(statistics, settings).joint(x, out);
    } catch (error) {
      if (!(error instanceof NoModel)) throw error;
      out.fill(NaN);
    } finally {
      statistics.weight[c] = weight;
      mean.set(before[0]);
      scatter.set(before[1]);
    }
  }
}
