// @ts-check
/** Colours and markers that every reader can distinguish, the same as in the library's pictures. */

// Okabe and Ito (2008), their yellow darker.
const COLOURS = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#999999", "#BFB000"];

// Classes 9 to 16 and 17 to 24 use the colours mixed with this share of black or white.
const SHADES = /** @type {[number, number][]} */ ([
  [0, 0],
  [0.4, 0],
  [0.45, 255],
]);

// Share of a class's colour where its posterior is 1: points drawn on it stay visible.
const DEEPEST = 0.42;

/** Red, green and blue of class c. @param {number} c @returns {number[]} */
export function colour(c) {
  const text = COLOURS[c % COLOURS.length];
  const [share, toward] = SHADES[Math.floor(c / COLOURS.length) % SHADES.length];
  return [1, 3, 5].map((at) => {
    const part = Number.parseInt(text.slice(at, at + 2), 16);
    return Math.round(part * (1 - share) + toward * share);
  });
}

/** @param {number} c */
export function cssColour(c) {
  return `rgb(${colour(c).join(" ")})`;
}

/** Share of the class's colour where it has this posterior, of k classes.
 * @param {number} posterior @param {number} k */
export function depth(posterior, k) {
  if (k < 2) return DEEPEST;
  return DEEPEST * Math.min(1, Math.max(0, (posterior * k - 1) / (k - 1)));
}

/** Whether a point lies in marker number m, in units of its radius.
 * @type {((x: number, y: number) => boolean)[]} */
const SHAPES = [
  (x, y) => x * x + y * y <= 1,
  (x, y) => Math.max(Math.abs(x), Math.abs(y)) <= 0.85,
  (x, y) => y <= 0.8 && y >= -1 + 1.8 * Math.abs(x),
  (x, y) => Math.abs(x) + Math.abs(y) <= 1.15,
  (x, y) => y >= -0.8 && y <= 1 - 1.8 * Math.abs(x),
  (x, y) => (Math.abs(x) <= 0.36 && Math.abs(y) <= 1) || (Math.abs(y) <= 0.36 && Math.abs(x) <= 1),
  (x, y) => Math.abs(Math.abs(x) - Math.abs(y)) <= 0.5 && Math.abs(x) <= 0.9 && Math.abs(y) <= 0.9,
];

const stamps = new Map();

/** How much of each pixel a marker covers: offsets and shares. @param {number} c @param {number} radius
 * @returns {{dx: Int16Array, dy: Int16Array, share: Float32Array}} */
export function stamp(c, radius) {
  const shape = SHAPES[c % SHAPES.length];
  const key = `${c % SHAPES.length} ${radius}`;
  const known = stamps.get(key);
  if (known) return known;
  const size = Math.ceil(radius * 1.2);
  const found = /** @type {number[][]} */ ([]);
  for (let y = -size; y <= size; y++)
    for (let x = -size; x <= size; x++) {
      let inside = 0;
      for (let a = 0; a < 4; a++)
        for (let b = 0; b < 4; b++)
          if (shape((x + (a - 1.5) / 4) / radius, (y + (b - 1.5) / 4) / radius)) inside += 1 / 16;
      if (inside) found.push([x, y, inside]);
    }
  const made = {
    dx: Int16Array.from(found, (one) => one[0]),
    dy: Int16Array.from(found, (one) => one[1]),
    share: Float32Array.from(found, (one) => one[2]),
  };
  stamps.set(key, made);
  return made;
}
