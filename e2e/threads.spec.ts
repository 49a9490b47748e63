/**
 * `threads`: if two headers isolate the page, the CPU device has several threads; otherwise the page says why it has
 * not.
 */
import { placeInBrowser } from '../scripts/tier';
import { isolate } from './isolate';
import { expect, test } from './playground';

test(
  'threads share the kernels of the CPU device in a page that is cross-origin isolated',
  placeInBrowser({ rest: 'runtime/cpu/threads.test.ts holds the threads in Node' }),
  async ({ browser, playground }) => {
    const { page } = playground;
    const link = 'preset=gpt&mode=single&device=cpu&threads=2&steps=50';
    const notice = page.getByText('This page is not cross-origin isolated');
    await playground.open(link);
    await expect(notice).toBeVisible();

    await isolate(page);
    await playground.open(link);
    expect(await page.evaluate(() => crossOriginIsolated)).toBe(true);
    await playground.iterate(2);
    await expect.poll(() => playground.number('Step')).toBe(2);
    await expect(notice).toBeHidden();
    // The session's worker, and the additional thread.
    const session = await browser.newBrowserCDPSession();
    const { targetInfos } = await session.send('Target.getTargets', { filter: [{ type: 'worker' }] });
    expect(targetInfos.length).toBeGreaterThanOrEqual(2);
  },
);
