// @ts-check
/** The table of the page: rows, labels and statistics, with the edits of the reader. */

import { Statistics } from "./statistics.js";

/** Squares and products of larger numbers leave what a float can hold. */
export const LARGEST = 1e100;

/** The bytes of base64. @param {string | null} text */
function decode(text) {
  const letters = atob(text ?? "");
  const out = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++) out[i] = letters.charCodeAt(i);
  return out.buffer;
}

/** Rows and codes of datasets, decoded once. @type {WeakMap<Dataset, {rows: Float64Array, codes: Int32Array}>} */
const decoded = new WeakMap();

/** @param {Dataset} dataset */
function rowsOf(dataset) {
  const found = decoded.get(dataset) ?? { rows: new Float64Array(decode(dataset.rows)), codes: new Int32Array(decode(dataset.codes)) };
  decoded.set(dataset, found);
  return found;
}

/** Base64 of numbers. @param {Float64Array | Int32Array} values */
export function encode(values) {
  const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
  let text = "";
  for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(text);
}

export class Table {
  /** The row that was moved last, and the statistics of its class without it. */
  lifted = /** @type {{row: number, weight: number, mean: Float64Array, scatter: Float64Array} | null} */ (null);

  /** @param {Dataset} dataset @param {Edit[]} edits */
  constructor(dataset, edits = []) {
    this.dataset = dataset;
    this.d = dataset.features.length;
    this.k = dataset.labels.length;
    this.hasRows = dataset.rows !== null;
    /** Whether the rows here are all rows that the statistics are of. */
    this.isWhole = this.hasRows && dataset.statistics === null;
    const { rows, codes } = rowsOf(dataset);
    const added = edits.filter((edit) => edit.op === "add").length;
    this.rows = new Float64Array((codes.length + added) * this.d);
    this.rows.set(rows);
    this.codes = new Int32Array(codes.length + added).fill(-1);
    this.codes.set(codes);
    this.size = codes.length;
    this.statistics = new Statistics(this.k, this.d, dataset.statistics);
    for (const edit of edits) this.apply(edit);
    if (this.isWhole) this.statistics = Statistics.of(this.rows, this.codes, this.k, this.d);
  }

  /** Whether there is anything to estimate a model from. */
  get hasStatistics() {
    return this.statistics.present.length > 0;
  }

  /** @param {number} i */
  row(i) {
    return this.rows.subarray(i * this.d, i * this.d + this.d);
  }

  /** Change the rows, and the statistics where they are of more rows than these. @param {Edit} edit */
  apply(edit) {
    const at = edit.op === "add" ? this.size++ : edit.row;
    const statistics = this.isWhole ? null : this.statistics;
    if (edit.op !== "add") statistics?.remove(this.row(at), this.codes[at]);
    if (edit.op === "add") this.codes[at] = edit.code;
    if (edit.op === "remove") this.codes[at] = -1;
    else {
      this.row(at).set(edit.values);
      statistics?.add(edit.values, this.codes[at]);
    }
  }

  /** Move a row, again and again: each time from the statistics of its class without it, so that
   * rounding does not add up, nor a row far away take the digits of the others with it.
   * @param {number} i @param {ArrayLike<number>} values */
  move(i, values) {
    const { statistics } = this;
    const c = this.codes[i];
    const { weight, mean, scatter } = this.lifted?.row === i ? this.lifted : this.lift(i);
    statistics.weight[c] = weight;
    statistics.meanOf(c).set(mean);
    statistics.scatterOf(c).set(scatter);
    this.row(i).set(values);
    statistics.add(values, c);
  }

  /** The statistics of the class of a row without it. @param {number} i */
  lift(i) {
    const { statistics, codes } = this;
    const c = codes[i];
    codes[i] = -1;
    if (this.isWhole) statistics.recompute(c, this.rows, codes);
    else statistics.remove(this.row(i), c);
    codes[i] = c;
    this.lifted = { row: i, weight: statistics.weight[c], mean: statistics.meanOf(c).slice(), scatter: statistics.scatterOf(c).slice() };
    return this.lifted;
  }

  /** The overall mean. */
  centre() {
    if (this.hasStatistics) return this.statistics.overallMean();
    const means = this.dataset.known?.means ?? [];
    return Float64Array.from({ length: this.d }, (_, j) => means.reduce((sum, mean) => sum + mean[j] / means.length, 0));
  }
}
