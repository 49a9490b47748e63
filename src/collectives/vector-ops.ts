/**
 * The arithmetic of collectives with vectors. Copies have no kernel, because TypedArray.set already copies at full
 * speed.
 */
import { at } from '../base/invariant';
import type { VectorOp, VectorOps } from '../graph/vectors/vector-op';
import { addressOf } from '../graph/vectors/vectors';

/** Fewest elements per thread. */
const OF_A_THREAD = 32_768;
/** From this many elements on, a sum is worth a call of WebAssembly. */
const WORTH_A_CALL = 256;

const pack: VectorOp = ({ inputs, outputs, attrs }, vectors) => {
  // Halves are not floats.
  if (attrs['format'] !== undefined) return undefined;
  const factor = Math.fround(Number(attrs['scale']));
  let to = addressOf(at(outputs, 0)) + 4 * Number(attrs['start'] ?? 0);
  const calls = inputs.flatMap((gradient) => {
    const [x, y] = [addressOf(gradient), to];
    to += 4 * gradient.length;
    return vectors
      .runs(gradient.length, OF_A_THREAD)
      .map(([first, end]) => [x + 4 * first, y + 4 * first, end - first, factor]);
  });
  return () => vectors.each('scale', calls);
};

const scale: VectorOp = ({ outputs, attrs }, vectors) => {
  const memory = addressOf(at(outputs, 0)) + 4 * Number(attrs['from']);
  const factor = Math.fround(Number(attrs['scale']));
  const calls = vectors
    .runs(Number(attrs['length']), OF_A_THREAD)
    .map(([first, end]) => [memory + 4 * first, memory + 4 * first, end - first, factor]);
  return () => vectors.each('scale', calls);
};

/**
 * A whole all-reduce from the left (runtime/cpu/cpu-actions): inputs are the terms, outputs the targets, all equally
 * long.
 */
const fold: VectorOp = ({ inputs, outputs, attrs }, vectors) => {
  const { length } = at(inputs, 0);
  const factors = [Number(attrs['scale']), Number(attrs['after'])];
  // A product with a number that is not a float32 would be rounded twice.
  if (length < WORTH_A_CALL || factors.some((factor) => Math.fround(factor) !== factor)) return undefined;
  const addresses = [...inputs, ...outputs].map(addressOf);
  const table = vectors.words(vectors.scratch, addresses.length);
  // The kernel stores its own sum after the table, at a multiple of 16 bytes.
  const own = 16 * Math.ceil(addresses.length / 4);
  const calls = vectors
    .runs(length, OF_A_THREAD)
    .map(([from, to]) => [vectors.scratch, inputs.length, outputs.length, from, to, ...factors, own]);
  return () => {
    table.set(addresses);
    vectors.each('fold', calls, true);
  };
};

export const COMM_VECTORS: VectorOps = new Map([
  ['ddp/pack', pack],
  ['comm/scale', scale],
  ['comm/fold', fold],
]);
