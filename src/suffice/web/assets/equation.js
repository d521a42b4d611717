// @ts-check
/** Equations: a boundary as text and as MathML, with the same numbers. */

import { math } from "./dom.js";
import { enoughDigits, equationTerms, solutions } from "./boundary.js";

/** One term of a line: its sign, its size if that is not 1, and its factors with their powers.
 * @typedef {{isNegative: boolean, size: [string, number] | null, factors: [string, number][]}} Piece */

/** A mantissa of at least `digits` significant digits and an exponent, often 0.
 * @param {number} value not negative @param {number} digits @returns {[string, number]} */
function decimal(value, digits) {
  if (value === 0) return ["0", 0];
  const exponent = Math.floor(Math.log10(value));
  const isPlain = exponent >= -4 && exponent < 15;
  const text = isPlain ? value.toFixed(Math.max(0, digits - 1 - exponent)) : value.toExponential(digits - 1);
  const [mantissa, power = "0"] = text.split("e");
  return [mantissa.includes(".") ? mantissa.replace(/\.?0+$/, "") : mantissa, Number(power)];
}

/** The values of the one feature that solve form = 0, or the terms of the equation.
 * @param {Form} form @param {string[]} names @returns {{feature: string | null, pieces: Piece[]}} */
function written(form, names) {
  const digits = enoughDigits(form);
  const solved = solutions(form);
  if (solved?.values.length)
    return { feature: names[solved.feature], pieces: solved.values.map((x) => ({ isNegative: x < 0, size: decimal(Math.abs(x), digits), factors: [] })) };
  const pieces = equationTerms(form).map(({ coefficient, features: [i, j] }) => {
    const size = decimal(Math.abs(coefficient), digits);
    const factors = /** @type {[string, number][]} */ (i === undefined ? [] : i === j ? [[names[i], 2]] : [i, j].flatMap((at) => (at === undefined ? [] : [[names[at], 1]])));
    return { isNegative: coefficient < 0, size: factors.length && size[0] === "1" && !size[1] ? null : size, factors };
  });
  return { feature: null, pieces };
}

/** As the library prints it: the equation form = 0, or the values of the one feature that solve it.
 * @param {Form} form @param {string[]} names */
export function equationText(form, names) {
  const word = (/** @type {string} */ name) => (/^[\p{ID_Start}_][\p{ID_Continue}]*$/u.test(name) ? name : `[${name}]`);
  const { feature, pieces } = written(form, names);
  const texts = pieces.map(({ size, factors }) =>
    [...(size ? [size[1] ? `${size[0]}e${size[1]}` : size[0]] : []), ...factors.map(([name, power]) => word(name) + (power === 2 ? "²" : ""))].join("·"));
  if (feature !== null) return texts.map((text, at) => `${word(feature)} = ${pieces[at].isNegative ? "-" : ""}${text}`).join(" or ");
  return `${texts.map((text, at) => (at ? (pieces[at].isNegative ? " - " : " + ") : pieces[at].isNegative ? "-" : "") + text).join("")} = 0`;
}

/** The same as MathML: one element per term, so that long equations go over several lines.
 * @param {Form} form @param {string[]} names */
export function equationMath(form, names) {
  const { feature, pieces } = written(form, names);
  return pieces.map(({ isNegative, size, factors }, at) => {
    const signs = feature !== null ? [...(at ? [math("mtext", "or\u2003")] : []), identifier(feature), math("mo", "=")] : [];
    if (isNegative || (at && feature === null)) signs.push(math("mo", isNegative ? "−" : "+"));
    // At the start of a line it is still the sign between two terms.
    if (at && feature === null) signs[0].setAttribute("form", "infix");
    const product = factors.map(([name, power]) => identifier(name, power === 2 ? [math("mn", "2")] : []));
    const parts = [...(size ? [math("mrow", ...mathNumber(size))] : []), ...product].flatMap((part, m) => (m ? [math("mo", "·"), part] : [part]));
    const end = feature === null && at === pieces.length - 1 ? [math("mrow", math("mo", "="), math("mn", "0"))] : [];
    return math("math", math("mrow", ...signs, ...parts, ...end));
  });
}

/** A letter with digits has them as an index; other names are words. @param {string} name @param {Element[]} [power] */
function identifier(name, power = []) {
  const [, letter, index] = /^([A-Za-z])(\d+)$/.exec(name) ?? [];
  const parts = letter ? [math("mi", letter), math("mn", index), ...power] : [math("mtext", name), ...power];
  const tag = letter ? (power.length ? "msubsup" : "msub") : power.length ? "msup" : "mrow";
  return math(tag, ...parts);
}

/** @param {[string, number]} size */
function mathNumber([mantissa, exponent]) {
  const power = math("msup", math("mn", "10"), math("mn", String(exponent).replace("-", "−")));
  return [math("mn", mantissa), ...(exponent ? [math("mo", "×"), power] : [])];
}
