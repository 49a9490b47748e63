/**
 * A figure of the lab: one collective, which the session runs whenever its settings change, shown round by round. It
 * has the interface of all figures (figure-face.ts).
 */
import { DEFAULT_LAB, type LabSettings, labRequest, printLab } from '../../../app/permalink/lab-link';
import type { Changes } from '../../lesson';
import { linkOf, readLink } from '../../run-link';
import type { FigureRun, FigureRunOptions } from './figure-face';
import { createParts, forgetPressed, pressedIn, type RunParts, settingWords, startsByItself } from './run-parts';

/** How long play shows each round, and how long the first one. */
const ROUND_MS = 1500;
const FIRST_MS = 600;

const labOf = (run: string, changes: Changes = {}): LabSettings => ({
  ...DEFAULT_LAB,
  ...readLink(linkOf(run, changes)).view.lab,
});

interface RoundsOf {
  shown(): number;
  last(): number;
  show(round: number): void;
  onPlays(plays: boolean): void;
}

/** Advances from round to round on a timer, up to the last. */
function createRounds({ shown, last, show, onPlays }: RoundsOf): { play(): void; stop(): void } {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stop = () => {
    clearTimeout(timer);
    timer = undefined;
    onPlays(false);
  };
  const goOn = (afterMs: number) => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      show(shown() + 1);
      if (shown() < last()) goOn(ROUND_MS);
      else stop();
    }, afterMs);
  };
  const play = () => {
    if (last() === 0) return;
    if (shown() >= last()) show(0);
    onPlays(true);
    goOn(FIRST_MS);
  };
  return { play, stop };
}

/** Runs the collective and shows it; if settings change quickly, shows only the result of the last change. */
function createCollective({ services, state }: RunParts, onShown: () => void) {
  const { store, controller } = services;
  /** The settings that were asked for last. */
  let asked = '';
  return {
    hasBegun: () => asked !== '',
    /** Runs the collective with these settings and shows their round. */
    async run(lab: LabSettings): Promise<void> {
      const what = printLab({ ...lab, round: 0 });
      asked = what;
      try {
        const result = await controller.askApart((session) => session.lab(labRequest(lab)));
        if (asked !== what) return;
        store.getState().setView({ lab: { ...lab, round: Math.min(lab.round, result.rounds.length) } });
        state.setState({ lab: result, there: true, failure: undefined });
        onShown();
      } catch (error) {
        if (asked === what) state.setState({ failure: error instanceof Error ? error.message : String(error) });
      }
    },
  };
}

export function openLabRun(options: FigureRunOptions): FigureRun {
  const { spec } = options;
  const parts = createParts(options, () => undefined);
  const { services, state } = parts;
  const { store } = services;
  let seated = false;
  let wantsPlay = startsByItself(options);

  const now = () => store.getState().lab ?? labOf(spec.run);
  const last = () => state.getState().lab?.rounds.length ?? 0;
  const show = (round: number) =>
    store.getState().setView({ lab: { ...now(), round: Math.min(Math.max(round, 0), last()) } });

  const { play, stop } = createRounds({
    shown: () => now().round,
    last,
    show,
    onPlays: (labPlays) => state.setState({ labPlays }),
  });

  const goOn = () => {
    if (!seated || !wantsPlay) return;
    wantsPlay = false;
    play();
  };
  const { run, hasBegun } = createCollective(parts, goOn);

  const begin = (): Promise<void> => {
    stop();
    wantsPlay = false;
    state.setState({ changes: {} });
    return run(labOf(spec.run));
  };

  const set = async (changes: Changes): Promise<void> => {
    const { round, ...others } = changes;
    const next = { ...state.getState().changes, ...others };
    pressedIn(state, ...settingWords(changes));
    state.setState({ changes: next });
    await run({ ...labOf(spec.run, next), round: round === undefined ? now().round : Number(round) });
  };

  return {
    ...parts,
    id: options.id,
    spec,
    enter() {
      seated = true;
      if (!hasBegun()) void run(labOf(spec.run));
      else if (state.getState().there) goOn();
    },
    leave() {
      seated = false;
      if (!state.getState().labPlays) return;
      wantsPlay = true;
      stop();
    },
    async press(what) {
      pressedIn(state, what);
      const { labPlays } = state.getState();
      stop();
      wantsPlay = false;
      if (what === 'play' && !labPlays) play();
      if (what === 'round') show(now().round + 1);
      if (what === 'reset') await begin();
    },
    begin,
    set,
    setAtRest(changes) {
      stop();
      return set(changes);
    },
    show(changes) {
      const there = set(changes);
      forgetPressed(state);
      return there;
    },
    toRound(round) {
      pressedIn(state, 'round');
      stop();
      show(round);
    },
    retry: () => void run(labOf(spec.run, state.getState().changes)),
    end: stop,
  };
}
