// @ts-check
/** The explorer: one lesson, its model, and what the reader does to them. */

import { Asking } from "./asking.js";
import { datasetOf } from "./csv.js";
import { h } from "./dom.js";
import { Drawing } from "./drawing.js";
import { dot } from "./linalg.js";
import { firstLesson, fromHash, History, toHash } from "./lesson.js";
import { buildModel, knownModel, NoModel, normalise } from "./model.js";
import { Panel } from "./panel.js";
import { discriminantAxes, planeDirections } from "./plane.js";
import { chooseBox, drawModel } from "./scene.js";
import { Scorer } from "./scorer.js";
import { Table } from "./table.js";
import { Taking } from "./taking.js";
import { Hands } from "./hands.js";
import { Toolbar } from "./toolbar.js";

/** @typedef {import("./table.js").Dataset} Dataset */
/** @typedef {import("./lesson.js").Lesson} Lesson */
/** @typedef {{version: number, datasets: Dataset[], presets: {title: string, hash: string}[]}} Payload */
/** token: of the server that the page comes from, if there is one
 * @typedef {{workerSource?: string | null, usesHash?: boolean, token?: string | null}} Options */

// Pixels below which there is one column.
const NARROW = 820;

let instances = 0;

export class Explorer {
  /** @param {HTMLElement} root @param {Payload} payload @param {Options} [options] */
  constructor(root, payload, options = {}) {
    this.root = root;
    this.id = `explorer-${++instances}`;
    this.options = options;
    this.datasets = [...payload.datasets];
    this.presets = payload.presets;
    this.history = new History();
    this.showsContours = false;
    this.stale = false;
    /** @type {import("./model.js").Model | null} */
    this.model = null;
    /** @type {import("./plane.js").Axes | null} */
    this.axes = null;
    /** @type {{training: any, left: any} | null} */
    this.scores = null;
    this.pending = 0;
    /** Colour of the background; looked up once. @type {number[] | undefined} */
    this.ground = undefined;
    /** @type {string | null} */
    this.written = null;
    /** The lesson before a slider began to move. @type {Lesson | null} */
    this.before = null;
    this.frameTimes = /** @type {number[]} */ ([]);
    root.classList.add("suffice-explorer");
    this.message = h("p", { class: "message", role: "alert", hidden: true });
    this.live = h("p", { class: "live", "aria-live": "polite" });
    const left = h("div", { class: "left" });
    const right = h("div", { class: "right" });
    this.toolbar = new Toolbar(this, left);
    this.drawing = new Drawing(left);
    this.notes = h("p", { class: "note" });
    this.below = h("div", { class: "below" });
    left.append(this.notes, this.below);
    root.append(this.message, h("div", { class: "columns" }, left, right), this.live);
    this.panel = new Panel(this, right, this.below);
    if (options.token) this.asking = new Asking(this, right, options.token);
    this.taking = new Taking(this);
    this.scorer = new Scorer(options.workerSource ?? null, (scores, stale) => this.takeScores(scores, stale));
    this.hands = new Hands(this);
    this.lesson = firstLesson(this.datasets[0]);
    this.table = new Table(this.dataset);
    this.open(options.usesHash ? location.hash.slice(1) : "");
    this.listen();
  }

  get dataset() {
    return this.datasets.find((one) => one.name === this.lesson.data) ?? this.datasets[0];
  }

  /** Whether there are discriminant axes to look along. */
  get hasAxes() {
    return this.table.d > 2 && this.table.k > 1 && this.table.hasStatistics;
  }

  listen() {
    const dark = matchMedia("(prefers-color-scheme: dark)");
    dark.addEventListener?.("change", () => {
      this.ground = undefined;
      this.refresh();
    });
    if (this.options.usesHash)
      addEventListener("hashchange", () => {
        const hash = location.hash.slice(1);
        if (hash !== this.written) this.open(hash);
      });
    this.root.addEventListener("dragover", (event) => event.preventDefault());
    this.root.addEventListener("drop", (event) => {
      event.preventDefault();
      const file = event.dataTransfer?.files[0];
      if (file) this.openFile(file);
    });
    new ResizeObserver(() => this.arrange()).observe(this.root);
  }

