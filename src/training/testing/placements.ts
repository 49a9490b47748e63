/**
 * Both placements of a world, with titles that say what runs under Node, where a process spawns no browser workers:
 * "workers" are ranks that share nothing, in one thread. Ranks behind MessagePorts run in
 * runtime/launch/worker-world.test.ts, and real workers in e2e/workers.spec.ts.
 */
import type { Config } from '../../protocol/config';

export const PLACEMENTS: readonly { readonly title: string; readonly placement: Config['placement'] }[] = [
  { title: 'in one memory', placement: 'shared' },
  { title: 'one executor per rank in one thread', placement: 'workers' },
];
