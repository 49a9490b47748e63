/**
 * The session: the one API that the page and the tests use; the command line calls headless/run.ts. Holds at most one
 * open run. `worker.ts` puts it behind comlink; errors cross the wall as wire errors. Calls that need no open run are
 * in calls-without-run.ts.
 */
import { LockstepError } from '../base/errors';
import { loadPart } from '../base/load-part';
import { oneAtATime } from '../base/one-at-a-time';
import { parseConfig } from '../config/parse-config';
import { prepareFiles } from '../data/prepare-files';
import { sessionInfo } from '../headless/session-info';
import type { ModelState } from '../inference/evaluator';
import type { Inference } from '../inference/inference';
import type { Config } from '../protocol/config';
import { stepOf } from '../protocol/micro-batches';
import type { CheckpointFiles, ControlMessage, Files, SessionApi } from '../protocol/session';
import type { SessionEvent } from '../protocol/session-events';
import type { ShownViews } from '../protocol/snapshot';
import { holdLock } from '../runtime/launch/hold-lock';
import { createBlueprint } from '../training/blueprint';
import type { Checkpoint } from '../training/checkpoint/checkpoint';
import { modelFileName, stateFileName } from '../training/checkpoint/file-names';
import { CHECKPOINT_WRITER } from '../training/checkpoint/keep-outside';
import type { ControlKeeper } from '../training/control/control-keeper';
import { DeviceKeeper } from '../training/device-keeper';
import { loadParts } from '../training/load-parts';
import { callsWithoutRun, wholeRuns } from './calls-without-run';
import { Running, type RunningOptions } from './running';
import { withWireErrors } from './wire-errors';

interface Open {
  readonly running: Running;
  /** The control run, made at the first request. */
  control(): Promise<ControlKeeper>;
  close(): Promise<void>;
}

/** The state that a session with this configuration left behind. */
async function stateIn(
  { model, state }: CheckpointFiles,
  config: Config,
  files: Files,
): Promise<Checkpoint | undefined> {
  const name = 'kept by the page';
  const given = { ...files, [modelFileName(name)]: model, [stateFileName(name)]: state };
  const resumed: Config = { ...config, resume: name, resumeBy: 'everyRank' };
  await loadParts(resumed);
  return createBlueprint(resumed, given).resume?.checkpoint;
}

/** The two files of the run's state. */
async function saved(run: Running, { atStart = false }: { readonly atStart?: boolean } = {}): Promise<CheckpointFiles> {
  const { writeCheckpoint } = await CHECKPOINT_WRITER.load();
  return writeCheckpoint(run.training.blueprint, await (atStart ? run.startCheckpoint() : run.checkpoint()));
}

/** Large buffers that this thread no longer needs. */
const transferred = (event: SessionEvent): Transferable[] =>
  event.type === 'kept' ? [event.kept.files.model.buffer, event.kept.files.state.buffer] : [];

/** Opens the run behind its two ports; the control run beside it is made at the first request. */
async function openRun(
  given: Omit<RunningOptions, 'post'>,
  { events, control }: { readonly events: MessagePort; readonly control: MessagePort },
): Promise<Open> {
  const { blueprint, keeper, gpu } = given;
  const post = (event: SessionEvent) => events.postMessage(event, transferred(event));
  const running = await Running.start({ ...given, post });
  control.onmessage = ({ data }: MessageEvent<ControlMessage>) => running.control(data);
  const stepOfRun = () => stepOf(running.training.microBatch, blueprint.config);
  let comparison: ControlKeeper | undefined;
  return {
    running,
    async control() {
      const { ControlKeeper } = await loadPart('The control run', () => import('../training/control/control-keeper'));
      comparison ??= new ControlKeeper({ blueprint, keeper, gpu, stepOfRun });
      return comparison;
    },
    async close() {
      await comparison?.free();
      await running.close();
      events.close();
      control.close();
    },
  };
}

/** `shown`: the expensive views to compute for the runs that it opens. */
export function createSession(gpu: GPU | undefined, shown?: ShownViews): SessionApi {
  const keeper = new DeviceKeeper(gpu, false);
  let current: Open | undefined;
  /** open() and dispose() run one after the other: if two overlap, the second replaces the result of the first. */
  const inTurn = oneAtATime();

  const opened = (): Open => {
    if (!current) throw new LockstepError('internal', 'No session is open.', 'Call open() first.');
    return current;
  };
  const running = (): Running => opened().running;
  /** Answers with the model and the weights of the last snapshot. */
  const answered = async <T>(ask: (model: Inference, state: ModelState) => T | Promise<T>): Promise<T> =>
    ask(await running().inference(), running().state);
  const closeCurrent = async () => {
    const closing = current;
    current = undefined;
    await closing?.close();
  };

  return withWireErrors<SessionApi>({
    ...callsWithoutRun(gpu),
    open: (input, files, events, control, kept) =>
      inTurn(async () => {
        // A refused configuration does not change the open run.
        const config = parseConfig(input);
        const [prepared] = await Promise.all([prepareFiles(config.data, files), loadParts(config)]);
        const blueprint = createBlueprint(config, prepared);
        const from = kept && (await stateIn(kept, config, prepared));
        await closeCurrent();
        current = await openRun({ blueprint, keeper, gpu, from, shown }, { events, control });
        return sessionInfo(current.running.training);
      }),
    holdLock,
    ping: async () => {},
    traceStep: () => running().traceStep(),
    reset: () => running().reset(),
    snapshot: () => running().snapshot(),
    controlRun: async (wanted) => (await opened().control()).ask(wanted),
    predict: (input) => answered((model, state) => model.predict(state, input)),
    generate: (prompt, length, temperature, seed) =>
      answered((model, state) => model.generate(state, { prompt, length, temperature, seed })),
    attention: (row) => answered((model, state) => model.attention(state, row)),
    corrupt: async (event, add) => running().training.corrupt(event, add),
    loseDevice: async () => running().training.lose(),
    killRank: (rank, at) => running().killRank(rank, at),
    hangRank: async (rank, at) => running().hangRank(rank, at),
    flightRecorder: () => running().flightRecorder(),
    saveWeights: async () => (await wholeRuns()).weightsFile(running().training.blueprint, await running().weights()),
    saveCheckpoint: (options) => saved(running(), options),
    async saveShards(options) {
      const run = running();
      const { shardFiles } = await loadPart('The writer of shards', () => import('../training/checkpoint/shard-files'));
      return shardFiles(await saved(run, options), run.training.blueprint);
    },
    async listing() {
      const { config, mode } = running().training.blueprint;
      return (await mode.listing.load())(config);
    },
    async overlap() {
      const { blueprint } = running().training;
      const { overlapTimes } = await loadPart('What overlap saves', () => import('../training/overlap-times'));
      return overlapTimes(blueprint);
    },
    dispose: () =>
      inTurn(async () => {
        await closeCurrent();
        keeper.forget();
      }),
  });
}
