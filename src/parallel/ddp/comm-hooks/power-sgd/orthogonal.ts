/**
 * Orthonormal columns of a dense matrix [rows, columns], in place, as shaders/comm/orthogonalize.wgsl: Gram-Schmidt, or
 * Householder as LAPACK's geqr2 and org2r. Sums in double.
 */

export interface Matrix {
  readonly data: Float32Array;
  readonly rows: number;
  readonly columns: number;
}

/** A column of zeros becomes NaN, as in torch with orthogonalization_epsilon = 0. */
export function gramSchmidt(matrix: Matrix): void {
  const { data, rows, columns } = matrix;
  for (let j = 0; j < columns; j++) {
    const norm = Math.sqrt(dot(matrix, j, j));
    for (let i = 0; i < rows; i++) data[i * columns + j] = (data[i * columns + j] as number) / norm;
    for (let c = j + 1; c < columns; c++) {
      const along = dot(matrix, j, c);
      for (let i = 0; i < rows; i++) {
        const k = i * columns + c;
        data[k] = (data[k] as number) - along * (data[i * columns + j] as number);
      }
    }
  }
}

/** The factor Q of A = Q R. */
export function householder(matrix: Matrix): void {
  const { data, columns } = matrix;
  const tau = new Float32Array(columns);
  for (let j = 0; j < columns; j++) {
    const alpha = data[j * columns + j] as number;
    const squares = dot(matrix, j, j, j + 1);
    const beta = (alpha >= 0 ? -1 : 1) * Math.sqrt(alpha * alpha + squares);
    tau[j] = squares > 0 ? (beta - alpha) / beta : 0;
    scale(matrix, j, squares > 0 ? 1 / (alpha - beta) : 0);
    for (let c = j + 1; c < columns; c++) reflect(matrix, j, c, tau[j] as number);
  }
  for (let j = columns - 1; j >= 0; j--) {
    const factor = tau[j] as number;
    for (let i = 0; i < j; i++) data[i * columns + j] = 0;
    for (let c = j + 1; c < columns; c++) reflect(matrix, j, c, factor);
    scale(matrix, j, -factor);
    data[j * columns + j] = 1 - factor;
  }
}

function dot({ data, rows, columns }: Matrix, a: number, b: number, from = 0): number {
  let sum = 0;
  for (let i = from; i < rows; i++) sum += (data[i * columns + a] as number) * (data[i * columns + b] as number);
  return sum;
}

/** Column j below row j. */
function scale({ data, rows, columns }: Matrix, j: number, factor: number): void {
  for (let i = j + 1; i < rows; i++) data[i * columns + j] = (data[i * columns + j] as number) * factor;
}

/** Column c, rows from j on, reflected by the vector (1, column j below row j). */
function reflect(matrix: Matrix, j: number, c: number, factor: number): void {
  const { data, rows, columns } = matrix;
  const top = j * columns + c;
  const along = factor * ((data[top] as number) + dot(matrix, j, c, j + 1));
  data[top] = (data[top] as number) - along;
  for (let i = j + 1; i < rows; i++) {
    const k = i * columns + c;
    data[k] = (data[k] as number) - along * (data[i * columns + j] as number);
  }
}
