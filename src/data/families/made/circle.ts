/**
 * A disc inside a ring, as in TensorFlow Playground, scaled to [-1, 1]: class 1 within radius 5/12, class 0 outside.
 * Draws: `rand(n)` for the radius, `rand(n)` for the angle, and with noise `rand(n, 2)`; noise moves the point that
 * decides the label, not the visible point.
 */
import type { Generator } from '../../../tensor/generator';
import { alternatingClass, dataFamily, type Rows } from '../../family';
import { DATASET, POLAR, shiftOf, targetLine } from '../../torch-lines';

const RADIUS = 5 / 6;
const BORDER = RADIUS / 2;
const RING = 0.7 * RADIUS;

function circle(generator: Generator, n: number, noise: number): Rows {
  const radii = generator.rand(n);
  const angles = generator.rand(n);
  const shifts = noise > 0 ? generator.rand(2 * n) : undefined;
  const inputs = new Float32Array(2 * n);
  const values = new Int32Array(n);
  for (let i = 0; i < n; i++) {
    const r = alternatingClass(i) === 1 ? BORDER * (radii[i] ?? 0) : RING + (RADIUS - RING) * (radii[i] ?? 0);
    const angle = 2 * Math.PI * (angles[i] ?? 0);
    const x = r * Math.sin(angle);
    const y = r * Math.cos(angle);
    inputs.set([x, y], 2 * i);
    const shift = (k: number): number => (shifts ? RADIUS * noise * (2 * (shifts[2 * i + k] ?? 0) - 1) : 0);
    values[i] = Math.hypot(x + shift(0), y + shift(1)) < BORDER ? 1 : 0;
  }
  return { kind: 'points', inputs, inputShape: [2], targets: { kind: 'labels', classes: 2, values } };
}

export const family = dataFamily({
  type: 'circle',
  rows: ({ config: { samples, noise }, generator }) => circle(generator, samples, noise),
  torch: (data, loss) => [
    `r, a = torch.rand(${data.samples}), torch.rand(${data.samples}) * 2 * torch.pi`,
    `r = torch.where(torch.arange(${data.samples}) % 2 == 0, r * 5 / 12, (7 + 3 * r) / 12)`,
    POLAR,
    ...(data.noise > 0 ? [`p = x + ${data.noise} * 5 / 6 * ${shiftOf(data)}`] : []),
    `c = ${data.noise > 0 ? 'p' : 'x'}.norm(dim=1) < 5 / 12`,
    targetLine('c', loss),
    DATASET,
  ],
});
