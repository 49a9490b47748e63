/**
 * The transport that two compared runs share: it trains both to the same step in turns (training-turns.ts) and sets
 * both cursors to the same time of that step on one clock (duo-walk.ts). It bypasses the runs' own transports, which
 * stay halted, and draws nothing. One per comparison.
 */
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Clock } from '../../protocol/trace';
import type { Stride } from '../../trace/position';
import type { Frames } from '../draw/frames';
import { endOf, nextTime, previousTime } from './duo-clock';
import { watchOpenings } from './duo-opening';
import { type DuoState, PACES, START } from './duo-state';
import { createDuoWalk, type DuoWalk } from './duo-walk';
import { type BothSides, commonStep, commonStepBefore, runs, stepsBegun, trainBoth } from './training-turns';

export interface Duo {
  readonly state: StoreApi<DuoState>;
  play(): void;
  pause(): void;
  step(stride: Stride): void;
  back(stride: Stride): void;
  iterate(): void;
  seek(timeUs: number): void;
  setPace(pace: number): void;
  setClock(clock: Clock): void;
  end(): void;
}

interface DuoOptions {
  readonly sides: BothSides;
  readonly frames: Frames;
  readonly reducedMotion: () => boolean;
  readonly report: (error: unknown) => void;
}

const HAND_SECONDS = 0.5;
const ITERATION_SECONDS = 2;
/** The most time that both may train between two shown steps. */
const TURN_MS = 1500;
const MOST_AHEAD = 10_000;

/** Every command takes a new ticket, which ends the work of older commands. */
interface UnderWay {
  ticket: number;
}

interface Parts {
  readonly sides: BothSides;
  readonly state: StoreApi<DuoState>;
  readonly walk: DuoWalk;
  readonly under: UnderWay;
}

/** Brings both runs, from any state, to a step that both can show. */
function createReach({ sides, state, walk, under }: Parts) {
  /** The training of both runs in progress. */
  let leading: Promise<unknown> = Promise.resolve();

  /** A step from `least` on that both can show; trains both runs if necessary. */
  const reach = async (mine: number, least: number): Promise<number | undefined> => {
    const wanted = () => mine === under.ticket;
    await leading.catch(() => undefined);
    for (let steps = least + 1; wanted() && sides.every(runs); steps++) {
      const found = commonStep(sides, least);
      if (found !== undefined) return found;
      const goal = Math.max(steps, ...sides.map(stepsBegun));
      const training = trainBoth(sides, goal, wanted);
      leading = training;
      if (!(await training)) return undefined;
    }
    return undefined;
  };

  const next = async (mine: number, least: number): Promise<boolean> => {
    const found = await reach(mine, least);
    if (mine !== under.ticket || found === undefined) return false;
    walk.show(found, 0);
    return true;
  };

  return {
    reach,
    /** Continues: to the next step if both have ended this one. */
    async onward(mine: number): Promise<boolean> {
      const { step, tracks, timeUs } = state.getState();
      if (step === undefined) return next(mine, 0);
      return timeUs < endOf(tracks) || next(mine, step + 1);
    },
    /** After a start of either run: shows both at the beginning of the step that one of them has reached. */
    async meet(mine: number): Promise<void> {
      const [first] = sides;
      if (first.store.getState().state === 'playing') first.controller.player.pause();
      await Promise.all(sides.map(({ controller }) => controller.lead.idle()));
      const steps = Math.max(1, ...sides.map(stepsBegun));
      const behind = sides.findIndex((side) => stepsBegun(side) < steps);
      if (behind >= 0 && steps > 1)
        state.setState({ busy: `Run ${behind === 0 ? 'A' : 'B'} trains to step ${steps.toLocaleString('en-US')}` });
      const found = await reach(mine, steps - 1);
      if (mine !== under.ticket) return;
      state.setState({ busy: '' });
      if (found !== undefined) walk.show(found, 0);
    },
  };
}

