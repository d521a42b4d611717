// @ts-check
/** Hands: what is taken hold of by a pointer, a finger or keys, and moved in the plane. */

import { cssColour } from "./colours.js";
import { setAll, shown, svg } from "./dom.js";
import { halfAxes, planeGaussian } from "./plane.js";

/** What is held, and the lesson and the ellipse as they were when it was taken.
 * @typedef {{kind: string, c: number, axis: number, key: string, before: Lesson, moved: boolean, by: string, onHandle: boolean,
 *   known: Known | null, mean: number[], axes: number[][], at: Place | null}} Held */
/** @typedef {{x: number, y: number}} Place */
/** @typedef {Place & {name: string, shape: string, colour: string}} Handle */

const MOST_MEANS = 12;
const NEAR_PIXELS = 12;
const AXIS_RADIUS = 2;
const STEP = 0.01;
const FINE_STEP = 0.001;
const ARROWS = /** @type {Record<string, number[]>} */ ({ ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] });
const SIGNS = /** @type {Record<string, string>} */ ({
  mean: "M-8-2H-2V-8H2V-2H8V2H2V8H-2V2H-8Z",
  axis: "M-5-5H5V5H-5Z",
  point: "M8 0A8 8 0 1 1-8 0A8 8 0 1 1 8 0Z",
});

export class Hands {
  tool = "move";
  /** Counts changes of rows in place, which the table itself does not show. */
  version = 0;
  held = /** @type {Held | null} */ (null);
  /** The handle that was clicked, and goes to where the next click is. */
  armed = "";
  handles = /** @type {Map<string, any>} */ (new Map());

