// @ts-check
/** Linear algebra of small matrices: row by row in a Float64Array of d * d numbers. */

const EPSILON = 2 ** -52;

/** Size below which an eigenvalue of a correlation matrix is rounding.
 * @param {number} d */
export function rankTolerance(d) {
  return (256 + d) * EPSILON;
}

/** The lower Cholesky factor of a covariance, or null if it is singular to working precision.
 * Factors the correlations, so that the units of features do not matter.
 * @param {Float64Array} matrix @param {number} d @returns {Float64Array | null} */
export function cholesky(matrix, d) {
  const scale = new Float64Array(d);
  for (let i = 0; i < d; i++) {
    if (!(matrix[i * d + i] > 0)) return null;
    scale[i] = Math.sqrt(matrix[i * d + i]);
  }
  const L = new Float64Array(d * d);
  const least = rankTolerance(d);
  for (let i = 0; i < d; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = matrix[i * d + j] / scale[i] / scale[j];
      for (let m = 0; m < j; m++) sum -= L[i * d + m] * L[j * d + m];
      if (i === j) {
        if (!(sum > least)) return null;
        L[i * d + i] = Math.sqrt(sum);
      } else {
        L[i * d + j] = sum / L[j * d + j];
      }
    }
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

/** @param {ArrayLike<number>} a @param {ArrayLike<number>} b */
export function dot(a, b) {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
}

/** Eigenvalues of a symmetric matrix, descending, and their vectors as rows; by Jacobi rotations.
 * @param {Float64Array} matrix @param {number} d */
export function eigen(matrix, d) {
  const A = Float64Array.from(matrix);
  const V = new Float64Array(d * d);
  for (let i = 0; i < d; i++) V[i * d + i] = 1;
  for (let sweep = 0; sweep < 60; sweep++) {
    let off = 0;
    let all = 0;
    for (let i = 0; i < d; i++)
      for (let j = 0; j < d; j++) {
        const square = A[i * d + j] ** 2;
        all += square;
        if (i !== j) off += square;
      }
    if (off <= all * 1e-32) break;
    for (let p = 0; p < d; p++) for (let q = p + 1; q < d; q++) rotate(A, V, d, p, q);
  }
  const order = Array.from({ length: d }, (_, i) => i).sort(
    (a, b) => A[b * d + b] - A[a * d + a] || a - b,
  );
  const values = Float64Array.from(order, (i) => A[i * d + i]);
  const vectors = new Float64Array(d * d);
  order.forEach((i, row) => vectors.set(V.subarray(i * d, i * d + d), row * d));
  return { values, vectors };
}

/** @param {Float64Array} A @param {Float64Array} V @param {number} d
 * @param {number} p @param {number} q */
function rotate(A, V, d, p, q) {
  const off = A[p * d + q];
  if (off === 0) return;
  const theta = (A[q * d + q] - A[p * d + p]) / (2 * off);
  const t = Math.sign(theta || 1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1));
  const c = 1 / Math.sqrt(t * t + 1);
  const s = t * c;
  for (let m = 0; m < d; m++) {
    const a = A[m * d + p];
    const b = A[m * d + q];
    A[m * d + p] = c * a - s * b;
    A[m * d + q] = s * a + c * b;
  }
  for (let m = 0; m < d; m++) {
    const a = A[p * d + m];
    const b = A[q * d + m];
    A[p * d + m] = c * a - s * b;
    A[q * d + m] = s * a + c * b;
    const v = V[p * d + m];
    const w = V[q * d + m];
    V[p * d + m] = c * v - s * w;
    V[q * d + m] = s * v + c * w;
  }
}
