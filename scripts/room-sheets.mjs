/**
 * The sheets of `npm run gallery -- rooms`: the room of rank 0 for every operator at 4, 8 and 16 ranks and on a phone,
 * light and dark, one picture for each of these eight. A test draws the rooms (src/app/stage/operators/ rooms.test.ts),
 * because it runs the nets and paints without a browser; this script arranges them in sheets.
 */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { runBin } from './run-bin.mjs';

const WIDTH = 1700;
const GROUND = { light: '#f4f2ee', dark: '#16161a' };

/**
 * Returns the exit status of the test that draws the rooms.
 * @param {string} folder
 * @param {import('playwright-core').Browser} browser
 */
export async function roomSheets(folder, browser) {
  const rooms = path.join(folder, 'rooms');
  rmSync(rooms, { recursive: true, force: true });
  mkdirSync(rooms, { recursive: true });
  const file = 'src/app/stage/operators/rooms.test.ts';
  const status = await runBin('vitest', ['run', '--project', 'pure', file], { LOCKSTEP_ROOMS: rooms });
  /** @type {Map<string, string[]>} */
  const sheets = new Map();
  for (const name of readdirSync(rooms).sort()) {
    const [, sheet = ''] = /^(.*?-(?:light|dark))-/.exec(name) ?? [];
    sheets.set(sheet, [...(sheets.get(sheet) ?? []), name]);
  }
  const page = await browser.newPage({ viewport: { width: WIDTH, height: 800 } });
  for (const [sheet, names] of sheets) {
    const dark = sheet.endsWith('dark');
    const figures = names.map((name) => {
      const words = name.slice(sheet.length + 1, -'.svg'.length).replaceAll('-', ' ');
      return `<figure><img src="${name}" alt=""><figcaption>${words}</figcaption></figure>`;
    });
    const style = `body{margin:8px;background:${dark ? GROUND.dark : GROUND.light};color:${dark ? '#ddd' : '#222'};
      font:11px system-ui;display:flex;flex-wrap:wrap;gap:8px}figure{margin:0}`;
    const html = path.join(rooms, `${sheet}.html`);
    writeFileSync(html, `<!doctype html><meta charset="utf-8"><style>${style}</style>${figures.join('\n')}`);
    await page.goto(pathToFileURL(html).href);
    await page.screenshot({ path: path.join(folder, `rooms-${sheet}.png`), fullPage: true });
    console.log(`${names.length} rooms: ${path.join(folder, `rooms-${sheet}.png`)}`);
  }
  await page.close();
  return status;
}
