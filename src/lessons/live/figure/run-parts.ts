/**
 * What every figure that runs is made of: the page's own store, walker and controller over the session that all figures
 * share, and the record of what was pressed. figure-run.ts and lab-run.ts lead it.
 */
import { createStore, type StoreApi } from 'zustand/vanilla';
import { createArrival } from '../../../app/address/arrival';
import { createLinkedViews } from '../../../app/address/linked-views';
import { stateHere } from '../../../app/address/state-here';
import { printPermalink } from '../../../app/permalink/permalink';
import { DEFAULT_VIEW } from '../../../app/permalink/permalink-view';
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

/** For readers who have asked their system for less motion, nothing plays before they press. */
export const startsByItself = ({ spec, reducedMotion }: FigureRunOptions): boolean =>
  spec.starts !== 'rest' && !reducedMotion();

/** `onArrived`: the moment that was asked for is shown, as far as the run has it. */
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
    instead: { config, words: 'The figure shows what it showed at first.' },
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

/** Writes down what has been pressed or set. */
export function pressedIn(state: StoreApi<FigureState>, ...what: readonly string[]): void {
  state.setState(({ pressed }) => ({ pressed: [...pressed, ...what] }));
}

export const settingWords = (changes: Changes): readonly string[] =>
  Object.entries(changes).map(([key, value]) => `${key}=${value}`);

/** What has been pressed up to now does no task. */
export const forgetPressed = (state: StoreApi<FigureState>): void =>
  state.setState(({ pressed }) => ({ pressedBefore: pressed.length }));
