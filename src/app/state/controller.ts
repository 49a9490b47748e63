/**
 * What the page does: it opens a session for the configuration, opens a new one when that changes, turns the session's
 * events into state, and turns every failure into a notice with a way on. Views call it; it knows the session only
 * through SessionClient, and the transport is player.ts.
 */
import { LockstepError } from '../../base/errors';
import type { Config } from '../../protocol/config';
import { stepOf, stepWords } from '../../protocol/micro-batches';
import type { FlightRecorderDump } from '../../protocol/process-group';
import type {
  CheckpointFiles,
  Files,
  KeptState,
  Notice,
  Report,
  SessionEvent,
  SessionInfo,
  Snapshot,
} from '../../protocol/session';
import { inTimeOrder } from '../../trace/in-time-order';
import { storedFor } from '../checkpoint/stored-for';
import { createRunning } from '../transport/free-run';
import { onlyPreviewed } from '../transport/positions';
import { speedAt } from '../transport/speeds';
import { createPlayer, type Player } from '../transport/transport';
import type { Walker } from '../transport/walker';
import { createNoticeBoard, noticeOf, strayNotice } from './notice-board';
import { PAGE_CONFIG } from './page-config';
import type { SessionClient, SessionListener } from './session-client';
import type { AppStore } from './store';

export interface Controller {
  readonly player: Player;
  /**
   * Opens a session for this configuration; a refused one leaves the old run in place and says why. `once`: said when
   * it runs.
   */
  apply(config: Config, origin?: 'edit' | 'link', once?: Notice): void;
  /** The same start again. */
  reset(): Promise<void>;
  /** A new worker, after the old one died, from the start. */
  restart(): void;
  /** A new worker that goes on from the last state which the old one has handed over. */
  revive(): void;
  setSpeed(speed: number): void;
  /**
   * Keeps the files beside those that are there and opens a session with them; when that is refused, what was there
   * before stays.
   */
  trainOn(given: Files, config: Config, once?: Notice): void;
  dismiss(notice: Notice): void;
  say(notice: Notice): void;
  /** From start to end in a session of its own; the one on the page goes on. */
  run(config: unknown, files?: Files): Promise<Report>;
  saveWeights(): Promise<Uint8Array<ArrayBuffer>>;
  saveCheckpoint(): Promise<CheckpointFiles>;
  /** Questions to the model as it stands now. */
  readonly ask: Pick<SessionClient, 'predict' | 'generate' | 'attention' | 'rehearse'>;
  readonly overlap: SessionClient['overlap'];
  /** The control beside the difference from one device. */
  readonly controlRun: SessionClient['controlRun'];
  /** The collectives lab, in the run's session; in one of its own where none is open. */
  readonly lab: Pick<SessionClient, 'lab' | 'labCurves' | 'measureLab'>;
  /** Hooks of the tests: corrupt one transfer, lose the device. */
  corrupt(event: number | undefined, add: number): Promise<void>;
  loseDevice(): Promise<void>;
  /** Ends a rank, lets it stand still, and what every rank's collectives came to. */
  readonly failures: {
    kill(rank: number): Promise<void>;
    hang(rank: number): Promise<void>;
    flightRecorder(): Promise<readonly FlightRecorderDump[]>;
  };
}

/** Why a session is paused that has been started again after a failure and would go on. */
const RECOVERED: ReadonlySet<string> = new Set(['rank-failed', 'timeout', 'device-lost', 'gpu'] as const);

/** A worker that lives for so long did not end because of how it was started. */
const STEADY_MS = 5000;

export interface ControllerOptions {
  readonly store: AppStore;
  readonly walker: Walker;
  readonly startSession: (listener: SessionListener) => SessionClient;
  /** A configuration runs, by an edit or from a link: the address bar may say it. */
  readonly onRuns: (origin: 'edit' | 'link') => void;
}

