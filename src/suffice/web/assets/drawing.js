// @ts-check
/** The picture: regions and points as images, curves, axes and handles as SVG above them. */

import { colour, cssColour, depth, markerPath, stamp } from "./colours.js";
import { fill, h, setAll, shown, svg } from "./dom.js";

export const WIDTH = 720;
export const HEIGHT = 540;
// The margins, and what lies between them.
const LEFT = 62, RIGHT = WIDTH - 14, TOP = 14, BOTTOM = HEIGHT - 52;
const INSIDE = { x: LEFT, y: TOP, width: RIGHT - LEFT, height: BOTTOM - TOP };
const GRID = { width: 120, height: 90 };
const POINT_RADIUS = 4;
const HALO = 1.2;
const MOST_NAMED = 24;
const MOST_SHAPES = 5000;
// Letters of the name of an axis.
const LONGEST = 50;

/** Steps of 1, 2 or 5 times a power of ten. @param {number} low @param {number} high */
function ticks(low, high) {
  const raw = (high - low) / 6;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = ([1, 2, 5].find((m) => m * power >= raw) ?? 10) * power;
  const first = Math.ceil(low / step);
  return Array.from({ length: Math.floor(high / step + 1e-9) - first + 1 }, (_, m) => (first + m) * step);
}

export class Drawing {
  grid = GRID;
  box = /** @type {Box} */ ({ x0: 0, x1: 1, y0: 0, y1: 1 });
  layers = /** @type {Record<string, any>} */ ({});
  dots = /** @type {ImageData | null} */ (null);

