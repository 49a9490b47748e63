/**
 * train.py goes on from a checkpoint of Lockstep's whose rows it cannot finish, because another mode, number of ranks
 * or batch size deals them in another way: it deals the epoch's rows again, from the generators of the checkpoint, as
 * Lockstep does. In the PyTorch of this machine, on the CPU over gloo; CyclicLR with a beta needs 2.3.
 */
import { expect, test } from 'vitest';
import { at } from '../../base/invariant';
import { isOlder } from '../../cli/torch/python';
import { exportFiles } from '../../headless/export-run';
import { runConfig } from '../../headless/run';
import { readMetadata } from '../../interop/safetensors';
import type { ConfigInput } from '../../protocol/config';
import { savedAfter } from '../testing/checkpoint-runs';
import { lossesApart, type TorchReport, weightsApart } from '../testing/torch-apart';
import { exportedScript, pythonWithTorch, reportOf, runTorchScripts, sayNoTorch } from '../testing/torch-scripts';

const RUN: ConfigInput = {
  device: 'cpu',
  compareSingle: false,
  model: {
    layers: [
      { type: 'Linear', in: 2, out: 6 },
      { type: 'Tanh' },
      { type: 'Dropout', p: 0.25 },
      { type: 'Linear', in: 6, out: 1 },
    ],
  },
  data: { type: 'xor', samples: 40, testFraction: 0 },
  batchSize: 8,
  seed: 4,
  optimizer: { type: 'SGD', lr: 0.1, momentum: 0.9 },
};
const DDP: ConfigInput = { mode: 'ddp', worldSize: 2 };

const ONE_CYCLE = { type: 'OneCycleLR', maxLr: 0.1, totalSteps: 20, threePhase: true } as const;
const CYCLIC = { type: 'CyclicLR', baseLr: 0.005, maxLr: 0.02, stepSizeUp: 3 } as const;

/** Saved after 7 steps; an epoch has 5 with a batch of 8. */
const AFTER = 7;
const CASES: readonly (readonly [name: string, saved: ConfigInput, resumed: ConfigInput])[] = [
  ['one device, from DDP', { ...DDP, batchSize: 10 }, {}],
  ['DDP, from one device', {}, DDP],
  ['a smaller batch', {}, { batchSize: 5 }],
  ['more micro-batches', { accumulate: 2 }, { accumulate: 4 }],
  [
    'a beta that cycles',
    { optimizer: { type: 'NAdam', lr: 0.01 }, scheduler: CYCLIC },
    { ...DDP, optimizer: { type: 'NAdam', lr: 0.01 }, scheduler: CYCLIC },
  ],
  ['a schedule that reads initial_lr', { scheduler: ONE_CYCLE }, { scheduler: ONE_CYCLE }],
  ['another seed of the samplers', DDP, { ...DDP, ddp: { samplerSeed: 3 } }],
];

test('rows that are dealt again', async () => {
  const python = pythonWithTorch();
  if (python === undefined) return sayNoTorch(`${CASES.length} runs were not resumed with other batches.`);
  const runs = await Promise.all(
    CASES.map(async ([name, saved, resumed]) => {
      const from = { ...RUN, ...saved };
      const files = await savedAfter(from, AFTER * (from.accumulate ?? 1));
      const config = { ...RUN, ...resumed, steps: 14, resume: 'run' };
      return { name, folder: await exportFiles(config, files), own: await runConfig(config, files) };
    }),
  );
  const { torch } = runTorchScripts(python, []);
  const trained = runs.filter(({ folder }) => !isOlder(torch, folder.needs.torch));
  const { outputs } = runTorchScripts(
    python,
    trained.map(({ folder }) => exportedScript(folder)),
  );
  expect(trained.length).toBeGreaterThanOrEqual(CASES.length - 1);
  for (const [i, { name, folder, own }] of trained.entries()) {
    expect(at(outputs, i).error, name).toBeNull();
    const report = JSON.parse(reportOf(at(outputs, i))) as TorchReport;
    expect(lossesApart(report, own.report.losses, undefined), name).toEqual([]);
    expect(weightsApart(report, own.weights(), folder.config), name).toEqual([]);
  }
  return undefined;
});

test('train.py resumes under join(): ranks whose weights and momenta differ continue with their own', async () => {
  const python = pythonWithTorch();
  if (python === undefined) return sayNoTorch('Checkpoints of join() were not resumed.');
  const runs = await Promise.all(
    // While both ranks train, after a rank has run out, and in the next epoch.
    [2, 4, 8].flatMap((after) =>
      [
        [24, 12],
        [12, 24],
      ].map(async (samplesPerRank) => {
        const config: ConfigInput = { ...RUN, ...DDP, steps: 14, ddp: { join: true, samplesPerRank } };
        const files = await savedAfter(config, after);
        const resumed = { ...config, resume: 'run' };
        return {
          name: `${samplesPerRank.join(' and ')} rows, resumed after ${after} steps`,
          folder: await exportFiles(resumed, files),
          own: await runConfig(resumed, files),
        };
      }),
    ),
  );
  const { outputs } = runTorchScripts(
    python,
    runs.map(({ folder }) => exportedScript(folder)),
  );
  const found = runs.flatMap(({ name, folder, own }, i) => {
    const { error } = at(outputs, i);
    if (error !== null) return [`${name}: ${error}`];
    const report = JSON.parse(reportOf(at(outputs, i))) as TorchReport;
    return [
      ...lossesApart(report, own.report.losses, undefined),
      ...weightsApart(report, own.weights(), folder.config),
    ].map((apart) => `${name}: ${apart}`);
  });
  expect(found).toEqual([]);
  return undefined;
});

test('train.py notes in its checkpoint that join() ended within an epoch', async () => {
  const python = pythonWithTorch();
  if (python === undefined) return sayNoTorch('Checkpoints of join() were not saved.');
  // An epoch has 6 steps of the first rank.
  const join = { ...RUN, ...DDP, ddp: { join: true, samplesPerRank: [24, 12] } };
  // With 3 batches, rank 0 runs out before the others.
  const short = { ddp: { join: true, samplesPerRank: [12, 24] } };
  const cases = [
    ...[{ steps: 8 }, { steps: 6 }, { epochs: 2 }],
    ...[
      { ...short, steps: 10 },
      { ...short, steps: 6 },
      { ...short, steps: 3 },
    ],
  ];
  const folders = await Promise.all(cases.map((length) => exportFiles({ ...join, ...length }, {})));
  const { outputs } = runTorchScripts(
    python,
    folders.map((folder) => ({
      ...exportedScript(folder),
      args: ['--checkpoint', 'run', '--quiet', '--device', 'cpu'],
      gives: ['run.state.safetensors'],
    })),
  );
  const noted = outputs.map(({ error, files }) => {
    expect(error).toBeNull();
    const { left_join, micro_batch } = readMetadata('', Buffer.from(files['run.state.safetensors'] ?? '', 'base64'));
    return [micro_batch, left_join];
  });
  const whole = undefined;
  expect(noted).toEqual([
    ['8', 'true'],
    ['6', whole],
    ['12', whole],
    ['10', 'true'],
    ['6', whole],
    // No rank has run out yet.
    ['3', whole],
  ]);
  return undefined;
});
