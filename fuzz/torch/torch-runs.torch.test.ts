/**
 * Random runs, trained by Lockstep and, from their exported folders, by the PyTorch of this machine: the same losses on
 * every rank, and the same final weights. `npm run fuzz -- --torch` tries as many as wanted; LOCKSTEP_PYTHON names the
 * interpreter. A PyTorch before 2.6 trains no pipelines, tensor groups or shards.
 *
 * @module-tag rest: exported-runs.torch.test.ts trains chosen runs of each mode.
 */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LockstepError } from '../../src/base/errors';
import { must } from '../../src/base/invariant';
import { isOlder } from '../../src/cli/torch/python';
import { parseConfig } from '../../src/config/parse-config';
import { type ExportedRun, exportFiles } from '../../src/headless/export-run';
import { runConfig } from '../../src/headless/run';
import type { RunResult } from '../../src/headless/run-options';
import type { Config, ConfigInput } from '../../src/protocol/config';
import type { Files } from '../../src/protocol/session';
import { createBlueprint } from '../../src/training/blueprint';
import { savedAfter } from '../../src/training/testing/checkpoint-runs';
import { differsByNature, lossesApart, type TorchReport, weightsApart } from '../../src/training/testing/torch-apart';
import {
  exportedScript,
  pythonWithTorch,
  reportOf,
  runTorchScripts,
  sayNoTorch,
  type TorchOutput,
} from '../../src/training/testing/torch-scripts';
import { startWeights } from '../../src/training/weights/weights';
import { weightsFile } from '../../src/training/weights/weights-file';
import { type AnyRun, anyTorchRun, WEIGHTS_FILE } from './any-run';
import { knownDifference } from './known-differences';
import { HALVES, roundingDecides } from './rounding';

const cases = Number(process.env['LOCKSTEP_FUZZ_TORCH'] ?? 8);
const seed = Number(process.env['LOCKSTEP_FUZZ_SEED'] ?? 20_261_128);
/** A file with lines that an earlier try printed: these runs are tried instead. */
const again = process.env['LOCKSTEP_FUZZ_RUNS'];
/** PyTorch is imported once for so many runs. */
const AT_ONCE = 8;

/** Of a loss or a weight after a few steps. Optimisers that divide by a root of squares enlarge rounding. */
const BAR = 1e-4;
const ADAPTIVE = 3e-3;

interface Tried {
  readonly run: AnyRun;
  readonly input: ConfigInput;
  /** Data, initial weights, and the checkpoint with which the run goes on. */
  readonly files: Files;
  readonly folder: ExportedRun;
  readonly own: RunResult;
}

test(`${cases} random runs in PyTorch, seed ${seed}`, { timeout: 36_000_000 }, async () => {
  const python = pythonWithTorch();
  if (python === undefined) return sayNoTorch('no random runs were trained.');
  const { torch } = runTorchScripts(python, []);
  const found: object[] = [];
  const refused = new Map<string, number>();
  const counts = { compared: 0, known: 0, tooNew: 0, byRounding: 0 };
  const runs = again ? readRuns(again) : fc.sample(anyTorchRun, { seed, numRuns: cases });
  for (let start = 0; start < runs.length; start += AT_ONCE) {
    const batch: Tried[] = [];
    for (const run of runs.slice(start, start + AT_ONCE)) {
      const one = await tried(run);
      if (one instanceof Error) say(found, { apart: [one.message], ...run });
      else if (typeof one === 'string') refused.set(one, (refused.get(one) ?? 0) + 1);
      else if (isTooOld(torch, one)) counts.tooNew++;
      else if (isKnown(one)) counts.known++;
      else batch.push(one);
    }
    const { outputs } = runTorchScripts(
      python,
      batch.map(({ folder }) => exportedScript(folder)),
    );
    for (const [i, one] of batch.entries()) {
      counts.compared++;
      const output = must(outputs[i], 'an answer of PyTorch');
      const apart = differences(one, output);
      if (apart.length === 0) continue;
      const trained = output.error === null && !one.own.report.error;
      if (trained && (await roundingDecides(one.input, one.files, one.own, barOf(one.folder.config)))) {
        counts.byRounding++;
        process.stdout.write(`${JSON.stringify({ byRounding: apart.slice(0, 3), ...one.run })}\n`);
      } else say(found, { apart: apart.slice(0, 3), ...one.run });
    }
  }
  const refusals = [...refused].map(([text, count]) => `\n  ${count} x ${text.slice(0, 160)}`);
  const { compared, known, tooNew, byRounding } = counts;
  process.stdout.write(
    `torch ${torch}: ${compared} runs compared, ${found.length} of them differ. ${byRounding} differ because rounding decides, ${known} for known reasons, ${tooNew} need a newer PyTorch. Lockstep refused:${refusals.join('')}\n`,
  );
  expect(found.length).toBe(0);
  expect(compared).toBeGreaterThan(0);
  return undefined;
});

