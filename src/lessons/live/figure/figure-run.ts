/**
 * A figure that runs: its link (way-there.ts), the reader or a solution chooses the moment, and its views show the
 * store. A figure of the lab (lab-run.ts) has the same interface (figure-face.ts).
 */
import type { AppServices } from '../../../app/run/app-contexts';
import type { Changes, Press } from '../../lesson';
import type { FigureRun, FigureRunOptions } from './figure-face';
import { forgetPressed, pressedIn, settingWords, startsByItself } from './run-parts';
import { createWayThere, watchForFailure } from './way-there';

/** What each button does to the run; `begin` leads it back to its start. */
function pressesOf(
  { store, controller }: AppServices,
  begin: () => Promise<void>,
): Readonly<Record<Press, () => Promise<void>>> {
  const { player, ask } = controller;
  return {
    async play() {
      if (store.getState().state === 'playing') player.pause();
      else player.play();
    },
    moment: () => player.step('moment'),
    round: () => player.step('round'),
    phase: () => player.step('phase'),
    iteration: () => player.stepIteration(),
    reset: begin,
    kill: () => ask((run) => run.killRank((store.getState().info?.ranks ?? 1) - 1)),
  };
}

export function openFigureRun(options: FigureRunOptions): FigureRun {
  const { spec, grant } = options;
  let seated = false;
  /** The figure plays as soon as it has the seat and shows its first moment. */
  let wantsPlay = startsByItself(options);
  const goOn = () => {
    if (!seated || !wantsPlay) return;
    wantsPlay = false;
    player.play();
  };
  const { parts, lead, hasBegun } = createWayThere(options, goOn);
  const { services, state } = parts;
  const { store, controller } = services;
  const { player } = controller;
  const stopWatching = watchForFailure(parts);

  const rest = () => {
    if (store.getState().state === 'playing') player.pause();
    wantsPlay = false;
  };
  const begin = () => {
    rest();
    return lead({});
  };
  const presses = pressesOf(services, begin);
  const set = (changes: Changes): Promise<void> => {
    pressedIn(state, ...settingWords(changes));
    // The run also plays on its way to a moment.
    wantsPlay ||= store.getState().state === 'playing' && !state.getState().leading;
    return lead({ ...state.getState().changes, ...changes });
  };

  return {
    ...parts,
    id: options.id,
    spec,
    enter() {
      seated = true;
      grant.give();
      if (!hasBegun()) void lead({});
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
        await presses[what]();
      } catch (error) {
        controller.say({
          level: 'error',
          id: 'figure',
          text: String(error),
          hint: 'Press Reset to go back to the start.',
        });
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
