/**
 * A figure that runs: led to the moment of its link, by hand or by a solution; what is shown is the store's. A figure
 * of the lab has the same face (figure-face.ts): lab-run.ts.
 */
import { BEGINNING, FULL_SPEED, type Pace, setByHand } from '../../../app/transport/pace';
import type { Changes, FigureSpec, Press } from '../../lesson';
import { linkOf, readLink } from '../../run-link';
import type { FigureRun, FigureRunOptions } from './figure-face';
import { createParts, forgetPressed, pressedIn, settingWords } from './run-parts';

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
