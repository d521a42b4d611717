// @ts-check
/** Colours and markers that every reader can distinguish, the same as in the library's pictures. */

// Okabe and Ito (2008), their yellow darker.
const COLOURS = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#999999", "#BFB000"];

// Classes 9 to 16 and 17 to 24 use the colours mixed with this share of black or white.
const SHADES = [[0, 0], [0.4, 0], [0.45, 255]];

// Share of a class's colour where its posterior is 1: points drawn on it stay visible.
const DEEPEST = 0.42;

/** Red, green and blue of #rrggbb, or white. @param {string} text */
export function rgb(text) {
  const parts = /#(..)(..)(..)/.exec(text)?.slice(1) ?? ["ff", "ff", "ff"];
  return parts.map((part) => Number.parseInt(part, 16));
}

/** Red, green and blue of class c. @param {number} c */
export function colour(c) {
  const [share, toward] = SHADES[Math.floor(c / COLOURS.length) % SHADES.length];
  return rgb(COLOURS[c % COLOURS.length]).map((part) => Math.round(part * (1 - share) + toward * share));
}

/** @param {number} c */
export function cssColour(c) {
  return `rgb(${colour(c).join(" ")})`;
}

/** Share of the class's colour where it has this posterior, of k classes.
 * @param {number} posterior @param {number} k */
export function depth(posterior, k) {
  return DEEPEST * (k < 2 ? 1 : Math.min(1, Math.max(0, (posterior * k - 1) / (k - 1))));
}

/** Outlines of the markers, in units of their radius: circle, square, triangles, diamond, plus, cross. */
const MARKERS = [
  "M1 0A1 1 0 1 1-1 0A1 1 0 1 1 1 0Z",
  "M-.85-.85H.85V.85H-.85Z",
  "M0-1L1 .8H-1Z",
  "M0-1.15L1.15 0L0 1.15L-1.15 0Z",
  "M0 1L-1-.8H1Z",
  "M-.36-1H.36V-.36H1V.36H.36V1H-.36V.36H-1V-.36H-.36Z",
  "M0-.5L.5-1L1-.5L.5 0L1 .5L.5 1L0 .5L-.5 1L-1 .5L-.5 0L-1-.5L-.5-1Z",
];

/** The marker of class c as the path of an SVG. @param {number} c */
export function markerPath(c) {
  return MARKERS[c % MARKERS.length];
}

/** How much of each pixel a marker and its halo cover: offsets from the centre, and shares.
 * @typedef {{dx: number, dy: number, ink: number, halo: number}[]} Stamp */

const stamps = /** @type {Map<string, Stamp>} */ (new Map());

/** @param {number} c @param {number} radius @param {number} halo its width @param {CanvasRenderingContext2D} context
 * @returns {Stamp} */
export function stamp(c, radius, halo, context) {
  const key = `${c % MARKERS.length} ${radius}`;
  const made = stamps.get(key) ?? [];
  if (made.length) return made;
  const path = new Path2D(markerPath(c));
  context.lineWidth = (2 * halo) / radius;
  context.lineJoin = "round";
  const size = Math.ceil(radius * 1.2 + halo);
  for (let dy = -size; dy <= size; dy++)
    for (let dx = -size; dx <= size; dx++) {
      let [ink, around] = [0, 0];
      for (let part = 0; part < 9; part++) {
        const [x, y] = [(dx + ((part % 3) - 1) / 3) / radius, (dy + (Math.floor(part / 3) - 1) / 3) / radius];
        if (context.isPointInPath(path, x, y)) ink += 1 / 9;
        else if (context.isPointInStroke(path, x, y)) around += 1 / 9;
      }
      if (ink + around > 0.5) made.push({ dx, dy, ink, halo: around });
    }
  stamps.set(key, made);
  return made;
}
