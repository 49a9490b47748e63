/**
 * The table of algorithms. One file each. To add one, add a row in other-algorithms.ts and a name in
 * protocol/collective. Ring and naive are here from the beginning, the others are a part (training/load-parts).
 */
import { must } from '../base/invariant';
import { CodeTable, Part } from '../base/part';
import type { AlgorithmName, CollectiveOp } from '../protocol/collective';
import type { Algorithm } from './collective';
import { naive } from './naive';
import { ring } from './ring';

const rows = new CodeTable<Algorithm>([ring, naive]);

const OTHERS = new Part(
  'The other algorithms of collectives',
  async () => (await import('./other-algorithms')).OTHER_ALGORITHMS,
);

/** To be awaited before algorithmFor is asked for one of that name. */
export async function loadAlgorithm(name: AlgorithmName): Promise<void> {
  if (!rows.has(name)) rows.extend(await OTHERS.load());
}

if (!globalThis.LOCKSTEP_SITE) rows.extend(await OTHERS.load());

/** For a part that has the others itself. */
export const addAlgorithms = (more: readonly Algorithm[]): void => rows.extend(more);

/** Those that have been loaded: outside the built site all of them. */
export const loadedAlgorithms = (): readonly Algorithm[] => [...rows.values()];

/** The algorithm of that name, or naive where it does not know the collective. */
export function algorithmFor(name: AlgorithmName, op: CollectiveOp): Algorithm {
  const found = must(rows.get(name), `the algorithm ${name}, which should have been loaded before`);
  return found.ops.includes(op) ? found : naive;
}
