/**
 * What is fetched until Play can be pressed on the default run is what `npm run check` holds the size of: each file
 * once, and no other.
 */
import { fileURLToPath } from 'node:url';
import { countingHost } from '../bench/counting-host.mjs';
import { firstLoad } from '../scripts/first-load.mjs';
import { expect, test } from './playground';

test('until Play can be pressed the page fetches what the size check counts', async ({ playground }) => {
  const dist = fileURLToPath(new URL('../dist', import.meta.url));
  // Slow to answer, so that what is asked for once Play can be pressed has not been sent when the list is read. On a
  // busy machine the page may learn more than a second late that it can be pressed.
  test.slow();
  const host = await countingHost(dist, { latencyMs: 3000, kilobytesPerSecond: 1e5 });
  // The page says by itself when that is: who asks again and again learns it too late on a busy machine.
  let sent: readonly string[] | undefined;
  await playground.page.exposeFunction('playCanBePressed', () => {
    sent ??= host.sent.map(({ name }) => name).sort();
  });
  await playground.page.addInitScript(() => {
    const look = () => {
      if (!document.querySelector('button[aria-label="Play"]:enabled')) return;
      watcher.disconnect();
      Reflect.get(globalThis, 'playCanBePressed')();
    };
    const watcher = new MutationObserver(look);
    watcher.observe(document, { subtree: true, childList: true, attributes: true, attributeFilter: ['disabled'] });
  });
  try {
    await playground.page.goto(host.url);
    await expect(playground.button('Play')).toBeEnabled({ timeout: 90_000 });
    await expect.poll(() => sent).toBeDefined();
    const { page, workers } = firstLoad(dist);
    expect(sent).toEqual([...page, ...workers].sort());
    // One file for each set of starts that need it (scripts/first-chunks.mjs), not one for each small module.
    expect(sent?.length).toBeLessThan(25);
  } finally {
    await playground.page.close();
    await host.close();
  }
});
