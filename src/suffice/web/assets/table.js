// @ts-check
/** The table of the page: rows, labels and statistics, with the edits of the reader. */

import { Statistics } from "./statistics.js";

/** What Python (or a dropped file) hands over.
 * rows, codes: base64 of float64 and int32; null where only statistics are given
 * statistics: of all rows, where `rows` is a sample of them or null
 * @typedef {{name: string, title: string, features: string[], labels: string[], code: string[],
 *   count: number, rows: string | null, codes: string | null,
 *   statistics: {weight: number[], mean: number[], scatter: number[]} | null,
 *   known: import("./model.js").Known | null, settings: Record<string, any>,
 *   notes: string[]}} Dataset */
/** @typedef {{op: "add", code: number, values: number[]} | {op: "remove", row: number} |
 *   {op: "move", row: number, values: number[]}} Edit */

/** @param {string} text base64 */
function bytes(text) {
  const raw = atob(text);
  const out = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) out[i] = raw.charCodeAt(i);
  return out.buffer;
}

export class Table {
  /** @param {Dataset} dataset @param {Edit[]} edits */
  constructor(dataset, edits = []) {
    this.dataset = dataset;
    this.d = dataset.features.length;
    this.k = dataset.labels.length;
    this.hasRows = dataset.rows !== null && dataset.codes !== null;
    /** Whether the rows here are all rows that the statistics are of. */
    this.isWhole = this.hasRows && dataset.statistics === null;
    const rows = dataset.rows ? new Float64Array(bytes(dataset.rows)) : new Float64Array();
    const codes = dataset.codes ? new Int32Array(bytes(dataset.codes)) : new Int32Array();
    const added = edits.filter((edit) => edit.op === "add").length;
    this.rows = new Float64Array(rows.length + added * this.d);
    this.rows.set(rows);
    this.codes = new Int32Array(codes.length + added).fill(-1);
    this.codes.set(codes);
    this.size = codes.length;
    this.statistics = this.isWhole ? new Statistics(this.k, this.d) : given(dataset);
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

  /** @param {Edit} edit */
  apply(edit) {
    if (edit.op === "add") {
      const at = this.size++;
      this.rows.set(edit.values, at * this.d);
      this.codes[at] = edit.code;
      if (!this.isWhole) this.statistics.add(edit.values, edit.code);
    } else if (edit.op === "remove") {
      if (!this.isWhole) this.statistics.remove(this.row(edit.row), this.codes[edit.row]);
      this.codes[edit.row] = -1;
    } else {
      if (!this.isWhole) this.move(edit.row, edit.values);
      else this.row(edit.row).set(edit.values);
    }
  }

  /** Move a row, by updating the statistics of its class. @param {number} i @param {ArrayLike<number>} values */
  move(i, values) {
    const row = this.row(i);
    this.statistics.remove(row, this.codes[i]);
    row.set(values);
    this.statistics.add(row, this.codes[i]);
  }

  /** Statistics of a class from its rows, without what updates have left behind. @param {number} c */
  settle(c) {
    if (this.isWhole) this.statistics.recompute(c, this.rows, this.codes);
  }

  /** The overall mean. */
  centre() {
    const { statistics, d } = this;
    const total = statistics.total;
    const means = this.dataset.known?.means;
    return Float64Array.from({ length: d }, (_, j) => {
      if (!(total > 0)) return means ? means.reduce((sum, m) => sum + m[j], 0) / means.length : 0;
      let sum = 0;
      for (let c = 0; c < this.k; c++) sum += (statistics.weight[c] / total) * statistics.mean[c * d + j];
      return sum;
    });
  }
}

/** @param {Dataset} dataset */
function given(dataset) {
  const out = new Statistics(dataset.labels.length, dataset.features.length);
  if (dataset.statistics) {
    out.weight.set(dataset.statistics.weight);
    out.mean.set(dataset.statistics.mean);
    out.scatter.set(dataset.statistics.scatter);
  }
  return out;
}

/** Base64 of numbers, for a dataset made in the browser.
 * @param {Float64Array | Int32Array} values */
export function encode(values) {
  const view = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
  let text = "";
  for (let at = 0; at < view.length; at += 8192)
    text += String.fromCharCode(...view.subarray(at, at + 8192));
  return btoa(text);
}
