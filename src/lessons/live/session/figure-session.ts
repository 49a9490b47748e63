/**
 * The session of one figure, as its controller sees it: a SessionClient like any other. While another figure has the
 * worker, the session's state is a checkpoint; when its figure asks for something, the session opens again from this
 * checkpoint, at the same micro-batch with the same bits.
 */
import type { SessionClient, SessionListener } from '../../../app/run/session-client';
import { within } from '../../../base/within';
import type { Config } from '../../../protocol/config';
import type { CheckpointFiles, ControlMessage, Files } from '../../../protocol/session';
import type { SessionEvent } from '../../../protocol/session-events';
import type { SessionInfo } from '../../../protocol/session-info';
import type { StepTrace } from '../../../protocol/trace';
import type { Holder, PageWorker } from './page-worker';

/** A run that does not stop within this time (its ranks wait for each other) ends with its worker. */
const REST_MS = 1500;

/** A figure's right to the worker; `wait` resolves when the figure has it. */
export interface Right {
  wait(): Promise<void>;
}

interface Opened {
  readonly config: Config;
  readonly files: Files;
}

export class FigureSession implements Holder {
  private opened: Opened | undefined;
  private saved: CheckpointFiles | undefined;
  /** The session that is open in the worker is this one. */
  private awake = false;
  private waking: Promise<SessionClient> | undefined;
  private playing = false;
  /** While a run returns to its earlier state, its events are not passed on. */
  private muted = false;
  private microBatch = 0;
  /** Number of micro-batches that have run, by the session's answers; their losses arrive as separate events. */
  private ran = 0;
  private readonly calls = new Set<Promise<unknown>>();
  private readonly resting = new Set<() => void>();
  /** A 'play' that arrived while the figure had no right to the session. */
  private held: ControlMessage | undefined;

  constructor(
    private readonly worker: PageWorker,
    private readonly right: Right,
    readonly listener: SessionListener,
  ) {}

  hear(event: SessionEvent): void {
    if (event.type === 'state') {
      this.playing = event.state === 'playing' || event.state === 'restarting';
      this.microBatch = event.microBatch;
      if (!this.playing) this.rests();
    }
    if (event.type === 'losses') {
      this.microBatch = (event.records.at(-1)?.microBatch ?? this.microBatch - 1) + 1;
      this.rests();
    }
    if (!this.muted) this.listener.onEvent(event);
  }

  fail(error: Parameters<SessionListener['onFailure']>[0]): void {
    this.awake = false;
    this.playing = false;
    this.rests();
    this.listener.onFailure(error);
  }

  async sleep(client: SessionClient): Promise<boolean> {
    if (!this.awake) return true;
    // From now on, requests wait until the session is open again.
    this.awake = false;
    this.saved = undefined;
    const rest = async () => {
      while (this.calls.size > 0 || this.playing || this.microBatch < this.ran) {
        await Promise.allSettled([...this.calls]);
        if (this.playing || this.microBatch < this.ran) await this.more();
      }
      this.saved = await client.ask((run) => run.saveCheckpoint());
      // Lets events arrive that the session sent before.
      await new Promise((resolve) => setTimeout(resolve));
    };
    const rested = await within(REST_MS, rest()).catch(() => false);
    this.playing = false;
    return rested;
  }

  /** Resolves when the run has advanced or stopped. */
  private more(): Promise<void> {
    return new Promise((resolve) => this.resting.add(resolve));
  }

  private rests(): void {
    for (const go of this.resting) go();
    this.resting.clear();
  }

  private async open(config: Config, files: Files, from?: CheckpointFiles): Promise<SessionInfo> {
    await this.right.wait();
    return this.worker.inTurn(async () => {
      const client = await this.worker.pass(this);
      const info = await client.open(config, files, from);
      this.opened = { config, files };
      this.awake = true;
      this.playing = false;
      this.ran = 0;
      this.microBatch = 0;
      return info;
    });
  }

  private get isOpen(): boolean {
    return this.awake && this.worker.isHeldBy(this);
  }

  /** The client of the worker, with this session open in it. */
  private async live(): Promise<SessionClient> {
    if (this.isOpen) return this.worker.now.client;
    await this.right.wait();
    this.waking ??= this.worker
      .inTurn(() => this.wake())
      .finally(() => {
        this.waking = undefined;
      });
    return this.waking;
  }

  private async wake(): Promise<SessionClient> {
    const { opened, microBatch } = this;
    const client = await this.worker.pass(this);
    if (this.awake || !opened) return client;
    this.muted = true;
    try {
      await client.open(opened.config, opened.files, this.saved);
      this.awake = true;
      if (!this.saved && microBatch > 0) await this.rerun(client, microBatch);
    } finally {
      this.muted = false;
      this.microBatch = microBatch;
    }
    return client;
  }

  /** Runs again from the start to the same micro-batch, for a run whose worker had to be ended. */
  private async rerun(client: SessionClient, until: number): Promise<void> {
    this.playing = true;
    client.control({ type: 'play', stepsPerSecond: 0, until });
    while (this.playing) await this.more();
    client.control({ type: 'pause' });
  }

  private track<T>(call: Promise<T>): Promise<T> {
    this.calls.add(call);
    const done = () => void this.calls.delete(call);
    call.then(done, done);
    return call;
  }

  private async ask<T>(question: (client: SessionClient) => Promise<T>): Promise<T> {
    let client = await this.live();
    // Another figure may have taken the worker meanwhile.
    while (this.opened && !this.isOpen) client = await this.live();
    return this.track(question(client));
  }

  private async traceStep(): Promise<StepTrace> {
    const trace = await this.ask((client) => client.traceStep());
    this.ran = trace.microBatch + 1;
    return trace;
  }

  private control(message: ControlMessage): void {
    const plays = message.type === 'play';
    if (this.isOpen) {
      if (plays) this.playing = true;
      this.worker.now.client.control(message);
      return;
    }
    if (plays) {
      const first = this.held === undefined;
      this.held = message;
      if (first) this.sendHeld().catch(() => undefined);
      return;
    }
    if (!this.held) return;
    // The run has never begun, so no session reports that it has ended.
    this.held = undefined;
    const { microBatch, listener } = this;
    queueMicrotask(() => listener.onEvent({ type: 'state', state: 'paused', reason: '', microBatch }));
  }

  private async sendHeld(): Promise<void> {
    await this.live();
    const message = this.held;
    this.held = undefined;
    if (message) this.control(message);
  }

  /** Requests that need no open session. If the worker was ended for another figure, the next worker answers. */
  private async askApart<T>(question: (client: SessionClient) => Promise<T>): Promise<T> {
    const { client } = this.worker.now;
    try {
      return await question(client);
    } catch (error) {
      if (this.worker.now.client === client) throw error;
      return question(this.worker.now.client);
    }
  }

  /** Ends the worker; the next request starts a new one. */
  private end(): void {
    if (this.worker.isHeldBy(this)) this.worker.end();
    this.awake = false;
    this.opened = undefined;
  }

  readonly client: SessionClient = {
    open: (config, files, from) => this.open(config, files, from),
    traceStep: () => this.traceStep(),
    reset: () => {
      this.ran = 0;
      return this.ask((client) => client.reset());
    },
    ask: (question) => this.ask((client) => client.ask(question)),
    askApart: (question) => this.askApart((client) => client.askApart(question)),
    control: (message) => this.control(message),
    end: () => this.end(),
  };
}
