/**
 * Opens sessions for the page: for the latest configuration, however often the user changes it meanwhile, and for the
 * last configuration that ran if a new one is refused. revival.ts continues a run whose worker has ended,
 * cpu-preview.ts shows a step while the first run's kernels compile, and session-event-handler.ts reads the events of
 * the open session. The controller makes one.
 */
import * as v from 'valibot';
import { LockstepError } from '../../base/errors';
import { within } from '../../base/within';
import { type Config, configSchema } from '../../protocol/config';
import type { Notice } from '../../protocol/notice';
import type { Files } from '../../protocol/session';
import type { SessionInfo } from '../../protocol/session-info';
import type { Arrival } from '../address/arrival';
import { BEGINNING } from '../pace/pace';
import type { AppStore } from '../state/store';
import { storedFor } from '../stored/stored-for';
import type { FreeRun } from '../transport/free-run';
import type { TransportControls } from '../transport/transport';
import type { FirstPicture } from './cpu-preview';
import type { LiveSession } from './live-session';
import { type NoticeBoard, noticeOf } from './notice-board';
import type { RunOnPage, SessionEventHandler } from './session-event-handler';

/** Why a configuration opens: an edit, the address, or the page's return to the last one that ran. */
type Origin = 'edit' | 'link' | 'fallback';

export interface OpeningsOptions {
  readonly store: AppStore;
  readonly board: NoticeBoard;
  readonly player: TransportControls;
  readonly freeRun: FreeRun;
  readonly sessions: LiveSession;
  readonly events: SessionEventHandler;
  readonly run: RunOnPage;
  readonly preview: FirstPicture;
  /** Leads to a link's moment within its run. */
  readonly arrival: Omit<Arrival, 'ask'>;
  /** A configuration runs, by an edit or from a link: the address bar may say it. */
  readonly onRuns: (origin: 'edit' | 'link') => void;
  readonly instead: Instead;
}

/** The configuration that runs if the first is refused, with its notice. */
export interface Instead {
  readonly config: Config;
  readonly words: string;
}

export class Openings {
  private wanted: Config;
  private origin: Origin = 'link';
  /** The last configuration that ran, and its files. */
  private good: Config | undefined;
  private goodFiles: Files = {};
  private files: Files = {};
  /** A notice to show only once this configuration runs. */
  private onceItRuns: { readonly config: Config; readonly notice: Notice } | undefined;
  private resetting = false;

  constructor(private readonly options: OpeningsOptions) {
    this.wanted = this.app.config;
  }

  private get app() {
    return this.options.store.getState();
  }

  get filesThatRan(): Files {
    return this.goodFiles;
  }

  /** The last configuration that ran; undefined before the first, and after a restart. */
  get configThatRan(): Config | undefined {
    return this.good;
  }

  /** Other settings have been chosen, but their run is not open yet. */
  get wantsOther(): boolean {
    return this.wanted !== this.good;
  }

  readonly apply = (config: Config, from: 'edit' | 'link' = 'edit', once?: Notice): void => {
    this.wanted = config;
    this.options.preview.giveUp();
    if (from === 'edit') this.options.arrival.forget();
    this.onceItRuns = once && { config, notice: once };
    this.origin = from;
    this.app.setConfig(config);
    this.app.setRefusedConfig(undefined);
    this.app.setRefusedLayer(undefined);
    this.open(this.good ? 'Restarting from the same seed' : 'Starting');
  };

  readonly trainOn = (given: Files, config: Config, once?: Notice): void => {
    // New single images replace all earlier ones, because they are read as one set.
    const images = (name: string) => /\.png$/i.test(name);
    const kept = Object.entries(this.files).filter(([name]) => !(images(name) && Object.keys(given).some(images)));
    this.files = { ...Object.fromEntries(kept), ...given };
    this.apply(config, 'edit', once);
  };

  /** Goes back to the same start, in the open session. */
  readonly reset = async (): Promise<void> => {
    const { player, freeRun, sessions, events } = this.options;
    const { current } = sessions;
    if (!current || this.app.state === 'failed') return this.open('Starting again');
    const wasRunning = freeRun.now;
    player.halt();
    if (wasRunning) current.control({ type: 'pause' });
    this.app.setState('loading', 'Back to the same start');
    this.app.clearRun();
    this.resetting = true;
    try {
      // A step that is stuck ends only by the reset.
      while (!(await within(500, freeRun.idle()))) if (this.app.standstill) break;
      const live = sessions.live();
      await events.startingAfresh(() => live.reset());
      this.resetting = false;
      this.app.dismissNotice('not-finite');
      this.app.setState('paused');
      await this.begin();
    } catch (error) {
      this.resetting = false;
      this.app.setState('failed', error instanceof Error ? error.message : String(error));
      this.report(error);
    }
  };

  /** Goes to the link's moment; back to the start first if the run is past the moment and kept no trace of it. */
  readonly goToLinked = (): void => {
    // A run that is opening or resetting will go to the moment afterwards.
    if (this.options.run.opening !== undefined || this.resetting) return;
    const { microBatch } = this.options.arrival;
    const { microBatch: now, traces } = this.app;
    const kept = traces.some((trace) => trace.microBatch === microBatch);
    if (microBatch !== undefined && microBatch < now && !kept) void this.reset();
    else this.begin().catch((error: unknown) => this.report(error));
  };

