/**
 * An exported run is the same run: train.py of each case, as it is, in the PyTorch of this machine, on the CPU over
 * gloo. Losses of every rank and final weights are held against Lockstep's own run. Cases that need a newer PyTorch
 * than there is are counted and named.
 */
import { expect, test } from 'vitest';
import { place } from '../../../scripts/tier';
import { at, must } from '../../base/invariant';
import { isOlder } from '../../cli/torch/python';
import { exportFiles } from '../../headless/export-run';
import { runConfig } from '../../headless/run';
import { MODES } from '../../protocol/config';
import { SCRIPT_SETS, SCRIPTS, type ScriptCase } from '../testing/script-cases';
import { differsByNature, type LossRecord, lossesApart, type TorchReport, weightsApart } from '../testing/torch-apart';
import { exportedScript, pythonWithTorch, reportOf, runTorchScripts, sayNoTorch } from '../testing/torch-scripts';

/** An error of torch that the run has, too: a parameter without a gradient. */
const FAILS = /ddp 2, xor, BCEWithLogitsLoss, Adam, 5 steps/;

const CASES = SCRIPT_SETS.flatMap((set) => set.cases);
/** The first of each mode, and the first with each of the things that train.py writes other lines for. */
const WORDS = ['checkpointed', 'resumed', 'join', 'commHook', 'clipped', 'noSync', 'OneCycleLR', 'NAdam, resumed'];
const IN_QUICK = new Set(
  [...MODES.map((mode) => CASES.find(({ config }) => config.mode === mode)), ...WORDS.map(firstWith)].map(
    (one) => one?.name,
  ),
);
const [quick, others] = [true, false].map((inQuick) => CASES.filter(({ name }) => IN_QUICK.has(name) === inQuick));
/** What an older torch leaves out, nobody counts as trained. */
const WITHOUT_PIPELINES = MODES.filter((mode) => mode !== 'pipeline');

test(
  'some of each mode, trained by a PyTorch of this machine',
  { timeout: 400_000, ...place({ modes: WITHOUT_PIPELINES }) },
  () => trained(quick ?? []),
);

test(
  'all others, trained by a PyTorch of this machine',
  {
    timeout: 400_000,
    ...place({ rest: 'one of each mode and of each part of train.py is trained in the quick tier' }),
  },
  () => trained(others ?? []),
);

function firstWith(word: string): ScriptCase | undefined {
  return CASES.find(({ name }) => name.includes(word));
}

async function trained(cases: readonly ScriptCase[]): Promise<void> {
  const python = pythonWithTorch();
  if (python === undefined) return sayNoTorch('the exported runs were not trained.');
  const folders = await Promise.all(
    cases.map(async ({ config, files }) => exportFiles({ ...config, compareSingle: false }, await files())),
  );
  const { torch: version } = runTorchScripts(python, []);
  const fits = cases.map((_, i) => !isOlder(version, at(folders, i).needs.torch));
  const { outputs } = runTorchScripts(python, folders.filter((_, i) => fits[i]).map(exportedScript));
  const left = cases.flatMap(({ name }, i) => (fits[i] ? [] : [`${name} (${at(folders, i).needs.torch})`]));
  if (left.length > 0)
    sayNoTorch(`${left.length} exported runs were not trained.`, {
      module: `a newer torch than ${version}`,
      more: left,
    });
  const found: string[] = [];
  for (const [i, one] of cases.filter((_, k) => fits[k]).entries()) {
    const { name, config, files } = one;
    const output = at(outputs, i);
    const { error } = output;
    if (error !== null && !FAILS.test(name)) found.push(`${name}: ${error}`);
    const text = reportOf(output);
    if (text === '') {
      found.push(`${name}: no report`);
      continue;
    }
    if (differsByNature(config)) continue;
    const report = JSON.parse(text) as TorchReport;
    if (one.since !== undefined && isOlder(version, one.since)) {
      // NAdam: torch 2.0 corrected it, and Lockstep has the rule of 2.x. An older torch is held to what it printed
      // when it was asked for the listing of the run; the run itself is held to a torch 2 by script-losses.test.ts.
      found.push(...lossesApart(report, lossesBefore(one, report), undefined).map((text) => `${name}: ${text}`));
      continue;
    }
    const own = await runConfig({ ...config, placement: 'shared' }, await files());
    // A rank of torch that failed knows its own losses only.
    found.push(
      ...lossesApart(report, own.report.losses, FAILS.test(name) ? 1 : undefined).map((text) => `${name}: ${text}`),
    );
    if (!FAILS.test(name)) found.push(...weightsApart(report, own.weights(), config).map((text) => `${name}: ${text}`));
  }
  expect(found).toEqual([]);
}

/** The losses that an older torch printed for the listing, at the places of its report; of one process. */
function lossesBefore({ name }: ScriptCase, { losses }: TorchReport): readonly LossRecord[] {
  const [printed = []] = must(must(SCRIPTS.recorded.cases[name], name).before, `${name} before`).printed;
  expect(losses.length).toBe(printed.length);
  return losses.map(({ microBatch }, i) => ({ microBatch, perRank: [at(printed, i)] }));
}
