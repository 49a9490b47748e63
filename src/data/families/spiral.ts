/**
 * Two arms of 1.75 turns, as in TensorFlow Playground, scaled to [-1, 1]. Without noise nothing is drawn; with noise
 * `rand(n, 2)`, which moves each point by up to noise/6 in x and in y.
 */
import type { Generator } from '../../tensor/generator';
import { alternatingClass, dataFamily, type Rows } from '../family';
import { DATASET, POLAR, shiftOf, targetLine } from '../torch-lines';

const RADIUS = 5 / 6;
const TURNS = 1.75;

function spiral(generator: Generator, n: number, noise: number): Rows {
  const shifts = noise > 0 ? generator.rand(2 * n) : undefined;
  const perArm = Math.ceil(n / 2);
  const inputs = new Float32Array(2 * n);
  const values = new Int32Array(n);
  for (let i = 0; i < n; i++) {
    const label = alternatingClass(i);
    const along = (i >> 1) / perArm;
    const angle = TURNS * along * 2 * Math.PI + (label === 1 ? 0 : Math.PI);
    const shift = (k: number): number => (shifts ? (noise * (2 * (shifts[2 * i + k] ?? 0) - 1)) / 6 : 0);
    inputs.set([RADIUS * along * Math.sin(angle) + shift(0), RADIUS * along * Math.cos(angle) + shift(1)], 2 * i);
    values[i] = label;
  }
  return { kind: 'points', inputs, inputShape: [2], targets: { kind: 'labels', classes: 2, values } };
}

export const SPIRAL = dataFamily({
  type: 'spiral',
  rows: ({ config: { samples, noise }, generator }) => spiral(generator, samples, noise),
  torch: (data, loss) => [
    `i = torch.arange(${data.samples})`,
    `r = i // 2 / ${Math.ceil(data.samples / 2)}`,
    'r, a = 5 / 6 * r, (3.5 * r + i % 2) * torch.pi',
    data.noise > 0 ? `${POLAR} + ${data.noise} / 6 * ${shiftOf(data)}` : POLAR,
    'c = i % 2 == 0',
    targetLine('c', loss),
    DATASET,
  ],
});
