/**
 * `npm run picture`: takes the two pictures of the README from the current page. docs/playground.png shows a moment of
 * an all-reduce. docs/playground-moving.png shows one whole step as an animated PNG, frame by frame from the running
 * page; this script advances the page's clock, so that the animation is smooth even if the machine is busy. `--
 * --built` uses the site in dist/.
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { ensureInstalled, root } from './install.mjs';
import { readArguments } from './read-arguments.mjs';

const { values } = readArguments({
  command: 'npm run picture --',
  about:
    'Takes the two pictures of the README from the current page: docs/playground.png, and docs/playground-moving.png, an animation of one step.',
  options: { built: { help: 'Use the site in dist/, without building it.' } },
});
ensureInstalled();
const { build } = await import('vite');
const { chromium } = await import('playwright-core');
const { animatedPng } = await import('./apng.mjs');
const { chromiumFlags, findChromium } = await import('./chromium.mjs');
const { serveFolder } = await import('./static-server.mjs');

/** The still picture is this long before the end of the step. */
const EVENTS_BACK = 40;
/**
 * The number of frames of the step. GitHub shows files up to 10 MB; a picture of a README should have less than 1.5 MB.
 */
const SECONDS_PER_STEP = 5;
const FRAME_MS = 125;
const MOST_BYTES = 1_500_000;

if (!values.built) await build({ root, logLevel: 'error' });
const server = await serveFolder(path.join(root, 'dist'));
const { executablePath } = await findChromium({ install: true });
const browser = await chromium.launch({ executablePath, args: chromiumFlags });
const docs = (/** @type {string} */ name) => path.join(root, 'docs', name);

/**
 * The page without notices after some training, so that the decision field shows a spiral.
 *
 * @param {{width: number, height: number}} viewport
 */
async function trained(viewport) {
  const page = await browser.newPage({ viewport });
  await page.clock.install();
  await page.goto(`${server.url}#seed=0&device=cpu&hardware=transputer`);
  const press = (/** @type {string} */ name) => page.getByRole('button', { name, exact: true }).click();
  const speed = page.getByRole('combobox', { name: 'Speed' });
  await speed.selectOption('full speed');
  await press('Play');
  const step = page.getByRole('status', { name: 'Step', exact: true });
  while (Number((await step.innerText()).replace(/\D/g, '')) < 2000) await page.waitForTimeout(200);
  await press('Pause');
  await page.getByRole('button', { name: 'Play', exact: true }).waitFor();
  for (const name of ['Dismiss', 'Close this line']) {
    const close = page.getByRole('button', { name, exact: true });
    while ((await close.count()) > 0) await close.first().click();
  }
  await page.getByRole('heading', { name: 'Lockstep' }).click();
  return { page, press, speed };
}

const still = await trained({ width: 1440, height: 900 });
await still.press('Step iteration');
const scrub = still.page.getByRole('slider', { name: 'Scrub' });
await scrub.focus();
await scrub.press('End');
for (let events = 0; events < EVENTS_BACK; events += 1) await scrub.press('ArrowLeft');
await still.page.waitForTimeout(500);
await still.page.screenshot({ path: docs('playground.png') });
await still.page.close();

const { page, press, speed } = await trained({ width: 1200, height: 750 });
await speed.selectOption(`${SECONDS_PER_STEP} s per step`);
await press('Play');
// Play first finishes the step that is shown; the animation begins with the next step.
const shown = page.getByText(/moment \d+ of \d+/);
while (!/moment [12] of/.test(await shown.first().innerText())) await page.waitForTimeout(50);
await page.clock.pauseAt(await page.evaluate(() => Date.now() + 50));
/** @type {import('./apng.mjs').Frame[]} */
const frames = [];
while (frames.length < (SECONDS_PER_STEP * 1000) / FRAME_MS) {
  frames.push({ png: await page.screenshot({ animations: 'allow' }), ms: FRAME_MS });
  await page.clock.runFor(FRAME_MS);
}
console.log(`${frames.length} frames, up to ${await shown.first().innerText()}`);
const animation = animatedPng(frames);
writeFileSync(docs('playground-moving.png'), animation);
console.log(`docs/playground-moving.png: ${(animation.length / 1e6).toFixed(2)} MB`);
await browser.close();
await server.close();
if (animation.length > MOST_BYTES) {
  console.error(`It is larger than ${MOST_BYTES / 1e6} MB: take fewer frames.`);
  process.exit(1);
}