  /** Two columns, or one with the model before what follows from it. */
  arrange() {
    const narrow = this.root.clientWidth < NARROW;
    this.root.classList.toggle("narrow", narrow);
    if (narrow) this.panel.sections.model.parentElement.after(this.below);
    else this.drawing.stage.parentElement.append(this.below);
    this.refresh();
  }

  /** Show the lesson of a link; a bad one is reported, and the data shown as they are. @param {string} hash */
  open(hash) {
    try {
      this.lesson = hash ? fromHash(hash, this.datasets) : firstLesson(this.datasets[0]);
      this.say("");
    } catch (error) {
      this.lesson = firstLesson(this.datasets[0]);
      const why = error instanceof URIError || error instanceof SyntaxError ? "it is damaged" : /** @type {Error} */ (error).message;
      this.say(`This link cannot be read: ${why}. The data are shown as they are.`);
    }
    this.history = new History();
    this.rebuild(true);
  }

  /** @param {string} text */
  say(text) {
    this.message.textContent = text;
    this.message.hidden = !text;
  }

  /** @param {string} text */
  announce(text) {
    this.live.textContent = text;
  }

  /** Make the table again from the data and the edits. @param {boolean} [fresh] whether axes may change */
  rebuild(fresh = false) {
    this.table = new Table(this.dataset, this.lesson.edits);
    if (this.lesson.row !== null && !(this.table.codes[this.lesson.row] >= 0)) this.lesson = { ...this.lesson, row: null, point: Array.from(this.table.centre()) };
    this.notes.textContent = this.dataset.notes.join(" ");
    this.drawing.drawLegend(this.dataset.labels);
    this.estimate();
    if (this.lesson.view.kind === "axes" && !this.hasAxes) this.lesson = { ...this.lesson, view: firstLesson(this.dataset).view };
    if (fresh) chooseBox(this);
    this.panel.build();
    this.toolbar.update();
    this.refresh();
  }

  /** The model of the table and the settings, or the reason why there is none. */
  estimate() {
    const { lesson, table } = this;
    try {
      this.model = lesson.known ? knownModel(lesson.known, lesson.settings, table.d) : buildModel(table.statistics, lesson.settings);
      if (this.failed) this.say("");
      this.failed = false;
    } catch (error) {
      if (!(error instanceof NoModel)) throw error;
      this.model = null;
      this.failed = true;
      this.say(error.message);
    }
    if (lesson.view.kind === "axes" && table.hasStatistics) this.updateAxes();
  }

  updateAxes() {
    try {
      const shared = buildModel(this.table.statistics, { ...this.lesson.settings, structure: "full", pooling: 1 });
      this.axes = discriminantAxes(shared);
    } catch (error) {
      if (!(error instanceof NoModel)) throw error;
      this.axes = null;
    }
  }

  /** Coordinates of the rows in the plane. */
  project() {
    const { table, lesson } = this;
    const { d } = table;
    const xs = new Float64Array(table.size);
    const ys = new Float64Array(table.size);
    const { view } = lesson;
    if (view.kind === "axes" && this.axes) {
      for (let i = 0; i < table.size; i++) [xs[i], ys[i]] = this.alongAxes(table.row(i));
    } else if (view.kind === "features")
      for (let i = 0; i < table.size; i++) {
        xs[i] = table.rows[i * d + view.i];
        // With one feature, rows stand in a strip at the bottom, one line per class.
        ys[i] = d > 1 ? table.rows[i * d + view.j] : this.strip(table.codes[i]);
      }
    this.projected = { xs, ys };
    return this.projected;
  }

  /** @param {number} c */
  strip(c) {
    const { y0, y1 } = this.drawing.box;
    return y0 + (y1 - y0) * (0.03 + (0.09 * (c + 0.5)) / this.table.k);
  }

  /** @param {ArrayLike<number>} x */
  alongAxes(x) {
    const axes = /** @type {import("./plane.js").Axes} */ (this.axes);
    const step = axes.centre.map((o, j) => x[j] - o);
    return planeDirections(axes, this.table.d).map((direction) => dot(direction, step));
  }

  /** The chosen point, all features. */
  point() {
    const { lesson, table } = this;
    if (lesson.row !== null) return Float64Array.from(table.row(lesson.row));
    return lesson.point ? Float64Array.from(lesson.point) : table.centre();
  }

