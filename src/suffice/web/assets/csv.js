// @ts-check
/** CSV: a dropped file -> a dataset; the edited rows -> a file. */

import { encode } from "./table.js";

/** @typedef {import("./table.js").Dataset} Dataset */

const MOST_BYTES = 50e6;
const MOST_CLASSES = 200;

/** Records of fields. @param {string} text @returns {string[][]} */
export function parse(text) {
  const first = text.split("\n", 1)[0];
  const comma = [",", ";", "\t"].sort((a, b) => first.split(b).length - first.split(a).length)[0];
  const records = /** @type {string[][]} */ ([]);
  let record = /** @type {string[]} */ ([]);
  let field = "";
  let quoted = false;
  for (let i = 0; i < text.length; i++) {
    const letter = text[i];
    if (quoted) {
      if (letter !== '"') field += letter;
      else if (text[i + 1] === '"') field += text[++i];
      else quoted = false;
    } else if (letter === '"' && field === "") quoted = true;
    else if (letter === comma) {
      record.push(field);
      field = "";
    } else if (letter === "\n" || letter === "\r") {
      if (letter === "\r" && text[i + 1] === "\n") i++;
      record.push(field);
      field = "";
      if (record.length > 1 || record[0] !== "") records.push(record);
      record = [];
    } else field += letter;
  }
  if (quoted) throw new Error("a quote is not closed");
  record.push(field);
  if (record.length > 1 || record[0] !== "") records.push(record);
  return records;
}

/** The dataset of a CSV: the last column that is not all numbers holds the labels, or the last.
 * @param {string} name @param {string} text @returns {Dataset} */
export function datasetOf(name, text) {
  if (text.length > MOST_BYTES) throw new Error("it is larger than 50 MB; use suffice explore");
  const [head, ...records] = parse(text.replace(/^\uFEFF/, ""));
  if (!head || !records.length) throw new Error("it has no rows below its header");
  const uneven = records.findIndex((one) => one.length !== head.length);
  if (uneven >= 0)
    throw new Error(`line ${uneven + 2} has ${records[uneven].length} fields, the header ${head.length}`);
  const numeric = head.map((_, j) => records.every((one) => isBlank(one[j]) || isNumber(one[j])));
  const words = numeric.lastIndexOf(false);
  const target = words >= 0 ? words : head.length - 1;
  const used = head.map((_, j) => j).filter((j) => j !== target && numeric[j]);
  if (!used.length) throw new Error("it has no column of numbers beside the labels");
  const complete = records.filter((one) => !isBlank(one[target]) && used.every((j) => !isBlank(one[j])));
  const labels = [...new Set(complete.map((one) => one[target]))].sort();
  if (labels.length < 2) throw new Error(`column ${head[target]} has ${labels.length} classes; two are needed`);
  if (labels.length > MOST_CLASSES)
    throw new Error(`column ${head[target]} has ${labels.length} different values; at most ${MOST_CLASSES} can be classes`);
  const notes = /** @type {string[]} */ ([]);
  const dropped = records.length - complete.length;
  if (dropped) notes.push(`${dropped} rows with missing values were left out.`);
  const aside = head.filter((_, j) => j !== target && !numeric[j]);
  if (aside.length) notes.push(`Columns that are not numbers were left out: ${aside.join(", ")}.`);
  const values = Float64Array.from(complete.flatMap((one) => used.map((j) => Number(one[j]))));
  const varying = used.map((_, m) => complete.some((_, i) => values[i * used.length + m] !== values[m]));
  if (varying.includes(false))
    throw new Error(`column ${head[used[varying.indexOf(false)]]} always holds the same number; leave it out`);
  const place = new Map(labels.map((label, c) => [label, c]));
  return {
    name,
    title: name,
    features: used.map((j) => head[j]),
    labels,
    code: labels.map((label) => JSON.stringify(label)),
    count: complete.length,
    rows: encode(values),
    codes: encode(Int32Array.from(complete, (one) => place.get(one[target]) ?? -1)),
    statistics: null,
    known: null,
    settings: {},
    notes,
  };
}

/** @param {string} field */
function isBlank(field) {
  return /^\s*(na|nan|null|none|\?)?\s*$/i.test(field);
}

/** @param {string} field */
function isNumber(field) {
  return Number.isFinite(Number(field));
}

/** @param {import("./table.js").Table} table */
export function toCsv(table) {
  const { features, labels } = table.dataset;
  const lines = [[...features, "class"].map(quote).join(",")];
  for (let i = 0; i < table.size; i++)
    if (table.codes[i] >= 0)
      lines.push([...Array.from(table.row(i), String), quote(labels[table.codes[i]])].join(","));
  return lines.join("\n") + "\n";
}

/** A field, quoted where commas, quotes or lines would break it, or a spreadsheet would run it.
 * @param {string} text */
function quote(text) {
  const safe = /^[=+@\t\r]|^-(?![\d.])/.test(text) ? `'${text}` : text;
  return /[",\r\n;]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
