// @ts-check
/** Equations: a boundary as text and as MathML, with the same numbers. */

import { enoughDigits, equationTerms, solutions } from "./boundary.js";

/** @typedef {import("./boundary.js").Form} Form */

const MATHML = "http://www.w3.org/1998/Math/MathML";

/** A mantissa of at least `digits` significant digits and an exponent, often 0.
 * @param {number} value not negative @param {number} digits @returns {[string, number]} */
export function decimal(value, digits) {
  if (value === 0) return ["0", 0];
  const exponent = Math.floor(Math.log10(value));
  if (exponent >= -4 && exponent < 15)
    return [trimZeros(value.toFixed(Math.max(0, digits - 1 - exponent))), 0];
  const [mantissa, power] = value.toExponential(digits - 1).split("e");
  return [trimZeros(mantissa), Number(power)];
}

/** @param {string} number */
function trimZeros(number) {
  return number.includes(".") ? number.replace(/\.?0+$/, "") : number;
}

/** @param {string} name */
function word(name) {
  return /^[\p{ID_Start}_][\p{ID_Continue}]*$/u.test(name) ? name : `[${name}]`;
}

/** The equation form = 0, or the values of the one feature that solve it.
 * @param {Form} form @param {string[]} names */
export function equationText(form, names) {
  const digits = enoughDigits(form);
  /** @param {number} value */
  const number = (value) => {
    const [mantissa, exponent] = decimal(Math.abs(value), digits);
    return exponent ? `${mantissa}e${exponent}` : mantissa;
  };
  const solved = solutions(form);
  if (solved && solved.values.length)
    return solved.values
      .map((x) => `${word(names[solved.feature])} = ${x < 0 ? "-" : ""}${number(x)}`)
      .join(" or ");
  let text = "";
  for (const { coefficient, features } of equationTerms(form)) {
    const sign = coefficient < 0 ? "-" : "+";
    text += text ? ` ${sign} ` : sign.replace("+", "");
    const [i, j] = features;
    const size = number(coefficient);
    const product =
      features.length === 2 ? (i === j ? `${word(names[i])}²` : `${word(names[i])}·${word(names[j])}`)
      : features.length ? word(names[i]) : "";
    text += product ? (size === "1" ? product : `${size}·${product}`) : size;
  }
  return `${text} = 0`;
}

/** A MathML element. @param {string} tag @param {...(Node | string)} children */
export function math(tag, ...children) {
  const out = document.createElementNS(MATHML, tag);
  out.append(...children);
  return out;
}

/** @param {string} name */
function identifier(name) {
  const found = /^([A-Za-z])(\d+)$/.exec(name);
  if (found) return math("msub", math("mi", found[1]), math("mn", found[2]));
  return math("mtext", name);
}

/** @param {number} value not negative @param {number} digits @returns {Element[]} */
function mathNumber(value, digits) {
  const [mantissa, exponent] = decimal(value, digits);
  if (!exponent) return [math("mn", mantissa)];
  const power = math("msup", math("mn", "10"), math("mn", String(exponent).replace("-", "−")));
  return [math("mn", mantissa), math("mo", "×"), power];
}

/** The same equation as MathML: one piece per term, so that long ones go over several lines.
 * @param {Form} form @param {string[]} names @returns {Element[]} */
export function equationMath(form, names) {
  const digits = enoughDigits(form);
  const solved = solutions(form);
  if (solved && solved.values.length)
    return solved.values.map((x, at) => {
      const row = math("mrow", ...(at ? [math("mtext", "or\u2003")] : []));
      row.append(identifier(names[solved.feature]), math("mo", "="), ...(x < 0 ? [math("mo", "−")] : []));
      row.append(...mathNumber(Math.abs(x), digits));
      return math("math", row);
    });
  const pieces = equationTerms(form).map(({ coefficient, features }, at) => {
    const row = math("mrow");
    if (at || coefficient < 0) row.append(math("mo", coefficient < 0 ? "−" : "+"));
    // At the start of a line it is still the sign between two terms.
    if (at) /** @type {Element} */ (row.firstChild).setAttribute("form", "infix");
    const size = mathNumber(Math.abs(coefficient), digits);
    const [i, j] = features;
    const isSquare = features.length === 2 && i === j;
    const factors = isSquare ? [math("msup", identifier(names[i]), math("mn", "2"))] : features.map((feature) => identifier(names[feature]));
    const isOne = size.length === 1 && size[0].textContent === "1" && factors.length > 0;
    [...(isOne ? [] : [math("mrow", ...size)]), ...factors].forEach((part, m) => row.append(...(m ? [math("mo", "·")] : []), part));
    return math("math", row);
  });
  pieces[pieces.length - 1].firstChild?.appendChild(math("mrow", math("mo", "="), math("mn", "0")));
  return pieces;
}