  /** Starts again from the beginning in a new worker. */
  readonly restart = (): void => {
    this.options.sessions.end();
    this.good = undefined;
    this.wanted = { ...this.app.config };
    this.app.dismissNotice('rank-failed');
    this.app.dismissNotice('worker-ended');
    this.open('Starting again');
  };

  /** Shows the moment of the link, or the first step, of a run that has opened. */
  private begin(): Promise<void> {
    const { arrival, player } = this.options;
    return arrival.begin(player) ?? player.preview();
  }

  /** Shows the error on the page, unless the user stopped the call. */
  report(error: unknown): void {
    if (!(error instanceof LockstepError && error.code === 'aborted')) this.options.board.sayOfRun(noticeOf(error));
  }

  open(because: string): void {
    const { run } = this.options;
    run.opening ??= this.openWanted(because)
      .catch((error: unknown) => this.report(error))
      .finally(() => {
        run.opening = undefined;
      });
  }

  private async openWanted(because: string): Promise<void> {
    let config: Config;
    do {
      config = this.wanted;
      try {
        await this.openOnce(config, because);
      } catch (error) {
        if (this.wanted === config) await this.fallBack(config, error);
      }
    } while (this.wanted !== config && this.wanted !== this.good);
  }

  private async openOnce(config: Config, because: string): Promise<void> {
    const { player, sessions, events } = this.options;
    const resume = this.app.state === 'playing';
    player.halt();
    if (resume) sessions.current?.control({ type: 'pause' });
    this.app.setState('loading', because);
    // Starts the worker while the files are being read.
    sessions.started();
    this.files = await storedFor(config.resume, this.files);
    const { preview, arrival } = this.options;
    // A link to a moment of the run leads elsewhere than to the first step.
    if (!this.good && arrival.microBatch === undefined) preview.whileOpening(config, this.files);
    let info: SessionInfo | undefined;
    try {
      await events.startingAfresh(async () => {
        info = await sessions.open(config, this.files);
      });
    } finally {
      preview.end(info !== undefined && this.wanted === config);
    }
    if (this.wanted !== config || !info) return;
    this.takeOver(config, info);
    if (preview.shown) {
      await preview.replacedBy(() => sessions.live().traceStep()).catch((error: unknown) => this.report(error));
      this.app.setState('paused');
      arrival.begin(player)?.catch((error: unknown) => this.report(error));
    } else if (resume && arrival.microBatch === undefined) player.play();
    else this.begin().catch((error: unknown) => this.report(error));
  }

  /** The configuration runs: the page shows it, and its notices. */
  private takeOver(config: Config, info: SessionInfo): void {
    const { board, onRuns } = this.options;
    board.clearRun();
    this.app.setConfig(config);
    this.app.setInfo(info);
    for (const notice of info.notices) board.sayOfRun(notice);
    if (this.onceItRuns?.config === config) board.say(this.onceItRuns.notice);
    this.onceItRuns = undefined;
    // A step of another mode is new to the user: play it slowly again, unless the user holds a pace.
    if (this.good && this.good.mode !== config.mode && !this.app.pace.held) this.app.setPace(BEGINNING);
    this.good = config;
    this.goodFiles = this.files;
    this.app.setState('paused');
    if (this.origin !== 'fallback') onRuns(this.origin);
  }

  /** Opens the configuration that runs instead of a refused one. */
  private async fallBack(refused: Config, error: unknown): Promise<void> {
    const { sessions, board } = this.options;
    const notice = noticeOf(error);
    this.app.setRefusedConfig(refused, offeredBy(error, refused));
    const before = this.good;
    const next = before ?? this.options.instead.config;
    if (!sessions.current || next === refused) {
      this.app.setState('failed', notice.text);
      board.say(notice);
      return;
    }
    this.wanted = next;
    this.options.arrival.forget();
    this.files = this.goodFiles;
    this.origin = 'fallback';
    const layer = error instanceof LockstepError ? error.details['layer'] : undefined;
    if (typeof layer === 'number') this.app.setRefusedLayer({ index: layer, text: notice.text });
    this.app.setConfig(next);
    if (this.good && (await isOpen(sessions))) this.app.setState('paused');
    else
      await this.openOnce(next, 'Going back to the previous settings').catch((again: unknown) =>
        this.fallBack(next, again),
      );
    const stays = before ? 'The previous settings stay in use.' : this.options.instead.words;
    board.sayOfRun({ ...notice, hint: `${notice.hint} ${stays}`.trim() });
  }
}

/** Whether the session still has the run that was open before. */
const isOpen = ({ current }: LiveSession): Promise<boolean> =>
  current === undefined
    ? Promise.resolve(false)
    : current
        .ask((run) => run.snapshot())
        .then(
          () => true,
          () => false,
        );

/** The refused run with the settings that the refusal names: what would fit into the memory. */
function offeredBy(error: unknown, refused: Config): Config | undefined {
  const instead = error instanceof LockstepError ? error.details['instead'] : undefined;
  if (instead === undefined) return undefined;
  const { mesh } = refused;
  const offered = v.safeParse(configSchema, { ...refused, mesh: { dpReplicate: 1, cp: mesh.cp }, ...instead });
  return offered.success ? offered.output : undefined;
}