  /** A point of all features, in the coordinates of the plane. @param {ArrayLike<number>} point */
  placeOf(point) {
    const { view } = this.lesson;
    if (view.kind === "axes") return this.axes ? this.alongAxes(point) : [0, 0];
    const own = this.lesson.row === null ? -1 : this.table.codes[this.lesson.row];
    return [point[view.i], this.table.d > 1 ? point[view.j] : this.strip(Math.max(own, 0))];
  }

  /** The two classes in question: those asked for, or the most probable ones. @param {Float64Array} logs */
  pairAt(logs) {
    if (this.lesson.pair) return this.lesson.pair;
    const [a, b] = Array.from(logs.keys()).sort((x, y) => logs[y] - logs[x] || x - y);
    return [a, b ?? a];
  }

  /** Draw again with the next frame. */
  refresh() {
    if (this.pending) return;
    this.pending = requestAnimationFrame(() => {
      this.pending = 0;
      const start = performance.now();
      this.frame();
      this.frameTimes.push(performance.now() - start);
      if (this.frameTimes.length > 1000) this.frameTimes.shift();
    });
  }

  frame() {
    const { drawing, table, lesson } = this;
    this.estimate();
    const { xs, ys } = this.project();
    const names = lesson.view.kind === "axes" ? ["LD1", "LD2"] : [table.dataset.features[lesson.view.i], table.d > 1 ? table.dataset.features[lesson.view.j] : "density"];
    drawModel(this);
    drawing.drawFrame(names[0], names[1]);
    drawing.drawPoints(xs, ys, table.codes, this.ground ?? [255, 255, 255]);
    this.hands.update();
    this.panel.update();
    this.scorer.request(this);
    this.toolbar.update();
    this.writeHash();
  }

  /** @param {{training: any, left: any} | null} scores @param {boolean} stale */
  takeScores(scores, stale) {
    if (scores) this.scores = scores;
    this.stale = stale;
    this.panel.updateFit();
  }

  writeHash() {
    if (!this.options.usesHash) return;
    clearTimeout(this.hashTimer);
    this.hashTimer = setTimeout(() => {
      const hash = toHash(this.lesson);
      if (hash === this.written || hash.length > 100_000) return;
      this.written = hash;
      history.replaceState(null, "", `#${hash}`);
    }, 200);
  }

  /** Replace the lesson; a step that can be undone. @param {Partial<Lesson>} change @param {Lesson} [before] */
  commit(change, before = this.lesson) {
    this.history.push(before);
    this.lesson = { ...this.lesson, ...change };
    this.rebuild();
  }

  /** @param {Partial<import("./model.js").Settings>} change @param {boolean} [live] while a slider moves */
  set(change, live = false) {
    this.before ??= this.lesson;
    this.lesson = { ...this.lesson, settings: { ...this.lesson.settings, ...change } };
    if (live) return this.refresh();
    const before = this.before;
    this.before = null;
    this.commit({}, before);
    this.announceResult(`${Object.keys(change).join(" and ")} changed`);
  }

  /** @param {import("./model.js").Settings["priors"]} priors @param {boolean} [live] */
  setPriors(priors, live = false) {
    if (!this.lesson.known) return this.set({ priors }, live);
    const shares = priors === "uniform" || priors === null ? this.lesson.known.priors.map((_, __, all) => 1 / all.length) : priors;
    this.before ??= this.lesson;
    this.lesson = { ...this.lesson, known: { ...this.lesson.known, priors: shares } };
    if (live) return this.refresh();
    const before = this.before;
    this.before = null;
    this.commit({}, before);
  }

  /** @param {import("./plane.js").View} view */
  setView(view) {
    this.lesson = { ...this.lesson, view };
    this.rebuild(true);
  }

  /** @param {"i" | "j"} key @param {string} value */
  setAxis(key, value) {
    if (value === "axes") return this.setView({ kind: "axes" });
    const { view } = this.lesson;
    const at = Number(value);
    const other = view.kind === "features" ? view[key === "i" ? "j" : "i"] : 0;
    const [here, there] = [at, other === at ? (view.kind === "features" ? view[key] : (at + 1) % this.table.d) : other];
    const others = view.kind === "features" ? view.others : "out";
    this.setView({ kind: "features", i: key === "i" ? here : there, j: key === "i" ? there : here, others });
  }

  /** @param {string} text */
  setPair(text) {
    this.lesson = { ...this.lesson, pair: text ? text.split(",").map(Number) : null };
    this.refresh();
  }

