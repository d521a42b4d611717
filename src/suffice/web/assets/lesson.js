// @ts-check
/** The lesson: what the page shows, as one value that is replaced as a whole, and as a link. */

/** @typedef {import("./table.js").Edit} Edit */
/** @typedef {import("./table.js").Dataset} Dataset */
/** @typedef {import("./model.js").Settings} Settings */
/** @typedef {import("./model.js").Known} Known */
/** @typedef {{data: string, settings: Settings, known: Known | null,
 *   view: import("./plane.js").View, row: number | null, point: number[] | null,
 *   pair: number[] | null, edits: Edit[]}} Lesson */

const MOST_STEPS = 100;
const MOST_EDITS = 200;
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
  constructor() {
    /** @type {Lesson[]} */
    this.past = [];
    /** @type {Lesson[]} */
    this.future = [];
  }

  /** @param {Lesson} before */
  push(before) {
    this.past = [...this.past.slice(1 - MOST_STEPS), before];
    this.future = [];
  }

  /** @param {Lesson} now @returns {Lesson | undefined} */
  undo(now) {
    const before = this.past.pop();
    if (before) this.future.push(now);
    return before;
  }

  /** @param {Lesson} now @returns {Lesson | undefined} */
  redo(now) {
    const after = this.future.pop();
    if (after) this.past.push(now);
    return after;
  }
}

/** A lesson as the fragment of an address. @param {Lesson} lesson */
export function toHash(lesson) {
  const { settings, view } = lesson;
  const pairs = /** @type {[string, string][]} */ ([
    ["data", lesson.data],
    ["structure", settings.structure],
    ["pooling", String(settings.pooling)],
    ["shrinkage", String(settings.shrinkage)],
    ["ddof", String(settings.ddof)],
  ]);
  if (settings.priors !== null) pairs.push(["priors", String(settings.priors)]);
  if (view.kind === "axes") pairs.push(["view", "axes"]);
  else pairs.push(["x", String(view.i)], ["y", String(view.j)], ["others", view.others]);
  if (lesson.row !== null) pairs.push(["row", String(lesson.row)]);
  if (lesson.point) pairs.push(["point", lesson.point.join(",")]);
  if (lesson.pair) pairs.push(["pair", lesson.pair.join(",")]);
  if (lesson.known) pairs.push(["known", JSON.stringify(lesson.known)]);
  if (lesson.edits.length) pairs.push(["edits", lesson.edits.slice(0, MOST_EDITS).map(editText).join(";")]);
  return pairs.map(([key, value]) => `${key}=${encodeURIComponent(value)}`).join("&");
}

/** @param {Edit} edit */
function editText(edit) {
  if (edit.op === "remove") return `r${edit.row}`;
  const at = edit.op === "add" ? `a${edit.code}` : `m${edit.row}`;
  return `${at}:${edit.values.join(",")}`;
}

/** The lesson of a link; an Error says what is wrong with it.
 * @param {string} hash @param {Dataset[]} datasets @returns {Lesson} */
export function fromHash(hash, datasets) {
  if (hash.length > MOST_LETTERS) throw new Error("it is too long");
  const given = new Map(
    hash.split("&").filter(Boolean).map((part) => {
      const [key, value = ""] = part.split(/=(.*)/s);
      return [key, decodeURIComponent(value)];
    }),
  );
  const name = given.get("data") ?? datasets[0].name;
  const dataset = datasets.find((one) => one.name === name);
  if (!dataset) throw new Error(`there is no data called ${name}`);
  const lesson = firstLesson(dataset);
  const reader = new Reader(dataset, lesson);
  for (const [key, value] of given) reader.read(key, value);
  return reader.finish();
}

class Reader {
  /** @param {Dataset} dataset @param {Lesson} lesson */
  constructor(dataset, lesson) {
    this.lesson = lesson;
    this.d = dataset.features.length;
    this.k = dataset.labels.length;
    this.hasRows = dataset.rows !== null;
    this.size = dataset.rows === null ? 0 : Math.floor((dataset.rows.length * 3) / 4 / 8 / this.d);
  }

  /** @param {string} key @param {string} value */
  read(key, value) {
    const { lesson } = this;
    const { settings } = lesson;
    if (key === "data") return;
    if (key === "structure") settings.structure = choice(key, value, ["full", "diagonal", "spherical"]);
    else if (key === "pooling" || key === "shrinkage") settings[key] = number(key, value, 0, 1);
    else if (key === "ddof") settings.ddof = whole(key, value, 2);
    else if (key === "priors") settings.priors = value === "uniform" ? value : this.shares(key, value);
    else if (key === "view") this.axes(value);
    else if (key === "x" || key === "y" || key === "others") this.feature(key, value);
    else if (key === "row") lesson.row = whole(key, value, this.size + MOST_EDITS);
    else if (key === "point") {
      lesson.point = this.numbers(key, value, this.d);
      lesson.row = null;
    } else if (key === "pair") this.pair(value);
    else if (key === "known") lesson.known = this.known(value);
    else if (key === "edits") lesson.edits = value.split(";").map((text) => this.edit(text));
    else throw new Error(`it says ${key}, which means nothing here`);
  }

