/**
 * Exported runs whose ranks begin in another way than usual, in the PyTorch of this machine: with the weights of a
 * file, without a batch, or with modules inside modules of earlier layers. Runs in any PyTorch from 1.13 on, or 2.7
 * where init_sync is meant.
 */
import { expect, test } from 'vitest';
import { must } from '../../base/invariant';
import { isOlder } from '../../cli/torch/python';
import { parseConfig } from '../../config/parse-config';
import { exportFiles } from '../../headless/export-run';
import type { ConfigInput } from '../../protocol/config';
import { createBlueprint } from '../blueprint';
import { savedAfter } from '../testing/checkpoint-runs';
import { type ExportedCase, exportedApart } from '../testing/exported-apart';
import { pythonWithTorch, runTorchScripts, sayNoTorch } from '../testing/torch-scripts';
import { startWeights } from '../weights/weights';
import { weightsFile } from '../weights/weights-file';

const RUN: ConfigInput = {
  device: 'cpu',
  compareSingle: false,
  model: {
    layers: [
      { type: 'Linear', in: 2, out: 5, name: 'a.b' },
      { type: 'Tanh' },
      { type: 'Linear', in: 5, out: 5, name: 'c' },
      { type: 'Linear', in: 5, out: 1, name: 'a.d' },
    ],
  },
  data: { type: 'xor', samples: 18, testFraction: 0 },
  batchSize: 12,
  steps: 2,
  seed: 3,
};

const ADAM = { type: 'Adam', lr: 0.01 } as const;

/** The weights that another seed draws. */
async function otherStart() {
  const blueprint = createBlueprint(parseConfig({ ...RUN, seed: 9 }), {});
  return { 'start.safetensors': weightsFile(blueprint, startWeights(blueprint)) };
}

const CASES: readonly ExportedCase[] = [
  { name: 'modules inside modules of earlier layers', config: RUN },
  {
    name: 'modules inside modules of earlier layers, resumed: PyTorch counts their parameters in another order',
    config: { ...RUN, optimizer: ADAM, steps: 4, resume: 'run' },
    files: () => savedAfter({ ...RUN, optimizer: ADAM }, 2),
  },
  {
    name: 'join, and a rank without a batch',
    config: { ...RUN, mode: 'ddp', worldSize: 3, dropLast: true, ddp: { samplesPerRank: [3, 10, 5], join: true } },
  },
];

const WITHOUT_SYNC: readonly ExportedCase[] = (['beforeModel', 'afterModel'] as const).map((rankSeeds) => ({
  name: `seeds ${rankSeeds}, the weights of a file, and no sync`,
  config: { ...RUN, mode: 'ddp', worldSize: 2, ddp: { rankSeeds, initSync: false }, weights: 'start.safetensors' },
  files: otherStart,
}));

test('losses of every rank and final weights', { timeout: 200_000 }, async () => {
  const python = pythonWithTorch();
  if (python === undefined) return sayNoTorch('the exported runs were not trained.');
  const { torch } = runTorchScripts(python, []);
  expect(await exportedApart(python, [...CASES, ...(isOlder(torch, '2.7') ? [] : WITHOUT_SYNC)])).toEqual([]);
  return undefined;
});

test('ranks with seeds of their own and without a sync load the weights of the file, and keep their own without one', async () => {
  const loads = async (config: ConfigInput) =>
    String((await exportFiles(config, await otherStart())).files['train.py']).includes('initial.safetensors');
  const { config } = must(WITHOUT_SYNC[0], 'a case');
  expect(await loads(config)).toBe(true);
  const { weights: _, ...own } = config;
  expect(await loads(own)).toBe(false);
});