/** Plays step after step until another command comes; at full speed both train ahead, up to TURN_MS. */
function createPlayOn({ state, walk, under }: Parts, { reach, onward }: ReturnType<typeof createReach>) {
  let chunk = 1;
  return async (mine: number): Promise<void> => {
    while (mine === under.ticket && (await onward(mine))) {
      const { tracks, timeUs, pace, step = 0 } = state.getState();
      const { seconds, ahead } = PACES[pace] ?? { seconds: 1, ahead: false };
      const end = endOf(tracks);
      const since = performance.now();
      // The next step trains while this one is shown.
      const training = reach(mine, ahead ? step + chunk : step + 1);
      const took = training.then(
        () => performance.now() - since,
        () => 0,
      );
      if (!(await walk.walkTo(end, seconds * (1 - timeUs / end)))) return;
      const found = await training;
      if (mine !== under.ticket || found === undefined) return;
      if (ahead) chunk = Math.max(1, Math.min(MOST_AHEAD, Math.round(chunk * ((await took) < TURN_MS ? 2 : 0.5))));
      walk.show(found, 0);
    }
  };
}

/** Commands, each of which ends the one before. */
function createCommands({ sides, state, walk, under }: Parts, report: (error: unknown) => void) {
  const takeOver = (): number => {
    under.ticket++;
    walk.finish();
    for (const { controller } of sides) controller.lead.pause();
    state.setState({ playing: false, busy: '' });
    return under.ticket;
  };

  const command = (task: (mine: number) => Promise<unknown>) => {
    const mine = takeOver();
    task(mine)
      .catch(report)
      .finally(() => {
        if (mine === under.ticket) state.setState({ playing: false });
      });
  };

  return { takeOver, command };
}

/** The commands, and how they resume when a run has been opened again. */
export function createDuo({ sides, frames, reducedMotion, report }: DuoOptions): Duo {
  const state = createStore<DuoState>()(() => START);
  const walk = createDuoWalk({ sides, state, frames, reducedMotion });
  const under: UnderWay = { ticket: 0 };
  const parts: Parts = { sides, state, walk, under };
  const reaching = createReach(parts);
  const playOn = createPlayOn(parts, reaching);
  const { takeOver, command } = createCommands(parts, report);

  /** Walks for the user to the time that `goalOf` computes for the shown step. */
  const walkByHand = (goalOf: (shown: DuoState) => number, seconds: number) =>
    command(async (mine) => {
      if (!(await reaching.onward(mine))) return;
      const walked = walk.walkTo(goalOf(state.getState()), seconds);
      if (reducedMotion()) takeOver();
      await walked;
    });

  /** Whether both played when one of them was opened again, or lost its device. */
  let resumes = false;
  const goOn = async (mine: number): Promise<void> => {
    const played = resumes;
    resumes = false;
    await reaching.meet(mine);
    if (mine !== under.ticket || !played) return;
    state.setState({ playing: true });
    await playOn(mine);
  };
  const stopWatching = watchOpenings(sides, {
    onGone() {
      resumes ||= state.getState().playing;
      takeOver();
      state.setState({ step: undefined, tracks: [], timeUs: 0 });
    },
    onReady: () => command(goOn),
  });

  return {
    state,
    play() {
      command((mine) => {
        state.setState({ playing: true });
        return playOn(mine);
      });
    },
    pause() {
      resumes = false;
      takeOver();
    },
    step: (stride) => walkByHand(({ tracks, timeUs }) => nextTime(tracks, timeUs, stride), HAND_SECONDS),
    back(stride) {
      takeOver();
      const { step, tracks, timeUs } = state.getState();
      if (step === undefined) return;
      if (timeUs > 0) return walk.put(previousTime(tracks, timeUs, stride));
      const before = commonStepBefore(sides, step);
      if (before !== undefined) walk.show(before, Number.POSITIVE_INFINITY);
    },
    iterate: () => walkByHand(({ tracks }) => endOf(tracks), ITERATION_SECONDS),
    seek(timeUs) {
      takeOver();
      walk.put(timeUs);
    },
    setPace: (pace) => state.setState({ pace }),
    setClock(to) {
      for (const { store } of sides) store.getState().setClock(to);
      const { step, tracks, timeUs } = state.getState();
      const share = timeUs / Math.max(1e-9, endOf(tracks));
      takeOver();
      if (step === undefined) return;
      walk.show(step, 0);
      walk.put(share * endOf(state.getState().tracks));
    },
    end() {
      takeOver();
      stopWatching();
    },
  };
}
