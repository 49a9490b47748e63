/**
 * The session: the one API that the page and the tests use; the command line calls its run.ts. Holds at most one open
 * run. `worker.ts` puts it behind comlink; errors cross the wall as wire errors.
 */
import { LockstepError, toWire } from '../base/errors';
import { loadPart } from '../base/load-part';
import { oneAtATime } from '../base/one-at-a-time';
import { parseConfig } from '../config/parse-config';
import { prepareFiles } from '../data/prepare-files';
import { sessionInfo } from '../headless/session-info';
import type { Config } from '../protocol/config';
import { stepOf } from '../protocol/micro-batches';
import type { CheckpointFiles, ControlMessage, Files, SessionApi, SessionEvent } from '../protocol/session';
import { holdLock } from '../runtime/launch/hold-lock';
import { createBlueprint } from '../training/blueprint';
import type { Checkpoint } from '../training/checkpoint/checkpoint';
import { writeCheckpoint } from '../training/checkpoint/checkpoint-file';
import { modelFileName, stateFileName } from '../training/checkpoint/checkpoint-format';
import { ControlKeeper } from '../training/control/control-keeper';
import { DeviceKeeper } from '../training/device-keeper';
import { loadParts } from '../training/load-parts';
import { overlapTimes } from '../training/overlap-times';
import { weightsFile } from '../training/weights/weights-file';
import { Running } from './running';

const LAB = 'The collectives lab';

interface Open {
  readonly running: Running;
  readonly control: ControlKeeper;
  close(): Promise<void>;
}

async function typed<T>(task: () => Promise<T>): Promise<T> {
  try {
    return await task();
  } catch (error) {
    throw toWire(error);
  }
}

/** The state that a session with this configuration left behind. */
function stateIn({ model, state }: CheckpointFiles, config: Config, files: Files): Checkpoint | undefined {
  const name = 'kept by the page';
  const given = { ...files, [modelFileName(name)]: model, [stateFileName(name)]: state };
  return createBlueprint({ ...config, resume: name, resumeBy: 'everyRank' }, given).resume?.checkpoint;
}

/** Large, and nobody here needs it any longer. */
const transferred = (event: SessionEvent): Transferable[] =>
  event.type === 'kept' ? [event.kept.files.model.buffer, event.kept.files.state.buffer] : [];

export function createSession(gpu: GPU | undefined): SessionApi {
  const keeper = new DeviceKeeper(gpu, false);
  let current: Open | undefined;
  /** open() and dispose() come one after the other: of two that overlap the second replaces what the first has made. */
  const inTurn = oneAtATime();

  const opened = (): Open => {
    if (!current) throw new LockstepError('internal', 'No session is open.', 'Call open() first.');
    return current;
  };
  const running = (): Running => opened().running;
  const closeCurrent = async () => {
    const closing = current;
    current = undefined;
    await closing?.close();
  };

  return {
    open: (input, files, events, control, kept) =>
      typed(() =>
        inTurn(async () => {
          // A configuration that is refused leaves the open run as it is.
          const config = parseConfig(input);
          const [prepared] = await Promise.all([prepareFiles(config.data, files), loadParts(config)]);
          const blueprint = createBlueprint(config, prepared);
          const from = kept && stateIn(kept, config, prepared);
          await closeCurrent();
          const post = (event: SessionEvent) => events.postMessage(event, transferred(event));
          const run = await Running.start({ blueprint, keeper, gpu, post, from });
          control.onmessage = ({ data }: MessageEvent<ControlMessage>) => run.control(data);
          const stepOfRun = () => stepOf(run.training.microBatch, config);
          const comparison = new ControlKeeper({ blueprint, keeper, gpu, stepOfRun });
          current = {
            running: run,
            control: comparison,
            async close() {
              await comparison.free();
              await run.close();
              events.close();
              control.close();
            },
          };
          return sessionInfo(run.training);
        }),
      ),
    holdLock,
    ping: async () => {},
    traceStep: () => typed(() => running().traceStep()),
    snapshot: () => typed(() => running().snapshot()),
    controlRun: (wanted) => typed(() => opened().control.ask(wanted)),
    predict: (input) => typed(async () => running().inference.predict(running().state, input)),
    generate: (prompt, length, temperature, seed) =>
      typed(async () => running().inference.generate(running().state, { prompt, length, temperature, seed })),
    attention: (row) => typed(async () => running().inference.attention(running().state, row)),
    reset: () => typed(() => running().reset()),
    run: (input, files) =>
      typed(async () => {
        const { runConfig } = await loadPart('The code of a whole run', () => import('../headless/run'));
        return (await runConfig(input, files, gpu ? { gpu } : {})).report;
      }),
    corrupt: (event, add) => typed(() => running().training.corrupt(event, add)),
    loseDevice: () => typed(() => running().training.lose()),
    killRank: (rank, at) => typed(() => running().killRank(rank, at)),
    flightRecorder: () => typed(async () => running().flightRecorder()),
    hangRank: (rank, at) => typed(async () => running().hangRank(rank, at)),
    saveWeights: (options) =>
      typed(async () => weightsFile(running().training.blueprint, await running().weights(), options)),
    saveCheckpoint: ({ atStart = false } = {}) =>
      typed(async () => {
        const run = running();
        return writeCheckpoint(run.training.blueprint, await (atStart ? run.startCheckpoint() : run.checkpoint()));
      }),
    overlap: () => typed(async () => overlapTimes(running().training.blueprint)),
    rehearse: (exhibit, cured) =>
      typed(async () => (await loadPart('This exhibit', () => import('../museum/scripts'))).rehearse(exhibit, cured)),
    // Loaded when the lab is opened: a run needs none of it.
    lab: (request) => typed(async () => (await loadPart(LAB, () => import('../lab/run-lab'))).runLab(request)),
    labCurves: (request) =>
      typed(async () => (await loadPart(LAB, () => import('../lab/lab-curves'))).labCurves(request)),
    measureLab: (request) =>
      typed(async () => (await loadPart(LAB, () => import('../lab/measure-lab'))).measureLab(request)),
    dispose: () =>
      typed(() =>
        inTurn(async () => {
          await closeCurrent();
          keeper.forget();
        }),
      ),
  };
}
