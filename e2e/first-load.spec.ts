/**
 * What is fetched until Play can be pressed on the default run is what `npm run check` holds the size of: each file
 * once, and no other.
 */
import { fileURLToPath } from 'node:url';
import { countingHost } from '../bench/counting-host.mjs';
import { firstLoad } from '../scripts/first-load.mjs';
import { placeInBrowser } from '../scripts/tier';
import { expect, test } from './playground';

test(
  'until Play can be pressed the page fetches what the size check counts',
  placeInBrowser({ rest: 'npm run check measures the same files' }),
  async ({ playground }) => {
    const dist = fileURLToPath(new URL('../dist', import.meta.url));
    // Slow to answer: what the page asks for once Play can be pressed is sent seconds later.
    test.slow();
    const host = await countingHost(dist, { latencyMs: 3000, kilobytesPerSecond: 1e5 });
    // The page says by its clock, which is this machine's, when that was. Here one may hear of it so late that more has
    // been sent: the host packs what it sends in this process, and nobody is heard meanwhile.
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
      // One file for each set of starts that need it (scripts/first-chunks.mjs), not one for each small module.
      expect(sent.length).toBeLessThan(25);
    } finally {
      await playground.page.close();
      await host.close();
    }
  },
);
