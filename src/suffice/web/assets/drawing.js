// @ts-check
/** The picture: regions and points as images, curves, axes and handles as SVG above them. */

import { colour, cssColour, depth, markerPath, stamp } from "./colours.js";
import { h, setAll, shown, svg } from "./dom.js";

/** @typedef {import("./plane.js").Box} Box */

export const WIDTH = 720;
export const HEIGHT = 540;
const MARGIN = { left: 62, right: 14, top: 14, bottom: 52 };
const GRID = { width: 120, height: 90 };
const POINT_RADIUS = 4;
const HALO = 1.2;
const MOST_NAMED = 24;

/** Steps of 1, 2 or 5 times a power of ten. @param {number} low @param {number} high @param {number} [most] */
export function ticks(low, high, most = 6) {
  const raw = (high - low) / most;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= raw) ?? raw;
  const out = [];
  for (let at = Math.ceil(low / step); at * step <= high + 1e-9 * step; at++) out.push(at * step);
  return out;
}

export class Drawing {
  /** @param {HTMLElement} root */
  constructor(root) {
    this.regions = h("canvas", { width: GRID.width, height: GRID.height, class: "regions", "aria-hidden": "true" });
    this.points = h("canvas", { class: "points", "aria-hidden": "true" });
    this.overlay = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "overlay", role: "group", "aria-label": "Plane of the chosen features" });
    this.layers = /** @type {Record<string, any>} */ ({});
    for (const name of ["frame", "contours", "ellipses", "borders", "curves", "means", "handles"]) {
      this.layers[name] = svg("g", { class: name });
      this.overlay.append(this.layers[name]);
    }
    this.stage = h("div", { class: "stage" }, this.regions, this.points, this.overlay);
    this.legend = h("ul", { class: "legend", "aria-label": "Classes" });
    root.append(this.stage, this.legend);
    /** @type {Box} */
    this.box = { x0: 0, x1: 1, y0: 0, y1: 1 };
    /** @type {ImageData | null} */
    this.image = null;
    /** @type {ImageData | null} */
    this.dots = null;
  }

  /** Which marker stands for which class. @param {string[]} labels */
  drawLegend(labels) {
    const marks = labels.slice(0, MOST_NAMED).map((label, c) =>
      h("li", {}, svg("svg", { viewBox: "-1.3 -1.3 2.6 2.6", "aria-hidden": "true" }, svg("path", { d: markerPath(c), fill: cssColour(c) })), ` ${label}`));
    const rest = labels.length - marks.length;
    this.legend.replaceChildren(...marks, ...(rest ? [h("li", {}, `and ${rest} more`)] : []));
  }

  get grid() {
    return GRID;
  }

  /** @param {number} x */
  px(x) {
    const { x0, x1 } = this.box;
    return MARGIN.left + ((x - x0) / (x1 - x0)) * (WIDTH - MARGIN.left - MARGIN.right);
  }

  /** @param {number} y */
  py(y) {
    const { y0, y1 } = this.box;
    return HEIGHT - MARGIN.bottom - ((y - y0) / (y1 - y0)) * (HEIGHT - MARGIN.top - MARGIN.bottom);
  }

  /** Place of a pointer, in the units of the axes. @param {{clientX: number, clientY: number}} event */
  place(event) {
    const bounds = this.overlay.getBoundingClientRect();
    const u = ((event.clientX - bounds.left) / bounds.width) * WIDTH;
    const v = ((event.clientY - bounds.top) / bounds.height) * HEIGHT;
    const { x0, x1, y0, y1 } = this.box;
    return {
      x: x0 + ((u - MARGIN.left) / (WIDTH - MARGIN.left - MARGIN.right)) * (x1 - x0),
      y: y0 + ((HEIGHT - MARGIN.bottom - v) / (HEIGHT - MARGIN.top - MARGIN.bottom)) * (y1 - y0),
      inside: u >= MARGIN.left && u <= WIDTH - MARGIN.right && v >= MARGIN.top && v <= HEIGHT - MARGIN.bottom,
    };
  }

  /** Axes with ticks and names. @param {string} xName @param {string} yName */
  drawFrame(xName, yName) {
    const { x0, x1, y0, y1 } = this.box;
    const [left, right] = [MARGIN.left, WIDTH - MARGIN.right];
    const [top, bottom] = [MARGIN.top, HEIGHT - MARGIN.bottom];
    const parts = [svg("rect", { x: left, y: top, width: right - left, height: bottom - top, class: "box" })];
    for (const x of ticks(x0, x1)) {
      parts.push(svg("line", { x1: this.px(x), x2: this.px(x), y1: bottom, y2: bottom + 5, class: "tick" }));
      parts.push(svg("text", { x: this.px(x), y: bottom + 19, "text-anchor": "middle" }, shown(x)));
    }
    for (const y of ticks(y0, y1)) {
      parts.push(svg("line", { x1: left - 5, x2: left, y1: this.py(y), y2: this.py(y), class: "tick" }));
      parts.push(svg("text", { x: left - 8, y: this.py(y) + 4, "text-anchor": "end" }, shown(y)));
    }
    parts.push(svg("text", { x: (left + right) / 2, y: HEIGHT - 10, "text-anchor": "middle", class: "name" }, xName));
    const middle = (top + bottom) / 2;
    parts.push(svg("text", { x: 14, y: middle, "text-anchor": "middle", class: "name", transform: `rotate(-90 14 ${middle})` }, yName));
    this.layers.frame.replaceChildren(...parts);
  }

  /** @param {{labels: Int16Array, certainty: Float32Array, width: number, height: number} | null} found
   * @param {number} k @param {number[]} ground colour of the background */
  drawRegions(found, k, ground) {
    const context = this.regions.getContext("2d");
    if (!found) {
      context.clearRect(0, 0, GRID.width, GRID.height);
      return;
    }
    this.image ??= /** @type {ImageData} */ (context.createImageData(GRID.width, GRID.height));
    const { data } = this.image;
    const colours = Array.from({ length: k }, (_, c) => colour(c));
    for (let at = 0; at < found.labels.length; at++) {
      const c = found.labels[at];
      const share = c < 0 ? 0 : depth(found.certainty[at], k);
      for (let m = 0; m < 3; m++) data[4 * at + m] = ground[m] * (1 - share) + (c < 0 ? 0 : colours[c][m]) * share;
      data[4 * at + 3] = 255;
    }
    context.putImageData(this.image, 0, 0);
  }

  /** Stamp rows into one image. @param {ArrayLike<number>} xs @param {ArrayLike<number>} ys
   * @param {Int32Array} codes negative for rows that are not drawn @param {number[]} ground
   * @param {number} [scale] pixels per unit */
  drawPoints(xs, ys, codes, ground, scale = Math.min(2, globalThis.devicePixelRatio || 1)) {
    const [width, height] = [Math.round(WIDTH * scale), Math.round(HEIGHT * scale)];
    if (this.points.width !== width || !this.dots) {
      this.points.width = width;
      this.points.height = height;
      this.dots = this.points.getContext("2d").createImageData(width, height);
    }
    const pixels = new Uint32Array(/** @type {ImageData} */ (this.dots).data.buffer).fill(0);
    // On a phone the picture is small, and its markers must not be.
    const enlarged = Math.max(1, Math.min(1.6, (0.8 * WIDTH) / (this.stage.clientWidth || WIDTH)));
    const radius = POINT_RADIUS * scale * enlarged * (codes.length > 2000 ? 0.7 : 1);
    const [x0, y0] = [this.px(0), this.py(0)];
    const [dx, dy] = [this.px(1) - x0, this.py(1) - y0];
    const marks = /** @type {{at: Int32Array, ink: Uint32Array}[]} */ ([]);
    const context = this.points.getContext("2d");
    const edge = { left: MARGIN.left * scale, right: (WIDTH - MARGIN.right) * scale, top: MARGIN.top * scale, bottom: (HEIGHT - MARGIN.bottom) * scale };
    for (let i = 0; i < codes.length; i++) {
      const c = codes[i];
      if (c < 0) continue;
      const x = Math.round((x0 + xs[i] * dx) * scale);
      const y = Math.round((y0 + ys[i] * dy) * scale);
      if (!(x >= edge.left && x <= edge.right && y >= edge.top && y <= edge.bottom)) continue;
      const mark = (marks[c] ??= inkOf(stamp(c, radius, HALO * scale, context), colour(c), ground, width));
      // The margins are wider than a marker, so that no pixel lies outside.
      const at = y * width + x;
      for (let m = 0; m < mark.at.length; m++) pixels[at + mark.at[m]] = mark.ink[m];
    }
    context.putImageData(this.dots, 0, 0);
  }

  /** Short segments as one path. @param {string} layer @param {{segments: number[], properties: Record<string, any>}[]} curves */
  drawSegments(layer, curves) {
    this.reuse(layer, "path", curves.map(({ segments, properties }) => {
      let d = "";
      for (let at = 0; at < segments.length; at += 4)
        d += `M${fixed(this.px(segments[at]))} ${fixed(this.py(segments[at + 1]))}L${fixed(this.px(segments[at + 2]))} ${fixed(this.py(segments[at + 3]))}`;
      return { d, ...properties };
    }));
  }

  /** Points joined by lines. @param {string} layer @param {{points: number[][], properties: Record<string, any>}[]} curves */
  drawLines(layer, curves) {
    this.reuse(layer, "path", curves.map(({ points, properties }) => ({
      d: points.map(([x, y], at) => `${at ? "L" : "M"}${fixed(this.px(x))} ${fixed(this.py(y))}`).join(""),
      ...properties,
    })));
  }

  /** Set the properties of the elements of a layer, made once and kept. @param {string} layer
   * @param {string} tag @param {Record<string, any>[]} wanted */
  reuse(layer, tag, wanted) {
    const group = this.layers[layer];
    while (group.childElementCount > wanted.length) group.lastElementChild.remove();
    while (group.childElementCount < wanted.length) group.append(svg(tag));
    wanted.forEach((properties, at) => setAll(group.children[at], properties));
  }
}

