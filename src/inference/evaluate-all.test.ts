/**
 * The evaluation of a report: over all rows, equal in pieces and at once, with running statistics and without dropout.
 */
import { expect, test } from 'vitest';
import { must } from '../base/invariant';
import { parseConfig } from '../config/parse-config';
import { runConfig } from '../headless/run';
import type { ConfigInput } from '../protocol/config';
import { createBlueprint } from '../training/blueprint';
import { evaluateAll } from './evaluate-all';
import { createEvaluator } from './evaluator';
import { gather } from './measure';

const CONFIG: ConfigInput = {
  device: 'cpu',
  model: {
    layers: [
      { type: 'Linear', in: 2, out: 6 },
      { type: 'BatchNorm1d', features: 6 },
      { type: 'ReLU' },
      { type: 'Dropout', p: 0.5 },
      { type: 'Linear', in: 6, out: 1 },
    ],
  },
  data: { type: 'spiral', samples: 90, testFraction: 0.2 },
  batchSize: 10,
  steps: 5,
};

test('a report has the evaluation on request, over all rows of both parts', async () => {
  expect((await runConfig(CONFIG, {})).report.evaluation).toBeUndefined();
  const { report } = await runConfig(CONFIG, {}, { evaluate: true });
  const { train, test: held } = must(report.evaluation, 'evaluation');
  expect(train.rows + (held?.rows ?? 0)).toBe(90);
  // The data is small, so the report's own test loss also covers all rows.
  expect(held?.loss).toBeCloseTo(report.testLoss ?? Number.NaN, 6);
  expect(held?.accuracy).toBeCloseTo(report.accuracy ?? Number.NaN, 9);
  // The last training loss is for one batch, with dropout.
  expect(train.loss).not.toBe(report.finalLoss);
});

const weighted = { type: 'CrossEntropyLoss', classWeights: [1, 3, 0.5], ignoreIndex: 1 } as const;

test.each([
  ['mean', { type: 'CrossEntropyLoss' }],
  ['class weights and an ignored class', weighted],
  ['sum', { type: 'CrossEntropyLoss', reduction: 'sum' }],
] as const)('in pieces it is what it is at once: %s', (_, loss) => {
  // So wide that a piece holds only some of the rows.
  const config = parseConfig({
    device: 'cpu',
    memoryBudgetMb: 4000,
    model: {
      layers: [
        { type: 'Linear', in: 6, out: 1024 },
        { type: 'Tanh' },
        { type: 'Linear', in: 1024, out: 1024 },
        { type: 'Linear', in: 1024, out: 3 },
      ],
    },
    loss,
    data: { type: 'prototypes', samples: 700, classes: 3, features: 6, testFraction: 0 },
    batchSize: 20,
  });
  const blueprint = createBlueprint(config, {});
  const state = new Map(
    [...blueprint.parameters, ...blueprint.buffers].map(({ name, data }) => [name, Float32Array.from(data)]),
  );
  const { train } = blueprint.dataset;
  const { inputs, targets } = gather(blueprint, train);
  const whole = createEvaluator(blueprint.input, train.length).run(state, inputs, targets);
  const pieces = evaluateAll(blueprint, state).train;
  expect(pieces.rows).toBe(700);
  expect(pieces.loss / whole.loss).toBeCloseTo(1, 5);
});
