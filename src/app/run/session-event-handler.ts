/**
 * Turns the events of a session into the state of the page, and says when a run that a failure has interrupted plays
 * again. Opens nothing itself: openings.ts does. The controller makes one.
 */
import type { KeptState, SessionEvent } from '../../protocol/session-events';
import type { Snapshot } from '../../protocol/snapshot';
import { runsFree } from '../pace/pace';
import type { AppStore } from '../state/store';
import type { FreeRun } from '../transport/free-run';
import type { TransportControls } from '../transport/transport';
import type { Interruption } from './interruption';
import type { NoticeBoard } from './notice-board';
import type { SessionListener } from './session-client';

/** Reasons of a pause after which a session, restarted after a failure, would go on. */
const RECOVERED: ReadonlySet<string> = new Set(['rank-failed', 'timeout', 'device-lost', 'gpu'] as const);

/** Added to the GPU's status while the page shows the step that the CPU computed. */
export const MEANWHILE = '. Meanwhile: step 1 on the CPU';

/** State that both events and openings change. */
export interface RunOnPage {
  /** A session is being opened. */
  opening: Promise<void> | undefined;
  /** The last state of the open run that the session handed over. */
  kept: KeptState | undefined;
  /** The session that opens compiles kernels. */
  compiling?: boolean;
  /** The step on the page was computed on the CPU, while the GPU's kernels compiled (cpu-preview.ts). */
  previewed?: boolean;
}

/** The trace of a single step arrives both as the answer and as an event; only the first counts. */
export function takeTrace(store: AppStore, trace: Parameters<ReturnType<AppStore['getState']>['addTrace']>[0]): void {
  const app = store.getState();
  if (app.traces.at(-1)?.microBatch !== trace.microBatch) app.addTrace(trace);
}

export interface SessionEventsOptions {
  readonly store: AppStore;
  readonly board: NoticeBoard;
  readonly player: TransportControls;
  readonly freeRun: FreeRun;
  readonly run: RunOnPage;
  readonly interruption: Interruption;
}

export class SessionEventHandler {
  /** The first snapshot of a start that has not answered yet. */
  private held: { snapshot?: Snapshot } | undefined;

  constructor(private readonly options: SessionEventsOptions) {}

  private get app() {
    return this.options.store.getState();
  }

  readonly onEvent: SessionListener['onEvent'] = (event) => {
    const { app } = this;
    const { store, board, player, run } = this.options;
    switch (event.type) {
      case 'losses':
        return app.addLosses(event.records, event.stepsPerSecond);
      case 'trace':
        if (run.previewed) return;
        takeTrace(store, event.trace);
        return player.traceArrived();
      case 'snapshot':
        if (this.held) this.held.snapshot = event.snapshot;
        else app.setSnapshot(event.snapshot);
        return;
      case 'difference':
        return app.addDifference(event.difference);
      case 'notice':
        return board.sayOfRun(event.notice);
      case 'device':
        if (app.info) app.setInfo({ ...app.info, device: event.device });
        return;
      case 'standstill':
        app.setStandstill(event.standstill);
        if (event.standstill) player.stand();
        return;
      case 'kept':
        run.kept = event.kept;
        return;
      case 'progress':
        return this.onProgress(event);
      case 'state':
        return this.onState(event);
    }
  };

  /** A start emits its first snapshot before it answers; until the answer the page shows the old run. */
  async startingAfresh(start: () => Promise<void>): Promise<void> {
    const own: { snapshot?: Snapshot } = {};
    this.held = own;
    try {
      await start();
    } finally {
      this.held = undefined;
    }
    // The step that the CPU computed stays on the page until the GPU has computed it.
    if (!this.options.run.previewed) this.app.clearRun(own.snapshot?.microBatch);
    this.options.run.kept = undefined;
    if (own.snapshot) this.app.setSnapshot(own.snapshot);
  }

  private onProgress({ what, done, total }: Extract<SessionEvent, { type: 'progress' }>): void {
    const { run } = this.options;
    run.compiling = done < total;
    if (this.app.state !== 'loading') return;
    const meanwhile = run.previewed ? MEANWHILE : '';
    this.app.setState('loading', `${what}: ${done} of ${total}${meanwhile}`);
  }

  private onState(event: Extract<SessionEvent, { type: 'state' }>): void {
    const { player, freeRun, run } = this.options;
    freeRun.set(event.state === 'playing');
    if (!run.previewed) this.app.setMicroBatch(event.microBatch);
    if (event.state === 'playing') this.onPlaying();
    else if (event.state === 'restarting') this.onRestarting(event.reason);
    else if (event.state === 'paused') this.onPaused(event.reason);
    else {
      player.settle();
      this.app.setState(event.state, event.reason);
    }
  }

  /** After a rank has failed, the session continues by itself. */
  private onPlaying(): void {
    const { interruption, run } = this.options;
    if (this.app.state === 'loading' && !run.opening) interruption.goOn();
    else interruption.forget();
  }

  private onRestarting(reason: string): void {
    this.options.interruption.note();
    this.options.player.settle();
    this.app.setState('loading', reason);
  }

  /** The session paused by itself, or is back after a restart; a pause by the user has already set the state. */
  private onPaused(reason: string): void {
    const { player, run, interruption } = this.options;
    const goesOn = interruption.pending && RECOVERED.has(reason);
    if (this.app.state === 'loading' && !run.opening) this.app.setState('paused');
    // Before the failure, the page played it step by step.
    if (goesOn && !run.opening) {
      interruption.goOn();
      return;
    }
    interruption.forget();
    // The transport awaits it.
    if (reason === '' && this.app.goingTo !== undefined) return;
    const walking = !runsFree(this.app.pace) && reason === '';
    if (this.app.state === 'playing' && !walking) player.pause();
  }
}