/** @param {number} value */
function fixed(value) {
  return Math.max(-1e4, Math.min(1e4, value)).toFixed(1);
}

/** A marker as pixels relative to its centre, with the colours they get.
 * @param {import("./colours.js").Stamp} found @param {number[]} rgb @param {number[]} ground
 * @param {number} width of the image */
function inkOf(found, rgb, ground, width) {
  const words = found.map(({ ink, halo }) => {
    const share = ink / (ink + halo);
    const mixed = rgb.map((part, m) => part * share + ground[m] * (1 - share));
    // As bytes in the order of memory, whatever the order of the machine.
    return new Uint32Array(Uint8Array.of(...mixed, 255 * Math.min(1, ink + halo)).buffer)[0];
  });
  return { at: Int32Array.from(found, ({ dx, dy }) => dx + dy * width), ink: Uint32Array.from(words) };
}

/** A closed ellipse as points. @param {number[]} mean @param {number[][]} axes half axes @param {number} radius */
export function ellipsePoints(mean, axes, radius) {
  return Array.from({ length: 73 }, (_, m) => {
    const angle = (m / 72) * 2 * Math.PI;
    const [c, s] = [radius * Math.cos(angle), radius * Math.sin(angle)];
    return [mean[0] + c * axes[0][0] + s * axes[1][0], mean[1] + c * axes[0][1] + s * axes[1][1]];
  });
}

