// @ts-check
/** The lesson: what the page shows, as one value that is replaced as a whole, and as a link. */

import { LARGEST } from "./table.js";

const MOST_STEPS = 100;
export const MOST_EDITS = 200;
const MOST_LETTERS = 200_000;

/** @param {Dataset} dataset @returns {Lesson} */
export function firstLesson(dataset) {
  const settings = { structure: "full", pooling: 0, shrinkage: 0, ddof: 0, priors: null };
  return {
    data: dataset.name,
    settings: { ...settings, ...dataset.settings },
    known: dataset.known,
    view: { kind: "features", i: 0, j: Math.min(1, dataset.features.length - 1), others: "out" },
    row: dataset.rows ? 0 : null,
    point: null,
    pair: null,
    edits: [],
  };
}

/** Steps that can be undone and redone. */
export class History {
  past = /** @type {Lesson[]} */ ([]);
  future = /** @type {Lesson[]} */ ([]);

  /** @param {Lesson} before */
  push(before) {
    this.past = [...this.past.slice(1 - MOST_STEPS), before];
    this.future = [];
  }

  /** @param {Lesson} now */
  undo(now) {
    return step(this.past, this.future, now);
  }

  /** @param {Lesson} now */
  redo(now) {
    return step(this.future, this.past, now);
  }
}

/** @param {Lesson[]} from @param {Lesson[]} to @param {Lesson} now */
function step(from, to, now) {
  const found = from.pop();
  if (found) to.push(now);
  return found;
}

/** A lesson as the fragment of an address. @param {Lesson} lesson */
export function toHash({ data, settings, known, view, row, point, pair, edits }) {
  const place = view.kind === "axes" ? { view: "axes" } : { x: view.i, y: view.j, others: view.others };
  const parts = { data, ...settings, ...place, row, point, pair, known: known && JSON.stringify(known), edits: edits.slice(0, MOST_EDITS).map(editText).join(";") };
  return Object.entries(parts)
    .filter(([, value]) => value !== null && value !== "")
    .map(([key, value]) => `${key}=${encodeURIComponent(String(value))}`)
    .join("&");
}

/** @param {Edit} edit */
function editText(edit) {
  if (edit.op === "remove") return `r${edit.row}`;
  return `${edit.op === "add" ? `a${edit.code}` : `m${edit.row}`}:${edit.values}`;
}

/** The lesson of a link; an Error says what is wrong with it.
 * @param {string} hash @param {Dataset[]} datasets @returns {Lesson} */
export function fromHash(hash, datasets) {
  if (hash.length > MOST_LETTERS) throw new Error("it is too long");
  const given = new Map(hash.split("&").filter(Boolean).map((part) => {
    const [key, value = ""] = part.split(/=(.*)/s);
    return [key, decodeURIComponent(value)];
  }));
  const name = given.get("data") ?? datasets[0].name;
  const dataset = datasets.find((one) => one.name === name);
  if (!dataset) throw new Error(`there is no data called ${name}`);
  given.delete("data");
  const reader = new Reader(dataset);
  for (const [key, value] of given) {
    const read = Object.hasOwn(READERS, key) ? READERS[key] : null;
    if (!read) throw new Error(`it says ${key}, which means nothing here`);
    read(reader, value);
  }
  return reader.checked();
}

/** How each part of a link is read. @type {Record<string, (reader: Reader, value: string) => void>} */
const READERS = {
  structure: ({ lesson }, value) => (lesson.settings.structure = choice("structure", value, ["full", "diagonal", "spherical"])),
  pooling: ({ lesson }, value) => (lesson.settings.pooling = number("pooling", value, 0, 1)),
  shrinkage: ({ lesson }, value) => (lesson.settings.shrinkage = number("shrinkage", value, 0, 1)),
  ddof: ({ lesson }, value) => (lesson.settings.ddof = whole("ddof", value, 2)),
  priors: (reader, value) => (reader.lesson.settings.priors = value === "uniform" ? value : reader.shares("priors", value)),
  view: ({ lesson, d }, value) => {
    choice("view", value, ["axes"]);
    if (d < 2) throw new Error("there are no discriminant axes of one feature");
    lesson.view = { kind: "axes" };
  },
  x: ({ features, d }, value) => (features.i = whole("x", value, d)),
  y: ({ features, d }, value) => (features.j = whole("y", value, d)),
  others: ({ features }, value) => (features.others = choice("others", value, ["out", "point", "mean"])),
  row: (reader, value) => (reader.lesson.row = whole("row", value, reader.size + MOST_EDITS)),
  point: ({ lesson, d }, value) => {
    lesson.point = numbers("point", value, d);
    lesson.row = null;
  },
  pair: ({ lesson, k }, value) => {
    lesson.pair = value.split(",").map((one) => whole("pair", one, k));
    if (lesson.pair.length !== 2 || lesson.pair[0] === lesson.pair[1]) throw new Error("pair must be two classes");
  },
  known: (reader, value) => (reader.lesson.known = reader.known(value)),
  edits: (reader, value) => (reader.lesson.edits = value.split(";").map((text) => reader.edit(text))),
};