export function createController({ store, walker, startSession, onRuns }: ControllerOptions): Controller {
  let files: Files = {};
  let goodFiles = files;
  const board = createNoticeBoard(store);
  const running = createRunning();
  let session: SessionClient | undefined;
  let wanted = store.getState().config;
  let good: Config | undefined;
  let origin: 'edit' | 'link' | 'fallback' = 'link';
  /** What is true only of a configuration that runs. */
  let onceItRuns: { readonly config: Config; readonly notice: Notice } | undefined;
  let opening: Promise<void> | undefined;
  let held: { snapshot?: Snapshot } | undefined;
  /** It was playing when a rank failed, or the session. */
  let interrupted = false;
  /** What the session has handed over of the open run. */
  let kept: KeptState | undefined;
  let revivedMs = Number.NEGATIVE_INFINITY;
  const app = () => store.getState();

  const report = (error: unknown) => {
    if (!(error instanceof LockstepError && error.code === 'aborted')) board.sayOfRun(noticeOf(error));
  };
  const live = (): SessionClient => {
    if (!session) throw new LockstepError('rank-failed', 'No session is running.', 'Restart the session.');
    return session;
  };

  const onStray = (error: LockstepError) => board.say(strayNotice(error));

  let labSession: SessionClient | undefined;
  const bench = (): SessionClient => {
    if (session) return session;
    const own =
      labSession ?? startSession({ onEvent: () => undefined, onFailure: () => (labSession = undefined), onStray });
    labSession = own;
    return own;
  };

  const player = createPlayer(store, walker, {
    traceStep: async () => {
      const from = session;
      const trace = await live().traceStep();
      if (from === session) addTrace(trace);
    },
    control: (message) => {
      if (message.type === 'play') running.set(true);
      session?.control(message);
    },
    idle: running.idle,
    report,
  });

  const addTrace = (trace: Parameters<ReturnType<typeof app>['addTrace']>[0]) => {
    // The trace of a step by hand comes as the answer and as an event; the first one counts.
    if (app().traces.at(-1)?.microBatch !== trace.microBatch) app().addTrace(inTimeOrder(trace));
  };

  const onState = (event: Extract<SessionEvent, { type: 'state' }>) => {
    running.set(event.state === 'playing');
    app().setMicroBatch(event.microBatch);
    if (event.state === 'playing') {
      // After a rank has failed the session goes on by itself.
      if (interrupted && app().state === 'loading' && !opening) player.play();
      interrupted = false;
      return;
    }
    if (event.state === 'restarting') {
      interrupted ||= app().state === 'playing';
      player.settle();
      app().setState('loading', event.reason);
    } else if (event.state === 'paused') {
      // Paused by the session itself, or back after a restart; a pause by hand has set the state already.
      const goesOn = interrupted && RECOVERED.has(event.reason);
      interrupted = false;
      if (app().state === 'loading' && !opening) app().setState('paused');
      // It was walked over step by step, by the page.
      if (goesOn && !opening) return player.play();
      const walking = speedAt(app().speed).kind === 'events' && event.reason === '';
      if (app().state === 'playing' && !walking) player.pause();
    } else {
      player.settle();
      app().setState(event.state, event.reason);
    }
  };

  const onEvent = (event: SessionEvent) => {
    switch (event.type) {
      case 'losses':
        return app().addLosses(event.records, event.stepsPerSecond);
      case 'trace':
        addTrace(event.trace);
        return player.traceArrived();
      case 'snapshot':
        if (held) held.snapshot = event.snapshot;
        else app().setSnapshot(event.snapshot);
        return;
      case 'difference':
        return app().addDifference(event.difference);
      case 'notice':
        return board.sayOfRun(event.notice);
      case 'device': {
        const { info } = app();
        if (info) app().setInfo({ ...info, device: event.device });
        return;
      }
      case 'standstill':
        app().setStandstill(event.standstill);
        if (event.standstill) player.stand();
        return;
      case 'kept':
        kept = event.kept;
        return;
      case 'progress':
        if (app().state === 'loading') app().setState('loading', `${event.what}: ${event.done} of ${event.total}`);
        return;
      case 'state':
        return onState(event);
    }
  };

  /** A start emits its first snapshot before it answers; the old run is on the screen until then. */
  const startingAfresh = async (start: () => Promise<void>): Promise<void> => {
    const own: { snapshot?: Snapshot } = {};
    held = own;
    try {
      await start();
    } finally {
      held = undefined;
    }
    app().clearRun(own.snapshot?.microBatch);
    kept = undefined;
    if (own.snapshot) app().setSnapshot(own.snapshot);
  };

  const onFailure = (error: LockstepError) => {
    session = undefined;
    running.set(false);
    interrupted ||= app().state === 'playing';
    player.settle();
    app().setStandstill(undefined);
    // One that ends again at once would do so for ever.
    if (kept && good && !opening && performance.now() - revivedMs > STEADY_MS) return reviveAfter(error);
    app().setState('failed', error.message);
    board.say({ ...noticeOf(error), ...(kept ? { id: 'worker-ended', hint: '' } : {}) });
  };

  /**
   * From the last state that was handed over, with the settings that ran; what the page shows of later steps is gone
   * with the worker.
   */
  const revive = async (error: LockstepError, from: KeptState, config: Config): Promise<void> => {
    const where = stepWords(from.microBatch, config);
    const lost = stepOf(app().microBatch, config) - stepOf(from.microBatch, config);
    app().setState('loading', `Going on from ${where} in a new worker`);
    revivedMs = performance.now();
    session ??= startSession({ onEvent, onFailure, onStray });
    try {
      app().setInfo(await session.open(config, goodFiles, from.files));
    } catch (second) {
      app().setState('failed', error.message);
      board.say({ ...noticeOf(second), id: 'worker-ended' });
      return;
    }
    app().setMicroBatch(from.microBatch);
    app().dismissNotice('worker-ended');
    app().setState('paused');
    const gone = lost > 0 ? ` The ${lost === 1 ? 'step' : `${lost} steps`} after it will run again.` : '';
    const text = `${error.message} Training goes on from ${where} in a new one.${gone}`;
    board.say({ level: 'warning', id: 'rank-failed', text, hint: '' });
    const plays = interrupted;
    interrupted = false;
    if (plays) player.play();
  };
  const reviveAfter = (error: LockstepError) => {
    if (!kept || !good) return;
    opening ??= revive(error, kept, good)
      .catch(report)
      .finally(() => {
        opening = undefined;
        if (wanted !== good) open('Starting');
      });
  };

  const openOnce = async (config: Config, because: string): Promise<void> => {
    const resume = app().state === 'playing';
    player.halt();
    if (resume) session?.control({ type: 'pause' });
    app().setState('loading', because);
    session ??= startSession({ onEvent, onFailure, onStray });
    const opened = session;
    files = await storedFor(config.resume, files);
    let info: SessionInfo | undefined;
    await startingAfresh(async () => {
      info = await opened.open(config, files);
    });
    if (wanted !== config || !info) return;
    running.set(false);
    board.clearRun();
    app().setConfig(config);
    app().setInfo(info);
    for (const notice of info.notices) board.sayOfRun(notice);
    if (onceItRuns?.config === config) board.say(onceItRuns.notice);
    onceItRuns = undefined;
    good = config;
    goodFiles = files;
    app().setState('paused');
    if (origin !== 'fallback') onRuns(origin);
    if (resume) player.play();
    else player.preview().catch(report);
  };

  /** What runs instead when a configuration was refused. */
  const fallBack = async (refused: Config, error: unknown): Promise<void> => {
    const notice = noticeOf(error);
    const next = good ?? PAGE_CONFIG;
    if (!session || next === refused) {
      app().setState('failed', notice.text);
      board.say(notice);
      return;
    }
    wanted = next;
    files = goodFiles;
    origin = 'fallback';
    const layer = error instanceof LockstepError ? error.details['layer'] : undefined;
    if (typeof layer === 'number') app().setRefusedLayer({ index: layer, text: notice.text });
    app().setConfig(next);
    const stillOpen =
      good &&
      (await session
        .snapshot()
        .then(() => true)
        .catch(() => false));
    if (stillOpen) app().setState('paused');
    else await openOnce(next, 'Going back to the settings that ran').catch((again: unknown) => fallBack(next, again));
    const stays = good ? 'The settings that ran before stay.' : 'The default settings run instead.';
    board.sayOfRun({ ...notice, hint: `${notice.hint} ${stays}`.trim() });
  };

  const openWanted = async (because: string): Promise<void> => {
    let config: Config;
    do {
      config = wanted;
      try {
        await openOnce(config, because);
      } catch (error) {
        if (wanted === config) await fallBack(config, error);
      }
    } while (wanted !== config && wanted !== good);
  };

  const open = (because: string) => {
    opening ??= openWanted(because)
      .catch(report)
      .finally(() => {
        opening = undefined;
      });
  };

  const apply = (config: Config, from: 'edit' | 'link' = 'edit', once?: Notice) => {
    wanted = config;
    onceItRuns = once && { config, notice: once };
    origin = from;
    app().setConfig(config);
    app().setRefusedLayer(undefined);
    open(good ? 'Restarting from the same seed' : 'Starting');
  };

  return {
    player,
    apply,
    async reset() {
      if (!session || app().state === 'failed') return open('Starting again');
      const wasRunning = running.now;
      player.halt();
      if (wasRunning) session.control({ type: 'pause' });
      app().setState('loading', 'Back to the same start');
      app().clearRun();
      try {
        await running.idle();
        const resetting = session;
        await startingAfresh(() => resetting.reset());
        app().dismissNotice('not-finite');
        app().setState('paused');
        await player.preview();
      } catch (error) {
        app().setState('failed', error instanceof Error ? error.message : String(error));
        report(error);
      }
    },
    restart() {
      session?.end();
      session = undefined;
      good = undefined;
      wanted = { ...app().config };
      app().dismissNotice('rank-failed');
      app().dismissNotice('worker-ended');
      open('Starting again');
    },
    revive() {
      reviveAfter(new LockstepError('rank-failed', 'The training worker ended by itself.'));
    },
    setSpeed(speed) {
      app().setSpeed(speed);
      if (app().state === 'playing') player.play();
    },
    trainOn(given, config, once) {
      // A set of single images takes the place of the one before; it is read as a whole.
      const images = (name: string) => /\.png$/i.test(name);
      const kept = Object.entries(files).filter(([name]) => !(images(name) && Object.keys(given).some(images)));
      files = { ...Object.fromEntries(kept), ...given };
      apply(config, 'edit', once);
    },
    say: board.say,
    dismiss: board.dismiss,
    async run(config, given = {}) {
      const own = startSession({ onEvent: () => undefined, onFailure: () => undefined, onStray });
      try {
        return await own.run(config, given);
      } finally {
        own.end();
      }
    },
    saveWeights: async () => live().saveWeights(),
    // The step that a start shows has been run to be looked at: who saves before it is over saves what was loaded.
    saveCheckpoint: async () => live().saveCheckpoint({ atStart: onlyPreviewed(app()) }),
    ask: {
      predict: async (input) => live().predict(input),
      generate: async (...given) => live().generate(...given),
      attention: async (row) => live().attention(row),
      rehearse: async (...given) => live().rehearse(...given),
    },
    overlap: async () => live().overlap(),
    controlRun: async (wanted) => live().controlRun(wanted),
    lab: {
      lab: async (request) => bench().lab(request),
      labCurves: async (request) => bench().labCurves(request),
      measureLab: async (request) => bench().measureLab(request),
    },
    corrupt: async (event, add) => live().corrupt(event, add),
    loseDevice: async () => live().loseDevice(),
    failures: {
      kill: async (rank) => live().killRank(rank),
      hang: async (rank) => live().hangRank(rank),
      flightRecorder: async () => live().flightRecorder(),
    },
  };
}
