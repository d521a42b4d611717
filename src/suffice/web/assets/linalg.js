// @ts-check
/** Linear algebra of small matrices: row by row in a Float64Array of d * d numbers. */

const EPSILON = 2 ** -52;

/** The lower Cholesky factor of a covariance, or null if it is singular to working precision.
 * Factors the correlations, so that the units of features do not matter.
 * @param {Float64Array} matrix @param {number} d */
export function cholesky(matrix, d) {
  const scale = Float64Array.from({ length: d }, (_, i) => Math.sqrt(matrix[i * d + i]));
  if (!scale.every((s) => s > 0)) return null;
  const L = new Float64Array(d * d);
  const rounding = (256 + d) * EPSILON;
  for (let i = 0; i < d; i++)
    for (let j = 0; j <= i; j++) {
      let sum = matrix[i * d + j] / scale[i] / scale[j];
      for (let m = 0; m < j; m++) sum -= L[i * d + m] * L[j * d + m];
      if (i === j && !(sum > rounding)) return null;
      L[i * d + j] = i === j ? Math.sqrt(sum) : sum / L[j * d + j];
    }
  for (let i = 0; i < d; i++) for (let j = 0; j <= i; j++) L[i * d + j] *= scale[i];
  return L;
}

/** Solve L z = x, into z.
 * @param {Float64Array} L @param {ArrayLike<number>} x @param {Float64Array} z @param {number} d */
export function solveLower(L, x, z, d) {
  for (let i = 0, at = 0; i < d; i++, at += d) {
    let sum = x[i];
    for (let m = 0; m < i; m++) sum -= L[at + m] * z[m];
    z[i] = sum / L[at + i];
  }
}

/** Solve L' y = z, in place.
 * @param {Float64Array} L @param {Float64Array} z @param {number} d */
export function solveUpper(L, z, d) {
  for (let i = d - 1; i >= 0; i--) {
    let sum = z[i];
    for (let m = i + 1; m < d; m++) sum -= L[m * d + i] * z[m];
    z[i] = sum / L[i * d + i];
  }
}

/** Sum of a[at + i] b[i]; four sums at once, because each addition waits for the one before.
 * @param {Float64Array} a @param {Float64Array} b @param {number} [at] */
export function dot(a, b, at = 0) {
  const n = b.length;
  let first = 0, second = 0, third = 0, fourth = 0, i = 0;
  for (; i + 3 < n; i += 4) {
    first += a[at + i] * b[i];
    second += a[at + i + 1] * b[i + 1];
    third += a[at + i + 2] * b[i + 2];
    fourth += a[at + i + 3] * b[i + 3];
  }
  for (; i < n; i++) first += a[at + i] * b[i];
  return first + second + (third + fourth);
}

/** Eigenvalues of a symmetric matrix, descending, and their vectors as rows.
 * @param {Float64Array} matrix @param {number} d */
export function eigen(matrix, d) {
  const { diagonal, off, V } = tridiagonal(matrix, d);
  for (let high = d - 1, steps = 0; high > 0; ) {
    let low = high;
    while (low > 0 && Math.abs(off[low - 1]) > EPSILON * (Math.abs(diagonal[low - 1]) + Math.abs(diagonal[low]))) low--;
    if (low === high || ++steps > 60 * d) high--;
    else chase(diagonal, off, V, d, low, high);
  }
  const order = Array.from(diagonal.keys()).sort((a, b) => diagonal[b] - diagonal[a] || a - b);
  const vectors = new Float64Array(d * d);
  order.forEach((i, row) => vectors.set(V.subarray(i * d, i * d + d), row * d));
  return { values: Float64Array.from(order, (i) => diagonal[i]), vectors };
}

/** V A V' is tridiagonal, by Householder reflections. @param {Float64Array} matrix @param {number} d */
function tridiagonal(matrix, d) {
  const A = Float64Array.from(matrix);
  const V = new Float64Array(d * d);
  for (let i = 0; i < d; i++) V[i * d + i] = 1;
  const [v, w] = [new Float64Array(d), new Float64Array(d)];
  for (let k = 0; k + 2 < d; k++) {
    for (let i = 0; i < d; i++) v[i] = i > k ? A[i * d + k] : 0;
    const length = Math.sqrt(dot(v, v));
    v[k + 1] += v[k + 1] < 0 ? -length : length;
    const square = dot(v, v);
    if (square === 0) continue;
    for (let i = 0; i < d; i++) w[i] = (2 * dot(A, v, i * d)) / square;
    const along = dot(v, w) / square;
    for (let i = 0; i < d; i++) w[i] -= along * v[i];
    for (let i = 0; i < d; i++) for (let j = 0; j < d; j++) A[i * d + j] -= v[i] * w[j] + w[i] * v[j];
    w.fill(0);
    for (let i = k + 1; i < d; i++) for (let j = 0; j < d; j++) w[j] += (2 / square) * v[i] * V[i * d + j];
    for (let i = k + 1; i < d; i++) for (let j = 0; j < d; j++) V[i * d + j] -= v[i] * w[j];
  }
  const diagonal = Float64Array.from({ length: d }, (_, i) => A[i * d + i]);
  return { diagonal, off: Float64Array.from({ length: d }, (_, i) => A[i * d + i + 1] ?? 0), V };
}

/** One implicit QR step with Wilkinson's shift, from low to high.
 * @param {Float64Array} diagonal @param {Float64Array} off @param {Float64Array} V
 * @param {number} d @param {number} low @param {number} high */
function chase(diagonal, off, V, d, low, high) {
  const last = off[high - 1];
  const half = (diagonal[high - 1] - diagonal[high]) / 2;
  const shift = diagonal[high] - (last * last) / (half + (half < 0 ? -1 : 1) * Math.hypot(half, last));
  let [x, z] = [diagonal[low] - shift, off[low]];
  for (let k = low; k < high; k++) {
    const r = Math.hypot(x, z);
    const [c, s] = r ? [x / r, z / r] : [1, 0];
    if (k > low) off[k - 1] = r;
    const [a, b, e] = [diagonal[k], off[k], diagonal[k + 1]];
    diagonal[k] = c * c * a + 2 * c * s * b + s * s * e;
    diagonal[k + 1] = s * s * a - 2 * c * s * b + c * c * e;
    off[k] = x = (c * c - s * s) * b + c * s * (e - a);
    if (k + 1 < high) {
      z = s * off[k + 1];
      off[k + 1] *= c;
    }
    for (let at = k * d; at < (k + 1) * d; at++) {
      const [p, q] = [V[at], V[at + d]];
      V[at] = c * p + s * q;
      V[at + d] = c * q - s * p;
    }
  }
}