  /** @param {Explorer} explorer */
  constructor(explorer) {
    this.explorer = explorer;
    const { overlay } = explorer.drawing;
    // A finger on a handle must not scroll the page; touch-action has no effect on shapes within an SVG.
    overlay.addEventListener("touchstart", (/** @type {TouchEvent} */ event) => handleOf(event) && event.preventDefault(), { passive: false });
    overlay.addEventListener("pointerdown", (/** @type {PointerEvent} */ event) => this.press(event));
    overlay.addEventListener("pointermove", (/** @type {PointerEvent} */ event) => this.drag(event));
    overlay.addEventListener("pointerup", () => this.drop());
    overlay.addEventListener("pointercancel", () => this.cancel());
    overlay.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => this.type(event));
    overlay.addEventListener("focusout", () => this.held?.by === "keys" && this.drop());
  }

  /** Handles that can be moved now, by their keys. */
  wanted() {
    const { explorer } = this;
    const { model, lesson, table } = explorer;
    const { labels } = table.dataset;
    const out = /** @type {Map<string, Handle>} */ (new Map());
    const active = this.activeClass();
    if (model && lesson.view.kind === "features" && !explorer.isLine && !model.covariances.includes(null))
      for (let c = 0; c < model.k; c++) {
        const found = model.k <= MOST_MEANS || c === active ? planeGaussian(model, c, lesson.view, null) : null;
        if (!found) continue;
        const [x, y] = found.mean;
        const colour = cssColour(c);
        out.set(`mean:${c}`, { x, y, name: `Mean of ${labels[c]}`, shape: "mean", colour });
        if (c === active)
          halfAxes(found.matrix).forEach(([u, v], m) =>
            out.set(`axis:${c}:${m}`, { x: x + AXIS_RADIUS * u, y: y + AXIS_RADIUS * v, name: `${m ? "Short" : "Long"} axis of the ellipse of ${labels[c]}`, shape: "axis", colour }));
      }
    const [x, y] = explorer.placeOf(explorer.point());
    const own = explorer.ownClass;
    const name = own < 0 ? "Chosen point" : `Row ${lesson.row} of class ${labels[own]}`;
    return out.set("point", { x, y, name, shape: "point", colour: own < 0 ? "currentColor" : cssColour(own) });
  }

  /** The class whose ellipse has handles: that of the chosen row, or the most probable one. */
  activeClass() {
    const { model, ownClass } = this.explorer;
    if (ownClass >= 0 || !model) return ownClass;
    const joint = model.joint(this.explorer.point());
    return joint.indexOf(Math.max(...joint));
  }

  /** A handle in words. @param {Handle} handle */
  words({ name, x, y }) {
    const [across, up] = this.explorer.axisNames;
    return `${name}, ${across} ${shown(x)}${this.explorer.isLine ? "" : `, ${up} ${shown(y)}`}`;
  }

  update() {
    const { drawing } = this.explorer;
    const { x0, x1, y0, y1 } = drawing.box;
    const { unit } = drawing;
    const wanted = this.wanted();
    for (const [key, element] of this.handles)
      if (!wanted.has(key)) {
        element.remove();
        this.handles.delete(key);
      }
    for (const [key, handle] of wanted) {
      const { x, y, shape, colour } = handle;
      const element = this.handles.get(key) ??
        svg("g", { tabindex: "0", role: "button", "data-key": key }, svg("circle", { class: "reach", r: 12 }), svg("path", { class: "sign", d: SIGNS[shape] }));
      if (!element.parentNode) drawing.layers.handles.append(element);
      this.handles.set(key, element);
      // What lies outside stays within reach, at the edge.
      const [px, py] = [drawing.px(clamp(x, x0, x1)), drawing.py(clamp(y, y0, y1))];
      setAll(element, { class: `handle ${shape}${key === this.armed ? " armed" : ""}`, transform: `translate(${px.toFixed(1)} ${py.toFixed(1)}) scale(${unit.toFixed(3)})`, "aria-label": `${this.words(handle)}. Arrow keys move it.` });
      setAll(element.lastChild, shape === "mean" ? { fill: colour } : { stroke: colour });
    }
  }

  /** @param {PointerEvent} event */
  press(event) {
    const { explorer, tool } = this;
    if (event.button || this.held?.by === "pointer") return;
    const handle = handleOf(event);
    const place = explorer.drawing.place(event);
    if (tool === "move" && handle) this.take(handle, "pointer", true);
    else if (!place.inside) return;
    else if (tool === "move" && this.armed) {
      this.take(this.armed, "pointer");
      this.moveTo(place);
      return this.drop();
    }
    else if (tool === "add") return this.add(place);
    else {
      const row = this.nearest(place);
      if (tool === "erase") return explorer.removeRow(row);
      explorer.choose(row, row === null ? this.pointAt(place) : undefined);
      // A finger that starts beside a handle scrolls the page.
      if (event.pointerType === "touch") return;
      this.take("point", "pointer");
    }
    explorer.drawing.overlay.setPointerCapture(event.pointerId);
    event.preventDefault();
    this.handles.get(this.held?.key ?? "")?.focus({ preventScroll: true });
  }

  /** @param {string} key @param {string} by @param {boolean} [onHandle] whether its handle was pressed */
  take(key, by, onHandle = false) {
    const { explorer } = this;
    const { model, lesson } = explorer;
    const [kind, c, axis] = key.split(":");
    if (lesson.view.kind === "axes" && lesson.row !== null)
      return explorer.announce("Rows cannot be moved along discriminant axes; choose two features.");
    const found = kind === "axis" && model ? planeGaussian(model, Number(c), lesson.view, null) : null;
    this.held = {
      key, kind, c: Number(c), axis: Number(axis), by, onHandle, before: lesson, moved: false, at: null,
      known: kind === "point" ? null : explorer.knownNow(), mean: found?.mean ?? [], axes: found ? halfAxes(found.matrix) : [],
    };
  }

  /** @param {PointerEvent} event */
  drag(event) {
    if (this.held?.by === "pointer") this.moveTo(this.explorer.drawing.place(event));
  }

  /** @param {Place} place */
  moveTo(place) {
    const { explorer, held } = this;
    if (!held) return;
    const { x0, x1, y0, y1 } = explorer.drawing.box;
    held.moved = true;
    held.at = { x: clamp(place.x, x0, x1), y: clamp(place.y, y0, y1) };
    if (held.kind === "point") this.movePoint(held.at);
    else this.setKnown(held.kind === "mean" ? this.movedMean(held, held.at) : this.movedAxis(held, held.at));
    explorer.refresh();
  }

  /** @param {Partial<Known> | null} change */
  setKnown(change) {
    const { explorer, held } = this;
    if (held?.known && change) explorer.lesson = { ...explorer.lesson, known: { ...(explorer.lesson.known ?? held.known), ...change } };
  }

  /** @param {Place} place */
  movePoint(place) {
    const { explorer } = this;
    const { lesson } = explorer;
    const values = this.pointAt(place);
    if (lesson.row === null) explorer.lesson = { ...lesson, point: Array.from(values) };
    else {
      explorer.table.move(lesson.row, values);
      this.version += 1;
    }
  }

  /** @param {Held} held @param {Place} place @returns {Partial<Known> | null} */
  movedMean({ known, c }, { x, y }) {
    const { view } = this.explorer.lesson;
    if (!known || view.kind !== "features") return null;
    const means = known.means.map((mean) => [...mean]);
    [means[c][view.i], means[c][view.j]] = [x, y];
    return { means };
  }

  /** Rotate and stretch the ellipse so that one of its axes ends here: T Σ T', always positive
   * definite. From where it was taken: on the way, the longer axis may become the shorter one.
   * @param {Held} held @param {Place} place @returns {Partial<Known> | null} */
  movedAxis({ known, c, axis, mean, axes }, { x, y }) {
    const { explorer } = this;
    const { view, settings } = explorer.lesson;
    if (!known || !axes.length || view.kind !== "features") return null;
    const isFull = settings.structure === "full";
    const { x0, x1, y0, y1 } = explorer.drawing.box;
    const [old, other] = [axes[axis], axes[1 - axis]];
    let wanted = [(x - mean[0]) / AXIS_RADIUS, (y - mean[1]) / AXIS_RADIUS];
    if (!isFull) {
      // Without correlations an axis keeps its direction.
      const along = (wanted[0] * old[0] + wanted[1] * old[1]) / Math.hypot(...old) ** 2;
      wanted = old.map((part) => part * Math.max(Math.abs(along), 1e-3));
    }
    if (Math.hypot(...wanted) < 0.004 * Math.min(x1 - x0, y1 - y0)) return null;
    const ratio = Math.hypot(...other) / Math.hypot(...wanted);
    const T = mapping([old, other], [wanted, isFull ? [-wanted[1] * ratio, wanted[0] * ratio] : other]);
    return {
      covariances: known.covariances.map((matrix, at) =>
        at === c || settings.pooling === 1 ? transformed(matrix, T, view.i, view.j, settings.structure) : matrix),
    };
  }

  drop() {
    const { held, explorer, armed } = this;
    this.held = null;
    this.armed = held?.onHandle && !held.moved && held.key !== armed ? held.key : "";
    if (this.armed !== armed) this.update();
    if (this.armed) explorer.announce("Click where it should go, or press Escape.");
    if (!held?.moved) return;
    const { row } = explorer.lesson;
    if (held.kind === "point" && row !== null) return explorer.moveRow(row, explorer.table.row(row), held.before);
    if (held.kind === "point") return explorer.announceResult("Point chosen");
    explorer.commit({}, held.before);
    explorer.announceResult(held.kind === "mean" ? "Mean moved" : "Ellipse changed");
  }

  /** Of what belongs to a lesson that is no longer shown. */
  letGo() {
    this.held = null;
    this.armed = "";
  }

  cancel() {
    const { held, explorer } = this;
    this.letGo();
    this.update();
    if (!held?.moved) return;
    explorer.lesson = held.before;
    explorer.rebuild();
    explorer.announce("Cancelled.");
  }

  /** @param {KeyboardEvent} event */
  type(event) {
    const key = handleOf(event);
    const arrow = ARROWS[event.key];
    if (!key) return;
    if (event.key === "Escape") this.cancel();
    else if (event.key === "Enter" || event.key === " ") this.drop();
    else if (key === "point" && (event.key === "Delete" || event.key === "Backspace")) this.explorer.removeRow();
    else if (arrow) this.nudge(key, arrow, event.shiftKey ? FINE_STEP : STEP);
    else return;
    event.preventDefault();
  }

  /** @param {string} key @param {number[]} arrow @param {number} step share of the width of the plane */
  nudge(key, [dx, dy], step) {
    if (!this.held) this.take(key, "keys");
    // From where it was last put: the other axis may have become the longer one since.
    const place = this.held?.at ?? this.wanted().get(key);
    if (!this.held || !place) return;
    const { x0, x1, y0, y1 } = this.explorer.drawing.box;
    this.moveTo({ x: place.x + dx * step * (x1 - x0), y: place.y + dy * step * (y1 - y0) });
    const handle = this.wanted().get(key);
    if (handle) this.explorer.announceResult(this.words(handle));
  }

  /** @param {Place} place */
  add(place) {
    const { explorer } = this;
    if (explorer.lesson.view.kind === "axes") return explorer.announce("Choose two features to add rows.");
    explorer.addRow(explorer.panel.chosenClass, this.pointAt(place));
  }

  /** All features of a place in the plane: the others as the chosen point has them. @param {Place} place */
  pointAt({ x, y }) {
    const { explorer } = this;
    const point = explorer.point();
    const { view } = explorer.lesson;
    if (view.kind === "axes") return point;
    if (!explorer.isLine) point[view.j] = y;
    point[view.i] = x;
    return point;
  }

  /** The row under the pointer, if there is one. @param {Place} place */
  nearest(place) {
    const { drawing, table, projected } = this.explorer;
    let least = (NEAR_PIXELS * drawing.unit) ** 2;
    let best = null;
    const [x, y] = [drawing.px(place.x), drawing.py(place.y)];
    for (let i = 0; i < table.size; i++) {
      if (table.codes[i] < 0) continue;
      const distance = (drawing.px(projected.xs[i]) - x) ** 2 + (drawing.py(projected.ys[i]) - y) ** 2;
      if (distance < least) [least, best] = [distance, i];
    }
    return best;
  }
}

