/**
 * The one transport of two compared runs: both train to the same step in turns, and the cursors of both are put at the
 * same time of that step on one clock. It leads the runs past their own transports, which rest meanwhile, and draws
 * nothing. One per comparison.
 */
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Clock } from '../../protocol/trace';
import type { Stride } from '../../trace/position';
import type { Frames } from '../transport/frames';
import { createTrack, endOf, nextTime, previousTime, type Track } from './duo-clock';
import { commonStep, commonStepBefore, runs, type Sides, stepsBegun, trainBoth } from './training-turns';

export interface DuoPace {
  readonly label: string;
  /** A step that is shown takes so long. */
  readonly seconds: number;
  /** Training runs ahead; only some steps are shown. */
  readonly ahead: boolean;
}

export const PACES: readonly DuoPace[] = [
  { label: '16 s per step', seconds: 16, ahead: false },
  { label: '8 s per step', seconds: 8, ahead: false },
  { label: '2 s per step', seconds: 2, ahead: false },
  { label: 'full speed', seconds: 3, ahead: true },
];
const FIRST_PACE = 1;

export interface DuoState {
  /** Index of the step that both show; undefined before there is one. */
  readonly step: number | undefined;
  readonly tracks: readonly Track[];
  readonly timeUs: number;
  readonly playing: boolean;
  /** What they wait for; '' for nothing. */
  readonly busy: string;
  readonly pace: number;
}

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
  readonly sides: Sides;
  readonly frames: Frames;
  readonly reducedMotion: () => boolean;
  readonly report: (error: unknown) => void;
}

const HAND_SECONDS = 0.5;
const ITERATION_SECONDS = 2;
/** How long both may train between two steps that are shown. */
const TURN_MS = 1500;
const MOST_AHEAD = 10_000;

const START: DuoState = { step: undefined, tracks: [], timeUs: 0, playing: false, busy: '', pace: FIRST_PACE };

