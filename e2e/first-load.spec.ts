/**
 * The page loads exactly the files whose size `npm run check` measures until Play can be pressed on the default run,
 * each of them once.
 */
import { fileURLToPath } from 'node:url';
import { countingHost } from '../bench/counting-host.mjs';
import { firstLoad } from '../scripts/first-load.mjs';
import { placeInBrowser } from '../scripts/tier';
import { expect, test } from './playground';

test(
  'until Play can be pressed the page loads the files that the size check counts',
  placeInBrowser({ rest: 'npm run check measures the same files' }),
  async ({ playground }) => {
    const dist = fileURLToPath(new URL('../dist', import.meta.url));
    // The host answers slowly: files that the page requests after Play can be pressed are sent seconds later.
    test.slow();
    const host = await countingHost(dist, { latencyMs: 3000, kilobytesPerSecond: 1e5 });
    // The page reports the time by its clock, which is also this machine's clock. The test may receive the report so
    // late that the host has sent more files, because the host compresses its answers in this process, and meanwhile
    // the process receives nothing.
    let playAt: number | undefined;
    await playground.page.exposeFunction('playCanBePressed', (at: number) => {
      playAt ??= at;
    });
    await playground.page.addInitScript(() => {
      const look = () => {
        if (!document.querySelector('button[aria-label="Play"]:enabled')) return;
        watcher.disconnect();
        Reflect.get(globalThis, 'playCanBePressed')(Date.now());
      };
      const watcher = new MutationObserver(look);
      watcher.observe(document, { subtree: true, childList: true, attributes: true, attributeFilter: ['disabled'] });
    });
    try {
      await playground.page.goto(host.url);
      await expect(playground.button('Play')).toBeEnabled({ timeout: 90_000 });
      await expect.poll(() => playAt, { timeout: 60_000 }).toBeDefined();
      const sent = host.sent.filter(({ at }) => at <= (playAt ?? 0)).map(({ name }) => name);
      const { page, workers } = firstLoad(dist);
      expect(sent.sort()).toEqual([...page, ...workers].sort());
      // There is one file per set of starting points (scripts/first-chunks.mjs), not one per small module.
      expect(sent.length).toBeLessThan(25);
    } finally {
      await playground.page.close();
      await host.close();
    }
  },
);