const readRuns = (file: string): readonly AnyRun[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => {
      const { config, files, weightsOf, saved } = JSON.parse(line) as AnyRun;
      return { config, ...(files && { files }), ...(weightsOf && { weightsOf }), ...(saved && { saved }) };
    });

function say(found: object[], one: object): void {
  found.push(one);
  process.stdout.write(`${JSON.stringify(one)}\n`);
}

/** A text: why Lockstep refuses the run. An error is a finding. */
async function tried(run: AnyRun): Promise<Tried | string | Error> {
  const { config, saved, weightsOf } = run;
  try {
    const given = Object.fromEntries(
      Object.entries(run.files ?? {}).map(([name, text]) => [name, new Uint8Array(Buffer.from(text, 'base64'))]),
    );
    const files = {
      ...given,
      ...(saved ? await savedAfter(saved.by, saved.afterSteps * (saved.by.accumulate ?? 1), given) : {}),
      ...(weightsOf === undefined ? {} : { [WEIGHTS_FILE]: weightsWith({ ...config, seed: weightsOf }, given) }),
    };
    const input: ConfigInput = saved ? { ...config, resume: 'run' } : config;
    return { run, input, files, folder: await exportFiles(input, files), own: await runConfig(input, files) };
  } catch (error) {
    if (error instanceof LockstepError && error.code !== 'internal') return error.message;
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** The initial weights of a run. */
function weightsWith({ weights: _, ...config }: ConfigInput, files: Files): Uint8Array<ArrayBuffer> {
  const blueprint = createBlueprint(parseConfig(config), files);
  return weightsFile(blueprint, startWeights(blueprint));
}

/** Before 2.6, autocast on the CPU has no layer norm of mixed types, and other gaps. */
const isTooOld = (torch: string, { folder: { config, needs } }: Tried): boolean =>
  isOlder(torch, needs.torch) || (isOlder(torch, '2.6') && config.precision !== 'float32');

const isKnown = ({ folder: { config, files }, own: { report } }: Tried): boolean =>
  differsByNature(config) ||
  knownDifference({
    ...{ config, trainPy: String(files['train.py']) },
    notices: report.notices.map(({ id }) => id),
  }) !== undefined;

function differences({ folder: { config }, own }: Tried, output: TorchOutput): readonly string[] {
  if (own.report.error?.code === 'internal') return [own.report.error.message];
  // Both stop, for example because a parameter gets no gradient.
  if (output.error !== null && own.report.error) return [];
  if (output.error !== null) return [output.error.trim().split('\n').slice(-4).join(' | ')];
  const report = JSON.parse(reportOf(output)) as TorchReport;
  const { losses, error } = own.report;
  const bar = barOf(config);
  // PyTorch goes on with a loss of NaN.
  const compared = error ? { ...report, losses: report.losses.slice(0, losses.length) } : report;
  return [
    ...lossesApart(compared, losses, undefined, bar),
    ...(error ? [] : weightsApart(compared, own.weights(), config, bar)),
  ];
}

function barOf({ precision, mode, sharded, ddp, optimizer }: Config): number {
  const isLow =
    precision !== 'float32' ||
    (mode === 'sharded' && sharded.paramDtype !== 'float32') ||
    ddp.commHook.type === 'fp16Compress';
  return isLow ? HALVES : optimizer.type === 'SGD' ? BAR : ADAPTIVE;
}