  finish() {
    const { lesson } = this;
    if (lesson.edits.length > MOST_EDITS) throw new Error(`it has more than ${MOST_EDITS} edits`);
    let size = this.size;
    for (const edit of lesson.edits) {
      if (edit.op === "add") size += 1;
      else if (edit.row >= size) throw new Error(`there is no row ${edit.row}`);
    }
    if (lesson.row !== null && (lesson.row >= size || !this.hasRows)) throw new Error(`there is no row ${lesson.row}`);
    const { view } = lesson;
    if (view.kind === "features" && view.i === view.j && this.d > 1) throw new Error("both axes are the same feature");
    return lesson;
  }

  /** @param {string} value */
  axes(value) {
    choice("view", value, ["axes"]);
    if (this.d < 2) throw new Error("there are no discriminant axes of one feature");
    this.lesson.view = { kind: "axes" };
  }

  /** @param {"x" | "y" | "others"} key @param {string} value */
  feature(key, value) {
    const { view } = this.lesson;
    if (view.kind === "axes") return;
    if (key === "others") view.others = /** @type {"out" | "point"} */ (choice(key, value, ["out", "point"]));
    else view[key === "x" ? "i" : "j"] = whole(key, value, this.d);
  }

  /** @param {string} value */
  pair(value) {
    const found = value.split(",").map((one) => whole("pair", one, this.k));
    if (found.length !== 2 || found[0] === found[1]) throw new Error("pair must be two classes");
    this.lesson.pair = found;
  }

  /** @param {string} key @param {string} value @param {number} length */
  numbers(key, value, length) {
    const found = value.split(",").map((one) => number(key, one));
    if (found.length !== length) throw new Error(`${key} must have ${length} numbers`);
    return found;
  }

  /** @param {string} key @param {string} value */
  shares(key, value) {
    const found = this.numbers(key, value, this.k);
    const total = found.reduce((a, b) => a + b, 0);
    if (found.some((one) => one < 0) || Math.abs(total - 1) > 1e-8) throw new Error(`${key} must be shares that add up to 1`);
    return found;
  }

  /** @param {string} text @returns {Edit} */
  edit(text) {
    const found = /^([arm])(\d{1,9})(?::(.*))?$/.exec(text);
    if (!found || !this.hasRows) throw new Error(`${text.slice(0, 20)} is not an edit`);
    const [, op, at, values] = found;
    if (op === "r") return { op: "remove", row: Number(at) };
    const numbers = this.numbers("edits", values ?? "", this.d);
    if (op === "m") return { op: "move", row: Number(at), values: numbers };
    return { op: "add", code: whole("edits", at, this.k), values: numbers };
  }

  /** @param {string} text @returns {Known} */
  known(text) {
    const found = JSON.parse(text);
    /** @param {any} values @param {number[]} shape @returns {boolean} */
    const fits = (values, [n, ...rest]) =>
      Array.isArray(values) && values.length === n &&
      values.every((one) => (rest.length ? fits(one, rest) : Number.isFinite(one)));
    const { d, k } = this;
    if (!fits(found?.means, [k, d]) || !fits(found.covariances, [k, d, d]) || !fits(found.priors, [k]))
      throw new Error("known must have means, covariances and priors of every class");
    this.shares("known", found.priors.join(","));
    return { means: found.means, covariances: found.covariances, priors: found.priors };
  }
}

/** @param {string} key @param {string} value @param {string[]} allowed */
function choice(key, value, allowed) {
  if (!allowed.includes(value)) throw new Error(`${key} must be one of ${allowed.join(", ")}`);
  return value;
}

/** @param {string} key @param {string} text @param {number} [least] @param {number} [most] */
function number(key, text, least = -Infinity, most = Infinity) {
  const value = Number(text);
  if (text.trim() === "" || !Number.isFinite(value) || value < least || value > most)
    throw new Error(`${key} is ${text.slice(0, 20)}, which is not a number it can be`);
  return value;
}

/** @param {string} key @param {string} text @param {number} below */
function whole(key, text, below) {
  const value = number(key, text, 0, below - 1);
  if (!Number.isInteger(value)) throw new Error(`${key} must be a whole number`);
  return value;
}
