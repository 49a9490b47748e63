/**
 * An open run that outlives its device: holds the training and its player, rebuilds both from the last checkpoint after a lost device or a
 * failed rank, and explains a loss that is not finite. One per open session; session.ts owns it.
 */
import { LockstepError, toWire } from '../base/errors';
import type { ControlMessage, Notice, SessionEvent } from '../protocol/session';
import type { Blueprint } from './blueprint';
import type { DeviceKeeper } from './device-keeper';
import { describeNotFinite, findNotFinite } from './find-not-finite';
import { createPlayer, type Player } from './player';
import { createSnapshots } from './snapshot';
import { type Checkpoint, createTraining, type Training } from './training';

const RESTARTABLE = new Set(['device-lost', 'rank-failed', 'gpu']);

export class Running {
  private readonly snapshots;
  private currentTraining: Training;
  private player: Player;
  private closed = false;
  private recovering: Training | undefined;

  private constructor(
    private readonly blueprint: Blueprint,
    private readonly keeper: DeviceKeeper,
    private readonly gpu: GPU | undefined,
    private readonly post: (event: SessionEvent) => void,
    training: Training,
  ) {
    this.snapshots = createSnapshots(blueprint);
    this.currentTraining = training;
    this.player = this.attach(training);
  }

  static async start(
    blueprint: Blueprint,
    keeper: DeviceKeeper,
    gpu: GPU | undefined,
    post: (event: SessionEvent) => void,
  ): Promise<Running> {
    const running = new Running(blueprint, keeper, gpu, post, await open(blueprint, keeper, gpu, post));
    await running.emitSnapshot();
    return running;
  }

  get training(): Training {
    return this.currentTraining;
  }

  control(message: ControlMessage): void {
    this.player.control(message);
  }

  traceStep() {
    return this.player.traceStep();
  }

  async snapshot() {
    return this.snapshots.take(await this.training.weights());
  }

  /** Same weights, same order of samples, step 0. */
  async reset(): Promise<void> {
    this.player.control({ type: 'pause' });
    await this.player.idle();
    await this.training.reset();
    this.player = this.makePlayer(this.training);
    await this.emitSnapshot();
  }

  async close(): Promise<void> {
    this.closed = true;
    this.player.control({ type: 'abort' });
    await this.player.idle().catch(() => {});
    await this.training.dispose();
  }

  private async emitSnapshot(): Promise<void> {
    this.emit({ type: 'snapshot', snapshot: await this.snapshot() });
  }

  private emit(event: SessionEvent): void {
    if (!this.closed) this.post(event);
  }

  private notice(level: Notice['level'], id: string, text: string, hint: string): void {
    this.emit({ type: 'notice', notice: { level, id, text, hint } });
  }

  private attach(training: Training): Player {
    void training.lost.then((reason) =>
      this.recover(training, new LockstepError('device-lost', `The device was lost: ${reason}`)),
    );
    return this.makePlayer(training);
  }

  private makePlayer(training: Training): Player {
    return createPlayer({
      training,
      snapshots: this.snapshots,
      emit: (event) => {
        if (this.currentTraining === training) this.emit(event);
      },
      onNotFinite: (step, checkpoint) => this.explainNotFinite(training, step, checkpoint),
      onFailure: (error) => this.recover(training, error),
    });
  }

  private async explainNotFinite(training: Training, step: number, checkpoint: Checkpoint | undefined): Promise<void> {
    const found = await findNotFinite(training, step, checkpoint);
    if (found.trace) this.emit({ type: 'trace', trace: found.trace });
    const layer = (module: string) =>
      `layer ${module} (${this.blueprint.config.model.layers[Number(module)]?.type ?? 'unknown'})`;
    const hint = 'Training is paused. Lower the learning rate or look for extreme values in the data, then Reset.';
    this.notice('error', 'not-finite', describeNotFinite(found, layer), hint);
    this.emit({ type: 'state', state: 'paused', reason: 'not-finite' });
  }

  /** Once for each training: a later failure of a training that has been replaced is no news. */
  private async recover(broken: Training, error: unknown): Promise<void> {
    if (this.closed || this.currentTraining !== broken || this.recovering === broken) return;
    this.recovering = broken;
    const wire = toWire(error);
    if (!RESTARTABLE.has(wire.code)) {
      this.notice('error', wire.code, wire.message, wire.hint);
      this.emit({ type: 'state', state: 'failed', reason: wire.message });
      return;
    }
    const { checkpoint } = this.player;
    this.emit({ type: 'state', state: 'restarting', reason: wire.message });
    try {
      this.keeper.forget();
      void broken.dispose().catch(() => {});
      const next = await open(this.blueprint, this.keeper, this.gpu, this.post);
      if (checkpoint) await next.restore(checkpoint);
      this.currentTraining = next;
      this.player = this.attach(next);
      const where = checkpoint ? `step ${checkpoint.step}` : 'the start';
      this.notice(
        'warning',
        wire.code,
        `${wire.message} Training goes on from ${where} on ${next.device.adapter}.`,
        'Press Play to go on.',
      );
      this.emit({ type: 'state', state: 'paused', reason: wire.code });
    } catch (second) {
      const failed = toWire(second);
      this.notice('error', failed.code, `${wire.message} It could not be restarted: ${failed.message}`, failed.hint);
      this.emit({ type: 'state', state: 'failed', reason: failed.message });
    }
  }
}

function open(
  blueprint: Blueprint,
  keeper: DeviceKeeper,
  gpu: GPU | undefined,
  post: (event: SessionEvent) => void,
): Promise<Training> {
  return createTraining(blueprint, {
    keeper,
    gpu,
    onProgress: (done, total) => post({ type: 'progress', what: 'Compiling kernels', done, total }),
  });
}
