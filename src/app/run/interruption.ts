/**
 * Remembers what a run was doing when its device was lost, a rank failed or its worker ended, and resumes that later:
 * playing, or going to the moment of a link. Called by session-event-handler.ts and openings.ts; the controller makes
 * one.
 */
import type { Arrival } from '../address/arrival';
import type { AppStore } from '../state/store';
import type { TransportControls } from '../transport/transport';

interface Page {
  readonly store: AppStore;
  readonly player: TransportControls;
  readonly arrival: Pick<Arrival, 'resume'>;
  readonly report: (error: unknown) => void;
}

export class Interruption {
  private was: 'playing' | 'onWay' | undefined;

  constructor(private readonly page: Page) {}

  /** The run has stopped; called before the transport learns of it. A further failure changes nothing. */
  note(): void {
    const { state, goingTo } = this.page.store.getState();
    if (state === 'playing') this.was ??= goingTo === undefined ? 'playing' : 'onWay';
  }

  /** Whether the run will go on by itself. */
  get pending(): boolean {
    return this.was !== undefined;
  }

  forget(): void {
    this.was = undefined;
  }

  goOn(): void {
    const { store, player, arrival, report } = this.page;
    const { was } = this;
    this.was = undefined;
    if (was === 'playing') player.play();
    if (was !== 'onWay') return;
    if (store.getState().state === 'loading') store.getState().setState('paused');
    arrival.resume(player).catch(report);
  }
}
