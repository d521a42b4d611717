// @ts-check
/** The explorer: one lesson, its model, and what the reader does to them. */

import { Asking } from "./asking.js";
import { datasetOf } from "./csv.js";
import { h } from "./dom.js";
import { Drawing } from "./drawing.js";
import { Hands } from "./hands.js";
import { firstLesson, fromHash, History, toHash } from "./lesson.js";
import { buildModel, descending, knownModel, NoModel, normalise, parametersOf } from "./model.js";
import { Panel } from "./panel.js";
import { alongAxes, discriminantAxes } from "./plane.js";
import { chooseBox, drawModel } from "./scene.js";
import { Scorer } from "./scorer.js";
import { LARGEST, Table } from "./table.js";
import { Toolbar } from "./toolbar.js";

// Pixels below which there is one column.
const NARROW = 820;
const MOST_HASH = 100_000;
const HASH_DELAY_MS = 200;

let instances = 0;

export class Explorer {
  history = new History();
  showsContours = false;
  stale = false;
  failed = false;
  // From the first lesson on.
  table = /** @type {Table} */ (/** @type {unknown} */ (null));
  model = /** @type {Model | null} */ (null);
  axes = /** @type {Axes | null} */ (null);
  scores = /** @type {Scores | null} */ (null);
  pending = 0;
  /** Colour of the background; looked up once. @type {number[] | undefined} */
  ground = undefined;
  written = /** @type {string | null} */ (null);
  /** The lesson before a slider began to move. @type {Lesson | null} */
  before = null;
  frameTimes = /** @type {number[]} */ ([]);

