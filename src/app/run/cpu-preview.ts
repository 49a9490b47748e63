/**
 * While the first run's kernels compile for the GPU, a session of its own computes the first step on the CPU, and the
 * page shows that step with its loss and its PyTorch lines: the same weights, samples and Program, so the same numbers
 * within rounding. The page says that the numbers come from the CPU. They do not enter the run: the preview's worker
 * ends when the GPU is ready, and the GPU's own first step replaces the preview. openings.ts asks for the preview,
 * and the controller makes one.
 */
import type { Config } from '../../protocol/config';
import type { Files } from '../../protocol/session';
import type { CodeLine, StepTrace } from '../../protocol/trace';
import type { AppStore } from '../state/store';
import type { TransportControls } from '../transport/transport';
import type { LiveSession } from './live-session';
import type { SessionClient } from './session-client';
import { MEANWHILE, type RunOnPage } from './session-event-handler';

/** A GPU that is ready sooner needs no preview. */
const PATIENCE_MS = 1200;
/** The worker may take longer than this to start, so check again after this time whether it is compiling. */
const AGAIN_MS = 300;

/** With fewer cores, the preview would slow the compiler down. */
const CORES = 4;

/** Under Node, where lessons' figures are recorded, no preview is needed. */
const coresHere = (): number => (typeof navigator === 'undefined' ? 0 : navigator.hardwareConcurrency);

interface Page {
  readonly store: AppStore;
  readonly player: Pick<TransportControls, 'preview' | 'halt'>;
  readonly sessions: LiveSession;
  readonly run: RunOnPage;
}

export class FirstPicture {
  private timer: ReturnType<typeof setTimeout> | undefined;
  private session: SessionClient | undefined;
  private lines: readonly CodeLine[] | undefined;

  constructor(private readonly page: Page) {}

  /** Whether the page shows the CPU's step. */
  get shown(): boolean {
    return this.page.run.previewed === true;
  }

  /** The PyTorch script, for use while the page's session is too busy to write it. */
  get listing(): readonly CodeLine[] | undefined {
    return this.lines;
  }

  /**
   * The page's session is opening this configuration; if opening takes long, the CPU computes the first step meanwhile.
   */
  whileOpening(config: Config, files: Files): void {
    if (config.device === 'cpu' || coresHere() < CORES) return;
    const look = () => {
      // Without a GPU nothing compiles, and the run itself computes on the CPU.
      if (this.page.run.compiling) void this.show(config, files);
      else this.timer = setTimeout(look, AGAIN_MS);
    };
    this.timer = setTimeout(look, PATIENCE_MS);
  }

  /** The session has answered; `opened`: the preview stays until the GPU has computed the step. */
  end(opened: boolean): void {
    clearTimeout(this.timer);
    this.session?.end();
    this.session = undefined;
    this.lines = undefined;
    this.page.run.compiling = false;
    if (!opened) this.giveUp();
  }

  /** Ends the preview, because the user chose other settings, or these were refused. */
  giveUp(): void {
    clearTimeout(this.timer);
    this.session?.end();
    this.session = undefined;
    this.lines = undefined;
    if (!this.shown) return;
    this.page.run.previewed = false;
    this.page.player.halt();
    this.page.store.getState().setInfo(undefined);
    this.page.store.getState().clearRun();
  }

  /** Replaces the CPU's trace by the GPU's; the cursor stays where it is. */
  async replacedBy(traceStep: () => Promise<StepTrace>): Promise<void> {
    const { store, player, run } = this.page;
    store.getState().setState('loading', 'The GPU is ready, and computes the step that the page shows');
    try {
      store.getState().replaceTrace(await traceStep());
    } catch (error) {
      player.halt();
      store.getState().clearRun();
      throw error;
    } finally {
      run.previewed = false;
    }
  }

  private async show(config: Config, files: Files): Promise<void> {
    const { store, player, sessions, run } = this.page;
    const session = sessions.apart();
    this.session = session;
    try {
      const info = await session.open({ ...config, device: 'cpu', compareSingle: false }, files);
      const snapshot = await session.ask((run) => run.snapshot());
      const trace = await session.traceStep();
      const lines = await session.ask((run) => run.listing());
      if (this.session !== session) return;
      session.end();
      this.session = undefined;
      run.previewed = true;
      this.lines = lines;
      const app = store.getState();
      app.setInfo({ ...info, config });
      app.setSnapshot(snapshot);
      app.setState('loading', `${app.busy}${MEANWHILE}`);
      // Puts the run after this micro-batch, as if it had trained it.
      app.addLosses([trace.losses], 0);
      await player.preview(async () => app.addTrace(trace));
    } catch {
      // The page's session reports what is wrong with these settings.
      if (this.session === session) session.end();
    }
  }
}
