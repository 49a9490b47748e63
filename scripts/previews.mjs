/**
 * `npm run previews`: takes the pictures that other sites show beside a link to a lesson, learn/NAME/preview.png, from
 * the built site: title and first figure. The pictures are committed, because a build has no browser.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ensureInstalled, root } from './install.mjs';
import { readArguments } from './read-arguments.mjs';

readArguments({
  command: 'npm run previews --',
  about:
    'Takes the pictures that other sites show beside a link to a lesson, learn/NAME/preview.png, from the site that `npm run build` has built.',
});
ensureInstalled();
const { chromium } = await import('playwright-core');
const { findChromium } = await import('./chromium.mjs');

const SIZE = { width: 1200, height: 630 };
const learn = path.join(root, 'dist', 'learn');
const { executablePath } = await findChromium({ install: true });
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
const page = await browser.newPage({ viewport: SIZE });

const pages = readdirSync(path.join(root, 'learn'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
for (const { name } of pages) {
  const html = readFileSync(path.join(learn, `${name}.html`), 'utf8');
  const [, title = ''] = /<h1>(.*?)<\/h1>/.exec(html) ?? [];
  const [, place = ''] = /<p class="place">(.*?)<\/p>/.exec(html) ?? [];
  const [, file] = /<img src="(pictures\/[^"]+)"/.exec(html) ?? [];
  if (file === undefined) throw new Error(`${name} has no picture; was the site built?`);
  const picture = readFileSync(path.join(learn, file)).toString('base64');
  await page.setContent(`<style>
    body { margin: 0; padding: 44px 56px; background: #fbfaf7; color: #1d1d22; font-family: Georgia, serif; }
    p { margin: 0; font: 24px system-ui, sans-serif; color: #62616a; }
    h1 { margin: 6px 0 26px; font-weight: 400; font-size: 52px; line-height: 1.1; }
    img { display: block; max-width: 1088px; max-height: 400px; }
  </style><p>Lockstep · ${place}</p><h1>${title}</h1><img src="data:image/svg+xml;base64,${picture}">`);
  await page.waitForFunction(() => document.images[0]?.complete);
  writeFileSync(path.join(root, 'learn', name, 'preview.png'), await page.screenshot());
  console.log(`learn/${name}/preview.png`);
}
await browser.close();
