/**
 * The actions that the page's views can call. Opening is openings.ts, going on after a lost worker is revival.ts,
 * events become state in session-event-handler.ts, the transport controls the pace; the controller connects them.
 * Views put questions to the session itself, by `ask`. main.tsx makes one.
 */
import type { Config } from '../../protocol/config';
import type { ExportedFolder } from '../../protocol/exported';
import type { Notice } from '../../protocol/notice';
import type { RecordOptions, Report } from '../../protocol/report';
import type { CheckpointFiles, Files } from '../../protocol/session';
import type { CodeLine } from '../../protocol/trace';
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
import { type RunOnPage, SessionEventHandler, takeTrace } from './session-event-handler';

export interface Controller {
  readonly player: TransportControls;
  /**
   * Opens a session for this configuration; if it is refused, the old run stays and a notice says why. `once`: a notice
   * to show when the run is open.
   */
  apply(config: Config, origin?: 'edit' | 'link', once?: Notice): void;
  /** Goes to the link's moment within the open run. */
  goToLinked(): void;
  /** For a caller that leads two runs at once without their transports, which must have halted. */
  readonly lead: {
    /** The user's files for the open run. */
    files(): Files;
    /** Resolves when the session does not run by itself. */
    idle(): Promise<void>;
    /** Resolves when the trace is in the store. */
    traceStep(): Promise<void>;
    /** Trains at full speed; resolves when the run has reached the micro-batch, was paused, or stopped by itself. */
    trainTo(microBatch: number): Promise<void>;
    pause(): void;
  };
  /** Goes back to the same start. */
  reset(): Promise<void>;
  /** Starts again from the beginning in a new worker, after the old one died. */
  restart(): void;
  /** Goes on in a new worker, from the last state that the old one handed over. */
  revive(): void;
  /** Holds a speed from the table of paces; undefined begins slowly again and speeds up. */
  setSpeed(speed: number | undefined): void;
  /** Holds the pace as it is, or lets it speed up again. */
  toggleHold(): void;
  /** Adds the files to the present ones and opens a session with them; if it is refused, the earlier files stay. */
  trainOn(given: Files, config: Config, once?: Notice): void;
  dismiss(notice: Notice): void;
  say(notice: Notice): void;
  /**
   * Trains from start to end in a separate session, while the page's session continues. Rejects with 'aborted' as soon
   * as the signal fires.
   */
  run(config: unknown, files?: Files, records?: RecordOptions, signal?: AbortSignal): Promise<Report>;
  saveCheckpoint(): Promise<CheckpointFiles>;
  /** The checkpoint as one file for each rank and an index. */
  saveShards(): Promise<Files>;
  /** Asks the open run: `ask((run) => run.predict(input))`. Rejects if no session is running. */
  readonly ask: SessionClient['ask'];
  /** Calls that need no open run, such as the lab's: in the run's session, or in a separate one if none is running. */
  readonly askApart: SessionClient['askApart'];
  /** The PyTorch script of the open run. */
  listing(): Promise<readonly CodeLine[]>;
  /** Exports the run as a folder from which PyTorch trains. */
  exportRun(): Promise<ExportedFolder>;
}

export interface ControllerOptions {
  readonly store: AppStore;
  readonly walker: Walker;
  readonly startSession: StartSession;
  readonly arrival: Omit<Arrival, 'ask'>;
  /** Called when a configuration runs, so that the address bar can be updated; `origin`: an edit or a link. */
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
  const ask: SessionClient['ask'] = async (question) => sessions.live().ask(question);
  const askApart: SessionClient['askApart'] = async (question) => sessions.forCalls().askApart(question);
  const report = (error: unknown) => openings.report(error);
  const interruption = new Interruption({ store, player, arrival, report });
  const preview = new FirstPicture({ store, player, sessions, run });
  const events = new SessionEventHandler({ store, board, player, freeRun, run, interruption });
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
        // Paused, so that the run does not go on by itself if a rank fails later.
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
    async run(config, given = {}, records, signal) {
      const own = sessions.apart();
      signal?.addEventListener('abort', own.end);
      try {
        return await own.askApart((session) => session.run(config, given, records));
      } finally {
        signal?.removeEventListener('abort', own.end);
        own.end();
      }
    },
    // The first step has run only as a preview: a checkpoint saved before its end holds the state at the start.
    saveCheckpoint: () => ask((run) => run.saveCheckpoint({ atStart: onlyPreviewed(store.getState()) })),
    saveShards: () => ask((run) => run.saveShards({ atStart: onlyPreviewed(store.getState()) })),
    ask,
    askApart,
    listing: async () => preview.listing ?? ask((run) => run.listing()),
    exportRun() {
      const { info, config } = store.getState();
      return askApart((session) => session.exportRun(info?.config ?? config, openings.filesThatRan));
    },
  };
}
