// @ts-check
/** Checks the engine of the explorer against the oracle; the same code runs in the browser. */

import * as engine from "../../src/suffice/web/assets/engine.js";

const RELATIVE = 1e-10;

/** @param {any} oracle @returns {string[]} what differs */
export function differences(oracle) {
  const out = /** @type {string[]} */ ([]);
  for (const one of [...oracle.cases, ...oracle.drags]) compare(one, (what) => out.push(`${one.name} ${JSON.stringify(one.settings)}: ${what}`));
  return out;
}

/** @param {any} one @param {(what: string) => void} report */
function compare(one, report) {
  const { settings, expected } = one;
  const d = one.rows[0].length;
  const k = Math.max(...one.codes) + 1;
  const rows = Float64Array.from(one.rows.flat());
  const codes = Int32Array.from(one.codes);
  let statistics = engine.Statistics.of(rows, codes, k, d);
  if (one.moves) {
    const moving = Float64Array.from(one.start.flat());
    statistics = engine.Statistics.of(moving, codes, k, d);
    for (const { row, to } of one.moves) {
      const at = moving.subarray(row * d, row * d + d);
      statistics.remove(at, codes[row]);
      at.set(to);
      statistics.add(at, codes[row]);
    }
  }
  const model = engine.buildModel(statistics, settings);
  /** @param {string} what @param {number} got @param {number} want @param {number} [size] */
  const near = (what, got, want, size = Math.abs(want)) => {
    if (!(Math.abs(got - want) <= RELATIVE * Math.max(size, 1)) && got !== want) report(`${what}: ${got}, not ${want}`);
  };
  one.points.forEach((/** @type {number[]} */ x, /** @type {number} */ i) => {
    model.joint(x).forEach((value, c) => near(`joint ${i} ${c}`, value, expected.joint[i][c]));
    const found = engine.contributions(model, x, 0, 1);
    const size = Math.max(...expected.contributions[i].map(Math.abs), Math.abs(expected.base[i]));
    found.values.forEach((value, j) => near(`contribution ${i} ${j}`, value, expected.contributions[i][j], size));
    near(`base ${i}`, found.base, expected.base[i]);
  });
  model.covariances.forEach((own, c) => {
    const want = expected.covariances[c];
    if (!own) return;
    engine.entries(own).forEach((row, i) => row.forEach((value, j) => {
      const scale = Math.sqrt(want[i][i] * want[j][j]);
      if (!(Math.abs(value - want[i][j]) <= RELATIVE * scale)) report(`covariance ${c} ${i} ${j}: ${value}, not ${want[i][j]}`);
    }));
  });
  const training = engine.trainingScore(model, rows, codes);
  if (training.errors !== expected.errors) report(`errors: ${training.errors}, not ${expected.errors}`);
  near("log-loss", training.logLoss, expected.log_loss);
  const step = Math.max(1, Math.floor(codes.length / 20));
  const left = engine.leaveOneOut(statistics, settings, rows, codes, (i, logProba) => {
    if (i % step) return;
    logProba.forEach((value, c) => near(`left out ${i} ${c}`, value, expected.left_out[i / step][c]));
  });
  if (left.errors !== expected.left_out_errors) report(`left-out errors: ${left.errors}, not ${expected.left_out_errors}`);
  near("left-out log-loss", left.logLoss, expected.left_out_log_loss);
  near("log-likelihood", engine.logLikelihood(model, statistics), expected.log_likelihood);
  if (engine.freeParameters(model, settings) !== expected.parameters) report(`parameters: ${engine.freeParameters(model, settings)}, not ${expected.parameters}`);
  for (const { at, features, ...want } of expected.boundaries)
    checkBoundary(engine.planeForm(model, 0, 1, { kind: "features", i: features[0], j: features[1], others: "point" }, null, at), features, want, report, near);
  const names = Array.from({ length: d }, (_, j) => `x${j + 1}`);
  const words = engine.explanation(engine.contributions(model, one.points[0], 0, 1), names, "0", "1").join(" ");
  if (words !== expected.explain) report(`explain: ${words}, not ${expected.explain}`);
  if (d > 1) {
    const found = engine.planeGaussian(model, 0, { kind: "features", i: 0, j: 1, others: "out" }, null);
    engine.halfAxes(found?.matrix || []).forEach((axis, m) => near(`half axis ${m}`, Math.hypot(...axis), expected.half_axes[m], expected.half_axes[0]));
  }
  if (expected.scalings) {
    const axes = engine.discriminantAxes(model);
    const biggest = Math.max(...expected.scalings.flat().map(Math.abs));
    expected.scalings.forEach((/** @type {number[]} */ want, /** @type {number} */ m) =>
      want.forEach((value, j) => {
        // An axis that hardly separates the classes is only as exact as its share.
        if (axes.shares[m] > 1e-3) near(`axis ${m} ${j}`, axes.directions[m][j] / biggest, value / biggest);
      }));
  }
}

/** @param {any} form @param {number[]} features @param {any} want @param {(what: string) => void} report
 * @param {(what: string, got: number, want: number, size?: number) => void} near */
function checkBoundary(form, features, want, report, near) {
  const { linear, constant } = engine.expanded(form);
  const s = form.scale;
  const far = Math.max(1, ...form.centre.map((/** @type {number} */ o, /** @type {number} */ j) => Math.abs(o / s[j])));
  features.forEach((_, i) => {
    near(`linear ${i}`, linear[i] * s[i], want.linear[i] * s[i], Math.max(1, Math.abs(want.linear[i] * s[i])) * far);
    features.forEach((__, j) => near(`quadratic ${i} ${j}`, form.curvature[i][j] * s[i] * s[j], want.quadratic[i][j] * s[i] * s[j]));
  });
  near("constant", constant, want.constant, Math.max(Math.abs(want.constant), far ** 2));
  const text = engine.equationText(form, features.map((j) => `x${j + 1}`));
  if (text !== want.equation) report(`equation: ${text}, not ${want.equation}`);
  if (want.kind && engine.conicKind(form) !== want.kind) report(`kind: ${engine.conicKind(form)}, not ${want.kind}`);
}
