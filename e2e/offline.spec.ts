/** Once loaded, the page works without a connection: reloaded, trained, with panels that were never opened before. */
import { cp, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from '@playwright/test';
import { serveFolder } from '../scripts/static-server.mjs';
import { expect, TINY, test } from './playground';

test.use({ serviceWorkers: 'allow' });

const RUN = `${TINY}&data=xor&mode=ddp&world=2&device=cpu`;

/** Resolves when the site is kept. */
const isKept = (page: Page) =>
  page.evaluate(async () => {
    const { active } = await navigator.serviceWorker.ready;
    while (active?.state !== 'activated') await new Promise((resolve) => setTimeout(resolve, 20));
  });

test('works offline once loaded: reload, train, open what was never open', async ({ playground }) => {
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
});

test('the page says that a new version is out, and a reload takes it', async ({ playground }) => {
  const { page } = playground;
  const dist = fileURLToPath(new URL('../dist', import.meta.url));
  const folder = await mkdtemp(path.join(tmpdir(), 'lockstep-site-'));
  await cp(dist, folder, { recursive: true });
  const site = await serveFolder(folder);
  try {
    await page.goto(`${site.url}#${RUN}`);
    await expect(playground.button('Play')).toBeEnabled();
    await isKept(page);
    // Another version has other names and another list of them.
    const entry = /assets\/(index-[\w-]+)\.js/.exec(await readFile(path.join(folder, 'index.html'), 'utf8'))?.[1] ?? '';
    const newer = 'index-Newer123';
    await cp(path.join(folder, `assets/${entry}.js`), path.join(folder, `assets/${newer}.js`));
    for (const file of ['index.html', 'sw.js']) {
      const text = await readFile(path.join(folder, file), 'utf8');
      await writeFile(path.join(folder, file), text.replaceAll(`${entry}.js`, `${newer}.js`));
    }
    await page.evaluate(async () => (await navigator.serviceWorker.ready).update());
    await expect(page.getByText('A new version of Lockstep is out.')).toBeVisible();
    await page.reload();
    await expect(playground.button('Play')).toBeEnabled();
    await expect(page.locator(`script[src$="${newer}.js"]`)).toBeAttached();
    await expect(page.getByText('A new version of Lockstep is out.')).toBeHidden();
  } finally {
    await page.close();
    await site.close();
  }
});
