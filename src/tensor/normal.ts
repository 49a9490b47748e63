/**
 * The ways in which torch draws normals on an x86 CPU: polar pairs in double precision for fewer than 16 elements, and
 * block transforms from 16 on, vectorised for float32 and by the C library for float64 (normal-double.ts). They consume
 * different words, so the choice is part of the contract. Called by Generator.
 */
import { fma32, logOfU24, sinCos32 } from './float32-math';

const f = Math.fround;
const TWO_PI = f(2 * Math.PI);
const BLOCK = 16;

/** From this size on, torch fills a contiguous tensor in blocks. */
export const NORMAL_FILL_MIN = BLOCK;

/** Two standard normals in double precision from two uniforms in [0, 1). */
export function polarPair(u1: number, u2: number): readonly [first: number, second: number] {
  const radius = Math.sqrt(-2 * Math.log1p(-u2));
  const angle = 2 * Math.PI * u1;
  return [radius * Math.cos(angle), radius * Math.sin(angle)];
}

/** Draws the elements from `start` to `end`. */
export type FillUniform<T> = (data: T, start: number, end: number) => void;

/** Fills `data` (16 elements or more) with normals; `u24` draws uniforms of 24 bits. */
export function normalFill(data: Float32Array, mean: number, std: number, u24: FillUniform<Float32Array>): void {
  const mean32 = f(mean);
  const std32 = f(std);
  fillByBlocks(data, u24, (start) => transformBlock(data, start, mean32, std32));
}

/** If the size is not a multiple of 16, the last 16 elements are drawn again. */
export function fillByBlocks<T extends Float32Array | Float64Array>(
  data: T,
  fill: FillUniform<T>,
  transform: (start: number) => void,
): void {
  const n = data.length;
  fill(data, 0, n);
  for (let i = 0; i + BLOCK <= n; i += BLOCK) transform(i);
  if (n % BLOCK !== 0) {
    fill(data, n - BLOCK, n);
    transform(n - BLOCK);
  }
}

function transformBlock(data: Float32Array, start: number, mean: number, std: number): void {
  for (let i = start; i < start + BLOCK / 2; i++) {
    const j = 2 ** 24 * (1 - (data[i] as number)); // an integer, 1 .. 2^24
    const radius = f(Math.sqrt(f(-2 * logOfU24(j))));
    const [sin, cos] = sinCos32(f(TWO_PI * (data[i + BLOCK / 2] as number)));
    data[i] = fma32(f(radius * cos), std, mean);
    data[i + BLOCK / 2] = fma32(f(radius * sin), std, mean);
  }
}
