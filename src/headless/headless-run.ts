/**
 * One run from start to end, opened by run.ts: it trains, saves checkpoints, restarts after failures that a restart can
 * cure, and writes the report.
 */
import { LockstepError } from '../base/errors';
import { evaluateAll } from '../inference/evaluate-all';
import { createMeasure } from '../inference/measure';
import { firstOfStep, stepOf, stepWords } from '../protocol/micro-batches';
import type { Notice } from '../protocol/notice';
import type { StepRecord } from '../protocol/report';
import type { LossRecord, StepTrace } from '../protocol/trace';
import type { Blueprint } from '../training/blueprint';
import type { Checkpoint } from '../training/checkpoint/checkpoint';
import { writeCheckpoint } from '../training/checkpoint/checkpoint-file';
import { shardFiles } from '../training/checkpoint/shard-files';
import { datasetFile } from '../training/dataset-file';
import { flightDump } from '../training/failures/flight-dump';
import { isRestartable } from '../training/failures/restartable';
import type { Supervisor } from '../training/supervisor';
import type { Training } from '../training/training';
import { mergedState } from '../training/weights/merged-weights';
import type { Weights } from '../training/weights/weights';
import { stateTensors, weightsFile } from '../training/weights/weights-file';
import { stepRecord, tensorRecords } from './history';
import { makeReport } from './report';
import type { RunOptions, RunResult } from './run-options';
import { explained, neverCame, notFinite } from './run-words';
import { sessionInfo } from './session-info';

/**
 * Number of micro-batches at its end that a run with `trace` keeps, in whole steps; also the number that are enqueued
 * together.
 */
const TRACED = 3;
const CHUNK = 50;
/** The CPU device never waits, so the event loop must turn from time to time for an abort signal to arrive. */
const TURN_MS = 100;
/** Least time between two kept states from which a restart can continue. */
const CHECKPOINT_MS = 1000;
const CHECKPOINT_SHARE = 0.05;
/** A headless report evaluates on more rows than the page's snapshots do. */
const REPORT_NS = 3e9;

/** The first and the last micro-batch of the run, counted with those before a checkpoint. */
export function extentOf({ config, batchesPerEpoch, resume }: Blueprint): {
  readonly total: number;
  readonly start: number;
} {
  const { epochs, steps } = config;
  return {
    total: epochs === undefined ? firstOfStep(steps, config) : epochs * batchesPerEpoch,
    start: resume?.checkpoint.microBatch ?? 0,
  };
}

export class HeadlessRun {
  private readonly losses: LossRecord[] = [];
  private readonly traces: StepTrace[] = [];
  private readonly notices: Notice[] = [];
  private readonly history: StepRecord[] = [];
  private checkpoint: Checkpoint | undefined;
  private nextCheckpointMs = performance.now() + CHECKPOINT_MS;
  private lastTurnMs = performance.now();
  private readonly total: number;
  private readonly start: number;
  private savedAt: number | undefined;
  /** Steps that are enqueued together: few if they take long, so that each is reported when it is done. */
  private together = 1;

  constructor(
    private readonly blueprint: Blueprint,
    private readonly supervisor: Supervisor,
    private readonly options: RunOptions,
  ) {
    ({ total: this.total, start: this.start } = extentOf(blueprint));
  }

  /** Micro-batches. */
  private get done(): number {
    return this.start + this.losses.length;
  }

  async run(): Promise<RunResult> {
    const { blueprint, losses } = this;
    let error: unknown;
    let weights: Weights | undefined;
    const started = performance.now();
    let totalMs = 0;
    while (weights === undefined) {
      try {
        const { training } = this.supervisor;
        if (error === undefined) await this.train(training);
        totalMs = performance.now() - started;
        if (error === undefined || (error instanceof LockstepError && error.code === 'aborted'))
          await this.save(training);
        // A device may be lost here, too: then the run is repeated to its end on another device.
        weights = await this.finalWeights(training, error);
      } catch (reason) {
        const failure = this.supervisor.failed(reason, this.done);
        if (error !== undefined && !isRestartable(failure)) throw failure;
        if (!isRestartable(failure) || !(await this.restart(failure))) error = failure;
      }
    }
    const { training, faults, flight, restarts } = this.supervisor;
    for (const fault of faults.left) this.say(neverCame(fault, stepOf(this.start, blueprint.config), this.endStep()));
    const measured = createMeasure(blueprint, REPORT_NS).run(mergedState(blueprint, weights));
    if (error instanceof LockstepError && error.code === 'not-finite') error = await explained(training, error);
    const report = await makeReport({
      training,
      losses,
      totalMs,
      weights,
      measured,
      restarts,
      ...(this.options.records?.history === undefined ? {} : { history: this.history }),
      ...(error === undefined ? {} : { error }),
    });
    return {
      report: {
        ...report,
        ...(this.options.evaluate ? { evaluation: evaluateAll(blueprint, mergedState(blueprint, weights)) } : {}),
        ...(this.options.records?.weights ? { weights: tensorRecords(stateTensors(blueprint, weights)) } : {}),
        notices: [...report.notices, ...this.notices],
      },
      traces: this.traces,
      info: sessionInfo(training),
      weights: () => weightsFile(blueprint, weights),
      dataset: () => datasetFile(blueprint),
      flightRecorder: () => flightDump(flight, blueprint),
    };
  }

