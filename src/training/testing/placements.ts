/**
 * Both placements of a world, with titles that say what runs under Node, where a process spawns no browser workers:
 * "workers" are ranks that share nothing and are joined by real MessagePorts, in one thread. Real workers run in
 * e2e/workers.spec.ts.
 */
import type { Config } from '../../protocol/config';

export const PLACEMENTS: readonly { readonly title: string; readonly placement: Config['placement'] }[] = [
  { title: 'in one memory', placement: 'shared' },
  { title: 'joined by ports in one thread', placement: 'workers' },
];
