// @ts-check
/** Statistics by class: weight, mean and scatter; rows can be added and removed one by one. */

export class Statistics {
  /** @param {number} k classes @param {number} d features @param {Given | null} [given] */
  constructor(k, d, given = null) {
    this.k = k;
    this.d = d;
    this.weight = given ? Float64Array.from(given.weight) : new Float64Array(k);
    this.mean = given ? Float64Array.from(given.mean) : new Float64Array(k * d);
    this.scatter = given ? Float64Array.from(given.scatter) : new Float64Array(k * d * d);
    this.step = new Float64Array(d);
  }

  /** @param {Float64Array} rows n * d @param {Int32Array} codes n @param {number} k @param {number} d */
  static of(rows, codes, k, d) {
    const out = new Statistics(k, d);
    for (let c = 0; c < k; c++) out.recompute(c, rows, codes);
    return out;
  }

  get total() {
    return this.weight.reduce((a, b) => a + b, 0);
  }

  /** Classes that have rows. */
  get present() {
    return Array.from(this.weight.keys()).filter((c) => this.weight[c] > 0);
  }

  /** @param {number} c */
  meanOf(c) {
    return this.mean.subarray(c * this.d, (c + 1) * this.d);
  }

  /** @param {number} c */
  scatterOf(c) {
    return this.scatter.subarray(c * this.d ** 2, (c + 1) * this.d ** 2);
  }

  /** Mean first, then squares about it: E[xx'] - mm' would lose every digit far from zero.
   * @param {number} c @param {Float64Array} rows @param {Int32Array} codes */
  recompute(c, rows, codes) {
    const { d, step } = this;
    const mean = this.meanOf(c).fill(0);
    const scatter = this.scatterOf(c).fill(0);
    let n = 0;
    for (let i = 0; i < codes.length; i++) {
      if (codes[i] !== c) continue;
      n++;
      for (let j = 0; j < d; j++) mean[j] += (rows[i * d + j] - mean[j]) / n;
    }
    this.weight[c] = n;
    for (let i = 0; i < codes.length; i++) {
      if (codes[i] !== c) continue;
      for (let j = 0; j < d; j++) step[j] = rows[i * d + j] - mean[j];
      addOuter(scatter, step, 1, d);
    }
    mirror(scatter, d);
  }

  /** @param {ArrayLike<number>} row @param {number} c */
  add(row, c) {
    this.change(row, c, 1);
  }

  /** @param {ArrayLike<number>} row @param {number} c */
  remove(row, c) {
    this.change(row, c, -1);
  }

  /** Add a row of class c, or remove it. @param {ArrayLike<number>} row @param {number} c @param {1 | -1} sign */
  change(row, c, sign) {
    const { d, step } = this;
    const n = this.weight[c];
    const left = n + sign;
    const [mean, scatter] = [this.meanOf(c), this.scatterOf(c)];
    this.weight[c] = Math.max(left, 0);
    if (left <= 0) {
      mean.fill(0);
      scatter.fill(0);
      return;
    }
    for (let j = 0; j < d; j++) step[j] = row[j] - mean[j];
    addOuter(scatter, step, (sign * n) / left, d);
    mirror(scatter, d);
    for (let j = 0; j < d; j++) mean[j] += (sign * step[j]) / left;
  }

  /** Sums of the scatter over classes, all entries. */
  pooled() {
    const size = this.d * this.d;
    const out = new Float64Array(size);
    for (let at = 0; at < this.scatter.length; at++) out[at % size] += this.scatter[at];
    return out;
  }

  /** Mean of all rows. */
  overallMean() {
    const { d, k, total } = this;
    const out = new Float64Array(d);
    for (let c = 0; c < k; c++) for (let j = 0; j < d; j++) out[j] += (this.weight[c] / total) * this.mean[c * d + j];
    return out;
  }

  /** Variance of each feature over all rows, between classes included. */
  overallVariances() {
    const { d, k, total } = this;
    const [pooled, middle] = [this.pooled(), this.overallMean()];
    return middle.map((centre, j) => {
      let between = 0;
      for (let c = 0; c < k; c++) between += (this.weight[c] / total) * (this.mean[c * d + j] - centre) ** 2;
      return pooled[j * d + j] / total + between;
    });
  }
}

/** @param {Float64Array} matrix @param {Float64Array} step @param {number} factor @param {number} d */
function addOuter(matrix, step, factor, d) {
  for (let i = 0; i < d; i++) {
    const left = factor * step[i];
    for (let j = 0, at = i * d; j <= i; j++, at++) matrix[at] += left * step[j];
  }
}

/** @param {Float64Array} matrix @param {number} d */
function mirror(matrix, d) {
  for (let i = 0; i < d; i++) for (let j = 0; j < i; j++) matrix[j * d + i] = matrix[i * d + j];
}