  /** Trains from the current position to the end. */
  private async train(training: Training): Promise<void> {
    const { total } = this;
    const { config } = this.blueprint;
    const { every } = this.options.checkpoint ?? {};
    const traced = this.options.trace ? Math.max(1, Math.floor(TRACED / config.accumulate)) * config.accumulate : 0;
    const plain = Math.max(0, total - traced);
    const lost = training.lost.then((error) => {
      throw error;
    });
    lost.catch(() => {});
    for (;;) {
      // Comes first, because a run that restarts after a step must note that step.
      if (this.noting && this.done === this.start + firstOfStep(this.history.length + 1, config))
        this.history.push(await Promise.race([stepRecord(training, stepOf(this.done, config) - 1), lost]));
      if (this.done >= total) return;
      if (performance.now() - this.lastTurnMs > TURN_MS) {
        await new Promise((resolve) => setTimeout(resolve));
        this.lastTurnMs = performance.now();
      }
      // Only after whole steps, so that the saved state has no partly accumulated gradients.
      if (this.options.signal?.aborted && this.done % config.accumulate === 0)
        throw new LockstepError('aborted', `The run was stopped after ${stepOf(this.done, config)} steps.`);
      if (this.done < plain) {
        const sinceMs = performance.now();
        this.take(await Promise.race([training.run(this.chunk(plain)), lost]));
        const short = performance.now() - sinceMs < TURN_MS;
        this.together = Math.max(1, Math.min(CHUNK, Math.floor(this.together * (short ? 2 : 0.5))));
      } else {
        const one = await Promise.race([training.trace(), lost]);
        this.traces.push(one);
        this.take([one.losses]);
      }
      await Promise.race([this.keep(training), lost]);
      if (every !== undefined && this.done % firstOfStep(every, config) === 0)
        await Promise.race([this.save(training), lost]);
    }
  }

  /** Whether steps are left whose parameters and gradients were requested. */
  private get noting(): boolean {
    return this.history.length < (this.options.records?.history ?? 0);
  }

  /**
   * Number of micro-batches until the next checkpoint file, or in a chunk of whole steps. A planned fault begins a new
   * chunk, so that the steps before it are reported even if the fault ends the run.
   */
  private chunk(plain: number): number {
    const { done } = this;
    const { config } = this.blueprint;
    const { every } = this.options.checkpoint ?? {};
    const toNext = (steps: number): number => firstOfStep(steps, config) - (done % firstOfStep(steps, config));
    const whole = toNext(Math.max(1, Math.floor(this.together / config.accumulate)));
    const due = this.noting ? toNext(1) : every === undefined ? whole : toNext(every);
    return Math.min(whole, plain - done, due, this.supervisor.faults.nextAfter(done) - done);
  }

  private async save(training: Training): Promise<void> {
    const { checkpoint: files } = this.options;
    if (!files || this.savedAt === this.done) return;
    const written = writeCheckpoint(this.blueprint, await training.checkpoint());
    await files.save(written, () => shardFiles(written, this.blueprint));
    this.savedAt = this.done;
  }

  private take(records: readonly LossRecord[]): void {
    const { config } = this.blueprint;
    for (const record of records) {
      this.losses.push(record);
      this.options.onLoss?.(record, Math.ceil(this.total / config.accumulate), config.accumulate);
      if (!Number.isFinite(record.loss))
        throw notFinite(
          `The loss is ${record.loss} at ${stepWords(record.microBatch, config)}.`,
          record.microBatch,
          config,
        );
    }
  }

  /** Saves a checkpoint if one is due. */
  private async keep(training: Training): Promise<void> {
    const sinceMs = performance.now();
    if (sinceMs < this.nextCheckpointMs || this.cannotFail(training)) return;
    this.checkpoint = await training.checkpoint();
    const nowMs = performance.now();
    this.nextCheckpointMs = nowMs + Math.max(CHECKPOINT_MS, (nowMs - sinceMs) / CHECKPOINT_SHARE);
  }

  /** Whether it is one process on the CPU without planned faults, so that no failure could be cured by a restart. */
  private cannotFail({ device: { kind } }: Training): boolean {
    const { placement, adapters } = this.blueprint.config;
    const planned = this.supervisor.faults.left.length > 0;
    return kind === 'cpu' && placement === 'shared' && adapters === undefined && !planned;
  }

  /** Restarts from the last checkpoint, as torchrun does; false if the run is given up. */
  private async restart(failure: LockstepError): Promise<boolean> {
    const { supervisor, checkpoint, done } = this;
    let latest = failure;
    while (!this.options.signal?.aborted && supervisor.restartsAfter(latest, done)) {
      try {
        await supervisor.replace({ checkpoint, microBatch: done });
        this.say(supervisor.recoveredNotice({ failure, checkpoint, microBatch: done, outcome: 'playing' }));
        return true;
      } catch (error) {
        latest = supervisor.explained(error, done);
        if (!isRestartable(latest)) throw error;
      }
    }
    const again = latest === failure ? undefined : latest;
    this.say(supervisor.gaveUpNotice(failure, { kept: checkpoint, reached: done, again }));
    return false;
  }

  /** The first step that has not begun. */
  private endStep(): number {
    return Math.ceil(this.done / this.blueprint.config.accumulate);
  }

  private say(notice: Notice): void {
    this.notices.push(notice);
    this.options.onNotice?.(notice);
  }

  /** The final weights. If a device is lost or a rank died, those of the last checkpoint, if any. */
  private async finalWeights(training: Training, error: unknown): Promise<Weights> {
    if (!(error instanceof LockstepError) || !isRestartable(error)) return training.weights();
    return this.supervisor.weightsLeft(this.checkpoint);
  }
}
