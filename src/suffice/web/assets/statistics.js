// @ts-check
/** Statistics by class: weight, mean and scatter; rows can be added and removed one by one. */

export class Statistics {
  /** @param {number} k classes @param {number} d features */
  constructor(k, d) {
    this.k = k;
    this.d = d;
    this.weight = new Float64Array(k);
    this.mean = new Float64Array(k * d);
    this.scatter = new Float64Array(k * d * d);
    this.step = new Float64Array(d);
  }

  /** @param {Float64Array} rows n * d @param {Int32Array} codes n @param {number} k @param {number} d */
  static of(rows, codes, k, d) {
    const out = new Statistics(k, d);
    for (let c = 0; c < k; c++) out.recompute(c, rows, codes);
    return out;
  }

  /** @returns {Statistics} */
  clone() {
    const out = new Statistics(this.k, this.d);
    out.weight.set(this.weight);
    out.mean.set(this.mean);
    out.scatter.set(this.scatter);
    return out;
  }

  get total() {
    return this.weight.reduce((a, b) => a + b, 0);
  }

  /** Classes that have rows. */
  get present() {
    return Array.from(this.weight.keys()).filter((c) => this.weight[c] > 0);
  }

  /** Mean first, then squares about it: E[xx'] - mm' would lose every digit far from zero.
   * @param {number} c @param {Float64Array} rows @param {Int32Array} codes */
  recompute(c, rows, codes) {
    const { d, step } = this;
    const mean = this.mean.subarray(c * d, c * d + d).fill(0);
    const scatter = this.scatter.subarray(c * d * d, (c + 1) * d * d).fill(0);
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
    const { d, step } = this;
    const n = this.weight[c];
    for (let j = 0; j < d; j++) step[j] = row[j] - this.mean[c * d + j];
    const scatter = this.scatter.subarray(c * d * d, (c + 1) * d * d);
    addOuter(scatter, step, n / (n + 1), d);
    mirror(scatter, d);
    for (let j = 0; j < d; j++) this.mean[c * d + j] += step[j] / (n + 1);
    this.weight[c] = n + 1;
  }

  /** @param {ArrayLike<number>} row @param {number} c */
  remove(row, c) {
    const { d, step } = this;
    const n = this.weight[c];
    const scatter = this.scatter.subarray(c * d * d, (c + 1) * d * d);
    if (n <= 1) {
      this.weight[c] = 0;
      this.mean.fill(0, c * d, c * d + d);
      scatter.fill(0);
      return;
    }
    for (let j = 0; j < d; j++) step[j] = row[j] - this.mean[c * d + j];
    addOuter(scatter, step, -n / (n - 1), d);
    mirror(scatter, d);
    for (let j = 0; j < d; j++) this.mean[c * d + j] -= step[j] / (n - 1);
    this.weight[c] = n - 1;
  }

  /** Sums of the scatter over classes, all entries. @returns {Float64Array} */
  pooled() {
    const size = this.d * this.d;
    const out = new Float64Array(size);
    for (let at = 0; at < this.scatter.length; at++) out[at % size] += this.scatter[at];
    return out;
  }

  /** Variance of each feature over all rows, between classes included. @returns {Float64Array} */
  overallVariances() {
    const { d, k } = this;
    const total = this.total;
    const pooled = this.pooled();
    const out = new Float64Array(d);
    for (let j = 0; j < d; j++) {
      let middle = 0;
      for (let c = 0; c < k; c++) middle += (this.weight[c] / total) * this.mean[c * d + j];
      let between = 0;
      for (let c = 0; c < k; c++)
        between += (this.weight[c] / total) * (this.mean[c * d + j] - middle) ** 2;
      out[j] = pooled[j * d + j] / total + between;
    }
    return out;
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
