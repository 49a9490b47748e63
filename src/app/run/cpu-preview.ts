/**
 * While the first run's kernels compile for the GPU, a session of its own computes the first step on the CPU, and the
 * page shows that step with its loss and its PyTorch lines: the same weights, samples and Program, so the same numbers
 * within rounding. The page says that they are the CPU's. Nothing of it goes into the run: its worker ends when the GPU
 * is ready, and the GPU's own first step replaces what is shown. Openings.ts asks for it; the controller makes one.
 */
import type { Config } from '../../protocol/config';
import type { Files } from '../../protocol/session';
import type { CodeLine, StepTrace } from '../../protocol/trace';
import type { AppStore } from '../state/store';
import type { TransportControls } from '../transport/transport';
import type { LiveSession } from './live-session';
import type { SessionClient } from './session-client';
import { MEANWHILE, type RunOnPage } from './session-events';

/** A GPU that is ready sooner needs no preview. */
const PATIENCE_MS = 1200;
/** The worker itself may take longer than that to start: whether it compiles by now is looked at again. */
const AGAIN_MS = 300;

/** With fewer cores the CPU's step would take them from the compiler. */
const CORES = 4;

/** Where lessons' figures are recorded, under Node, nobody waits for a picture. */
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

  /** What the page shows is the CPU's. */
  get shown(): boolean {
    return this.page.run.previewed === true;
  }

  /** The PyTorch script, while the session of the page is too busy to write it. */
  get listing(): readonly CodeLine[] | undefined {
    return this.lines;
  }

  /** The session of the page opens this; if that takes long, the CPU computes the first step meanwhile. */
  whileOpening(config: Config, files: Files): void {
    if (config.device === 'cpu' || coresHere() < CORES) return;
    const look = () => {
      // Without a GPU nothing ever compiles: the run itself will be the CPU's.
      if (this.page.run.compiling) void this.show(config, files);
      else this.timer = setTimeout(look, AGAIN_MS);
    };
    this.timer = setTimeout(look, PATIENCE_MS);
  }

  /** The session has answered; `opened`: what is shown stays until the GPU has computed it. */
  end(opened: boolean): void {
    clearTimeout(this.timer);
    this.session?.end();
    this.session = undefined;
    this.lines = undefined;
    this.page.run.compiling = false;
    if (!opened) this.giveUp();
  }

  /** Other settings are asked for, or these were refused. */
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

  /** The GPU computes the step; its trace takes the place of the CPU's, with the cursor where it is. */
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
      const snapshot = await session.snapshot();
      const trace = await session.traceStep();
      const lines = await session.listing();
      if (this.session !== session) return;
      session.end();
      this.session = undefined;
      run.previewed = true;
      this.lines = lines;
      const app = store.getState();
      app.setInfo({ ...info, config });
      app.setSnapshot(snapshot);
      app.setState('loading', `${app.busy}${MEANWHILE}`);
      // The run is then after this micro-batch, as if it had trained it.
      app.addLosses([trace.losses], 0);
      await player.preview(async () => app.addTrace(trace));
    } catch {
      // The session of the page says what is wrong with these settings.
      if (this.session === session) session.end();
    }
  }
}
