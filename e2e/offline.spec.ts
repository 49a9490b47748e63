/**
 * After the first visit, the page works without a connection: it can be reloaded, it trains, and panels that were never
 * opened before open.
 */
import { cp, mkdtemp, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from '@playwright/test';
import { serveFolder } from '../scripts/static-server.mjs';
import { placeInBrowser } from '../scripts/tier';
import { expect, Playground, TINY, test } from './playground';

test.use({ serviceWorkers: 'allow' });

const RUN = `${TINY}&data=xor&mode=ddp&world=2&device=cpu`;

/** Resolves when the site is stored. */
const isKept = (page: Page) =>
  page.evaluate(async () => {
    const { active } = await navigator.serviceWorker.ready;
    while (active?.state !== 'activated') await new Promise((resolve) => setTimeout(resolve, 20));
  });

test('after loading, the page works offline: it reloads, trains, and opens parts that were never open', async ({
  playground,
}) => {
  const { page } = playground;
  await playground.open(RUN);
  await isKept(page);
  await page.context().setOffline(true);
  await page.reload();
  await expect(playground.button('Play')).toBeEnabled();
  await playground.iterate(1);
  await playground.button('Keys').click();
  await expect(page.getByRole('dialog', { name: 'Keys' })).toContainText('Play or pause');
  await page.keyboard.press('Escape');
  await playground.button('Lab').click();
  await expect(page.getByRole('dialog', { name: 'Collectives lab' })).toContainText('The result is exact.');
  await page.keyboard.press('Escape');
  playground.provokes(/503|ERR_INTERNET_DISCONNECTED/);
  await page.getByRole('link', { name: 'Learn' }).click();
  await expect(page.getByRole('heading', { name: 'There is no connection' })).toBeVisible();
  await page.getByRole('link', { name: 'Open the playground' }).click();
  await expect(playground.button('Play')).toBeEnabled();
});

test(
  'after one visit the page starts without a connection, also with another run',
  placeInBrowser({ rest: 'the page is loaded without a connection in the test before' }),
  async ({ playground, context }) => {
    await playground.open(RUN);
    await isKept(playground.page);
    await playground.page.close();
    await context.setOffline(true);
    const again = new Playground(await context.newPage());
    await again.open(`${TINY}&data=gauss&mode=mp&world=2&device=cpu`);
    await again.iterate(2);
    await expect(again.mode('Model parallel')).toBeChecked();
    expect(again.problems).toEqual([]);
  },
);

/** Replaces the served build by another build: every file of the old build is gone. */
async function redeploy(folder: string): Promise<void> {
  const names = await readdir(path.join(folder, 'assets'));
  const stems = names.filter((name) => name.endsWith('.js')).map((name) => name.slice(0, -'.js'.length));
  const renamed = new RegExp(`(${stems.toSorted((a, b) => b.length - a.length).join('|')})\\.js`, 'g');
  for (const name of ['index.html', 'sw.js', ...names.map((asset) => `assets/${asset}`)]) {
    const file = path.join(folder, name);
    if (!/\.(js|css|html)$/.test(name)) continue;
    await writeFile(file, (await readFile(file, 'utf8')).replace(renamed, '$1Newer.js'));
    if (name.startsWith('assets/') && name.endsWith('.js')) await rename(file, file.replace(/\.js$/, 'Newer.js'));
  }
}

test(
  'an old page continues while the site is redeployed, and offers a reload, which loads the new version',
  placeInBrowser({ rest: 'panels.spec.ts replaces the site under an open page' }),
  async ({ playground }) => {
    const { page } = playground;
    const dist = fileURLToPath(new URL('../dist', import.meta.url));
    const folder = await mkdtemp(path.join(tmpdir(), 'lockstep-site-'));
    await cp(dist, folder, { recursive: true });
    const site = await serveFolder(folder);
    const entry = () => page.locator('script[type="module"][src]:not([async])').getAttribute('src');
    try {
      await page.goto(`${site.url}#${RUN}`);
      await expect(playground.button('Play')).toBeEnabled();
      await isKept(page);
      const old = await entry();
      await playground.iterate(2);
      await redeploy(folder);
      await page.evaluate(async () => (await navigator.serviceWorker.ready).update());
      await expect(page.getByText('A new version of Lockstep is out.')).toBeVisible();
      // The open run continues to train, and parts that were never loaded come from the old version.
      await playground.iterate(1);
      await playground.button('Lab').click();
      await expect(page.getByRole('dialog', { name: 'Collectives lab' })).toContainText('The result is exact.');
      await page.keyboard.press('Escape');
      expect(await entry()).toBe(old);
      await playground.button('Reload to get the new version').click();
      await expect.poll(entry).toMatch(/Newer\.js$/);
      // At the step at which the page was.
      await expect(playground.button('Play')).toBeEnabled();
      await expect.poll(() => playground.number('Step')).toBe(3);
      await expect(page.getByText('A new version of Lockstep is out.')).toHaveCount(0);
    } finally {
      await page.close();
      await site.close();
    }
  },
);

test(
  'if the browser has no room to store the site, the page says so and continues to work',
  placeInBrowser({ rest: 'app/offline/keep-offline.test.ts holds when it is said' }),
  async ({ playground }) => {
    const { page } = playground;
    // The console has the error that the worker throws if it cannot store the site.
    playground.provokes(/QuotaExceeded|quota/i);
    const dist = fileURLToPath(new URL('../dist', import.meta.url));
    const site = await serveFolder(dist);
    try {
      const devtools = await page.context().newCDPSession(page);
      await devtools.send('Storage.overrideQuotaForOrigin', { origin: new URL(site.url).origin, quotaSize: 100_000 });
      await page.goto(`${site.url}#${RUN}`);
      await expect(playground.notice('no room to store Lockstep')).toBeVisible();
      await playground.iterate(2);
      await playground.button('Lab').click();
      await expect(page.getByRole('dialog', { name: 'Collectives lab' })).toContainText('The result is exact.');
    } finally {
      await page.close();
      await site.close();
    }
  },
);
