// @ts-check
/** Hands: handles that pointers and keys move, and clicks on rows and on the plane. */

import { cssColour } from "./colours.js";
import { setAll, shown, svg } from "./dom.js";
import { WIDTH } from "./drawing.js";
import { halfAxes, planeGaussian } from "./plane.js";

/** @typedef {import("./explorer.js").Explorer} Explorer */

const MOST_MEANS = 12;
const NEAR_PIXELS = 12;
const AXIS_RADIUS = 2;
const FINE = 0.1;
const ARROWS = /** @type {Record<string, number[]>} */ ({ ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] });

export class Hands {
  /** @param {Explorer} explorer */
  constructor(explorer) {
    this.explorer = explorer;
    this.tool = "move";
    /** Counts changes of rows in place, which the table itself does not show. */
    this.version = 0;
    /** What is held, and the lesson and the ellipse as they were when it was taken.
     * @type {{key: string, before: import("./lesson.js").Lesson, moved: boolean, by: string,
     *   known: import("./model.js").Known | null, mean: number[], axes: number[][],
     *   at: {x: number, y: number} | null} | null} */
    this.held = null;
    this.handles = new Map();
    const { overlay } = explorer.drawing;
    overlay.addEventListener("pointerdown", (/** @type {PointerEvent} */ event) => this.press(event));
    overlay.addEventListener("pointermove", (/** @type {PointerEvent} */ event) => this.drag(event));
    overlay.addEventListener("pointerup", () => this.drop());
    overlay.addEventListener("pointercancel", () => this.cancel());
    overlay.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => this.type(event));
    overlay.addEventListener("focusout", () => this.held?.by === "keys" && this.drop());
  }

  /** Handles that can be moved now: key -> place, name and look. */
  wanted() {
    const { explorer } = this;
    const { model, lesson, table } = explorer;
    const { labels } = table.dataset;
    const out = /** @type {Map<string, {x: number, y: number, name: string, shape: string, colour: string}>} */ (new Map());
    const fixed = lesson.view.kind === "axes";
    if (model && !fixed && !model.covariances.includes(null) && table.d > 1) {
      const active = this.activeClass();
      for (let c = 0; c < model.k; c++) {
        if (model.k > MOST_MEANS && c !== active) continue;
        const found = planeGaussian(model, c, lesson.view, explorer.axes);
        if (!found) continue;
        const [x, y] = found.mean;
        out.set(`mean:${c}`, { x, y, name: `Mean of ${labels[c]}, ${this.where(x, y)}`, shape: "mean", colour: cssColour(c) });
        if (c !== active) continue;
        halfAxes(found.matrix).forEach(([u, v], m) => {
          const end = { x: x + AXIS_RADIUS * u, y: y + AXIS_RADIUS * v };
          out.set(`axis:${c}:${m}`, { ...end, name: `${m ? "Short" : "Long"} axis of the ellipse of ${labels[c]}, end at ${this.where(end.x, end.y)}`, shape: "axis", colour: cssColour(c) });
        });
      }
    }
    const [x, y] = explorer.placeOf(explorer.point());
    const own = lesson.row === null ? -1 : table.codes[lesson.row];
    const what = own < 0 ? "Chosen point" : `Row ${lesson.row} of class ${labels[own]}`;
    out.set("point", { x, y, name: `${what}, ${this.where(x, y)}`, shape: "point", colour: own < 0 ? "currentColor" : cssColour(own) });
    return out;
  }

  /** The class whose ellipse has handles: that of the chosen row, or the most probable one. */
  activeClass() {
    const { lesson, table, model } = this.explorer;
    const own = lesson.row === null ? -1 : table.codes[lesson.row];
    if (own >= 0 || !model) return own;
    const joint = model.joint(this.explorer.point());
    return joint.indexOf(Math.max(...joint));
  }

  /** @param {number} x @param {number} y */
  where(x, y) {
    const { view } = this.explorer.lesson;
    const { features } = this.explorer.dataset;
    if (view.kind === "axes") return `LD1 ${shown(x)}, LD2 ${shown(y)}`;
    if (this.explorer.table.d === 1) return `${features[0]} ${shown(x)}`;
    return `${features[view.i]} ${shown(x)}, ${features[view.j]} ${shown(y)}`;
  }

  update() {
    const { drawing } = this.explorer;
    const wanted = this.wanted();
    const bounds = drawing.overlay.getBoundingClientRect();
    const unit = bounds.width ? WIDTH / bounds.width : 1;
    for (const [key, element] of this.handles)
      if (!wanted.has(key)) {
        element.remove();
        this.handles.delete(key);
      }
    for (const [key, { x, y, name, shape, colour }] of wanted) {
      let element = this.handles.get(key);
      if (!element) {
        element = svg("g", { class: `handle ${shape}`, tabindex: "0", role: "button", "data-key": key }, svg("circle", { class: "reach" }), svg("path", { class: "sign" }));
        this.handles.set(key, element);
        drawing.layers.handles.append(element);
      }
      // What lies outside stays within reach, at the edge.
      const px = drawing.px(Math.min(drawing.box.x1, Math.max(drawing.box.x0, x)));
      const py = drawing.py(Math.min(drawing.box.y1, Math.max(drawing.box.y0, y)));
      setAll(element, { transform: `translate(${px.toFixed(1)} ${py.toFixed(1)}) scale(${unit.toFixed(3)})`, "aria-label": `${name}. Arrow keys move it.` });
      setAll(element.firstChild, { r: 12 });
      const signs = /** @type {Record<string, string>} */ ({ mean: "M-8-2H-2V-8H2V-2H8V2H2V8H-2V2H-8Z", axis: "M-5-5H5V5H-5Z", point: "M8 0A8 8 0 1 1-8 0A8 8 0 1 1 8 0Z" });
      setAll(element.lastChild, { d: signs[shape], ...(shape === "mean" ? { fill: colour } : { stroke: colour }) });
    }
  }

  /** @param {PointerEvent} event */
  press(event) {
    const { explorer } = this;
    if (event.button || this.held?.by === "pointer") return;
    const handle = /** @type {Element} */ (event.target).closest?.("[data-key]");
    const place = explorer.drawing.place(event);
    if (this.tool === "move" && handle) {
      this.take(handle.getAttribute("data-key") ?? "point", "pointer");
    } else if (!place.inside) return;
    else {
      const row = this.nearest(place);
      if (this.tool === "add") return this.add(place);
      if (this.tool === "erase") {
        if (row !== null) explorer.removeRow(row);
        return;
      }
      explorer.choose(row, row === null ? this.pointAt(place) : undefined);
      // A finger that starts beside a handle scrolls the page.
      if (event.pointerType === "touch") return;
      this.take("point", "pointer");
    }
    explorer.drawing.overlay.setPointerCapture(event.pointerId);
    event.preventDefault();
    const element = this.handles.get(this.held?.key);
    element?.focus({ preventScroll: true });
  }

  /** @param {string} key @param {string} by */
  take(key, by) {
    const { explorer } = this;
    if (explorer.lesson.view.kind === "axes" && key === "point" && explorer.lesson.row !== null) {
      explorer.announce("Rows cannot be moved along discriminant axes; choose two features.");
      return;
    }
    const [kind, c] = key.split(":");
    const { model, lesson } = explorer;
    const found = kind === "axis" && model ? planeGaussian(model, Number(c), lesson.view, null) : null;
    const known = kind === "point" ? null : explorer.knownNow();
    this.held = { key, before: lesson, moved: false, by, known, mean: found?.mean ?? [], axes: found ? halfAxes(found.matrix) : [], at: null };
  }

  /** @param {PointerEvent} event */
  drag(event) {
    if (this.held?.by !== "pointer") return;
    this.moveTo(this.explorer.drawing.place(event));
  }

  /** @param {{x: number, y: number}} place */
  moveTo(place) {
    const { explorer, held } = this;
    if (!held) return;
    held.moved = true;
    const { x0, x1, y0, y1 } = explorer.drawing.box;
    const x = Math.min(x1, Math.max(x0, place.x));
    const y = Math.min(y1, Math.max(y0, place.y));
    held.at = { x, y };
    const [kind, c, axis] = held.key.split(":");
    if (kind === "mean") this.moveMean(Number(c), x, y);
    else if (kind === "axis") this.moveAxis(Number(c), Number(axis), x, y);
    else this.movePoint({ x, y });
    explorer.refresh();
  }

  /** @param {{x: number, y: number}} place */
  movePoint(place) {
    const { explorer } = this;
    const values = this.pointAt(place);
    if (explorer.lesson.row === null) {
      explorer.lesson = { ...explorer.lesson, point: Array.from(values) };
      return;
    }
    explorer.table.move(explorer.lesson.row, values);
    this.version += 1;
  }

  /** @param {number} c @param {number} x @param {number} y */
  moveMean(c, x, y) {
    const { explorer } = this;
    const known = this.held?.known;
    const { view } = explorer.lesson;
    if (!known || view.kind !== "features") return;
    const means = known.means.map((mean) => [...mean]);
    means[c][view.i] = x;
    means[c][view.j] = y;
    explorer.lesson = { ...explorer.lesson, known: { ...known, means } };
  }

  /** Rotate and stretch the ellipse so that one of its axes ends here: T Σ T', always positive
   * definite. From where it was taken: on the way, the longer axis may become the shorter one.
   * @param {number} c @param {number} axis @param {number} x @param {number} y */
  moveAxis(c, axis, x, y) {
    const { explorer } = this;
    const { view, settings } = explorer.lesson;
    const { known, mean, axes } = this.held ?? { known: null, mean: [], axes: [] };
    if (!known || !axes.length || view.kind !== "features") return;
    const { x0, x1, y0, y1 } = explorer.drawing.box;
    const least = 0.004 * Math.min(x1 - x0, y1 - y0);
    let wanted = [(x - mean[0]) / AXIS_RADIUS, (y - mean[1]) / AXIS_RADIUS];
    const old = axes[axis];
    if (settings.structure !== "full") {
      // Without correlations an axis keeps its direction.
      const along = (wanted[0] * old[0] + wanted[1] * old[1]) / Math.hypot(...old) ** 2;
      wanted = old.map((part) => part * Math.max(Math.abs(along), 1e-3));
    }
    if (Math.hypot(...wanted) < least) return;
    const other = axes[1 - axis];
    const length = Math.hypot(...other) / Math.hypot(...wanted);
    const turned = settings.structure === "full" ? [-wanted[1] * length, wanted[0] * length] : other;
    const T = mapping([old, other], [wanted, turned]);
    const covariances = known.covariances.map((matrix, at) =>
      at === c || settings.pooling === 1 ? transformed(matrix, T, view.i, view.j, settings.structure) : matrix);
    explorer.lesson = { ...explorer.lesson, known: { ...known, covariances } };
  }

  drop() {
    const { held, explorer } = this;
    this.held = null;
    if (!held?.moved) return;
    const { row } = explorer.lesson;
    if (held.key === "point" && row !== null) return explorer.moveRow(row, explorer.table.row(row), held.before);
    if (held.key === "point") return explorer.announceResult("Point chosen");
    explorer.commit({}, held.before);
    explorer.announceResult(held.key.startsWith("mean") ? "Mean moved" : "Ellipse changed");
  }

  cancel() {
    const { held, explorer } = this;
    this.held = null;
    if (!held?.moved) return;
    explorer.lesson = held.before;
    explorer.rebuild();
    explorer.announce("Cancelled.");
  }

  /** @param {KeyboardEvent} event */
  type(event) {
    const key = /** @type {Element} */ (event.target).closest?.("[data-key]")?.getAttribute("data-key");
    if (!key) return;
    const { explorer } = this;
    if (event.key === "Escape") {
      this.cancel();
      event.preventDefault();
    } else if (event.key === "Enter" || event.key === " ") {
      this.drop();
      event.preventDefault();
    } else if ((event.key === "Delete" || event.key === "Backspace") && key === "point") {
      explorer.removeRow();
      event.preventDefault();
    } else if (event.key in ARROWS) {
      event.preventDefault();
      if (!this.held) this.take(key, "keys");
      // From where it was last put: the other axis may have become the longer one since.
      const place = this.held?.at ?? this.wanted().get(key);
      if (!this.held || !place) return;
      const { x0, x1, y0, y1 } = explorer.drawing.box;
      const step = 0.01 * (event.shiftKey ? FINE : 1);
      const [dx, dy] = ARROWS[event.key];
      this.moveTo({ x: place.x + dx * step * (x1 - x0), y: place.y + dy * step * (y1 - y0) });
      explorer.announceResult(this.wanted().get(key)?.name ?? "Moved");
    }
  }

  /** @param {{x: number, y: number}} place */
  add(place) {
    const { explorer } = this;
    if (explorer.lesson.view.kind === "axes") return explorer.announce("Choose two features to add rows.");
    explorer.addRow(Number(explorer.panel.classSelect?.value ?? 0), this.pointAt(place));
  }

  /** All features of a place in the plane: the others as the chosen point has them. @param {{x: number, y: number}} place */
  pointAt(place) {
    const { explorer } = this;
    const point = explorer.point();
    const { view } = explorer.lesson;
    if (view.kind === "axes") return point;
    point[view.i] = place.x;
    if (explorer.table.d > 1) point[view.j] = place.y;
    return point;
  }

  /** The row under the pointer, if there is one. @param {{x: number, y: number}} place */
  nearest(place) {
    const { explorer } = this;
    const { drawing, table } = explorer;
    const { xs, ys } = explorer.projected ?? explorer.project();
    const bounds = drawing.overlay.getBoundingClientRect();
    let least = (NEAR_PIXELS * (bounds.width ? WIDTH / bounds.width : 1)) ** 2;
    let best = null;
    const [x, y] = [drawing.px(place.x), drawing.py(place.y)];
    for (let i = 0; i < table.size; i++) {
      if (table.codes[i] < 0) continue;
      const distance = (drawing.px(xs[i]) - x) ** 2 + (drawing.py(ys[i]) - y) ** 2;
      if (distance < least) {
        least = distance;
        best = i;
      }
    }
    return best;
  }
}

