/**
 * What the page does, as its views may ask for it. Opening is openings.ts, going on after a lost worker is revival.ts,
 * events become state in session-events.ts, pace is the transport's; this puts them together and passes questions on to
 * the session, which it knows only as a SessionClient. main.tsx makes one.
 */
import type { Config } from '../../protocol/config';
import type { ExportedFolder } from '../../protocol/exported';
import type { Notice } from '../../protocol/notice';
import type { FlightRecorderDump } from '../../protocol/process-group';
import type { RecordOptions, Report } from '../../protocol/report';
import type { CheckpointFiles, Files } from '../../protocol/session';
import type { Arrival } from '../address/arrival';
import { PAGE_CONFIG } from '../edit/page-config';
import { BEGINNING, setByHand, toggledHold } from '../pace/pace';
import type { AppStore } from '../state/store';
import { createFreeRun } from '../transport/free-run';
import { onlyPreviewed } from '../transport/positions';
import { createTransport, type TransportControls } from '../transport/transport';
import type { Walker } from '../transport/walker';
import { FirstPicture } from './cpu-preview';
import { Interruption } from './interruption';
import { LiveSession, type StartSession } from './live-session';
import { createNoticeBoard, strayNotice } from './notice-board';
import { type Instead, Openings } from './openings';
import { Revival } from './revival';
import type { SessionClient } from './session-client';
import { type RunOnPage, SessionEvents, takeTrace } from './session-events';

export interface Controller {
  readonly player: TransportControls;
  /**
   * Opens a session for this configuration; a refused one leaves the old run in place and says why. `once`: said when
   * it runs.
   */
  apply(config: Config, origin?: 'edit' | 'link', once?: Notice): void;
  /** Within the run that is open, to where the link leads. */
  goToLinked(): void;
  /** For who leads two runs at once, past their transports, which must have halted. */
  readonly lead: {
    /** What the user gave for the run that is open. */
    files(): Files;
    /** Resolves when the session does not run by itself. */
    idle(): Promise<void>;
    /** Resolves when the trace is in the store. */
    traceStep(): Promise<void>;
    /** As fast as it goes; resolves when the run is there, or was paused, or has stopped by itself. */
    trainTo(microBatch: number): Promise<void>;
    pause(): void;
  };
  /** The same start again. */
  reset(): Promise<void>;
  /** A new worker, after the old one died, from the start. */
  restart(): void;
  /** A new worker that goes on from the last state which the old one has handed over. */
  revive(): void;
  /** A stage of the table of paces, held; undefined begins slowly again and speeds up. */
  setSpeed(speed: number | undefined): void;
  /** Holds the pace as it is, or lets it speed up again. */
  toggleHold(): void;
  /**
   * Keeps the files beside those that are there and opens a session with them; when that is refused, what was there
   * before stays.
   */
  trainOn(given: Files, config: Config, once?: Notice): void;
  dismiss(notice: Notice): void;
  say(notice: Notice): void;
  /**
   * From start to end in a session of its own; the one on the page goes on. Rejects with 'aborted' at once when the
   * signal comes.
   */
  run(config: unknown, files?: Files, records?: RecordOptions, signal?: AbortSignal): Promise<Report>;
  saveWeights(): Promise<Uint8Array<ArrayBuffer>>;
  saveCheckpoint(): Promise<CheckpointFiles>;
  /** Questions to the model as it is now. */
  readonly ask: Pick<SessionClient, 'predict' | 'generate' | 'attention' | 'rehearse'>;
  readonly listing: SessionClient['listing'];
  /** The run as a folder that PyTorch trains from. */
  exportRun(): Promise<ExportedFolder>;
  readonly overlap: SessionClient['overlap'];
  /** The control beside the difference from one device. */
  readonly controlRun: SessionClient['controlRun'];
  /** The collectives lab, in the run's session; in one of its own where none is open. */
  readonly lab: Pick<SessionClient, 'lab' | 'labCurves' | 'measureLab'>;
  /** Hooks of the tests: corrupt one transfer, lose the device. */
  corrupt(event: number | undefined, add: number): Promise<void>;
  loseDevice(): Promise<void>;
  /** Ends a rank, lets it hang, and what every rank's collectives came to. */
  readonly failures: {
    kill(rank: number): Promise<void>;
    hang(rank: number): Promise<void>;
    flightRecorder(): Promise<readonly FlightRecorderDump[]>;
  };
}

export interface ControllerOptions {
  readonly store: AppStore;
  readonly walker: Walker;
  readonly startSession: StartSession;
  readonly arrival: Omit<Arrival, 'ask'>;
  /** A configuration runs, by an edit or from a link: the address bar may say it. */
  readonly onRuns: (origin: 'edit' | 'link') => void;
  /** Left out: the default settings. */
  readonly instead?: Instead;
}

