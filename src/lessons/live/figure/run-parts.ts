/**
 * The parts of every running figure: a store, walker and controller of its own over the session that all figures share,
 * and the record of pressed buttons. figure-run.ts and lab-run.ts use them.
 */
import { createStore, type StoreApi } from 'zustand/vanilla';
import { createArrival } from '../../../app/address/arrival';
import { createLinkedViews } from '../../../app/address/linked-views';
import { stateHere } from '../../../app/address/state-here';
import { DEFAULT_VIEW } from '../../../app/permalink/permalink-view';
import { printPermalink } from '../../../app/permalink/print-permalink';
import type { AppServices } from '../../../app/run/app-contexts';
import { type Controller, createController } from '../../../app/run/controller';
import { createAppStore } from '../../../app/state/store';
import { createWalker } from '../../../app/transport/walker';
import { type Facts, factsOf } from '../../facts/facts';
import type { Changes } from '../../lesson';
import { linkOf, readLink } from '../../run-link';
import type { FigureRunOptions, FigureState } from './figure-face';

export interface RunParts {
  readonly services: AppServices;
  readonly state: StoreApi<FigureState>;
  readonly arrival: ReturnType<typeof createArrival>;
  readonly facts: () => Facts;
  readonly href: () => string;
}

const startState: FigureState = {
  changes: {},
  pressed: [],
  pressedBefore: 0,
  there: false,
  leading: false,
  failure: undefined,
  lit: undefined,
  used: undefined,
  lab: undefined,
  labPlays: false,
};

/** If the reader's system asks for less motion, no figure plays before a press. */
export const startsByItself = ({ spec, reducedMotion }: FigureRunOptions): boolean =>
  spec.starts !== 'rest' && !reducedMotion();

/** `onArrived`: called when the figure shows the requested moment, if the run has this moment. */
export function createParts(options: FigureRunOptions, onArrived: () => void): RunParts {
  const { spec, grant, frames, reducedMotion, playground } = options;
  const { config, view } = readLink(linkOf(spec.run));
  const store = createAppStore(config, { ...view, embed: true, theme: 'system' });
  const state = createStore<FigureState>()(() => startState);
  const linked = createLinkedViews();
  const arrival = createArrival(store, {
    ...linked,
    ask(shown) {
      linked.ask(shown);
      onArrived();
    },
  });
  const controller: Controller = createController({
    store,
    walker: createWalker(store, frames, reducedMotion),
    startSession: grant.startSession,
    arrival,
    onRuns: () => undefined,
    instead: { config, words: 'The figure shows its first run again.' },
  });
  const href = () => {
    const app = store.getState();
    const shown = { ...DEFAULT_VIEW, exhibit: app.exhibit, lab: app.lab };
    const at = app.lab ? undefined : stateHere(app, linked.read());
    return `${playground}#${printPermalink(app.config, shown, [], at)}`;
  };
  return {
    state,
    arrival,
    services: {
      store,
      frames,
      controller,
      linked,
      urlSync: { href, write: () => undefined, runs: () => undefined },
    },
    href,
    facts() {
      const { lab, pressed, pressedBefore } = state.getState();
      return factsOf({ app: store.getState(), lab, pressed: pressed.slice(pressedBefore) });
    },
  };
}

/** Records what the reader has pressed or set. */
export function pressedIn(state: StoreApi<FigureState>, ...what: readonly string[]): void {
  state.setState(({ pressed }) => ({ pressed: [...pressed, ...what] }));
}

export const settingWords = (changes: Changes): readonly string[] =>
  Object.entries(changes).map(([key, value]) => `${key}=${value}`);

/** All presses until now no longer count for tasks. */
export const forgetPressed = (state: StoreApi<FigureState>): void =>
  state.setState(({ pressed }) => ({ pressedBefore: pressed.length }));
