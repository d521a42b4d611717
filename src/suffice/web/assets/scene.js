// @ts-check
/** The scene: what the model looks like in the plane. */

import { cssColour } from "./colours.js";
import { ellipsePoints } from "./drawing.js";
import { borderSegments, halfAxes, lineSixes, neighbours, planeGaussian, planeRegions, planeSixes, zeroCurve } from "./plane.js";

/** @typedef {import("./explorer.js").Explorer} Explorer */

const MOST_EXACT_CLASSES = 40;
const MOST_BORDERS = 1000;

/** The range of the axes: the rows, and the ellipses of classes. @param {Explorer} explorer */
export function chooseBox(explorer) {
  const { xs, ys } = explorer.project();
  const reach = { x: /** @type {number[]} */ ([]), y: /** @type {number[]} */ ([]) };
  for (let i = 0; i < xs.length; i++)
    if (explorer.table.codes[i] >= 0) {
      reach.x.push(xs[i]);
      reach.y.push(ys[i]);
    }
  if (explorer.model && (reach.x.length < 2 || explorer.lesson.known))
    for (let c = 0; c < explorer.table.k; c++) {
      const found = explorer.table.d > 1 ? planeGaussian(explorer.model, c, explorer.lesson.view, explorer.axes) : null;
      const [mean, matrix] = found ? [found.mean, found.matrix] : [[explorer.model.means[c], 0], [explorer.model.covariances[c]?.entry(0, 0) ?? 1, 0, 0]];
      reach.x.push(mean[0] - 3 * Math.sqrt(matrix[0]), mean[0] + 3 * Math.sqrt(matrix[0]));
      reach.y.push(mean[1] - 3 * Math.sqrt(matrix[2]), mean[1] + 3 * Math.sqrt(matrix[2]));
    }
  const [x0, x1] = range(reach.x);
  const [y0, y1] = explorer.table.d > 1 ? range(reach.y) : [0, 1];
  explorer.drawing.box = { x0, x1, y0, y1 };
}

/** Regions, borders, and the densities of the classes. @param {Explorer} explorer */
export function drawModel(explorer) {
  const { drawing, model, lesson, table } = explorer;
  explorer.ground ??= rgb(getComputedStyle(explorer.root).getPropertyValue("--ground"));
  const { ground } = explorer;
  if (!model) {
    drawing.drawRegions(null, table.k, ground);
    for (const layer of ["borders", "ellipses", "contours", "curves"]) drawing.reuse(layer, "path", []);
    return;
  }
  const { x0, x1, y0, y1 } = drawing.box;
  const origin = [(x0 + x1) / 2, (y0 + y1) / 2];
  const sixes = table.d > 1 ? planeSixes(model, lesson.view, explorer.axes, explorer.point(), origin) : lineSixes(model, origin);
  const found = planeRegions(sixes, drawing.box, origin, drawing.grid.width, drawing.grid.height);
  drawing.drawRegions(found, model.covariances.filter((one) => one).length, ground);
  const pairs = neighbours(found).slice(0, MOST_BORDERS);
  drawing.drawSegments("borders", pairs.map((pair) => ({ segments: borderSegments(sixes, pair, drawing.box, origin), properties: { class: "border" } })));
  if (table.d > 1) drawEllipses(explorer, model);
  else drawCurves(explorer, sixes, origin);
  drawContours(explorer, sixes, origin);
}

/** @param {Explorer} explorer @param {import("./model.js").Model} model */
function drawEllipses(explorer, model) {
  const curves = [];
  for (let c = 0; c < model.k && model.k <= MOST_EXACT_CLASSES; c++) {
    const found = planeGaussian(model, c, explorer.lesson.view, explorer.axes);
    if (!found) continue;
    const axes = halfAxes(found.matrix);
    for (const radius of [1, 2]) curves.push({ points: ellipsePoints(found.mean, axes, radius), properties: { class: `ellipse r${radius}`, stroke: cssColour(c) } });
  }
  explorer.drawing.drawLines("ellipses", curves);
  explorer.drawing.drawLines("curves", []);
}

/** With one feature: the joint densities of the classes. @param {Explorer} explorer
 * @param {(Float64Array | null)[]} sixes @param {number[]} origin */
function drawCurves(explorer, sixes, origin) {
  const { x0, x1 } = explorer.drawing.box;
  const grid = Array.from({ length: 201 }, (_, m) => x0 + ((x1 - x0) * m) / 200);
  const heights = sixes.map((six) => six && grid.map((x) => Math.exp(six[0] + (x - origin[0]) * (six[1] + six[3] * (x - origin[0])))));
  const most = Math.max(...heights.flatMap((one) => one ?? [0])) || 1;
  explorer.drawing.box.y1 = most * 1.08;
  explorer.drawing.box.y0 = -most * 0.14;
  explorer.drawing.drawLines("ellipses", []);
  explorer.drawing.drawLines("curves", heights.flatMap((one, c) => (one ? [{ points: grid.map((x, m) => [x, one[m]]), properties: { class: "curve", stroke: cssColour(c) } }] : [])));
}

/** Where the density of each class is a given share of its peak. @param {Explorer} explorer
 * @param {(Float64Array | null)[]} sixes @param {number[]} origin */
function drawContours(explorer, sixes, origin) {
  const curves = [];
  if (explorer.showsContours && explorer.table.d > 1)
    for (const [c, six] of sixes.entries()) {
      if (!six || sixes.length > MOST_EXACT_CLASSES) continue;
      const peak = peakOf(six);
      for (const below of [0.25, 1, 2.25, 4]) {
        const level = six.slice();
        level[0] -= peak - below;
        curves.push({ segments: zeroCurve(level, explorer.drawing.box, origin, 48), properties: { class: "contour", stroke: cssColour(c) } });
      }
    }
  explorer.drawing.drawSegments("contours", curves);
}

/** @param {number[]} values */
function range(values) {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  if (!(high > low)) [low, high] = [(Number.isFinite(low) ? low : 0) - 1, (Number.isFinite(high) ? high : 0) + 1];
  const margin = 0.07 * (high - low);
  return [low - margin, high + margin];
}

/** The largest value of a quadratic with a maximum. @param {Float64Array} six */
function peakOf(six) {
  const [c, p, q, a, b, e] = six;
  const determinant = 4 * a * e - b * b;
  const [u, v] = [(-2 * e * p + b * q) / determinant, (-2 * a * q + b * p) / determinant];
  return c + (p * u + q * v) / 2;
}

/** @param {string} text #rrggbb */
function rgb(text) {
  const found = /#(..)(..)(..)/.exec(text);
  return found ? found.slice(1).map((part) => Number.parseInt(part, 16)) : [255, 255, 255];
}
