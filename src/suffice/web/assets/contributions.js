// @ts-check
/** Contributions: the log-odds of two classes, split over the features of one row. */

import { DiagonalCovariance } from "./covariance.js";
import { descending } from "./model.js";

/** Contribution of each feature to the log-odds of a against b; with the base they add up exactly.
 * @param {Model} model @param {ArrayLike<number>} x @param {number} a @param {number} b */
export function contributions(model, x, a, b) {
  const [first, second] = [terms(model, x, a), terms(model, x, b)];
  const [own, other] = [model.covariances[a], model.covariances[b]];
  let base = model.logPriors[a] - model.logPriors[b];
  let volumes = first.map(() => 0);
  if (own instanceof DiagonalCovariance && other instanceof DiagonalCovariance)
    volumes = volumes.map((_, j) => Math.log(other.variances[j]) - Math.log(own.variances[j]));
  else if (own && other) base += (other.logDeterminant - own.logDeterminant) / 2;
  const values = first.map((term, j) => (second[j] - term + volumes[j]) / 2);
  return { values, base, logOdds: values.reduce((sum, v) => sum + v, 0) + base };
}

/** u_j (Pu)_j of each feature. @param {Model} model @param {ArrayLike<number>} x @param {number} c */
function terms(model, x, c) {
  const step = model.stepFrom(x, c);
  const pull = new Float64Array(model.d);
  model.covariances[c]?.solve(step, pull);
  return Array.from(step, (u, j) => u * pull[j]);
}

/** The contributions in words, as `explain` says it: the verdict, and the reasons.
 * @param {ReturnType<typeof contributions>} found @param {string[]} names @param {string} a
 * @param {string} b @param {number} [most] */
export function explanation(found, names, a, b, most = 5) {
  const sign = found.logOdds < 0 ? -1 : 1;
  const [one, other] = sign < 0 ? [b, a] : [a, b];
  const odds = Math.abs(found.logOdds);
  const share = 1 / (1 + Math.exp(-odds));
  const values = found.values.map((v) => sign * v);
  const order = descending(values.map(Math.abs));
  const parts = order.slice(0, most).map((j) => `${names[j]} ${signed(values[j])}`);
  const rest = order.slice(most);
  if (rest.length) parts.push(`the other ${rest.length} features ${signed(rest.reduce((total, j) => total + values[j], 0))}`);
  return [
    `${one} rather than ${other}: log-odds ${hundredths(odds)} (probability ${(100 * share).toFixed(1)}% of the two).`,
    `${parts.join(", ")}; before any feature ${signed(sign * found.base)}.`,
  ];
}

/** @param {number} value */
function signed(value) {
  return (value < 0 || Object.is(value, -0) ? "-" : "+") + hundredths(Math.abs(value));
}

/** As Python writes it. @param {number} value */
function hundredths(value) {
  return value === Infinity ? "inf" : value.toFixed(2);
}
