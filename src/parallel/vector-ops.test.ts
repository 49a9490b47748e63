/** Which runs load the WebAssembly kernels of the CPU. */
import { expect, test } from 'vitest';
import { parseConfig } from '../config/parse-config';
import type { LayerInput } from '../protocol/config';
import { createBlueprint } from '../training/blueprint';
import { usesKernels } from './vector-ops';

const programsOf = (width: number, activation: LayerInput) =>
  createBlueprint(
    parseConfig({
      model: { layers: [{ type: 'Linear', in: 2, out: width }, activation, { type: 'Linear', in: width, out: 1 }] },
      data: { type: 'xor', samples: 24 },
      loss: { type: 'MSELoss' },
    }),
    {},
  ).programs;

test.each<[width: number, activation: LayerInput, uses: boolean]>([
  [8, { type: 'Tanh' }, false],
  [8, { type: 'GELU' }, true],
  [8, { type: 'SiLU' }, true],
  [8000, { type: 'Tanh' }, true],
])('%i units, %j', (width, activation, uses) => {
  expect(usesKernels(programsOf(width, activation))).toBe(uses);
});
