/**
 * The counted step of a run: rows of products and of the optimiser match their kernels' loops, and counting changes no
 * loss.
 */
import { afterAll, expect, test } from 'vitest';
import { place } from '../../../scripts/tier';
import { SOFTWARE_TUNING } from '../../graph/kernel-tuning';
import { HARDWARE } from '../../graph/testing/hardware-tuning';
import { nodeGpu } from '../../runtime/webgpu/testing/node-gpu';
import { countStep } from './count-step';
import { rowsOf, trafficTable } from './traffic-tables';

const [ROWS, INPUTS, HIDDEN] = [64, 96, 160];
const CONFIG = {
  model: {
    layers: [
      { type: 'Linear', in: 2, out: INPUTS },
      { type: 'Linear', in: INPUTS, out: HIDDEN },
      { type: 'Linear', in: HIDDEN, out: 1 },
    ],
  },
  loss: { type: 'BCEWithLogitsLoss' },
  optimizer: { type: 'SGD', lr: 0.1 },
  data: { type: 'spiral' },
  batchSize: ROWS,
};
const node = nodeGpu();
afterAll(() => node.close());

test('a step in DDP: products, gradients and the all-reduce', place({ modes: ['ddp'] }), async () => {
  const ddp = { ...CONFIG, mode: 'ddp', worldSize: 2, batchSize: 2 * ROWS, placement: 'shared' };
  const rows = rowsOf(await countStep(ddp, { gpu: node.gpu, tuning: SOFTWARE_TUNING }));
  const product = rows.find(({ shapes }) => shapes.startsWith(`${ROWS}x${INPUTS}, ${HIDDEN}x${INPUTS}, ${HIDDEN} ->`));
  const words = ROWS * INPUTS + HIDDEN * INPUTS + HIDDEN + ROWS * HIDDEN;
  expect(product).toMatchObject({
    op: 'ops/linear',
    launches: 1,
    written: 2 * 4 * ROWS * HIDDEN,
    least: 2 * 4 * words,
  });
  const parameters = 3 * INPUTS + HIDDEN * (INPUTS + 1) + HIDDEN + 1;
  const written = rows.filter(({ op }) => op === 'transfer').reduce((sum, row) => sum + row.written, 0);
  // Each rank receives the sum of all gradients, with or without packing and unpacking of buckets.
  expect(written).toBeGreaterThanOrEqual(2 * 4 * parameters);
  const sgd = rows.find(({ op }) => op === 'optim/sgd');
  // It writes whole vectors of four.
  const vectors = [2 * INPUTS, INPUTS, INPUTS * HIDDEN, HIDDEN, HIDDEN, 1].map((size) => 4 * Math.ceil(size / 4));
  expect(sgd).toMatchObject({ written: 2 * 4 * vectors.reduce((sum, size) => sum + size) });
  expect(sgd?.least).toBeGreaterThanOrEqual(2 * 3 * 4 * parameters);
  expect(trafficTable(rows)).toContain(
    `| ${ROWS}x${INPUTS}, ${HIDDEN}x${INPUTS}, ${HIDDEN} -> ${ROWS}x${HIDDEN} | 1 |`,
  );
});

test(
  'with the kernels of hardware a product reads its operands once for each tile',
  place({ rest: 'a step in DDP is counted by the same code' }),
  async () => {
    const tuning = { ...HARDWARE, matmul: { ...HARDWARE.matmul, 'workgroup/product': 0 } };
    const [m, n, k] = [256, 1024, 64];
    const wide = {
      ...CONFIG,
      batchSize: m,
      data: { type: 'spiral', samples: 2 * m },
      model: {
        layers: [
          { type: 'Linear', in: 2, out: k },
          { type: 'Linear', in: k, out: n },
          { type: 'Linear', in: n, out: 1 },
        ],
      },
    };
    const rows = rowsOf(await countStep(wide, { gpu: node.gpu, tuning }));
    const product = rows.find(({ shapes }) => shapes === `${m}x${k}, ${n}x${k}, ${n} -> ${m}x${n}`);
    // Tiles of 64 x 64; the bias is read once for eight rows; two barriers for 16 steps along k.
    expect(product).toMatchObject({
      kernels: ['workgroup/product'],
      read: 4 * ((n / 64) * m * k + (m / 64) * n * k + (m * n) / 8),
      written: 4 * m * n,
      least: 4 * (m * k + n * k + n + m * n),
      barriers: 2 * (k / 16),
      workgroupBytes: 16 * (528 + 272),
      invocations: 128,
    });
  },
);
