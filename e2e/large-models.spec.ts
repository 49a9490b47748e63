/**
 * A model that is too large for every device or for the page: the page names key and value, keeps the open run, and
 * draws no weights.
 */
import { LARGE_PRESETS } from '../src/protocol/large-presets';
import { expect, TINY, test } from './playground';

test('GPT-2 small is refused by memoryBudgetMb, and because the page is too small for it; the page continues', async ({
  playground,
}) => {
  await playground.open(`${TINY}&data=xor&mode=single&device=cpu`);
  const refusals = await playground.page.evaluate(async (config) => {
    const run = (more: object) =>
      (window.lockstep as NonNullable<typeof window.lockstep>)
        .run({ ...config, device: 'cpu', ...more })
        .then(String, (error: { message: string }) => error.message);
    return [await run({ memoryBudgetMb: 256 }), await run({})];
  }, LARGE_PRESETS.gpt2.config as object);
  expect(refusals).toEqual([
    expect.stringMatching(/^memoryBudgetMb is 256: CUDA out of memory\. The step needs 2\d{3}\.\d\d MiB on GPU 0/),
    'device is "cpu" and batchSize is 1: training on the CPU takes 2.2 GiB for one device, and a page can hold 2.0 GiB.',
  ]);
  await playground.iterate(1);
  await expect.poll(() => playground.number('Step')).toBeGreaterThan(0);
});
