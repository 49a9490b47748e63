/** `npm run picture`: takes docs/playground.png, the picture of the README, of the page as it is now. */
import path from 'node:path';
import { ensureInstalled, root } from './install.mjs';

ensureInstalled();
const { build } = await import('vite');
const { chromium } = await import('playwright-core');
const { chromiumFlags, findChromium } = await import('./chromium.mjs');
const { serveFolder } = await import('./static-server.mjs');

await build({ root, logLevel: 'error' });
const server = await serveFolder(path.join(root, 'dist'));
const { executablePath } = await findChromium({ install: true });
const browser = await chromium.launch({ executablePath, args: chromiumFlags });
const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
const press = (/** @type {string} */ name) => page.getByRole('button', { name, exact: true }).click();
await page.goto(`${server.url}#seed=0&device=cpu&hardware=transputer`);
await page.getByRole('combobox', { name: 'Speed' }).selectOption('full speed');
// Some training first, so that the decision field shows a spiral; then into the middle of an all-reduce.
await press('Play');
await page.waitForTimeout(700);
await press('Pause');
await press('Step iteration');
await page.waitForTimeout(1000);
const scrub = page.getByRole('slider', { name: 'Scrub' });
await scrub.focus();
for (let events = 0; events < Number(process.argv[2] ?? 40); events += 1) await scrub.press('ArrowLeft');
const dismiss = page.getByRole('button', { name: 'Dismiss' });
while ((await dismiss.count()) > 0) await dismiss.first().click();
await page.getByRole('heading', { name: 'Lockstep' }).click();
await page.waitForTimeout(500);
await page.screenshot({ path: path.join(root, 'docs', 'playground.png') });
await browser.close();
await server.close();