/** The SVG of the whole picture, in which regions are an image and points are shapes.
 * @param {Drawing} drawing @param {{xs: ArrayLike<number>, ys: ArrayLike<number>, codes: Int32Array}} rows
 * @param {string} ground */
export function pictureSvg(drawing, rows, ground) {
  const copy = drawing.overlay.cloneNode(true);
  const originals = drawing.overlay.querySelectorAll("*");
  copy.querySelectorAll("*").forEach((/** @type {Element} */ element, /** @type {number} */ at) => {
    const style = getComputedStyle(originals[at]);
    for (const name of ["fill", "stroke", "stroke-width", "stroke-dasharray", "font-size", "font-family", "fill-opacity", "stroke-opacity"])
      element.setAttribute(name, style.getPropertyValue(name));
    element.removeAttribute("class");
    element.removeAttribute("tabindex");
  });
  copy.querySelector(":scope > :last-child")?.remove();
  const [left, top] = [MARGIN.left, MARGIN.top];
  const image = svg("image", {
    href: drawing.regions.toDataURL(), x: left, y: top, preserveAspectRatio: "none",
    width: WIDTH - left - MARGIN.right, height: HEIGHT - top - MARGIN.bottom,
  });
  const dots = svg("g", { stroke: ground, "stroke-width": 0.5, "paint-order": "stroke" });
  for (let i = 0; i < rows.codes.length && i < 5000; i++) {
    if (rows.codes[i] < 0) continue;
    dots.append(svg("path", {
      d: markerPath(rows.codes[i]), fill: cssColour(rows.codes[i]),
      transform: `translate(${fixed(drawing.px(rows.xs[i]))} ${fixed(drawing.py(rows.ys[i]))}) scale(${POINT_RADIUS})`,
    }));
  }
  copy.prepend(svg("rect", { width: WIDTH, height: HEIGHT, fill: ground }), image, dots);
  setAll(copy, { width: WIDTH, height: HEIGHT, class: null });
  return new XMLSerializer().serializeToString(copy);
}
