// @ts-check
/** CSV: a dropped file -> a dataset; the edited rows -> a file. */

import { encode, LARGEST } from "./table.js";

const MOST_BYTES = 50e6;
const MOST_CLASSES = 200;

/** Records of fields. @param {string} text */
export function parse(text) {
  const head = text.split("\n", 1)[0];
  const comma = [",", ";", "\t"].sort((a, b) => head.split(b).length - head.split(a).length)[0];
  const field = new RegExp(`(?:"([^"]*(?:""[^"]*)*)"|([^${comma}\\r\\n]*))(${comma}|\\r\\n|[\\r\\n]|$)`, "y");
  const records = /** @type {string[][]} */ ([]);
  let record = /** @type {string[]} */ ([]);
  for (let end = comma; end; ) {
    const found = /** @type {RegExpExecArray} */ (field.exec(text));
    const [, quoted, plain] = found;
    end = found[3];
    if (plain?.startsWith('"')) throw new Error("a quote is not closed");
    record.push(quoted?.replaceAll('""', '"') ?? plain);
    if (end === comma) continue;
    if (record.length > 1 || record[0] !== "") records.push(record);
    record = [];
  }
  return records;
}

/** The dataset of a CSV: the last column that is not all numbers holds the labels, or the last.
 * @param {string} name @param {string} text @returns {Dataset} */
export function datasetOf(name, text) {
  if (text.length > MOST_BYTES) throw new Error("it is larger than 50 MB; use suffice explore");
  const [head, ...records] = parse(text.replace(/^\uFEFF/, ""));
  if (!head || !records.length) throw new Error("it has no rows below its header");
  const uneven = records.findIndex((one) => one.length !== head.length);
  if (uneven >= 0) throw new Error(`line ${uneven + 2} has ${counted(records[uneven].length, "field")}, the header ${head.length}`);
  const columns = [...head.keys()];
  const isNumeric = columns.map((j) => records.every((one) => isBlank(one[j]) || Number.isFinite(Number(one[j]))));
  const target = isNumeric.includes(false) ? isNumeric.lastIndexOf(false) : head.length - 1;
  const used = columns.filter((j) => j !== target && isNumeric[j]);
  if (!used.length) throw new Error("it has no column of numbers beside the labels");
  const complete = records.filter((one) => ![target, ...used].some((j) => isBlank(one[j])));
  const labels = [...new Set(complete.map((one) => one[target]))].sort();
  if (labels.length < 2 || labels.length > MOST_CLASSES)
    throw new Error(`column ${head[target]} has ${counted(labels.length, "class", "classes")}; from 2 to ${MOST_CLASSES} are needed`);
  const large = used.find((j) => complete.some((one) => Math.abs(Number(one[j])) > LARGEST));
  if (large !== undefined) throw new Error(`column ${head[large]} holds numbers beyond ${LARGEST}; rescale it`);
  const same = used.find((j) => complete.every((one) => Number(one[j]) === Number(complete[0][j])));
  if (same !== undefined) throw new Error(`column ${head[same]} always holds the same number; leave it out`);
  const dropped = records.length - complete.length;
  const aside = columns.filter((j) => j !== target && !isNumeric[j]).map((j) => head[j]);
  const place = new Map(labels.map((label, c) => [label, c]));
  const names = used.map((j) => head[j]);
  const twice = names.find((one, at) => names.indexOf(one) < at);
  if (twice !== undefined) throw new Error(`two columns are called ${twice}`);
  return {
    name,
    title: name,
    features: names,
    names,
    labels,
    code: labels.map((label) => JSON.stringify(label)),
    count: complete.length,
    rows: encode(Float64Array.from(complete.flatMap((one) => used.map((j) => Number(one[j]))))),
    codes: encode(Int32Array.from(complete, (one) => place.get(one[target]) ?? -1)),
    statistics: null,
    known: null,
    settings: {},
    notes: [
      ...(dropped ? [`${counted(dropped, "row")} with missing values left out.`] : []),
      ...(aside.length ? [`Columns that are not numbers were left out: ${aside.join(", ")}.`] : []),
    ],
  };
}

/** @param {number} count @param {string} noun @param {string} [many] */
function counted(count, noun, many = `${noun}s`) {
  return `${count} ${count === 1 ? noun : many}`;
}

/** @param {string} field */
function isBlank(field) {
  return /^\s*(na|nan|null|none|\?)?\s*$/i.test(field);
}

/** @param {Table} table */
export function toCsv(table) {
  const { features, labels } = table.dataset;
  const lines = [[...features, "class"].map(quote).join(",")];
  for (let i = 0; i < table.size; i++)
    if (table.codes[i] >= 0) lines.push([...table.row(i), quote(labels[table.codes[i]])].join(","));
  return lines.join("\n") + "\n";
}

/** A field, quoted where commas, quotes or lines would break it, or a spreadsheet would run it.
 * @param {string} text */
function quote(text) {
  const safe = /^[=+@\t\r]|^-(?![\d.])/.test(text) ? `'${text}` : text;
  return /[",\r\n;]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
