/** Runs a Config from start to end and reports: what the command line, the page's `window.lockstep.run` and the tests call. */
import { LockstepError } from '../base/errors';
import { prepareFiles } from '../data/prepare-files';
import type { Files, Report, SessionInfo } from '../protocol/session';
import type { LossRecord, StepTrace } from '../protocol/trace';
import { createBlueprint } from './blueprint';
import { datasetFile } from './dataset-file';
import { DeviceKeeper } from './device-keeper';
import { describeNotFinite, findNotFinite } from './find-not-finite';
import { createMeasure } from './measure';
import { mergedState } from './merged-weights';
import { parseConfig } from './parse-config';
import { makeReport } from './report';
import { sessionInfo } from './session-info';
import { createTraining, type Training } from './training';
import { weightsFile } from './weights-file';

export { chromeTrace } from '../interop/chrome-trace';

/** Steps that a run with `trace` keeps, at its end. */
const TRACED_STEPS = 3;
const CHUNK = 50;
/** On the CPU nothing awaits the outside: without a turn of the event loop now and then, no abort would be heard. */
const TURN_MS = 100;
/** A headless report evaluates on more rows than the page's snapshots do. */
const REPORT_NS = 3e9;

export interface RunOptions {
  readonly gpu?: GPU;
  readonly onStep?: (record: LossRecord, total: number) => void;
  readonly trace?: boolean;
  readonly signal?: AbortSignal;
}

export interface RunResult {
  readonly report: Report;
  readonly traces: readonly StepTrace[];
  /** What the run looked like before it began: code lines, buffers, hardware. */
  readonly info: SessionInfo;
  /** Final weights as .safetensors. */
  readonly weights: Uint8Array<ArrayBuffer>;
  /** The rows as .safetensors, for the script of the code panel. */
  readonly dataset: () => Uint8Array<ArrayBuffer>;
}

/** A run that fails after its start still reports what it did; `report.error` says why it stopped. */
export async function runConfig(input: unknown, files: Files, options: RunOptions = {}): Promise<RunResult> {
  const config = parseConfig(input);
  const blueprint = createBlueprint(config, await prepareFiles(config.data, files));
  const keeper = new DeviceKeeper(options.gpu, true);
  const training = await createTraining(blueprint, { keeper, gpu: options.gpu });
  try {
    return await runTraining(training, options);
  } finally {
    await training.dispose();
    keeper.forget();
  }
}

async function runTraining(training: Training, { onStep, trace, signal }: RunOptions): Promise<RunResult> {
  const { blueprint } = training;
  const { config } = blueprint;
  const total = config.epochs === undefined ? config.steps : config.epochs * blueprint.stepsPerEpoch;
  const plain = trace ? Math.max(0, total - TRACED_STEPS) : total;
  const losses: LossRecord[] = [];
  const traces: StepTrace[] = [];
  let error: unknown;
  const lost = training.lost.then(({ code, message, details }) => {
    throw new LockstepError(code, message, 'Run again; the same configuration gives the same numbers.', details);
  });
  lost.catch(() => {});
  const take = (records: readonly LossRecord[]) => {
    for (const record of records) {
      losses.push(record);
      onStep?.(record, total);
      if (!Number.isFinite(record.loss)) {
        throw notFinite(`The loss is ${record.loss} at step ${record.step}.`, record.step);
      }
    }
  };
  const started = performance.now();
  let lastTurn = started;
  try {
    while (losses.length < total) {
      if (performance.now() - lastTurn > TURN_MS) {
        await new Promise((resolve) => setTimeout(resolve));
        lastTurn = performance.now();
      }
      if (signal?.aborted) throw new LockstepError('aborted', `The run was stopped after ${losses.length} steps.`);
      if (losses.length < plain) take(await Promise.race([training.run(Math.min(CHUNK, plain - losses.length)), lost]));
      else {
        const one = await Promise.race([training.trace(), lost]);
        traces.push(one);
        take([one.losses]);
      }
    }
  } catch (reason) {
    error = reason;
  }
  const totalMs = performance.now() - started;
  // A lost device, or a rank that died, takes its weights along: there is nothing left to report.
  if (error instanceof LockstepError && (error.code === 'device-lost' || error.code === 'rank-failed')) throw error;
  const weights = await training.weights();
  const measured = createMeasure(blueprint, REPORT_NS).run(mergedState(blueprint, weights));
  if (error instanceof LockstepError && error.code === 'not-finite') error = await explained(training, error);
  const report = await makeReport({
    training,
    losses,
    totalMs,
    weights,
    measured,
    ...(error === undefined ? {} : { error }),
  });
  return {
    report,
    traces,
    info: sessionInfo(training),
    weights: weightsFile(training.blueprint, weights),
    dataset: () => datasetFile(training.blueprint),
  };
}

const notFinite = (message: string, step: number): LockstepError =>
  new LockstepError('not-finite', message, 'Lower the learning rate, or check the data for extreme values.', { step });

/** The error with the place where it began, found by running the steps again; as it was where that does not work out. */
async function explained(training: Training, error: LockstepError): Promise<LockstepError> {
  const step = Number(error.details['step']);
  try {
    const found = await findNotFinite(training, step, undefined);
    if (!found.event) return error;
    return notFinite(`${error.message} ${describeNotFinite(found, training.blueprint.config.model.layers)}`, step);
  } catch {
    return error;
  }
}