class Reader {
  /** @param {Dataset} dataset */
  constructor(dataset) {
    this.lesson = firstLesson(dataset);
    this.features = /** @type {any} */ (this.lesson.view);
    this.d = dataset.features.length;
    this.k = dataset.labels.length;
    this.hasRows = dataset.rows !== null;
    this.size = Math.floor(((dataset.rows ?? "").length * 3) / 4 / 8 / this.d);
  }

  /** The lesson, if its parts fit each other. */
  checked() {
    const { row, edits, known, settings } = this.lesson;
    if (edits.length > MOST_EDITS) throw new Error(`it has more than ${MOST_EDITS} edits`);
    let { size } = this;
    for (const edit of edits) {
      if (edit.op === "add") size += 1;
      else if (edit.row >= size) throw new Error(`there is no row ${edit.row}`);
    }
    if (row !== null && (row >= size || !this.hasRows)) throw new Error(`there is no row ${row}`);
    if (known && settings.pooling === 1 && known.covariances.some((one) => String(one) !== String(known.covariances[0])))
      throw new Error("with pooling 1, all classes must have the same covariance");
    if (this.features.i === this.features.j && this.d > 1) throw new Error("both axes are the same feature");
    return this.lesson;
  }

  /** @param {string} key @param {string} value */
  shares(key, value) {
    const found = numbers(key, value, this.k);
    const total = found.reduce((a, b) => a + b, 0);
    if (found.some((one) => one < 0) || Math.abs(total - 1) > 1e-8) throw new Error(`${key} must be shares that add up to 1`);
    return found;
  }

  /** @param {string} text @returns {Edit} */
  edit(text) {
    const [, op, at, values] = /^([arm])(\d{1,9})(?::(.*))?$/.exec(text) ?? [];
    if (!op || !this.hasRows) throw new Error(`${text.slice(0, 20)} is not an edit`);
    if (op === "r") return { op: "remove", row: Number(at) };
    const found = numbers("edits", values ?? "", this.d);
    return op === "m" ? { op: "move", row: Number(at), values: found } : { op: "add", code: whole("edits", at, this.k), values: found };
  }

  /** @param {string} text @returns {Known} */
  known(text) {
    const found = JSON.parse(text);
    /** @param {any} values @param {number[]} shape @returns {boolean} */
    const fits = (values, [n, ...rest]) =>
      Array.isArray(values) && values.length === n && values.every((one) => (rest.length ? fits(one, rest) : Math.abs(one) <= LARGEST && typeof one === "number"));
    const { d, k } = this;
    if (!fits(found?.means, [k, d]) || !fits(found.covariances, [k, d, d]) || !fits(found.priors, [k]))
      throw new Error("known must have means, covariances and priors of every class");
    this.shares("known", String(found.priors));
    const isSymmetric = (/** @type {number[][]} */ matrix) => matrix.every((row, i) => row.every((value, j) => value === matrix[j][i]));
    if (!found.covariances.every(isSymmetric)) throw new Error("a covariance is not the same both ways");
    return { means: found.means, covariances: found.covariances, priors: found.priors };
  }
}

/** @param {string} key @param {string} value @param {string[]} allowed */
function choice(key, value, allowed) {
  if (!allowed.includes(value)) throw new Error(`${key} must be one of ${allowed.join(", ")}`);
  return value;
}

/** @param {string} key @param {string} text @param {number} [least] @param {number} [most] */
function number(key, text, least = -LARGEST, most = LARGEST) {
  const value = Number(text);
  if (text.trim() === "" || !(value >= least && value <= most))
    throw new Error(`${key} is ${text.slice(0, 20)}, which is not a number it can be`);
  return value;
}

/** @param {string} key @param {string} text @param {number} length */
function numbers(key, text, length) {
  const found = text.split(",").map((one) => number(key, one));
  if (found.length !== length) throw new Error(`${key} must have ${length} numbers`);
  return found;
}

/** @param {string} key @param {string} text @param {number} below */
function whole(key, text, below) {
  const value = number(key, text, 0, below - 1);
  if (!Number.isInteger(value)) throw new Error(`${key} must be a whole number`);
  return value;
}
