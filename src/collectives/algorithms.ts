/**
 * The table of algorithms, one file per algorithm. To add one, add a file in late/ and a row in
 * protocol/words/algorithms. Ring and naive are always loaded, the others on demand (training/load-parts).
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

/** Await this before calling algorithmFor with the name. */
export async function loadAlgorithm(name: AlgorithmName): Promise<void> {
  if (!rows.has(name)) rows.extend(await OTHERS.load());
}

if (!globalThis.LOCKSTEP_SITE) rows.extend(await OTHERS.load());

/** Adds the algorithms of a part that includes them. */
export const addAlgorithms = (more: readonly Algorithm[]): void => rows.extend(more);

/** The loaded algorithms: outside the built site all. */
export const loadedAlgorithms = (): readonly Algorithm[] => [...rows.values()];

/** The algorithm with that name, or naive if it does not support the collective. */
export function algorithmFor(name: AlgorithmName, op: CollectiveOp): Algorithm {
  const found = must(rows.get(name), `the algorithm ${name}, which should have been loaded before`);
  return found.ops.includes(op) ? found : naive;
}
