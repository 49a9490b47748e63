/**
 * Brings the page to the exact state that a link asks for, once its run is open. Clock and pace apply at once;
 * arrive.ts, fetched only for such links, goes to the moment. main.tsx makes one.
 */
import { loadPart } from '../../base/load-part';
import { type LinkState, microBatchAt, NO_STATE } from '../permalink/link-state';
import type { AppStore } from '../state/store';
import type { TransportControls } from '../transport/transport';
import type { LinkedViews } from './linked-views';

export interface Arrival {
  /** Sets the state that begin() will go to. */
  ask(state: LinkState): void;
  /** Drops the requested state, because another run opens. */
  forget(): void;
  /** The micro-batch of the requested state. */
  readonly microBatch: number | undefined;
  /** The run is open: goes to the requested state. Undefined if no particular moment was requested. */
  begin(player: TransportControls): Promise<void> | undefined;
  /** Goes to the state again, after an interruption of the run on its way. */
  resume(player: TransportControls): Promise<void>;
}

export function createArrival(store: AppStore, views: LinkedViews): Arrival {
  let asked = NO_STATE;
  /** The state that the run last set out for. */
  let goal = NO_STATE;
  const setOut = async (player: TransportControls): Promise<void> => {
    const { arrive } = await loadPart('The way to the moment of the link', () => import('./arrive'));
    await arrive(goal, { store, player, views });
  };
  return {
    ask(state) {
      asked = state;
      if (state.clock) store.getState().setClock(state.clock);
      if (state.pace) store.getState().setPace(state.pace);
    },
    forget() {
      asked = NO_STATE;
    },
    get microBatch() {
      const { at } = asked;
      return at && (at === 'construct' ? 0 : microBatchAt(at, store.getState().config));
    },
    begin(player) {
      goal = asked;
      asked = NO_STATE;
      if (goal.at === undefined) {
        views.ask(goal.shown);
        return undefined;
      }
      return setOut(player);
    },
    resume: setOut,
  };
}
