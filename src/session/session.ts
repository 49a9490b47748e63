/**
 * The session: the one API that the page, the command line and the tests use. It holds at most one open run, restarts it when its device is lost,
 * and explains a loss that is not finite. `worker.ts` puts it behind comlink.
 */
import { LockstepError, toWire } from '../base/errors';
import { must } from '../base/invariant';
import type { ControlMessage, Files, Notice, SessionApi, SessionEvent } from '../protocol/session';
import { type Blueprint, createBlueprint } from './blueprint';
import { DeviceKeeper } from './device-keeper';
import { describeNotFinite, findNotFinite } from './find-not-finite';
import { parseConfig } from './parse-config';
import { createPlayer, type Player } from './player';
import { runConfig, weightsFile } from './run';
import { sessionInfo } from './session-info';
import { createSnapshots, type Snapshots } from './snapshot';
import { type Checkpoint, createTraining, type Training } from './training';

interface Open {
  readonly blueprint: Blueprint;
  readonly snapshots: Snapshots;
  readonly emit: (event: SessionEvent) => void;
  training: Training;
  player: Player;
  closed: boolean;
  close(): Promise<void>;
}

export function createSession(gpu: GPU | undefined): SessionApi {
  const keeper = new DeviceKeeper(gpu, false);
  let open: Open | undefined;

  const notice = (o: Open, n: Notice) => o.emit({ type: 'notice', notice: n });

  const start = async (blueprint: Blueprint, emit: Open['emit']): Promise<Training> =>
    createTraining(blueprint, { keeper, gpu, onProgress: (done, total) => emit({ type: 'progress', what: 'Compiling kernels', done, total }) });

  const attach = (o: Open) => {
    const { training } = o;
    o.player = createPlayer({
      training,
      snapshots: o.snapshots,
      emit: (event) => {
        if (!o.closed && o.training === training) o.emit(event);
      },
      onNotFinite: (step, checkpoint) => explainNotFinite(o, step, checkpoint),
      onFailure: (error) => recover(o, training, error),
    });
    void training.lost.then((reason) => recover(o, training, new LockstepError('device-lost', `The device was lost: ${reason}`)));
  };

  const explainNotFinite = async (o: Open, step: number, checkpoint: Checkpoint | undefined) => {
    const found = await findNotFinite(o.training, step, checkpoint);
    if (found.trace) o.emit({ type: 'trace', trace: found.trace });
    const layer = (module: string) => `layer ${module} (${o.blueprint.config.model.layers[Number(module)]?.type ?? 'unknown'})`;
    notice(o, {
      level: 'error',
      id: 'not-finite',
      text: describeNotFinite(found, layer),
      hint: 'Training is paused. Lower the learning rate or look for extreme values in the data, then Reset.',
    });
    o.emit({ type: 'state', state: 'paused', reason: 'not-finite' });
  };

  /** After a lost device or a failed rank: a new device and the last checkpoint. Once for each training. */
  const recover = async (o: Open, broken: Training, error: unknown) => {
    if (o.closed || o.training !== broken) return;
    const wire = toWire(error);
    const restartable = wire.code === 'device-lost' || wire.code === 'rank-failed' || wire.code === 'gpu';
    if (!restartable) {
      notice(o, { level: 'error', id: wire.code, text: wire.message, hint: wire.hint });
      o.emit({ type: 'state', state: 'failed', reason: wire.message });
      return;
    }
    const { checkpoint } = o.player;
    o.emit({ type: 'state', state: 'restarting', reason: wire.message });
    try {
      keeper.forget();
      const next = start(o.blueprint, o.emit);
      void broken.dispose().catch(() => {});
      o.training = await next;
      attach(o);
      if (checkpoint) await o.training.restore(checkpoint);
      const where = checkpoint ? `step ${checkpoint.step}` : 'the start';
      notice(o, { level: 'warning', id: wire.code, text: `${wire.message} Training goes on from ${where} on ${o.training.device.adapter}.`, hint: 'Press Play to go on.' });
      o.emit({ type: 'state', state: 'paused', reason: wire.code });
    } catch (second) {
      const failed = toWire(second);
      notice(o, { level: 'error', id: failed.code, text: `${wire.message} It could not be restarted: ${failed.message}`, hint: failed.hint });
      o.emit({ type: 'state', state: 'failed', reason: failed.message });
    }
  };

  const current = (): Open => {
    if (!open) throw new LockstepError('internal', 'No session is open.', 'Call open() first.');
    return open;
  };
  /** Errors cross the worker wall as wire errors. */
  const typed = async <T>(task: () => Promise<T>): Promise<T> => {
    try {
      return await task();
    } catch (error) {
      throw toWire(error);
    }
  };

  return {
    open: (input, files, events, control) =>
      typed(async () => {
        const emit = (event: SessionEvent) => events.postMessage(event);
        const blueprint = createBlueprint(parseConfig(input), files);
        await open?.close();
        open = undefined;
        const training = await start(blueprint, emit);
        const o: Open = {
          blueprint,
          snapshots: createSnapshots(blueprint),
          emit,
          training,
          player: undefined as never,
          closed: false,
          async close() {
            o.closed = true;
            o.player.control({ type: 'abort' });
            await o.player.idle().catch(() => {});
            await o.training.dispose();
            events.close();
            control.close();
          },
        };
        attach(o);
        open = o;
        control.onmessage = ({ data }: MessageEvent<ControlMessage>) => o.player.control(data);
        emit({ type: 'snapshot', snapshot: o.snapshots.take(await training.weights()) });
        return sessionInfo(training);
      }),

    traceStep: () => typed(() => current().player.traceStep()),
    snapshot: () => typed(async () => current().snapshots.take(await current().training.weights())),

    reset: () =>
      typed(async () => {
        const o = current();
        o.player.control({ type: 'pause' });
        await o.player.idle();
        await o.training.reset();
        attach(o);
        o.emit({ type: 'snapshot', snapshot: o.snapshots.take(await o.training.weights()) });
      }),

    run: (input, files) => typed(async () => (await runConfig(input, files, gpu ? { gpu } : {})).report),
    corrupt: (event, add) => typed(() => current().training.corrupt(event, add)),
    loseDevice: () => typed(() => current().training.lose()),
    saveWeights: () => typed(async () => weightsFile(current().training, await current().training.weights())),
    dispose: () =>
      typed(async () => {
        await must(open, 'an open session').close();
        open = undefined;
        keeper.forget();
      }),
  };
}
