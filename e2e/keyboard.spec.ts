/** By keyboard alone: from the first Tab to a shared link that opens the same moment, and folds that Escape closes. */
import type { Page } from '@playwright/test';
import { expect, Playground, TINY, test } from './playground';

const RUN = `${TINY}&data=xor&mode=ddp&world=2&device=cpu`;

const focused = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const { activeElement: at } = document;
    return at?.getAttribute('aria-label') ?? at?.textContent ?? '';
  });

/** Presses Tab until that has the focus, with a ring that shows it; `most`: presses after which it is not reached. */
async function tabTo(page: Page, name: string, most: number): Promise<void> {
  for (let presses = 0; presses < most; presses++) {
    await page.keyboard.press('Tab');
    const here = await focused(page);
    if (here !== name) continue;
    const ring = await page.evaluate(() => {
      const at = document.activeElement;
      // Radios and the list of paces are unseen; what stands for them has the ring.
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
  // Back among the moments of this step, by its key.
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

test('Escape closes the fold that has the focus, one at a time, and the focus stays at it', async ({ playground }) => {
  const { page } = playground;
  await playground.open(RUN);
  await playground.iterate(1);
  for (const name of [/^Buckets/, /^Memory, tensor by tensor/]) {
    const summary = page.locator('summary').filter({ hasText: name });
    const fold = page.locator('details').filter({ has: summary }).first();
    await summary.focus();
    await page.keyboard.press('Enter');
    await expect(fold).toHaveAttribute('open', '');
    // What it holds is fetched now.
    await expect(fold.getByRole('table').or(fold.getByRole('treegrid')).first()).toBeVisible();
    await page.keyboard.press('Tab');
    expect(await fold.evaluate((element) => element.contains(document.activeElement))).toBe(true);
    await page.keyboard.press('Escape');
    await expect(fold).not.toHaveAttribute('open');
    await expect(summary).toBeFocused();
  }
  // In a dialog Escape closes the dialog, whatever is open in it.
  await playground.button('Lab').click();
  const lab = page.getByRole('dialog', { name: 'Collectives lab' });
  const table = lab.locator('summary').first();
  await table.focus();
  await page.keyboard.press('Enter');
  await expect(lab.locator('details').first()).toHaveAttribute('open', '');
  await page.keyboard.press('Escape');
  await expect(lab).toHaveCount(0);
});
