/**
 * train.py and the listing of runs in half precision and in shards, as they are, in the PyTorch of this machine:
 * autocast, GradScaler, whole models in bfloat16 and float16, MixedPrecisionPolicy, fully_shard, and
 * ZeroRedundancyOptimizer. The losses of every rank, also those that the listing prints, and the final weights are held
 * against Lockstep's own run. Needs a torch with fully_shard (2.6).
 */
import { describe, expect, test } from 'vitest';
import { place } from '../../../scripts/tier';
import { at, must } from '../../base/invariant';
import { parseConfig } from '../../config/parse-config';
import { exportFiles } from '../../headless/export-run';
import { runConfig } from '../../headless/run';
import type { ConfigInput } from '../../protocol/config';
import { mlpLayers } from '../../protocol/presets';
import { caseOf, printedBy, torchScript } from '../testing/script-cases';
import { lossesApart, type TorchReport, weightsApart } from '../testing/torch-apart';
import { exportedScript, pythonWithTorch, reportOf, runTorchScripts, sayNoTorch } from '../testing/torch-scripts';

const RUN: ConfigInput = {
  device: 'cpu',
  compareSingle: false,
  seed: 2,
  steps: 7,
  model: { layers: mlpLayers([2, 6, 5, 1], 'Tanh') },
  data: { type: 'xor', samples: 48, testFraction: 0 },
  batchSize: 12,
  dropLast: true,
  optimizer: { type: 'SGD', lr: 0.1, momentum: 0.9 },
};
const SCALED = { enabled: true, initScale: 2 ** 17, growthInterval: 3 } as const;
const SHARDED = { ...RUN, mode: 'sharded', worldSize: 2 } as const;

const CASES: readonly (readonly [name: string, config: ConfigInput])[] = [
  ['autocast with bfloat16', { ...RUN, mode: 'single', precision: 'autocast-bf16' }],
  ['autocast with bfloat16, DDP', { ...RUN, mode: 'ddp', worldSize: 2, precision: 'autocast-bf16' }],
  [
    'autocast with float16 and a scaler, DDP',
    { ...RUN, mode: 'ddp', worldSize: 2, precision: 'autocast-fp16', gradScaler: SCALED },
  ],
  ['bfloat16 with a master', { ...RUN, mode: 'single', precision: 'bf16-master' }],
  ['float16 with a master and a scaler', { ...RUN, mode: 'single', precision: 'fp16-master', gradScaler: SCALED }],
  ['bfloat16 alone', { ...RUN, mode: 'single', precision: 'bf16' }],
  ['fully_shard', { ...SHARDED, clipGradNorm: 0.5 }],
  ['fully_shard without resharding', { ...SHARDED, sharded: { stage: 2 } }],
  ['ZeroRedundancyOptimizer', { ...SHARDED, sharded: { stage: 1 }, optimizer: { type: 'AdamW', lr: 0.01 } }],
  [
    'MixedPrecisionPolicy, bfloat16, reduced in float32',
    { ...SHARDED, sharded: { paramDtype: 'bfloat16', reduceDtype: 'float32' } },
  ],
  ['MixedPrecisionPolicy, bfloat16', { ...SHARDED, sharded: { paramDtype: 'bfloat16' } }],
  [
    'MixedPrecisionPolicy, float16, with a scaler',
    { ...SHARDED, sharded: { paramDtype: 'float16' }, gradScaler: SCALED },
  ],
];

const IN_QUICK = /^(autocast with float16|fully_shard$|ZeroRedundancyOptimizer|MixedPrecisionPolicy, bfloat16$)/;

const python = pythonWithTorch('torch.distributed.tensor.parallel');

if (python === undefined)
  test('no PyTorch with fully_shard on this machine', () =>
    sayNoTorch(`${CASES.length} exported runs in half precision or in shards were not trained.`, {
      module: 'torch.distributed.tensor.parallel (torch 2.6)',
      more: CASES.map(([name]) => name),
    }));
else describe('trained by PyTorch', inPyTorch);

function inPyTorch(): void {
  const [quick, others] = [true, false].map((inQuick) => CASES.filter(([name]) => IN_QUICK.test(name) === inQuick));
  test.each(quick ?? [])('%s', { timeout: 400_000 }, (_, config) => trains(config));
  test.each(others ?? [])(
    '%s',
    { timeout: 400_000, ...place({ rest: 'four of these runs are trained in the quick tier' }) },
    (_, config) => trains(config),
  );
}

async function trains(config: ConfigInput): Promise<void> {
  const exported = exportedScript(await exportFiles(config, {}));
  const listed = await torchScript(caseOf({ name: '', config }));
  const { outputs } = runTorchScripts(must(python, 'python'), [exported, listed]);
  expect(outputs.map(({ error }) => error)).toEqual([null, null]);
  const report = JSON.parse(reportOf(at(outputs, 0))) as TorchReport;
  const own = await runConfig(config, {});
  expect(lossesApart(report, own.report.losses, undefined)).toEqual([]);
  expect(weightsApart(report, own.weights(), parseConfig(config))).toEqual([]);
  const printed = printedBy(parseConfig(config), own.report);
  expect(at(outputs, 1).printed.map((losses) => losses.length)).toEqual(printed.map((losses) => losses.length));
  printed.forEach((losses, rank) => {
    losses.forEach((loss, step) => {
      expect(at(at(outputs, 1).printed, rank)[step]).toBeCloseTo(loss, 5);
    });
  });
}
