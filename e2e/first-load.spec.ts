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
  // Slow to answer, so that what is asked for once Play can be pressed has not been sent when the list is read.
  const host = await countingHost(dist, { latencyMs: 1000, kilobytesPerSecond: 1e5 });
  try {
    await playground.page.goto(host.url);
    await expect(playground.button('Play')).toBeEnabled();
    const sent = host.sent.map(({ name }) => name).sort();
    const { page, workers } = firstLoad(dist);
    expect(sent).toEqual([...page, ...workers].sort());
  } finally {
    await playground.page.close();
    await host.close();
  }
});
