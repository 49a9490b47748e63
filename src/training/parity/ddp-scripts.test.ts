/** DDP's settings against scripts of real PyTorch, in both placements on the CPU. */
import { describe, expect, test } from 'vitest';
import { DDP_SCRIPTS, farFromScript } from '../testing/ddp-scripts';

describe.each(DDP_SCRIPTS)('$name', (script) => {
  test.each(['shared', 'workers'] as const)('%s', async (placement) => {
    const { losses, state, refused } = await farFromScript(script, { device: 'cpu', placement });
    expect(losses).toBeLessThan(2e-5);
    expect(state).toBeLessThan(2e-5);
    if (script.stops) expect(String(refused)).toContain('Expected to have finished reduction in the prior iteration');
  });
});
