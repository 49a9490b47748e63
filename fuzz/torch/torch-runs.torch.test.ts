/**
 * Random runs, trained by Lockstep and, from their exported folders, by the PyTorch of this machine: the same losses on
 * every rank, and the same final weights. `npm run fuzz -- --torch` tries as many as wanted; LOCKSTEP_PYTHON names the
 * interpreter. A PyTorch before 2.6 trains no pipelines, tensor groups or shards.
 *
 * @module-tag rest: exported-runs.torch.test.ts trains chosen runs of each mode.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { must } from '../../src/base/invariant';
import { isOlder } from '../../src/cli/torch/python';
import { type ExportedRun, exportFiles } from '../../src/headless/export-run';
import { runConfig } from '../../src/headless/run';
import type { ConfigInput } from '../../src/protocol/config';
import { differsByNature, lossesApart, type TorchReport, weightsApart } from '../../src/training/testing/torch-apart';
import {
  exportedScript,
  pythonWithTorch,
  reportOf,
  runTorchScripts,
  sayNoTorch,
  type TorchOutput,
} from '../../src/training/testing/torch-scripts';
import { anyTorchRun } from './any-run';
import { knownDifference } from './known-differences';

const cases = Number(process.env['LOCKSTEP_FUZZ_TORCH'] ?? 8);
const seed = Number(process.env['LOCKSTEP_FUZZ_SEED'] ?? 20_261_128);
/** PyTorch is imported once for so many runs. */
const AT_ONCE = 8;

/** Of a loss or a weight after a few steps. Optimisers that divide by a root of squares enlarge rounding. */
const BAR = 1e-4;
const ADAPTIVE = 3e-3;
/** With halves: one rounding the other way. */
const HALVES = 0.03;

interface Tried {
  readonly input: ConfigInput;
  readonly folder: ExportedRun;
  readonly own: Awaited<ReturnType<typeof runConfig>>;
}

test(`${cases} random runs in PyTorch, seed ${seed}`, { timeout: 36_000_000 }, async () => {
  const python = pythonWithTorch();
  if (python === undefined) return sayNoTorch('no random runs were trained.');
  const { torch } = runTorchScripts(python, []);
  const found: object[] = [];
  const refused = new Map<string, number>();
  let [_trained, _tooNew, _known] = [0, 0, 0];
  const inputs = fc.sample(anyTorchRun, { seed, numRuns: cases });
  for (let start = 0; start < inputs.length; start += AT_ONCE) {
    const batch: Tried[] = [];
    for (const input of inputs.slice(start, start + AT_ONCE)) {
      const one = await tried(input).catch((error: unknown) => String(error));
      if (typeof one === 'string') refused.set(one, (refused.get(one) ?? 0) + 1);
      else if (isTooOld(torch, one)) _tooNew++;
      else if (isKnown(one)) _known++;
      else batch.push(one);
    }
    const { outputs } = runTorchScripts(
      python,
      batch.map(({ folder }) => exportedScript(folder)),
    );
    batch.forEach((one, i) => {
      _trained++;
      const apart = differences(one, must(outputs[i], 'an answer of PyTorch'));
      if (apart.length === 0) return;
      found.push({ apart: apart.slice(0, 3), input: one.input });
    });
  }
  const _refusals = [...refused].map(([text, count]) => `\n  ${count} x ${text.slice(0, 160)}`);
  expect(found).toEqual([]);
  return undefined;
});

async function tried(input: ConfigInput): Promise<Tried> {
  const folder = await exportFiles(input, {});
  return { input, folder, own: await runConfig(input, {}) };
}

/** Before 2.6, autocast on the CPU has no layer norm of mixed types, and other gaps. */
const isTooOld = (torch: string, { folder: { config, needs } }: Tried): boolean =>
  isOlder(torch, needs.torch) || (isOlder(torch, '2.6') && config.precision !== 'float32');

const isKnown = ({ folder: { config, files } }: Tried): boolean =>
  differsByNature(config) || knownDifference({ config, trainPy: String(files['train.py']) }) !== undefined;

function differences({ folder: { config }, own }: Tried, output: TorchOutput): readonly string[] {
  if (output.error !== null) return [output.error.trim().split('\n').slice(-4).join(' | ')];
  const report = JSON.parse(reportOf(output)) as TorchReport;
  const { losses, error } = own.report;
  const isLow = config.precision !== 'float32' || config.ddp.commHook.type !== 'allreduce';
  const bar = isLow ? HALVES : config.optimizer.type === 'SGD' ? BAR : ADAPTIVE;
  // PyTorch goes on with a loss of NaN.
  const compared = error ? { ...report, losses: report.losses.slice(0, losses.length) } : report;
  return [
    ...lossesApart(compared, losses, undefined, bar),
    ...(error ? [] : weightsApart(compared, own.weights(), config, bar)),
  ];
}
