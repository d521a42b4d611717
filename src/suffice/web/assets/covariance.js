// @ts-check
/** Covariances ready to measure distances: full, by a Cholesky factor, or diagonal. */

import { cholesky, solveLower, solveUpper } from "./linalg.js";

export const LOG_2PI = Math.log(2 * Math.PI);

export class FullCovariance {
  /** @param {Float64Array} factor lower triangular @param {number} d */
  constructor(factor, d) {
    this.factor = factor;
    this.d = d;
    this.logDeterminant = 0;
    for (let i = 0; i < d; i++) this.logDeterminant += 2 * Math.log(factor[i * d + i]);
  }

  /** The covariance with these entries, or null if it is singular.
   * @param {Float64Array} matrix @param {number} d */
  static of(matrix, d) {
    const factor = cholesky(matrix, d);
    return factor && new FullCovariance(factor, d);
  }

  /** z with z'z the squared Mahalanobis length of a step.
   * @param {ArrayLike<number>} step @param {Float64Array} z */
  whiten(step, z) {
    solveLower(this.factor, step, z, this.d);
  }

  /** The step times the inverse covariance.
   * @param {ArrayLike<number>} step @param {Float64Array} out */
  solve(step, out) {
    solveLower(this.factor, step, out, this.d);
    solveUpper(this.factor, out, this.d);
  }

  /** @param {number} i @param {number} j */
  entry(i, j) {
    const { factor, d } = this;
    let sum = 0;
    for (let m = 0; m <= Math.min(i, j); m++) sum += factor[i * d + m] * factor[j * d + m];
    return sum;
  }
}

export class DiagonalCovariance {
  /** @param {Float64Array} variances all above 0 */
  constructor(variances) {
    this.variances = variances;
    this.d = variances.length;
    this.logDeterminant = variances.reduce((sum, v) => sum + Math.log(v), 0);
    this.deviations = variances.map(Math.sqrt);
  }

  /** @param {ArrayLike<number>} step @param {Float64Array} z */
  whiten(step, z) {
    for (let j = 0; j < this.d; j++) z[j] = step[j] / this.deviations[j];
  }

  /** @param {ArrayLike<number>} step @param {Float64Array} out */
  solve(step, out) {
    for (let j = 0; j < this.d; j++) out[j] = step[j] / this.variances[j];
  }

  /** @param {number} i @param {number} j */
  entry(i, j) {
    return i === j ? this.variances[i] : 0;
  }
}

/** All entries, row by row. @param {Covariance} covariance */
export function entries(covariance) {
  const { d } = covariance;
  return Array.from({ length: d }, (_, i) => Array.from({ length: d }, (_, j) => covariance.entry(i, j)));
}
