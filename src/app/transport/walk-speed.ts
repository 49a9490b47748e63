/**
 * How fast the transport walks over a trace: at the pace of Play; as a replay while training runs ahead, always in the
 * same time; and before Play. Every moment has its share of that time.
 */

import { advanced, secondsPerStep, speedOf } from '../pace/pace';
import { isConstruct } from '../state/kept-run';
import type { AppStore } from '../state/store';
import { momentShares } from './moment-shares';
import type { PlayRate } from './walker';

/** Durations of the first step's walk before Play, and of a replay while the session runs freely. */
const PREVIEW_SECONDS = 8;
const REPLAY_SECONDS = 8;
/** The constructor's broadcasts have fewer moments than a step. */
const CONSTRUCT_SHARE = 0.4;

/** Every function takes the index of a kept trace. */
export interface Rates {
  ofPace(trace: number): PlayRate;
  ofReplay(trace: number): PlayRate;
  ofPreview(trace: number): PlayRate;
}

/** `onStage`: called when the pace reaches the next stage of the table. */
export function createRates(store: AppStore, onStage: () => void): Rates {
  const movePace = (elapsedMs: number) => {
    const { pace, setPace, state } = store.getState();
    const next = state === 'playing' ? advanced(pace, elapsedMs) : pace;
    if (next === pace) return;
    setPace(next);
    if (speedOf(next) !== speedOf(pace)) onStage();
  };
  const over = (trace: number, secondsOf: (moments: number) => number): PlayRate => {
    const kept = store.getState().traces[trace];
    if (!kept) return 1;
    const shares = momentShares(kept);
    const part = isConstruct(kept) ? CONSTRUCT_SHARE : 1;
    return (event, elapsedMs) => {
      movePace(elapsedMs);
      return shares.rateAt(event) / (part * secondsOf(shares.moments));
    };
  };
  return {
    ofPace: (trace) => over(trace, (moments) => secondsPerStep(store.getState().pace, moments)),
    ofReplay: (trace) => over(trace, () => REPLAY_SECONDS),
    ofPreview: (trace) => over(trace, () => PREVIEW_SECONDS),
  };
}
