/** The page draws nothing while nothing changes: the test counts calls, not time. */
import { expect, IN_MOTION, TINY, test } from './playground';

test.use(IN_MOTION);

/** The calls that draw on a canvas; runs in the page before its scripts. */
const countDrawing = () => {
  const counted = { calls: 0 };
  Object.assign(globalThis, { counted });
  const { prototype } = CanvasRenderingContext2D;
  for (const name of ['fill', 'stroke', 'fillRect', 'clearRect', 'fillText', 'drawImage', 'putImageData'] as const) {
    const original = prototype[name];
    Object.assign(prototype, {
      [name](this: CanvasRenderingContext2D, ...given: unknown[]) {
        counted.calls++;
        return Reflect.apply(original, this, given);
      },
    });
  }
};

test('a page at rest draws nothing, before and after a step', async ({ playground }) => {
  const { page } = playground;
  await page.addInitScript(countDrawing);
  const calls = () => page.evaluate(() => Number(Reflect.get(Reflect.get(globalThis, 'counted'), 'calls')));
  const atRest = async () => {
    // The last change is drawn; after that there are no calls for two seconds.
    await expect(async () => {
      const before = await calls();
      await page.waitForTimeout(2000);
      expect(await calls()).toBe(before);
    }).toPass({ timeout: 60_000 });
  };
  await playground.open(`${TINY}&data=xor&mode=ddp&world=2&device=cpu`);
  await atRest();
  expect(await calls()).toBeGreaterThan(0);
  const before = await calls();
  await playground.iterate(1);
  await atRest();
  expect(await calls()).toBeGreaterThan(before);
});
