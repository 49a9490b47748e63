/** Ranks that answer late are given more time by the next look, until a step finishes. */
import { expect, test, vi } from 'vitest';
import { parseConfig } from '../../config/parse-config';
import { createBlueprint } from '../blueprint';
import type { Training } from '../training';
import { watchStandstill } from './standstill-watch';

test('a look without answers doubles the time of the next look; a finished step sets it back', async () => {
  const limits: (number | undefined)[] = [];
  const training = {
    busySinceMs: performance.now() - 1000,
    async positions(limitMs?: number) {
      limits.push(limitMs);
      return [];
    },
  };
  const blueprint = createBlueprint(parseConfig({ data: { type: 'xor', samples: 8 }, mode: 'ddp', worldSize: 2 }), {});
  const watch = watchStandstill({
    blueprint,
    training: () => training as unknown as Training,
    microBatch: () => 0,
    say: () => {},
  });
  try {
    await vi.waitFor(() => expect(limits.slice(0, 3)).toEqual([300, 600, 1200]), { timeout: 20_000 });
    training.busySinceMs = performance.now();
    await vi.waitFor(() => expect(limits.slice(-2)).toEqual([300, 600]), { timeout: 20_000 });
  } finally {
    watch.end();
  }
});
