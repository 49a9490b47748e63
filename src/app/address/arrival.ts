/**
 * Brings the page to the exact state that a link asks for, once its run is open. Clock and pace hold at once; the way
 * to the moment is arrive.ts, which only such a link fetches. main.tsx makes one.
 */
import { loadPart } from '../../base/load-part';
import { type LinkState, microBatchAt, NO_STATE } from '../permalink/link-state';
import type { AppStore } from '../state/store';
import type { TransportControls } from '../transport/transport';
import type { LinkedViews } from './linked-views';

export interface Arrival {
  /** From now on this is asked, until the way there has begun. */
  ask(state: LinkState): void;
  /** The run that it was asked of is not the one that opens. */
  forget(): void;
  /** The micro-batch that is asked for. */
  readonly microBatch: number | undefined;
  /** The run is open: goes to where it was asked to be. Undefined: to no particular moment. */
  begin(player: TransportControls): Promise<void> | undefined;
  /** The run has been interrupted on the way there, and can go on: sets out again. */
  resume(player: TransportControls): Promise<void>;
}

export function createArrival(store: AppStore, views: LinkedViews): Arrival {
  let asked = NO_STATE;
  /** Where it has set out for last. */
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