export function createDuo({ sides, frames, reducedMotion, report }: DuoOptions): Duo {
  const state = createStore<DuoState>()(() => START);
  /** Every command takes a new ticket; what an older one began ends. */
  let ticket = 0;
  let walking: { readonly goalUs: number; readonly end: (arrived: boolean) => void } | undefined;
  /** What trains both, one after the other. */
  let leading: Promise<unknown> = Promise.resolve();
  let chunk = 1;
  const clock = () => sides[0].store.getState().clock;

  const put = (timeUs: number) => {
    const { tracks } = state.getState();
    sides.forEach(({ store }, index) => {
      const place = tracks[index]?.placeAt(timeUs);
      const at = place ? store.getState().traces.indexOf(place.trace) : -1;
      if (place && at >= 0) store.getState().seek(at, place.event, place.fraction);
    });
    state.setState({ timeUs });
  };

  const show = (step: number, timeUs: number) => {
    for (const { store, controller } of sides) {
      controller.player.halt();
      store.getState().setClock(clock());
    }
    const tracks = sides.map(({ store }) =>
      createTrack(
        store.getState().traces.filter((trace) => trace.step === step && trace.kind.type !== 'construct'),
        clock(),
      ),
    );
    state.setState({ step, tracks });
    put(Math.min(timeUs, endOf(tracks)));
  };

  const walkTo = (goalUs: number, seconds: number): Promise<boolean> => {
    walking?.end(false);
    const { tracks, timeUs: from } = state.getState();
    if (from >= goalUs) return Promise.resolve(true);
    return new Promise((resolve) => {
      let timeUs = from;
      const cancel = frames.animate((_, elapsedMs) => {
        timeUs = Math.min(goalUs, timeUs + ((goalUs - from) * elapsedMs) / (1000 * seconds));
        const still = reducedMotion() && timeUs < goalUs;
        put(still ? Math.max(from, previousTime(tracks, timeUs, 'moment')) : timeUs);
        if (timeUs >= goalUs) walking?.end(true);
        return timeUs < goalUs;
      });
      walking = {
        goalUs,
        end: (arrived) => {
          walking = undefined;
          cancel();
          resolve(arrived);
        },
      };
    });
  };

  /** A step that both can show, not before `least`; trained for if need be. */
  const reach = async (mine: number, least: number): Promise<number | undefined> => {
    const wanted = () => mine === ticket;
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

  const takeOver = (): number => {
    ticket++;
    const { goalUs, end } = walking ?? {};
    if (goalUs !== undefined) put(goalUs);
    end?.(false);
    for (const { controller } of sides) controller.lead.pause();
    state.setState({ playing: false, busy: '' });
    return ticket;
  };

  const next = async (mine: number, least: number): Promise<boolean> => {
    const found = await reach(mine, least);
    if (mine !== ticket || found === undefined) return false;
    show(found, 0);
    return true;
  };

  /** On from here: to the next step where both have ended this one. */
  const onward = async (mine: number): Promise<boolean> => {
    const { step, tracks, timeUs } = state.getState();
    if (step === undefined) return next(mine, 0);
    return timeUs < endOf(tracks) || next(mine, step + 1);
  };

  const playOn = async (mine: number): Promise<void> => {
    while (mine === ticket && (await onward(mine))) {
      const { tracks, timeUs, pace, step = 0 } = state.getState();
      const { seconds, ahead } = PACES[pace] ?? { seconds: 1, ahead: false };
      const end = endOf(tracks);
      const since = performance.now();
      // What comes next trains while this is shown.
      const training = reach(mine, ahead ? step + chunk : step + 1);
      const took = training.then(
        () => performance.now() - since,
        () => 0,
      );
      if (!(await walkTo(end, seconds * (1 - timeUs / end)))) return;
      const found = await training;
      if (mine !== ticket || found === undefined) return;
      if (ahead) chunk = Math.max(1, Math.min(MOST_AHEAD, Math.round(chunk * ((await took) < TURN_MS ? 2 : 0.5))));
      show(found, 0);
    }
  };

  const command = (task: (mine: number) => Promise<unknown>) => {
    const mine = takeOver();
    task(mine)
      .catch(report)
      .finally(() => {
        if (mine === ticket) state.setState({ playing: false });
      });
  };

  /** Both at the step that one of them has reached, from its beginning: after a start of either. */
  const meet = async (mine: number): Promise<void> => {
    const [first] = sides;
    if (first.store.getState().state === 'playing') first.controller.player.pause();
    await Promise.all(sides.map(({ controller }) => controller.lead.idle()));
    const steps = Math.max(1, ...sides.map(stepsBegun));
    const behind = sides.findIndex((side) => stepsBegun(side) < steps);
    if (behind >= 0 && steps > 1)
      state.setState({ busy: `Run ${behind === 0 ? 'A' : 'B'} trains to step ${steps.toLocaleString('en-US')}` });
    const found = await reach(mine, steps - 1);
    if (mine !== ticket) return;
    state.setState({ busy: '' });
    if (found !== undefined) show(found, 0);
  };

  /** Something has been opened, reset or restarted. */
  const ready = () => sides.every((side) => runs(side) && side.store.getState().traces.length > 0);
  const seen = () =>
    sides.flatMap(({ store }) => [store.getState().info?.config, store.getState().state === 'loading']);
  let last: readonly unknown[] = [];
  let met = false;
  /** They played when one of them was opened anew, or lost its device. */
  let resumes = false;
  const goOn = async (mine: number): Promise<void> => {
    const played = resumes;
    resumes = false;
    await meet(mine);
    if (mine !== ticket || !played) return;
    state.setState({ playing: true });
    await playOn(mine);
  };
  const look = () => {
    const now = seen();
    if (now.some((value, index) => value !== last[index])) {
      last = now;
      met = false;
      if (!ready()) {
        resumes ||= state.getState().playing;
        takeOver();
        state.setState({ step: undefined, tracks: [], timeUs: 0 });
      }
    }
    if (met || !ready()) return;
    met = true;
    command(goOn);
  };
  const stops = sides.map(({ store }) => store.subscribe(look));
  look();

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
    step(stride) {
      command(async (mine) => {
        if (!(await onward(mine))) return;
        const { tracks, timeUs } = state.getState();
        const walk = walkTo(nextTime(tracks, timeUs, stride), HAND_SECONDS);
        if (reducedMotion()) takeOver();
        await walk;
      });
    },
    back(stride) {
      takeOver();
      const { step, tracks, timeUs } = state.getState();
      if (step === undefined) return;
      if (timeUs > 0) return put(previousTime(tracks, timeUs, stride));
      const before = commonStepBefore(sides, step);
      if (before !== undefined) show(before, Number.POSITIVE_INFINITY);
    },
    iterate() {
      command(async (mine) => {
        if (!(await onward(mine))) return;
        const walk = walkTo(endOf(state.getState().tracks), ITERATION_SECONDS);
        if (reducedMotion()) takeOver();
        await walk;
      });
    },
    seek(timeUs) {
      takeOver();
      put(timeUs);
    },
    setPace: (pace) => state.setState({ pace }),
    setClock(to) {
      for (const { store } of sides) store.getState().setClock(to);
      const { step, tracks, timeUs } = state.getState();
      const share = timeUs / Math.max(1e-9, endOf(tracks));
      takeOver();
      if (step === undefined) return;
      show(step, 0);
      put(share * endOf(state.getState().tracks));
    },
    end() {
      takeOver();
      for (const stop of stops) stop();
    },
  };
}
