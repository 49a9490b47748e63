/**
 * The table of algorithms. One file each; a new one is a row in other-algorithms.ts and a name in protocol/collective.
 * Ring and naive are here from the beginning, the others are a part (training/load-parts).
 */
import { must } from '../base/invariant';
import { Part } from '../base/part';
import type { AlgorithmName, CollectiveOp } from '../protocol/collective';
import type { Algorithm } from './collective';
import { naive } from './naive';
import { ring } from './ring';

const rows: Algorithm[] = [ring, naive];
export const ALGORITHMS: readonly Algorithm[] = rows;

export function addAlgorithms(more: readonly Algorithm[]): void {
  for (const algorithm of more) if (!rows.includes(algorithm)) rows.push(algorithm);
}

const OTHERS = new Part(
  'The other algorithms of collectives',
  async () => (await import('./other-algorithms')).OTHER_ALGORITHMS,
);

/** To be awaited before algorithmFor is asked for one of that name. */
export async function loadAlgorithm(name: AlgorithmName): Promise<void> {
  if (!rows.some((algorithm) => algorithm.name === name)) addAlgorithms(await OTHERS.load());
}

if (!globalThis.LOCKSTEP_SITE) addAlgorithms(await OTHERS.load());

/** The algorithm of that name, or naive where it does not know the collective. */
export function algorithmFor(name: AlgorithmName, op: CollectiveOp): Algorithm {
  const found = must(
    rows.find((algorithm) => algorithm.name === name),
    `the algorithm ${name}, which should have been loaded before`,
  );
  return found.ops.includes(op) ? found : naive;
}