/** The key of the handle that an event is on. @param {Event} event */
function handleOf(event) {
  return /** @type {Element} */ (event.target).closest("[data-key]")?.getAttribute("data-key");
}

/** @param {number} value @param {number} low @param {number} high */
function clamp(value, low, high) {
  return Math.min(high, Math.max(low, value));
}

/** The linear map that takes two vectors to two others. @param {number[][]} from @param {number[][]} to */
function mapping([a, b], [c, d]) {
  const determinant = a[0] * b[1] - a[1] * b[0];
  return [0, 1].map((i) => [(c[i] * b[1] - d[i] * a[1]) / determinant, (d[i] * a[0] - c[i] * b[0]) / determinant]);
}

/** T Σ T' with T acting on two features. @param {number[][]} matrix @param {number[][]} T
 * @param {number} i @param {number} j @param {string} structure */
function transformed(matrix, [[a, b], [c, d]], i, j, structure) {
  if (structure === "spherical") {
    const factor = (Math.abs(a - 1) > Math.abs(d - 1) ? a : d) ** 2;
    return matrix.map((row) => row.map((value) => value * factor));
  }
  // Directions of the axes are rounded.
  if (structure === "diagonal") b = c = 0;
  const out = matrix.map((row) => [...row]);
  for (const row of out) [row[i], row[j]] = [a * row[i] + b * row[j], c * row[i] + d * row[j]];
  const [first, second] = [out[i], out[j]];
  out[i] = first.map((value, m) => a * value + b * second[m]);
  out[j] = first.map((value, m) => c * value + d * second[m]);
  // Rounding must not leave it unsymmetric.
  return out.map((row, p) => row.map((value, q) => (q > p ? out[q][p] : value)));
}
