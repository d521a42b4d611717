// @ts-check
/** The scene: what the model looks like in the plane. */

import { cssColour, rgb } from "./colours.js";
import { borderSegments, halfAxes, neighbours, planeGaussian, planeRegions, planeSix } from "./plane.js";

const MOST_EXACT_CLASSES = 40;
const MOST_BORDERS = 1000;

/** The range of the axes: the rows, or the ellipses of classes without rows. @param {Explorer} explorer */
export function chooseBox(explorer) {
  const { xs, ys } = explorer.project();
  const { model, table, lesson } = explorer;
  const [across, up] = [xs, ys].map((values) => Array.from(values).filter((_, i) => table.codes[i] >= 0));
  if (model && (across.length < 2 || lesson.known))
    for (let c = 0; c < table.k; c++) {
      const { mean, matrix } = planeGaussian(model, c, lesson.view, explorer.axes) ?? { mean: [], matrix: [] };
      [across, up].forEach((reach, m) => {
        const width = 3 * Math.sqrt(matrix[m]?.[m]);
        if (width) reach.push(mean[m] - width, mean[m] + width);
      });
    }
  const [x0, x1] = range(across);
  const [y0, y1] = explorer.isLine ? [0, 1] : range(up);
  explorer.drawing.box = { x0, x1, y0, y1 };
}

/** Regions, borders, and the densities of the classes. @param {Explorer} explorer */
export function drawModel(explorer) {
  const { drawing, model, lesson, table, axes } = explorer;
  const ground = (explorer.ground ??= rgb(getComputedStyle(explorer.root).getPropertyValue("--ground")));
  if (!model) {
    drawing.drawRegions(null, table.k, ground);
    for (const layer of ["borders", "ellipses", "contours", "curves"]) drawing.reuse(layer, []);
    return;
  }
  const { box } = drawing;
  const origin = [(box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2];
  const point = explorer.heldAt();
  const sixes = model.covariances.map((_, c) => planeSix(model, c, lesson.view, axes, point, origin));
  const regions = planeRegions(sixes, box, origin, drawing.grid.width, drawing.grid.height);
  drawing.drawRegions(regions, model.covariances.filter((one) => one).length, ground);
  const borders = neighbours(regions).slice(0, MOST_BORDERS);
  drawing.drawSegments("borders", borders.map((pair) => ({ points: borderSegments(sixes, pair, box, origin), class: "border" })));
  const few = model.k <= MOST_EXACT_CLASSES;
  drawing.drawLines("ellipses", few && !explorer.isLine ? ellipses(explorer, model) : []);
  drawing.drawLines("curves", explorer.isLine ? densities(box, sixes, origin) : []);
  drawing.drawLines("contours", few && !explorer.isLine && explorer.showsContours ? contours(sixes, origin) : []);
}

/** @param {Explorer} explorer @param {Model} model */
function ellipses({ lesson, axes }, model) {
  return model.covariances.flatMap((_, c) => {
    const found = planeGaussian(model, c, lesson.view, axes);
    return !found ? [] : [1, 2].map((radius) => ({ points: outline(found, radius), class: `ellipse r${radius}`, stroke: cssColour(c) }));
  });
}

/** The ellipse at a number of standard deviations. @param {{mean: number[], matrix: number[][]}} plane @param {number} radius */
function outline({ mean, matrix }, radius) {
  const [long, short] = halfAxes(matrix);
  return Array.from({ length: 73 }, (_, m) => {
    const [p, q] = [radius * Math.cos((m * Math.PI) / 36), radius * Math.sin((m * Math.PI) / 36)];
    return mean.map((centre, i) => centre + p * long[i] + q * short[i]);
  });
}

/** With one coordinate: the joint densities of the classes, which the box is fitted to.
 * @param {Box} box @param {(Six | null)[]} sixes @param {number[]} origin */
function densities(box, sixes, origin) {
  const grid = Array.from({ length: 201 }, (_, m) => box.x0 + ((box.x1 - box.x0) * m) / 200);
  const curves = sixes.flatMap((six, c) => (six ? [{
    points: grid.map((x) => [x, Math.exp(six[0] + (x - origin[0]) * (six[1] + six[3] * (x - origin[0])))]),
    class: "curve",
    stroke: cssColour(c),
  }] : []));
  const most = Math.max(...curves.flatMap(({ points }) => points.map(([, y]) => y))) || 1;
  Object.assign(box, { y0: -0.14 * most, y1: 1.08 * most });
  return curves;
}

/** Where the density of each class, as it is in the plane, is a given share of its peak.
 * @param {(Six | null)[]} sixes @param {number[]} origin */
function contours(sixes, origin) {
  return sixes.flatMap((six, c) => {
    if (!six) return [];
    const [, p, q, a, b, e] = six;
    const determinant = 4 * a * e - b * b;
    const matrix = [[-2 * e, b], [b, -2 * a]].map((row) => row.map((entry) => entry / determinant));
    const mean = matrix.map(([m, n], i) => origin[i] + m * p + n * q);
    return [0.25, 1, 2.25, 4].map((below) => ({ points: outline({ mean, matrix }, Math.sqrt(2 * below)), class: "contour", stroke: cssColour(c) }));
  });
}

/** @param {number[]} values */
function range(values) {
  let [low, high] = values.reduce(([a, b], value) => [Math.min(a, value), Math.max(b, value)], [Infinity, -Infinity]);
  if (!(high > low)) [low, high] = values.length ? [low - 1, low + 1] : [-1, 1];
  const margin = 0.07 * (high - low);
  return [low - margin, high + margin];
}
