/**
 * Collects the data of drawings at build, from recorded runs or from parts of the engine that no figure runs, for the
 * page's JSON.
 */
import type { KindName } from '../drawing/kind-names';
import { dealsOf } from './deal';
import { launchedSteps } from './launched-steps';
import { surfaces } from './loss-surface';
import { modesCompared } from './memory-and-time';
import { memoryCurves } from './memory-over-time';
import { normed } from './norm-statistics';
import type { Recorded } from './record-run';
import { recordedSteps } from './recorded-steps';
import { meetings } from './rendezvous';
import { storedNumbers } from './sixteen-bits';
import { twoWays } from './two-ways';

export type RunsByName = ReadonlyMap<string, Recorded>;

const READERS: Readonly<Partial<Record<KindName, (runs: RunsByName, about: string) => unknown>>> = {
  'launched-steps': (_, about) => launchedSteps(about),
  'memory-over-time': memoryCurves,
  deal: dealsOf,
  'two-ways': twoWays,
  'loss-surface': surfaces,
  'memory-and-time': modesCompared,
  'norm-statistics': normed,
  recording: (_, about) => recordedSteps(about),
  rendezvous: meetings,
  'sixteen-bits': storedNumbers,
};

export const needsData = (kind: KindName): boolean => READERS[kind] !== undefined;

/** `about`: which of several drawings of the kind. */
export async function dataOf(kind: KindName, runs: RunsByName, about: string): Promise<unknown> {
  return READERS[kind]?.(runs, about);
}