  /** @param {boolean} on */
  showContours(on) {
    this.showsContours = on;
    this.refresh();
  }

  /** @param {number | null} row @param {ArrayLike<number>} [point] */
  choose(row, point) {
    this.lesson = { ...this.lesson, row, point: row === null && point ? Array.from(point) : null };
    this.refresh();
  }

  /** @param {number} by */
  stepRow(by) {
    const { table } = this;
    let row = this.lesson.row ?? (by > 0 ? -1 : table.size);
    do row += by;
    while (row >= 0 && row < table.size && table.codes[row] < 0);
    if (row < 0 || row >= table.size) return;
    this.choose(row);
    this.announceResult(`Row ${row}`);
  }

  /** @param {number} code @param {ArrayLike<number>} [values] */
  addRow(code, values = this.point()) {
    if (!this.table.hasRows) return;
    const row = this.table.size;
    this.commit({ edits: [...this.lesson.edits, { op: "add", code, values: Array.from(values) }], row, point: null });
    this.announceResult(`Row ${row} of class ${this.dataset.labels[code]} added`);
  }

  /** @param {number | null} [row] */
  removeRow(row = this.lesson.row) {
    if (row === null || !(this.table.codes[row] >= 0)) return;
    const point = Array.from(this.table.row(row));
    this.commit({ edits: [...this.lesson.edits, { op: "remove", row }], row: null, point });
    this.announceResult(`Row ${row} removed`);
  }

  /** @param {number} row @param {ArrayLike<number>} values @param {Lesson} before */
  moveRow(row, values, before) {
    const edits = before.edits.filter((edit) => !(edit.op === "move" && edit.row === row));
    this.commit({ edits: [...edits, { op: "move", row, values: Array.from(values) }] }, before);
    this.announceResult(`Row ${row} moved`);
  }

  /** A value of the chosen point, typed. @param {number} j @param {number} value */
  typeValue(j, value) {
    if (!Number.isFinite(value)) return;
    const point = this.point();
    point[j] = value;
    if (this.lesson.row === null) this.choose(null, point);
    else this.moveRow(this.lesson.row, point, this.lesson);
  }

  /** Parameters as they are now, to be changed by hand. @returns {import("./model.js").Known | null} */
  knownNow() {
    const { model, lesson, table } = this;
    if (lesson.known) return lesson.known;
    if (!model || model.covariances.includes(null)) return null;
    const { d, k } = table;
    return {
      means: Array.from({ length: k }, (_, c) => Array.from(model.means.subarray(c * d, c * d + d))),
      covariances: model.covariances.map((own) => {
        const matrix = own ? own.matrix() : new Float64Array();
        return Array.from({ length: d }, (_, i) => Array.from(matrix.subarray(i * d, i * d + d)));
      }),
      priors: Array.from(model.priors),
    };
  }

  backToData() {
    this.commit({ known: null });
    this.announceResult("Back to the data");
  }

  /** @param {"undo" | "redo"} way */
  travel(way) {
    const found = this.history[way](this.lesson);
    if (!found) return;
    this.lesson = found;
    this.rebuild(true);
    this.announceResult(way === "undo" ? "Undone" : "Redone");
  }

  reset() {
    this.history.push(this.lesson);
    this.lesson = firstLesson(this.dataset);
    this.rebuild(true);
    this.announceResult("Reset");
  }

  /** @param {string} what */
  announceResult(what) {
    if (!this.model) return this.announce(`${what}. ${this.message.textContent}`);
    const logs = normalise(this.model.joint(this.point()));
    const [a] = Array.from(logs.keys()).sort((x, y) => logs[y] - logs[x]);
    this.announce(`${what}. The chosen point is ${this.dataset.labels[a]} with probability ${Math.exp(logs[a]).toFixed(3)}.`);
  }

  /** @param {File} file */
  async openFile(file) {
    try {
      const dataset = datasetOf(file.name, await file.text());
      this.datasets = [...this.datasets.filter((one) => one.name !== dataset.name), dataset];
      this.lesson = firstLesson(dataset);
      this.history = new History();
      this.say("");
      this.rebuild(true);
      this.announce(`${dataset.title} opened: ${dataset.count} rows.`);
    } catch (error) {
      this.say(`${file.name} cannot be read: ${/** @type {Error} */ (error).message}.`);
    }
  }
}
