/**
 * Runs a Config from start to end and reports, for the command line, the page's `window.lockstep.run` and the tests.
 * This file opens and closes the run; headless-run.ts has everything in between.
 */
import { brief } from '../base/brief';
import { LockstepError } from '../base/errors';
import { parseConfig } from '../config/parse-config';
import { prepareFiles } from '../data/prepare-files';
import type { RecordOptions } from '../protocol/report';
import type { Files } from '../protocol/session';
import { parameterCount } from '../shapes/parameters';
import { createBlueprint } from '../training/blueprint';
import { DeviceKeeper } from '../training/device-keeper';
import { memoryOf } from '../training/device-memory';
import { FAILURE_WORDS } from '../training/failures/failure-words-part';
import { checkRank } from '../training/failures/fault-plan';
import { loadParts } from '../training/load-parts';
import { Supervisor } from '../training/supervisor';
import { extentOf, HeadlessRun } from './headless-run';
import type { RunOptions, RunResult } from './run-options';
import { nothingLeft, noWholeStep } from './run-words';

export { chromeTrace } from '../interop/chrome-trace';

/** With at least this many parameters, a run reports what it does before the first step. */
const MANY_PARAMETERS = 10_000_000;

/** A run that fails after its start still reports what it did; `report.error` says why it stopped. */
export async function runConfig(input: unknown, files: Files, options: RunOptions = {}): Promise<RunResult> {
  checkRecords(options.records);
  const config = parseConfig(input);
  await Promise.all([loadParts(config), FAILURE_WORDS.load()]);
  const parameters = config.model.layers.reduce((sum, layer) => sum + parameterCount(layer), 0);
  const say = (text: string): void => {
    if (parameters >= MANY_PARAMETERS) options.onPhase?.(text);
  };
  say(`The model has ${parameters.toLocaleString('en')} parameters. They are drawn, and the steps compiled.`);
  const blueprint = createBlueprint(config, await prepareFiles(config.data, files), { end: 'atSteps' });
  if (parameters >= MANY_PARAMETERS) {
    const bytes = Math.max(...memoryOf(blueprint).map(({ peakBytes }) => peakBytes));
    say(`A device needs ${Math.round(bytes / 2 ** 20).toLocaleString('en')} MiB. The model is written to it.`);
  }
  for (const { rank } of options.faults ?? []) checkRank(rank, blueprint.processOfDevice);
  const { total, start } = extentOf(blueprint);
  if (start >= total) throw nothingLeft(start, total, config);
  if (total < config.accumulate) throw noWholeStep(total, config);
  const keeper = new DeviceKeeper(options.gpu, true);
  try {
    const supervisor = await Supervisor.start({ blueprint, keeper, gpu: options.gpu });
    try {
      say('The first step begins.');
      for (const fault of options.faults ?? []) supervisor.faults.add(fault);
      return await new HeadlessRun(blueprint, supervisor, options).run();
    } finally {
      await supervisor.training.dispose();
    }
  } finally {
    keeper.forget();
  }
}

/** The options may come from a script in the page. */
function checkRecords({ history }: RecordOptions = {}): void {
  if (history === undefined || (Number.isInteger(history) && history >= 1)) return;
  const hint = 'Use a whole number of at least 1, or leave history out.';
  throw new LockstepError('config', `history is ${brief(String(history))}; it must be a number of steps.`, hint);
}
