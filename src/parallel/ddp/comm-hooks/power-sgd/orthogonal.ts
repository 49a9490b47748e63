/**
 * Orthonormal columns of a dense matrix [rows, columns], in place, as shaders/comm/orthogonalize.wgsl: Gram-Schmidt, or
 * Householder as LAPACK's geqr2 and org2r. Sums in double.
 */

/** A column of zeros becomes NaN, as in torch with orthogonalization_epsilon = 0. */
export function gramSchmidt(matrix: Float32Array, rows: number, columns: number): void {
  for (let j = 0; j < columns; j++) {
    const norm = Math.sqrt(dot(matrix, rows, columns, j, j));
    for (let i = 0; i < rows; i++) matrix[i * columns + j] = (matrix[i * columns + j] as number) / norm;
    for (let c = j + 1; c < columns; c++) {
      const along = dot(matrix, rows, columns, j, c);
      for (let i = 0; i < rows; i++) {
        const k = i * columns + c;
        matrix[k] = (matrix[k] as number) - along * (matrix[i * columns + j] as number);
      }
    }
  }
}

/** The factor Q of A = Q R. */
export function householder(matrix: Float32Array, rows: number, columns: number): void {
  const tau = new Float32Array(columns);
  for (let j = 0; j < columns; j++) {
    const alpha = matrix[j * columns + j] as number;
    const squares = dot(matrix, rows, columns, j, j, j + 1);
    const beta = (alpha >= 0 ? -1 : 1) * Math.sqrt(alpha * alpha + squares);
    tau[j] = squares > 0 ? (beta - alpha) / beta : 0;
    scale(matrix, rows, columns, j, squares > 0 ? 1 / (alpha - beta) : 0);
    for (let c = j + 1; c < columns; c++) reflect(matrix, rows, columns, j, c, tau[j] as number);
  }
  for (let j = columns - 1; j >= 0; j--) {
    const factor = tau[j] as number;
    for (let i = 0; i < j; i++) matrix[i * columns + j] = 0;
    for (let c = j + 1; c < columns; c++) reflect(matrix, rows, columns, j, c, factor);
    scale(matrix, rows, columns, j, -factor);
    matrix[j * columns + j] = 1 - factor;
  }
}

function dot(matrix: Float32Array, rows: number, columns: number, a: number, b: number, from = 0): number {
  let sum = 0;
  for (let i = from; i < rows; i++) sum += (matrix[i * columns + a] as number) * (matrix[i * columns + b] as number);
  return sum;
}

/** Column j below row j. */
function scale(matrix: Float32Array, rows: number, columns: number, j: number, factor: number): void {
  for (let i = j + 1; i < rows; i++) matrix[i * columns + j] = (matrix[i * columns + j] as number) * factor;
}

/** Column c, rows from j on, reflected by the vector (1, column j below row j). */
function reflect(matrix: Float32Array, rows: number, columns: number, j: number, c: number, factor: number): void {
  const top = j * columns + c;
  const along = factor * ((matrix[top] as number) + dot(matrix, rows, columns, j, c, j + 1));
  matrix[top] = (matrix[top] as number) - along;
  for (let i = j + 1; i < rows; i++) {
    const k = i * columns + c;
    matrix[k] = (matrix[k] as number) - along * (matrix[i * columns + j] as number);
  }
}
