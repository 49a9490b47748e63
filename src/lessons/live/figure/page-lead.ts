/**
 * The page's own actions in a figure: it plays the solution of a task, or sets the answer of a prediction. A newer
 * action, or the reader's use of the figure, ends the action before. Otherwise the settings of two actions would mix
 * (the page sets the answer of a prediction a moment after the guess, when the reader may already have asked for a
 * solution), and the task could never be done. live-figure.tsx makes one PageLead per figure.
 */
import type { Action, Changes } from '../../lesson';
import type { FigureRun, FigureState } from './figure-face';

/**
 * How long a solution frames a control before and after using it; less if the reader wants less motion, and for
 * repetitions.
 */
const LOOK_MS = 600;
const AGAIN_MS = 150;
/** How long 'wait' of a solution lasts at most: some steps of training. */
const PATIENCE_MS = 60_000;
/** How long a solution shows the result of its last action if the task is not done by then. */
const LAST_LOOK_MS = 5_000;
const ASK_MS = 100;

export interface PageLead {
  /** Sets the figure to the answer of a prediction, for the reader to look at. */
  show(changes: Changes): Promise<void>;
  /** Leads the figure back to its start and does there what the reader would do. */
  solve(solution: readonly Action[], isDone: () => boolean): Promise<void>;
  /** Stops the action under way, because the reader uses the figure. */
  stop(): void;
}

/** Whether the page's action is still the newest one. */
type StillLeads = () => boolean;

export function createPageLead(run: FigureRun, calm: () => boolean): PageLead {
  let newest = 0;
  const begin = (): StillLeads => {
    newest += 1;
    const own = newest;
    run.state.setState({ used: undefined });
    return () => own === newest;
  };

  /** Frames the control while it is used. */
  const framed = async (uses: string, leads: StillLeads, use: () => Promise<void>) => {
    const { used, pressed } = run.state.getState();
    const again = calm() || used === uses || pressed.at(-1) === uses;
    const look = () => pause(again ? AGAIN_MS : LOOK_MS);
    run.state.setState({ used: uses });
    await look();
    if (!leads()) return;
    await use();
    await look();
    if (leads()) run.state.setState({ used: undefined });
  };

  const act = async (action: Action, leads: StillLeads, isDone: () => boolean) => {
    if (action === 'wait') await waitUntil(() => isDone() || !leads(), PATIENCE_MS);
    else if ('set' in action) await framed(firstOf(action.set), leads, () => run.setAtRest(action.set));
    else await framed(action.press, leads, () => run.press(action.press));
  };

  return {
    show(changes) {
      const leads = begin();
      return framed(firstOf(changes), leads, () => run.show(changes));
    },
    async solve(solution, isDone) {
      const leads = begin();
      await until(run, ({ there }) => there);
      // Start from the figure's start, as the writer of the solution did.
      if (leads()) await run.begin();
      for (const action of solution) if (leads()) await act(action, leads, isDone);
      await waitUntil(() => isDone() || !leads(), LAST_LOOK_MS);
    },
    stop: () => void begin(),
  };
}

const firstOf = (changes: Changes): string => Object.keys(changes)[0] ?? '';

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function waitUntil(holds: () => boolean, atMostMs: number): Promise<void> {
  const end = performance.now() + atMostMs;
  while (!holds() && performance.now() < end) await pause(ASK_MS);
}

function until({ state }: FigureRun, holds: (now: FigureState) => boolean): Promise<void> {
  if (holds(state.getState())) return Promise.resolve();
  return new Promise<void>((resolve) => {
    const stop = state.subscribe((now) => {
      if (!holds(now)) return;
      stop();
      resolve();
    });
  });
}