const DEFAULTS: Instead = { config: PAGE_CONFIG, words: 'The default settings run instead.' };

export function createController(options: ControllerOptions): Controller {
  const { store, walker, startSession, arrival, onRuns, instead = DEFAULTS } = options;
  const board = createNoticeBoard(store);
  const freeRun = createFreeRun(() => store.getState().setPausing(false));
  const run: RunOnPage = { opening: undefined, kept: undefined };
  const sessions = new LiveSession(
    startSession,
    {
      onEvent: (event) => events.onEvent(event),
      onFailure: (error) => revival.onFailure(error),
      onStray: (error) => board.say(strayNotice(error)),
    },
    () => freeRun.set(false),
  );
  const traceStep = async () => {
    const from = sessions.live();
    const trace = await from.traceStep();
    if (from === sessions.current) takeTrace(store, trace);
  };
  const player = createTransport(store, walker, {
    traceStep,
    control: (message) => {
      if (message.type === 'play') freeRun.set(true);
      store.getState().setPausing(message.type === 'pause' && freeRun.now);
      sessions.current?.control(message);
    },
    idle: freeRun.idle,
    report: (error) => openings.report(error),
  });
  const report = (error: unknown) => openings.report(error);
  const interruption = new Interruption({ store, player, arrival, report });
  const preview = new FirstPicture({ store, player, sessions, run });
  const events = new SessionEvents({ store, board, player, freeRun, run, interruption });
  const openings = new Openings({
    store,
    board,
    player,
    freeRun,
    sessions,
    events,
    run,
    preview,
    arrival,
    onRuns,
    instead,
  });
  const revival = new Revival({ store, board, player, freeRun, sessions, run, arrival, interruption }, openings);
  return {
    player,
    lead: {
      files: () => openings.filesThatRan,
      idle: freeRun.idle,
      traceStep,
      async trainTo(microBatch) {
        const session = sessions.live();
        freeRun.set(true);
        session.control({ type: 'play', stepsPerSecond: 0, until: microBatch });
        await freeRun.idle();
        // Should a rank fail later, the run does not go on from here by itself.
        session.control({ type: 'pause' });
      },
      pause: () => sessions.current?.control({ type: 'pause' }),
    },
    apply: openings.apply,
    goToLinked: openings.goToLinked,
    reset: openings.reset,
    restart: openings.restart,
    revive: () => revival.revive(),
    trainOn: openings.trainOn,
    setSpeed: (speed) => player.changePace(speed === undefined ? BEGINNING : setByHand(speed)),
    toggleHold: () => player.changePace(toggledHold(store.getState().pace)),
    say: board.say,
    dismiss: board.dismiss,
    ...questions(store, sessions, () => openings.filesThatRan),
    listing: async () => preview.listing ?? sessions.live().listing(),
  };
}

/** What is passed on to a session as it is. */
function questions(
  store: AppStore,
  sessions: LiveSession,
  files: () => Files,
): Pick<
  Controller,
  | 'run'
  | 'saveWeights'
  | 'saveCheckpoint'
  | 'ask'
  | 'exportRun'
  | 'overlap'
  | 'controlRun'
  | 'lab'
  | 'corrupt'
  | 'loseDevice'
  | 'failures'
> {
  const live = (): SessionClient => sessions.live();
  const forLab = (): SessionClient => sessions.forLab();
  return {
    async run(config, given = {}, records, signal) {
      const own = sessions.apart();
      signal?.addEventListener('abort', own.end);
      try {
        return await own.run(config, given, records);
      } finally {
        signal?.removeEventListener('abort', own.end);
        own.end();
      }
    },
    saveWeights: async () => live().saveWeights(),
    // The step that a start shows has been run to be looked at: who saves before it is over saves what was loaded.
    saveCheckpoint: async () => live().saveCheckpoint({ atStart: onlyPreviewed(store.getState()) }),
    ask: {
      predict: async (input) => live().predict(input),
      generate: async (...given) => live().generate(...given),
      attention: async (row) => live().attention(row),
      rehearse: async (...given) => live().rehearse(...given),
    },
    exportRun: async () => live().exportRun(store.getState().info?.config ?? store.getState().config, files()),
    overlap: async () => live().overlap(),
    controlRun: async (wanted) => live().controlRun(wanted),
    lab: {
      lab: async (request) => forLab().lab(request),
      labCurves: async (request) => forLab().labCurves(request),
      measureLab: async (request) => forLab().measureLab(request),
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