  /** @param {HTMLElement} root @param {Payload} payload @param {Options} [options] */
  constructor(root, payload, options = {}) {
    this.root = root;
    this.id = `explorer-${++instances}`;
    this.options = options;
    this.datasets = [...payload.datasets];
    this.presets = payload.presets;
    root.classList.add("suffice-explorer");
    this.message = h("p", { class: "message", role: "alert", hidden: true });
    this.live = h("p", { class: "live", "aria-live": "polite" });
    this.left = h("div", { class: "left" });
    const right = h("div", { class: "right" });
    this.toolbar = new Toolbar(this, this.left);
    this.drawing = new Drawing(this.left, this.id);
    this.notes = h("p", { class: "note" });
    this.below = h("div", { class: "below" });
    this.left.append(this.notes, this.below);
    root.append(this.message, h("div", { class: "columns" }, this.left, right), this.live);
    this.panel = new Panel(this, right, this.below);
    if (options.token) this.asking = new Asking(this, right, options.token);
    this.scorer = new Scorer(options.workerSource ?? null, (scores, stale) => this.takeScores(scores, stale));
    this.hands = new Hands(this);
    this.lesson = firstLesson(this.datasets[0]);
    this.projected = { xs: new Float64Array(), ys: new Float64Array() };
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

  /** Whether there is one coordinate, so that curves are drawn above it. */
  get isLine() {
    return this.lesson.view.kind === "axes" ? this.axes?.directions.length === 1 : this.table.d === 1;
  }

  get axisNames() {
    const { view } = this.lesson;
    const { features } = this.table.dataset;
    const names = view.kind === "axes" ? ["LD1", "LD2"] : [features[view.i], features[view.j]];
    return this.isLine ? [names[0], "density"] : names;
  }

  /** The class of the chosen row, or -1. */
  get ownClass() {
    return this.lesson.row === null ? -1 : this.table.codes[this.lesson.row];
  }

  listen() {
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
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
    else this.left.append(this.below);
    this.refresh();
  }

  /** Show the lesson of a link; a bad one is reported, and the data shown as they are. @param {string} hash */
  open(hash) {
    this.say("");
    this.lesson = firstLesson(this.datasets[0]);
    try {
      if (hash) this.lesson = fromHash(hash, this.datasets);
    } catch (error) {
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
    this.hands.letGo();
    this.table = new Table(this.dataset, this.lesson.edits);
    if (this.lesson.row !== null && !(this.ownClass >= 0)) this.lesson = { ...this.lesson, row: null, point: Array.from(this.table.centre()) };
    if (this.lesson.view.kind === "axes" && !this.hasAxes) this.lesson = { ...this.lesson, view: firstLesson(this.dataset).view };
    this.notes.textContent = this.dataset.notes.join(" ");
    this.drawing.drawLegend(this.dataset.labels);
    this.estimate();
    if (fresh) chooseBox(this);
    this.panel.build();
    this.asking?.update();
    this.toolbar.update();
    this.refresh();
  }

  /** The model of the table and the settings, or the reason why there is none. */
  estimate() {
    const { lesson, table } = this;
    const { settings, known } = lesson;
    /** @template T @param {() => T} make @param {(why: string) => void} fail */
    const attempt = (make, fail) => {
      try {
        return make();
      } catch (error) {
        if (!(error instanceof NoModel)) throw error;
        fail(error.message);
        return null;
      }
    };
    this.model = attempt(() => (known ? knownModel(known, settings, table.d) : buildModel(table.statistics, settings)), (why) => this.say(why));
    if (this.failed && this.model) this.say("");
    this.failed = !this.model;
    const shared = { ...settings, structure: "full", pooling: 1 };
    this.axes = lesson.view.kind === "axes" ? attempt(() => discriminantAxes(buildModel(table.statistics, shared)), () => {}) : null;
  }

  /** Coordinates of the rows in the plane. */
  project() {
    const { table, lesson } = this;
    const { view } = lesson;
    const [xs, ys] = [new Float64Array(table.size), new Float64Array(table.size)];
    for (let i = 0; i < table.size; i++)
      if (view.kind === "axes") [xs[i], ys[i]] = this.placeOf(table.row(i), table.codes[i]);
      else {
        xs[i] = table.rows[i * table.d + view.i];
        ys[i] = this.isLine ? this.strip(table.codes[i]) : table.rows[i * table.d + view.j];
      }
    this.projected = { xs, ys };
    return this.projected;
  }

  /** With one coordinate, rows stand in a strip at the bottom, one line per class. @param {number} c */
  strip(c) {
    const { y0, y1 } = this.drawing.box;
    return y0 + (y1 - y0) * (0.03 + (0.09 * (Math.max(c, 0) + 0.5)) / this.table.k);
  }

  /** A point of all features, in the coordinates of the plane. @param {ArrayLike<number>} point @param {number} [own] its class */
  placeOf(point, own = this.ownClass) {
    const { view } = this.lesson;
    const places = view.kind === "features" ? [point[view.i], point[view.j]] : this.axes ? alongAxes(point, this.axes) : [0, 0];
    return this.isLine ? [places[0], this.strip(own)] : places;
  }

  /** The chosen point, all features. */
  point() {
    const { lesson, table } = this;
    if (lesson.row !== null) return Float64Array.from(table.row(lesson.row));
    return lesson.point ? Float64Array.from(lesson.point) : table.centre();
  }

  /** Where features that are not shown are held, unless they are integrated out. */
  heldAt() {
    const { view } = this.lesson;
    return view.kind === "features" && view.others === "mean" ? this.table.centre() : this.point();
  }

  /** The two classes in question: those asked for, or the most probable ones. @param {Float64Array} logs */
  pairAt(logs) {
    if (this.lesson.pair) return this.lesson.pair;
    const [a, b] = descending(logs);
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
    this.estimate();
    drawModel(this);
    const { xs, ys } = this.project();
    this.drawing.drawFrame(this.axisNames[0], this.axisNames[1]);
    this.drawing.drawPoints(xs, ys, this.table.codes, this.ground ?? [255, 255, 255]);
    this.hands.update();
    this.panel.update();
    this.scorer.request(this);
    this.toolbar.update();
    this.writeHash();
  }

  /** @param {Scores | null} scores @param {boolean} stale */
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
      if (hash === this.written || hash.length > MOST_HASH) return;
      this.written = hash;
      history.replaceState(null, "", `#${hash}`);
    }, HASH_DELAY_MS);
  }

  /** Replace the lesson; a step that can be undone. @param {Partial<Lesson>} change @param {Lesson} [before] */
  commit(change, before = this.lesson) {
    this.history.push(before);
    this.lesson = { ...this.lesson, ...change };
    this.rebuild();
  }

  /** Replace the lesson without a step to undo, for what is only looked at. @param {Partial<Lesson>} change */
  look(change) {
    this.lesson = { ...this.lesson, ...change };
    this.refresh();
  }

  /** @param {Partial<Lesson>} change @param {boolean} live while a slider moves: one step in the end @param {string} what */
  slide(change, live, what) {
    this.before ??= this.lesson;
    if (live) return this.look(change);
    const { before } = this;
    this.before = null;
    this.commit(change, before);
    this.announceResult(`${what} changed`);
  }

  /** @param {Partial<Settings>} change @param {boolean} [live] while a slider moves */
  set(change, live = false) {
    this.slide({ settings: { ...this.lesson.settings, ...change } }, live, Object.keys(change).join(" and "));
  }

  /** @param {Settings["priors"]} priors @param {boolean} [live] */
  setPriors(priors, live = false) {
    const { known } = this.lesson;
    if (!known) return this.set({ priors }, live);
    const shares = Array.isArray(priors) ? priors : known.priors.map((_, __, all) => 1 / all.length);
    this.slide({ known: { ...known, priors: shares } }, live, "priors");
  }

  /** @param {View} view */
  setView(view) {
    this.lesson = { ...this.lesson, view };
    this.rebuild(true);
  }

  /** @param {"i" | "j"} key @param {string} value */
  setAxis(key, value) {
    if (value === "axes") return this.setView({ kind: "axes" });
    const { view } = this.lesson;
    const now = view.kind === "features" ? view : /** @type {{i: number, j: number, others: "out"}} */ ({ i: 0, j: 0, others: "out" });
    const other = key === "i" ? "j" : "i";
    const at = Number(value);
    // The feature that the other axis shows changes places with this one.
    const there = now[other] !== at ? now[other] : now[key] !== at ? now[key] : (at + 1) % this.table.d;
    this.setView(/** @type {View} */ ({ kind: "features", others: now.others, [key]: at, [other]: there }));
  }

  /** @param {boolean} on */
  showContours(on) {
    this.showsContours = on;
    this.refresh();
  }

  /** @param {number | null} row @param {ArrayLike<number>} [point] */
  choose(row, point) {
    this.look({ row, point: row === null && point ? Array.from(point) : null });
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
    if (!(Math.abs(value) <= LARGEST)) return;
    const point = this.point();
    point[j] = value;
    if (this.lesson.row === null) this.choose(null, point);
    else this.moveRow(this.lesson.row, point, this.lesson);
  }

  /** Parameters as they are now, to be changed by hand. @returns {Known | null} */
  knownNow() {
    const { model, lesson } = this;
    return lesson.known ?? (model && !model.covariances.includes(null) ? parametersOf(model) : null);
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
    this.commit(firstLesson(this.dataset));
    chooseBox(this);
    this.announceResult("Reset");
  }

  /** @param {string} what */
  announceResult(what) {
    if (!this.model) return this.announce(`${what}. ${this.message.textContent}`);
    const logs = normalise(this.model.joint(this.point()));
    const [a] = descending(logs);
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
