/**
 * The inputs of the lab's ranks: small whole numbers, which a reader can add up; for PRODUCT, factors whose product
 * stays small. A function of seed and rank.
 */

import type { LabRequest } from '../protocol/lab';
import { Generator } from '../tensor/generator';
import { allocate, type HostArray } from '../tensor/shape';
import { isBitwise, labDtype, labLength, reduces } from './lab-program';

const FACTORS = [-2, -1, -0.5, 0.5, 1, 2] as const;
const LARGEST = 9;
const BYTES = 256;

export function labInputs(request: LabRequest): readonly HostArray[] {
  const { worldSize, reduceOp, seed } = request;
  const length = labLength(request);
  const bits = reduces(request.op) && isBitwise(reduceOp);
  const draw = (generator: Generator): number => {
    if (bits) return generator.random() % BYTES;
    if (reduces(request.op) && reduceOp === 'product') return FACTORS[generator.random() % FACTORS.length] ?? 1;
    return (generator.random() % (2 * LARGEST + 1)) - LARGEST;
  };
  return Array.from({ length: worldSize }, (_, rank) => {
    const generator = new Generator(seed * 64 + rank);
    const values = allocate(labDtype(request), length);
    for (let i = 0; i < length; i++) values[i] = draw(generator);
    return values;
  });
}