  /** @param {HTMLElement} root @param {string} id unlike that of other pictures here */
  constructor(root, id) {
    this.regions = h("canvas", { ...GRID, class: "regions", "aria-hidden": "true" });
    this.image = this.regions.getContext("2d").createImageData(GRID.width, GRID.height);
    this.points = h("canvas", { class: "points", "aria-hidden": "true" });
    this.overlay = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "overlay", role: "group", "aria-label": "Plane of the chosen features" },
      svg("clipPath", { id: `${id}-inside` }, svg("rect", INSIDE)));
    for (const name of ["frame", "contours", "ellipses", "borders", "curves", "handles"]) {
      const isCurve = name !== "frame" && name !== "handles";
      this.layers[name] = svg("g", { class: name, "clip-path": isCurve && `url(#${id}-inside)` });
      this.overlay.append(this.layers[name]);
    }
    this.stage = h("div", { class: "stage" }, this.regions, this.points, this.overlay);
    this.legend = h("ul", { class: "legend", "aria-label": "Classes" });
    root.append(this.stage, this.legend);
  }

  /** Which marker stands for which class. @param {string[]} labels */
  drawLegend(labels) {
    const marks = labels.slice(0, MOST_NAMED).map((label, c) =>
      h("li", {}, svg("svg", { viewBox: "-1.3 -1.3 2.6 2.6", "aria-hidden": "true" }, svg("path", { d: markerPath(c), fill: cssColour(c) })), ` ${label}`));
    const rest = labels.length - marks.length;
    this.legend.replaceChildren(...marks, ...(rest ? [h("li", {}, `and ${rest} more`)] : []));
  }

  /** @param {number} x */
  px(x) {
    return LEFT + ((x - this.box.x0) / (this.box.x1 - this.box.x0)) * INSIDE.width;
  }

  /** @param {number} y */
  py(y) {
    return BOTTOM - ((y - this.box.y0) / (this.box.y1 - this.box.y0)) * INSIDE.height;
  }

  /** Units of the picture per pixel of the screen. */
  get unit() {
    return WIDTH / (this.overlay.getBoundingClientRect().width || WIDTH);
  }

  /** Place of a pointer, in the units of the axes. @param {{clientX: number, clientY: number}} event */
  place(event) {
    const bounds = this.overlay.getBoundingClientRect();
    const { x0, x1, y0, y1 } = this.box;
    const right = ((event.clientX - bounds.left) * this.unit - LEFT) / INSIDE.width;
    const up = (BOTTOM - (event.clientY - bounds.top) * this.unit) / INSIDE.height;
    return { x: x0 + right * (x1 - x0), y: y0 + up * (y1 - y0), inside: right >= 0 && right <= 1 && up >= 0 && up <= 1 };
  }

  /** Axes with ticks and names. @param {string} xName @param {string} yName */
  drawFrame(xName, yName) {
    const { x0, x1, y0, y1 } = this.box;
    const [centre, middle] = [(LEFT + RIGHT) / 2, (TOP + BOTTOM) / 2];
    /** @param {string} words @param {Properties} properties */
    const text = (words, properties) => svg("text", { "text-anchor": "middle", ...properties }, words.length > LONGEST ? `${words.slice(0, LONGEST)}…` : words);
    this.layers.frame.replaceChildren(
      svg("rect", { ...INSIDE, class: "box" }),
      ...ticks(x0, x1).map((x) => [this.px(x), shown(x)]).flatMap(([x, words]) => [
        svg("line", { x1: x, x2: x, y1: BOTTOM, y2: BOTTOM + 5, class: "tick" }), text(String(words), { x, y: BOTTOM + 19 })]),
      ...ticks(y0, y1).map((y) => [this.py(y), shown(y)]).flatMap(([y, words]) => [
        svg("line", { x1: LEFT - 5, x2: LEFT, y1: y, y2: y, class: "tick" }), text(String(words), { x: LEFT - 8, y: Number(y) + 4, "text-anchor": "end" })]),
      text(xName, { x: centre, y: HEIGHT - 10, class: "name" }),
      text(yName, { x: 14, y: middle, class: "name", transform: `rotate(-90 14 ${middle})` }),
    );
  }

  /** @param {{labels: Int16Array, certainty: Float32Array} | null} found
   * @param {number} k classes with rows @param {number[]} ground colour of the background */
  drawRegions(found, k, ground) {
    const { data } = this.image;
    data.fill(0);
    const colours = /** @type {number[][]} */ ([]);
    found?.labels.forEach((c, at) => {
      const share = c < 0 ? 0 : depth(found.certainty[at], k);
      const own = c < 0 ? ground : (colours[c] ??= colour(c));
      for (let m = 0; m < 3; m++) data[4 * at + m] = ground[m] * (1 - share) + own[m] * share;
      data[4 * at + 3] = 255;
    });
    this.regions.getContext("2d").putImageData(this.image, 0, 0);
  }

  /** Stamp rows into one image. @param {ArrayLike<number>} xs @param {ArrayLike<number>} ys
   * @param {Int32Array} codes negative for rows that are not drawn @param {number[]} ground */
  drawPoints(xs, ys, codes, ground) {
    const scale = Math.min(2, globalThis.devicePixelRatio || 1);
    const [width, height] = [Math.round(WIDTH * scale), Math.round(HEIGHT * scale)];
    const context = this.points.getContext("2d");
    if (this.points.width !== width || !this.dots) {
      setAll(this.points, { width, height });
      this.dots = /** @type {ImageData} */ (context.createImageData(width, height));
    }
    const pixels = new Uint32Array(this.dots.data.buffer).fill(0);
    // On a phone the picture is small, and its markers must not be.
    const enlarged = Math.max(1, Math.min(1.6, (0.8 * WIDTH) / (this.stage.clientWidth || WIDTH)));
    const radius = POINT_RADIUS * scale * enlarged * (codes.length > 2000 ? 0.7 : 1);
    const [x0, y0] = [this.px(0), this.py(0)];
    const [dx, dy] = [this.px(1) - x0, this.py(1) - y0];
    const marks = /** @type {{at: Int32Array, ink: Uint32Array}[]} */ ([]);
    for (let i = 0; i < codes.length; i++) {
      const c = codes[i];
      if (c < 0) continue;
      const x = x0 + xs[i] * dx;
      const y = y0 + ys[i] * dy;
      if (!(x >= LEFT && x <= RIGHT && y >= TOP && y <= BOTTOM)) continue;
      const mark = (marks[c] ??= inkOf(stamp(c, radius, HALO * scale, context), colour(c), ground, width));
      // The margins are wider than a marker, so that no pixel lies outside.
      const at = Math.round(y * scale) * width + Math.round(x * scale);
      for (let m = 0; m < mark.at.length; m++) pixels[at + mark.at[m]] = mark.ink[m];
    }
    context.putImageData(this.dots, 0, 0);
  }

  /** Paths of short segments (x, y, x, y, ...). @param {string} layer @param {({points: number[]} & Properties)[]} curves */
  drawSegments(layer, curves) {
    this.reuse(layer, curves.map(({ points, ...look }) => {
      let d = "";
      for (let at = 0; at < points.length; at += 2) d += `${at % 4 ? "L" : "M"}${this.at(points[at], points[at + 1])}`;
      return { d, ...look };
    }));
  }

  /** Points joined by lines. @param {string} layer @param {({points: number[][]} & Properties)[]} curves */
  drawLines(layer, curves) {
    this.reuse(layer, curves.map(({ points, ...look }) => ({ d: `M${points.map(([x, y]) => this.at(x, y)).join("L")}`, ...look })));
  }

  /** @param {number} x @param {number} y */
  at(x, y) {
    return `${fixed(this.px(x))} ${fixed(this.py(y))}`;
  }

  /** Set the properties of the paths of a layer, made once and kept. @param {string} layer @param {Properties[]} wanted */
  reuse(layer, wanted) {
    const group = this.layers[layer];
    fill(group, wanted.length, () => svg("path"));
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

/** The SVG of the whole picture, in which regions are an image and points are shapes.
 * @param {Drawing} drawing @param {{xs: ArrayLike<number>, ys: ArrayLike<number>}} rows
 * @param {Int32Array} codes @param {string} ground */
export function pictureSvg(drawing, { xs, ys }, codes, ground) {
  const copy = drawing.overlay.cloneNode(true);
  const originals = drawing.overlay.querySelectorAll("*");
  copy.querySelectorAll("*").forEach((/** @type {Element} */ element, /** @type {number} */ at) => {
    const style = getComputedStyle(originals[at]);
    for (const name of ["fill", "stroke", "stroke-width", "stroke-dasharray", "font-size", "font-family", "fill-opacity", "stroke-opacity"])
      element.setAttribute(name, style.getPropertyValue(name));
    element.removeAttribute("class");
  });
  copy.lastElementChild.remove(); // the handles
  const dots = svg("g", { stroke: ground, "stroke-width": 0.5, "paint-order": "stroke" });
  for (let i = 0; i < Math.min(codes.length, MOST_SHAPES); i++)
    if (codes[i] >= 0)
      dots.append(svg("path", { d: markerPath(codes[i]), fill: cssColour(codes[i]), transform: `translate(${drawing.at(xs[i], ys[i])}) scale(${POINT_RADIUS})` }));
  copy.prepend(
    svg("rect", { width: WIDTH, height: HEIGHT, fill: ground }),
    svg("image", { ...INSIDE, href: drawing.regions.toDataURL(), preserveAspectRatio: "none" }),
    dots,
  );
  setAll(copy, { width: WIDTH, height: HEIGHT, class: null });
  return new XMLSerializer().serializeToString(copy);
}
