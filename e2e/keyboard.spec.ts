/**
 * Using only the keyboard: from the first Tab to a shared link that opens the same moment, and folds that Escape
 * closes.
 */
import type { Page } from '@playwright/test';
import { placeInBrowser } from '../scripts/tier';
import { expect, Playground, TINY, test } from './playground';

const RUN = `${TINY}&data=xor&mode=ddp&world=2&device=cpu`;

const focused = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const { activeElement: at } = document;
    return at?.getAttribute('aria-label') ?? at?.textContent ?? '';
  });

/**
 * What hides the focused element or its focus ring: an edge of a scrolled box or of the screen that cuts the ring, or
 * another element on top. Nothing for an element whose part of the page is marked on a canvas.
 */
const hidden = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const at = document.activeElement;
    if (!(at instanceof HTMLElement) || at === document.body || at.getBoundingClientRect().width <= 1) return [];
    // Radio buttons and the list of paces are invisible; the visible elements in their place have the ring.
    const marked = [at, at.nextElementSibling, at.parentElement].find(
      (element) =>
        element instanceof Element &&
        getComputedStyle(element).outlineStyle !== 'none' &&
        getComputedStyle(element).opacity !== '0',
    );
    if (!marked) return ['no ring'];
    const style = getComputedStyle(marked);
    const reach = Number.parseFloat(style.outlineOffset) + Number.parseFloat(style.outlineWidth);
    const box = marked.getBoundingClientRect();
    const problems: string[] = [];
    const within = (what: string, left: number, top: number, width: number, height: number) => {
      const over = {
        left: left - (box.left - reach),
        top: top - (box.top - reach),
        right: box.right + reach - (left + width),
        bottom: box.bottom + reach - (top + height),
      };
      for (const [side, px] of Object.entries(over))
        if (px > 0.5) problems.push(`${what} cuts ${px.toFixed(1)} px off at the ${side}`);
    };
    // A separator is a line from edge to edge: its ring consists of the lines above and below it.
    if (at.getAttribute('role') !== 'separator' && at.tagName !== 'HR') {
      for (let around = marked.parentElement; around; around = around.parentElement) {
        const { overflowX, position } = getComputedStyle(around);
        if (overflowX !== 'visible' && around !== document.body && around !== document.documentElement) {
          const { left, top } = around.getBoundingClientRect();
          const { clientLeft, clientTop, clientWidth, clientHeight } = around;
          within(around.className || around.tagName, left + clientLeft, top + clientTop, clientWidth, clientHeight);
        }
        if (position === 'fixed') break;
      }
      within('the screen', 0, 0, window.innerWidth, window.innerHeight);
    }
    const on = document.elementFromPoint((box.left + box.right) / 2, (box.top + box.bottom) / 2);
    if (on && !marked.contains(on) && !on.contains(marked) && !at.contains(on) && !on.contains(at))
      problems.push(`${on.className || on.tagName} lies over it`);
    return problems;
  });

/**
 * Presses Tab until the element has the focus, with a visible ring; `most`: the test fails after this number of
 * presses.
 */
async function tabTo(page: Page, name: string, most: number): Promise<void> {
  for (let presses = 0; presses < most; presses++) {
    await page.keyboard.press('Tab');
    const here = await focused(page);
    if (here !== name) continue;
    const ring = await page.evaluate(() => {
      const at = document.activeElement;
      // Radio buttons and the list of paces are invisible; the visible elements in their place have the ring.
      const shown = [at, at?.nextElementSibling, at?.parentElement].filter((element) => element instanceof Element);
      return shown.some((element) => getComputedStyle(element).outlineStyle !== 'none');
    });
    expect(ring, `a ring around ${name}`).toBe(true);
    return;
  }
  throw new Error(`Tab does not come to ${name} in ${most} presses.`);
}

test('from the first Tab to a shared link of the same moment', async ({ playground, context }) => {
  const { page } = playground;
  const { keyboard } = page;
  await playground.open(RUN);
  await tabTo(page, 'DistributedDataParallel', 3);
  await keyboard.press('ArrowRight');
  await expect(playground.mode('Model parallel')).toBeChecked();
  await keyboard.press('ArrowLeft');
  await expect(playground.mode('DistributedDataParallel')).toBeChecked();
  await expect(playground.button('Play')).toBeEnabled();
  await tabTo(page, 'World size', 3);
  await keyboard.press('ArrowRight');
  await expect(playground.worldSize()).toHaveValue('3');
  await expect(playground.button('Play')).toBeEnabled();
  await tabTo(page, 'Step iteration', 12);
  for (const steps of [1, 2]) {
    await keyboard.press('Enter');
    await expect.poll(() => playground.number('Step')).toBe(steps);
  }
  // Back to the moments of this step, with the key.
  await keyboard.press(',');
  await keyboard.press(',');
  const place = () => playground.scrub().getAttribute('aria-valuetext');
  await expect.poll(place).toMatch(/^step 2, moment/);
  await tabTo(page, 'Share', 20);
  await keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Share' });
  const exact = dialog.getByRole('checkbox', { name: /^Open at this moment: step 2/ });
  await expect(exact).toBeVisible();
  for (let presses = 0; presses < 8 && !(await exact.evaluate((box) => box === document.activeElement)); presses++)
    await keyboard.press('Tab');
  await keyboard.press('Space');
  await expect(exact).toBeChecked();
  await tabTo(page, 'Copy the link', 4);
  await keyboard.press('Enter');
  await expect(dialog.getByRole('status').filter({ hasText: 'Copied' })).toHaveCount(1);
  const href = await dialog.getByRole('textbox', { name: 'Link' }).inputValue();
  await keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);
  await expect(playground.button('Share')).toBeFocused();

  const other = new Playground(await context.newPage());
  await other.page.goto(href);
  await expect.poll(() => other.scrub().getAttribute('aria-valuetext'), { timeout: 40_000 }).toBe(await place());
  expect(other.problems).toEqual([]);
});

