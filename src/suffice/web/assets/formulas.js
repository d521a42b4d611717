// @ts-check
/** Formulas behind the numbers of the page, as MathML. */

import { math } from "./dom.js";

/** A letter, a number or a sign, with what stands after _ below it. @param {string} token @returns {Element} */
function leaf(token) {
  const [, base, below] = /^([^_]+)_?(.*)$/.exec(token) ?? [];
  const one = math(/\p{L}/u.test(base) ? "mi" : /\d/.test(base) ? "mn" : "mo", base);
  return below ? math("msub", one, leaf(below)) : one;
}

/** Tokens between spaces, and elements, side by side. @param {...(string | Element)} parts */
function row(...parts) {
  return math("mrow", ...parts.flatMap((part) => (typeof part === "string" ? part.split(" ").map(leaf) : [part])));
}

/** @param {string | Element} above @param {string | Element} below */
function fraction(above, below) {
  return math("mfrac", row(above), row(below));
}

/** @param {string} over */
function sum(over) {
  return math("munder", math("mo", "∑"), leaf(over));
}

/** @param {string} k */
function inverse(k) {
  return math("msup", leaf(`Σ_${k}`), row("− 1"));
}

/** @param {string} x */
function transposed(x) {
  return math("msup", row(x), leaf("⊤"));
}

/** @param {string} k @param {string} [x] */
function joint(k, x = "x") {
  return row(`π_${k} N ( ${x} ; μ_${k} , Σ_${k} )`);
}

/** @param {string} k */
function pull(k) {
  return row(`u_${k}j`, math("msub", row("(", inverse(k), `u_${k} )`), leaf("j")));
}

/** What a formula says, and the formula. @type {Record<string, [string, () => Element]>} */
export const FORMULAS = {
  model: [
    "Pooling λ blends the scatter of a class with that of all; shrinkage γ blends it with a multiple of the identity.",
    () => row("Σ_k = ( 1 − γ ) C_k + γ", fraction("tr C_k", "d"), "I ,\u2003 C_k =", fraction("( 1 − λ ) W_k + λ W", "( 1 − λ ) N_k + λ N")),
  ],
  view: [
    "Discriminant axes have the largest variance between classes, in units of that within.",
    () => row("w =", math("munder", leaf("argmax"), leaf("w")), fraction(row(transposed("w"), "B w"), row(transposed("w"), "W w"))),
  ],
  posterior: [
    "Bayes' rule: the joint density of a class over the sum of all.",
    () => row("p ( k | x ) =", fraction(joint("k"), row(sum("l"), joint("l")))),
  ],
  boundary: [
    "Two classes are equally probable where their discriminant functions are equal.",
    () => row("δ_k ( x ) = ln π_k −", fraction("1", "2"), "ln | Σ_k | −", fraction("1", "2"), transposed("( x − μ_k )"), inverse("k"), "( x − μ_k )"),
  ],
  contributions: [
    "Each product of two features is shared equally between them, so that the parts add up to the log-odds.",
    () => row("ln", fraction("p ( a | x )", "p ( b | x )"), "= base +", sum("j"), fraction("1", "2"), "(", pull("b"), "−", pull("a"), ") ,\u2003 u_k = x − μ_k"),
  ],
  fit: [
    "The log-likelihood of rows and labels; leave-one-out takes each row from the statistics before it is predicted. Free parameters are k d means, k − 1 priors, and d (d + 1) / 2 (full), d (diagonal) or 1 (spherical) per covariance.",
    () => row("ℓ =", sum("i"), "ln", joint("y_i", "x_i"), ",\u2003 log-loss = −", fraction("1", "N"), sum("i"), "ln p ( y_i | x_i )"),
  ],
};
