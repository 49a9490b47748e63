/**
 * A figure that runs: the page's own store, walker and controller over the session that all figures share, led to the
 * moment of the figure's link. What the reader may press or set comes in here, by hand or by a solution; what is shown
 * is the store's. A figure of the lab has the same face: lab-run.ts.
 */
import { createStore, type StoreApi } from 'zustand/vanilla';
import { createArrival } from '../../../app/permalink/arrival';
import { createLinkedViews } from '../../../app/permalink/linked-views';
import { printPermalink } from '../../../app/permalink/permalink';
import { DEFAULT_VIEW } from '../../../app/permalink/permalink-view';
import { stateHere } from '../../../app/permalink/state-here';
import { type Controller, createController } from '../../../app/state/controller';
import { createAppStore } from '../../../app/state/store';
import type { AppServices } from '../../../app/state/use-app';
import type { Frames } from '../../../app/transport/frames';
import { BEGINNING, FULL_SPEED, type Pace, setByHand } from '../../../app/transport/pace';
import { createWalker } from '../../../app/transport/walker';
import type { LabResult } from '../../../protocol/lab';
import { type Facts, factsOf } from '../../facts/facts';
import type { Changes, FigureSpec, Press } from '../../lesson';
import { linkOf, readLink } from '../../run-link';
import type { Grant } from '../session/shared-session';

/** A word of the text that is pointed at. */
export interface Lit {
  readonly rank?: number;
  readonly bucket?: number;
}

export interface FigureState {
  readonly changes: Changes;
  readonly pressed: readonly string[];
  /** How many of `pressed` were before the page led the figure somewhere: they do no task. */
  readonly pressedBefore: number;
  /** The moment with which it begins is on its stage. */
  readonly there: boolean;
  /** On the way to a moment with other settings: what the store has meanwhile is of no run. */
  readonly leading: boolean;
  /** Why it is not there; undefined while nothing is wrong. */
  readonly failure: string | undefined;
  readonly lit: Lit | undefined;
  /** The control that a solution uses just now: a Press, or the key of a setting. */
  readonly used: string | undefined;
  /** Of a figure of the lab. */
  readonly lab: LabResult | undefined;
  readonly labPlays: boolean;
}

export interface FigureRun {
  readonly id: string;
  readonly spec: FigureSpec;
  readonly services: AppServices;
  readonly state: StoreApi<FigureState>;
  /** It has the seat, or has it no longer. */
  enter(): void;
  leave(): void;
  /** Each resolves when what it leads to is shown. */
  press(what: Press): Promise<void>;
  set(changes: Changes): Promise<void>;
  /** As set(), and rests there: what comes next is pressed at that very moment. */
  setAtRest(changes: Changes): Promise<void>;
  /** As set(), by the page: no task is done by it. */
  show(changes: Changes): Promise<void>;
  toRound(round: number): void;
  /** As it was at first, and at rest. */
  begin(): Promise<void>;
  retry(): void;
  facts(): Facts;
  /** The playground in exactly this state. */
  href(): string;
  end(): void;
}

export interface FigureRunOptions {
  readonly id: string;
  readonly spec: FigureSpec;
  /** The playground's address, without '#'. */
  readonly playground: string;
  readonly grant: Grant;
  readonly frames: Frames;
  readonly reducedMotion: () => boolean;
}

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

/** A calm pace, or full speed; a link that says another is obeyed. */
const paceOf = ({ starts }: FigureSpec): Pace =>
  starts === 'train' ? setByHand(FULL_SPEED) : { ...BEGINNING, held: true };

export function openFigureRun(options: FigureRunOptions): FigureRun {
  const { spec, grant } = options;
  let seated = false;
  let begun = false;
  /** It plays as soon as it has the seat and is there. */
  let wantsPlay = spec.starts !== 'rest';
  let waiting: (() => void)[] = [];
  const onArrived = () => {
    // A way there that another one has overtaken.
    if (store.getState().state === 'loading') return;
    state.setState({ there: true, leading: false, failure: undefined });
    for (const go of waiting) go();
    waiting = [];
    goOn();
  };
  const parts = createParts(options, onArrived);
  const { services, state, arrival } = parts;
  const { store, controller } = services;
  const { player } = controller;

  const goOn = () => {
    if (!seated || !wantsPlay) return;
    wantsPlay = false;
    player.play();
  };

  const lead = (changes: Changes): Promise<void> => {
    const { config, state: at, view } = readLink(linkOf(spec.run, changes));
    begun = true;
    state.setState({ changes, leading: true, failure: undefined });
    store.getState().setPace(paceOf(spec));
    store.getState().setView({ exhibit: view.exhibit });
    arrival.ask(at);
    const there = new Promise<void>((resolve) => waiting.push(resolve));
    if (store.getState().state === 'failed') {
      store.getState().setConfig(config);
      controller.restart();
    } else controller.apply(config, 'link');
    return there;
  };

  const rest = () => {
    if (store.getState().state === 'playing') player.pause();
    wantsPlay = false;
  };
  const begin = () => {
    rest();
    return lead({});
  };
  const set = (changes: Changes): Promise<void> => {
    pressedIn(state, ...settingWords(changes));
    // On the way to a moment the run plays, too.
    wantsPlay ||= store.getState().state === 'playing' && !state.getState().leading;
    return lead({ ...state.getState().changes, ...changes });
  };

  const stopWatching = store.subscribe(({ state: is, notices, busy }) => {
    if (state.getState().there || state.getState().failure !== undefined) return;
    const wrong = notices.find(({ level }) => level === 'error');
    if (!wrong && is !== 'failed') return;
    state.setState({ failure: wrong ? `${wrong.text} ${wrong.hint}`.trim() : busy });
  });

  const steps: Readonly<Record<Press, () => Promise<void>>> = {
    async play() {
      if (store.getState().state === 'playing') player.pause();
      else player.play();
    },
    moment: () => player.step('moment'),
    round: () => player.step('round'),
    phase: () => player.step('phase'),
    iteration: () => player.stepIteration(),
    reset: () => begin(),
    kill: async () => controller.failures.kill((store.getState().info?.ranks ?? 1) - 1),
  };

  return {
    ...parts,
    id: options.id,
    spec,
    enter() {
      seated = true;
      grant.give();
      if (!begun) void lead({});
      else if (state.getState().there) goOn();
    },
    leave() {
      seated = false;
      const { state: is, goingTo } = store.getState();
      if (is === 'playing' && goingTo === undefined) {
        wantsPlay = true;
        player.pause();
      }
      grant.take();
    },
    async press(what) {
      pressedIn(state, what);
      try {
        await steps[what]();
      } catch (error) {
        controller.say({ level: 'error', id: 'figure', text: String(error), hint: 'Reset leads back to the start.' });
      }
    },
    set,
    setAtRest(changes) {
      rest();
      return set(changes);
    },
    show(changes) {
      const there = set(changes);
      forgetPressed(state);
      return there;
    },
    toRound: () => undefined,
    begin,
    retry() {
      for (const { id } of store.getState().notices) store.getState().dismissNotice(id);
      void lead(state.getState().changes);
    },
    end() {
      stopWatching();
      controller.player.halt();
      grant.take();
    },
  };
}
