/**
 * `npm run gallery`: takes pictures of the page in many combinations of window size, ranks, mode, preset and panel, and
 * collects them in gallery/index.html, with the complaints of the layout test about each picture. `-- --all` takes
 * every combination, `-- --dark` uses the dark theme, `-- 1280x720 ddp` takes only pictures with these words in their
 * names. `-- rooms` makes sheets of every operator's room instead (room-sheets.mjs).
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ensureInstalled, root } from './install.mjs';
import { readArguments } from './read-arguments.mjs';

const { values, words } = readArguments({
  command: 'npm run gallery --',
  about:
    'Takes pictures of the page in many sizes, ranks, modes, presets and panels, and lists texts and boxes that do not fit. The result is gallery/index.html.',
  words:
    'WORDS: take only the pictures with these words in their names, such as 1280x720 ddp; or "rooms": sheets with the room of every operator at 4, 8 and 16 ranks and on a phone, light and dark',
  options: {
    all: { help: 'Take every combination; without it, every pair of values once.' },
    dark: { help: 'Use the dark theme.' },
    built: { help: 'Use the site in dist/, without building it.' },
  },
});
ensureInstalled();
const { build } = await import('vite');
const { chromium } = await import('playwright-core');
const { chromiumFlags, findChromium } = await import('./chromium.mjs');
const { everyCombination, faults, keepTexts, nameOf, pairwise, seek, show } = await import('./layout-walk.mjs');
const { serveFolder } = await import('./static-server.mjs');

if (words.length === 1 && words[0] === 'rooms') {
  const { roomSheets } = await import('./room-sheets.mjs');
  const { executablePath } = await findChromium({ install: true });
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  const sheets = path.join(root, 'gallery');
  mkdirSync(sheets, { recursive: true });
  const status = await roomSheets(sheets, browser);
  await browser.close();
  process.exit(status);
}

const all = values.all || words.length > 0 ? everyCombination() : pairwise();
const chosen = all.filter((c) => words.every((word) => nameOf(c).split(/[ ,]+/).includes(word)));
const folder = path.join(root, 'gallery');
mkdirSync(folder, { recursive: true });

if (!values.built) await build({ root, logLevel: 'error' });
const server = await serveFolder(path.join(root, 'dist'));
const { executablePath } = await findChromium({ install: true });
const browser = await chromium.launch({ executablePath, args: chromiumFlags });
const page = await browser.newPage({ colorScheme: values.dark ? 'dark' : 'light' });
await page.addInitScript(keepTexts);
await page.goto(`${server.url}#device=cpu&compare=0`);

/** Forward, a collective, and the end of the step. */
const PARTS = [0.3, 0.75, 0.95];
const figures = [];
for (const [index, combination] of chosen.entries()) {
  const name = nameOf(combination);
  await show(page, combination);
  // Every picture is at another moment, so that a few pictures show all moments.
  const part = PARTS[index % PARTS.length] ?? 1;
  await seek(page, part);
  const file = `${name.replace(/[^\w]+/g, '-')}.png`;
  await page.screenshot({ path: path.join(folder, file) });
  const wrong = await faults(page);
  const said = wrong.map((fault) => `<li>${fault.replaceAll('<', '&lt;')}</li>`).join('');
  figures.push(`<figure><img src="${file}" loading="lazy"><figcaption>${name}, at ${part}<ul>${said}</ul></figure>`);
  console.log(`${index + 1} of ${chosen.length}: ${name}${wrong.length > 0 ? `: ${wrong.length} faults` : ''}`);
}
const style =
  'body{font:13px system-ui;columns:2;background:#ddd}img{max-width:100%}figure{margin:0 0 24px}li{color:#b00}';
writeFileSync(
  path.join(folder, 'index.html'),
  `<!doctype html><meta charset="utf-8"><title>Lockstep: gallery</title><style>${style}</style>${figures.join('\n')}`,
);
console.log(`${figures.length} pictures: ${path.join(folder, 'index.html')}`);
await browser.close();
await server.close();
