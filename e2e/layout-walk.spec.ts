/**
 * Everything fits: window sizes, ranks, modes, presets and panels, combined so that every pair of values occurs, in one
 * page that a link leads from one combination to the next. `LOCKSTEP_WALK=all` tests every combination. `npm run
 * gallery` makes pictures of them.
 */
import type { Page } from '@playwright/test';
import {
  everyCombination,
  faults,
  faultsOfBar,
  keepTexts,
  MOMENTS,
  nameOf,
  pairwise,
  seek,
  show,
} from '../scripts/layout-walk.mjs';
import { placeInBrowser } from '../scripts/tier';
import { expect, test } from './playground';

const whole = process.env['LOCKSTEP_WALK'] === 'all';
const combinations = whole ? everyCombination() : pairwise();
/** The number of pages that are open at the same time. */
const WALKS = 2;

/** Two of the moments, different ones for each combination: fits.test.ts tests the stage at all kinds of moments. */
const momentsFor = (index: number): readonly number[] =>
  whole ? MOMENTS : [0, 2].map((by) => MOMENTS[(index + by) % MOMENTS.length] ?? 0);

/** A canvas that is drawn a few frames later is not a fault; only faults that stay count. */
async function lastingFaults(page: Page): Promise<readonly string[]> {
  let left = await faults(page);
  for (let again = 0; again < 30 && left.length > 0; again++) {
    await page.waitForTimeout(100);
    left = await faults(page);
  }
  return left;
}

for (let walk = 0; walk < WALKS; walk += 1) {
  test(
    `the page fits, and no letter is too small, walk ${walk + 1} of ${WALKS}`,
    placeInBrowser({ rest: 'app/stage/fits.test.ts paints every mode in five sizes' }),
    async ({ playground }) => {
      test.setTimeout(whole ? 3_600_000 : 300_000);
      const { page } = playground;
      await page.addInitScript(keepTexts);
      await playground.open('device=cpu&compare=0');
      const found: string[] = [];
      for (const [index, combination] of combinations.entries()) {
        if (index % WALKS !== walk) continue;
        await show(page, combination);
        for (const part of momentsFor(index)) {
          await seek(page, part);
          for (const fault of await lastingFaults(page)) found.push(`${nameOf(combination)}, at ${part}: ${fault}`);
        }
      }
      expect(found).toEqual([]);
    },
  );
}

/** The bar of this mode has the most controls. */
const WIDEST_BAR = 'pipeline';

for (const mode of ['single', 'dp', 'ddp', 'mp', 'pipeline', 'ps']) {
  const at = placeInBrowser({ rest: 'accessibility.spec.ts finds what is wider than the page, wide and on a phone' });
  test(`the bar is one row and nothing of it is cut, at every width, in mode ${mode}`, at, async ({ playground }) => {
    test.slow();
    const { page } = playground;
    const found: string[] = [];
    // The bar is wider with 16 ranks than with one; with one rank, only the bar with the most controls is checked.
    for (const ranks of mode === 'single' ? [1] : mode === WIDEST_BAR ? [1, 16] : [16]) {
      await page.setViewportSize({ width: 1920, height: 900 });
      // On a first visit the Play button contains its name, so the bar has its largest width.
      await page.goto('about:blank');
      await page.goto(`./#device=cpu&compare=0&mode=${mode}&world=${ranks}`);
      await expect(playground.button('Play')).toBeEnabled();
      for (const width of [1920, 1700, 1541, 1440, 1366, 1280, 1101, 1024, 900, 800, 721, 390]) {
        await page.setViewportSize({ width, height: 900 });
        let left = await faultsOfBar(page);
        for (let again = 0; again < 10 && left.length > 0; again++) {
          await page.waitForTimeout(50);
          left = await faultsOfBar(page);
        }
        found.push(...left.map((fault) => `${ranks} ranks at ${width} px: ${fault}`));
      }
    }
    expect(found).toEqual([]);
  });
}

test('if parts are hidden, other parts use their space', async ({ playground }) => {
  const { page } = playground;
  const boxOf = async (name: 'Timeline' | 'Result') => {
    await expect(playground.region(name)).toBeVisible();
    const box = await playground.region(name).boundingBox();
    if (!box) throw new Error(`The region ${name} has no place.`);
    return box;
  };
  for (const width of [1440, 900]) {
    await page.setViewportSize({ width, height: 860 });
    for (const frame of ['', '&embed=1']) {
      await page.goto(`./#device=cpu${frame}&hide=stage`);
      expect((await boxOf('Timeline')).y, `${width} px ${frame}`).toBeLessThan(100);
      await page.goto(`./#device=cpu${frame}&hide=stage,timeline,setup`);
      expect((await boxOf('Result')).width, `${width} px ${frame}`).toBeGreaterThan(0.9 * width);
    }
  }
});

test(
  'on a phone every sentence above the rooms is complete, and no room moves',
  placeInBrowser({
    rest: 'step-moments.test.ts holds how long a sentence is; accessibility.spec.ts looks at the page on a phone',
  }),
  async ({ playground }) => {
    const { page } = playground;
    await page.setViewportSize({ width: 390, height: 844 });
    await playground.open('preset=deepMlp&mode=pipeline&world=8&pipeline=ZeroBubble&device=cpu&compare=0');
    const stage = playground.region('Stage');
    const scrub = page.getByRole('slider', { name: 'Scrub', exact: true });
    const seen = new Set<string>();
    const tops = new Set<number>();
    for (let i = 0; i < 30; i++) {
      const { text, cut, top } = await stage.evaluate((region) => {
        const p = region.querySelector('p[data-size]');
        if (!p) throw new Error('no sentence');
        const { right, bottom } = p.getBoundingClientRect();
        const range = document.createRange();
        range.selectNodeContents(p);
        const words = [...range.getClientRects()];
        const out = words.some((word) => word.right > right + 1 || word.bottom > bottom + 3);
        return { text: p.textContent, cut: out, top: region.querySelector('canvas')?.getBoundingClientRect().top ?? 0 };
      });
      expect(cut, text).toBe(false);
      seen.add(text);
      tops.add(top);
      // Waits for the sentence of the next moment: a fast machine would read this sentence again.
      const moment = await scrub.inputValue();
      await page.keyboard.press('.');
      await expect(scrub).not.toHaveValue(moment);
    }
    // Some sentences do not fit into two lines of the usual size.
    expect(Math.max(...[...seen].map((text) => text.length))).toBeGreaterThan(100);
    expect(tops.size).toBe(1);
  },
);