/** The linear map that takes two vectors to two others. @param {number[][]} from @param {number[][]} to */
function mapping([a, b], [c, d]) {
  const determinant = a[0] * b[1] - a[1] * b[0];
  const inverse = [[b[1] / determinant, -b[0] / determinant], [-a[1] / determinant, a[0] / determinant]];
  return [0, 1].map((i) => [0, 1].map((j) => c[i] * inverse[0][j] + d[i] * inverse[1][j]));
}

/** T Σ T' with T acting on two features. @param {number[][]} matrix @param {number[][]} T
 * @param {number} i @param {number} j @param {string} structure */
function transformed(matrix, T, i, j, structure) {
  const out = matrix.map((row) => [...row]);
  if (structure === "spherical") {
    const factor = T[0][0] ** 2 === 1 ? T[1][1] ** 2 : T[0][0] ** 2;
    return out.map((row) => row.map((value) => value * factor));
  }
  for (const row of out) [row[i], row[j]] = [T[0][0] * row[i] + T[0][1] * row[j], T[1][0] * row[i] + T[1][1] * row[j]];
  const [first, second] = [out[i], out[j]];
  out[i] = first.map((value, m) => T[0][0] * value + T[0][1] * second[m]);
  out[j] = first.map((value, m) => T[1][0] * value + T[1][1] * second[m]);
  // Rounding must not leave it unsymmetric.
  out.forEach((row, p) => row.forEach((_, q) => {
    if (q < p) out[p][q] = out[q][p];
  }));
  return out;
}