/**
 * The page shows the first step by itself, and its sentences change with the moments. If a word of a sentence has the
 * focus, the focus disappears with the sentence.
 */
async function rests(playground: Playground): Promise<void> {
  let before = '';
  const isStill = async (): Promise<boolean> => {
    const said = await playground.region('Stage').innerText();
    const still = said === before;
    before = said;
    return still;
  };
  await expect.poll(isStill, { intervals: [2500], timeout: 60_000 }).toBe(true);
}

for (const [screen, viewport] of Object.entries({
  laptop: { width: 1440, height: 900 },
  phone: { width: 390, height: 844 },
}))
  test(
    `every element that Tab reaches is in view with its whole focus ring, and none traps the focus: ${screen}`,
    placeInBrowser({ rest: 'accessibility.spec.ts reaches every control by Tab' }),
    async ({ playground }) => {
      const { page } = playground;
      await page.setViewportSize(viewport);
      await playground.open(RUN);
      await playground.fetched();
      await rests(playground);
      const stops: string[] = [];
      const problems: string[] = [];
      // After the last element the focus leaves the page.
      for (let presses = 0; presses < 200; presses++) {
        await page.keyboard.press('Tab');
        if (await page.evaluate(() => document.activeElement === document.body)) break;
        const stop = await focused(page);
        stops.push(stop);
        problems.push(...(await hidden(page)).map((problem) => `${stops.length} ${stop.slice(0, 40)}: ${problem}`));
      }
      expect(problems).toEqual([]);
      expect(stops.at(-1)).toBe('Take it to PyTorch');
      // Elements of the bar, the stage, the timeline and the result; on a phone the set-up is a sheet.
      expect(stops).toEqual(
        expect.arrayContaining(['Play', 'Items on the stage', 'Scrub', 'Time cursor', 'PyTorch code']),
      );
      if (screen === 'laptop') expect(stops).toEqual(expect.arrayContaining(['World size', 'Add hidden layer']));
    },
  );

test(
  'p moves from part to part, and Tab moves into the part',
  placeInBrowser({ rest: 'accessibility.spec.ts reaches every control by Tab' }),
  async ({ playground }) => {
    const { page } = playground;
    await playground.open(RUN);
    await playground.fetched();
    for (const part of ['', 'Stage', 'Timeline', 'Set-up', 'Result', 'Code', '']) {
      await page.keyboard.press('p');
      expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? '')).toBe(part);
      expect(await hidden(page)).toEqual([]);
      if (part !== 'Set-up') continue;
      await page.keyboard.press('Tab');
      await expect(
        playground.preset('MLP').or(page.getByRole('region', { name: part }).locator(':focus')),
      ).toBeFocused();
    }
    await page.keyboard.press('Shift+P');
    await expect(playground.region('Code')).toBeFocused();
  },
);

test(
  'every dialog of the bar opens by a key, holds the focus while it is open, and gives it back',
  placeInBrowser({ rest: 'the walk to a shared link opens a dialog by keyboard' }),
  async ({ playground }) => {
    const { page } = playground;
    await playground.open(RUN);
    await playground.fetched();
    for (const name of ['Lab', 'Bugs', 'Save', 'Compare', 'Recordings', 'Share', 'Keys', 'Take it to PyTorch']) {
      await tabTo(page, name, 140);
      await page.keyboard.press('Enter');
      const dialog = page.getByRole('dialog');
      await expect(dialog).toBeVisible();
      const problems: string[] = [];
      for (let presses = 0; presses < 30; presses++) {
        await page.keyboard.press('Tab');
        const outside = await page.evaluate(() => {
          const { activeElement: at } = document;
          return at !== document.body && at?.closest('dialog, [role="dialog"]') === null;
        });
        if (outside) problems.push(`${name}: Tab leaves it for ${await focused(page)}`);
      }
      expect(problems).toEqual([]);
      await page.keyboard.press('Escape');
      await expect(dialog).toHaveCount(0);
      expect(await focused(page)).toBe(name);
    }
  },
);

test('Escape closes the focused fold, one at a time, and keeps the focus there', async ({ playground }) => {
  const { page } = playground;
  await playground.open(RUN);
  await playground.iterate(1);
  for (const name of [/^Buckets/, /^Memory, tensor by tensor/]) {
    const summary = page.locator('summary').filter({ hasText: name });
    const fold = page.locator('details').filter({ has: summary }).first();
    await summary.focus();
    await page.keyboard.press('Enter');
    await expect(fold).toHaveAttribute('open', '');
    // The contents of the fold are loaded now.
    await expect(fold.getByRole('table').or(fold.getByRole('treegrid')).first()).toBeVisible();
    await page.keyboard.press('Tab');
    expect(await fold.evaluate((element) => element.contains(document.activeElement))).toBe(true);
    await page.keyboard.press('Escape');
    await expect(fold).not.toHaveAttribute('open');
    await expect(summary).toBeFocused();
  }
  // In a dialog, Escape closes the dialog, even if a fold in it is open.
  await playground.button('Lab').click();
  const lab = page.getByRole('dialog', { name: 'Collectives lab' });
  const table = lab.locator('summary').first();
  await table.focus();
  await page.keyboard.press('Enter');
  await expect(lab.locator('details').first()).toHaveAttribute('open', '');
  await page.keyboard.press('Escape');
  await expect(lab).toHaveCount(0);
});
