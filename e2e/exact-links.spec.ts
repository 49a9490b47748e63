/**
 * Links to a moment: shared from the page, opened in another page, stopped on the way; and the frame that Share builds.
 */

import { placeInBrowser } from '../scripts/tier';
import { axeFindsNothing } from './axe';
import { expect, Playground, TINY, test } from './playground';

const RUN = `${TINY}&data=xor&mode=ddp&world=2&device=cpu`;
const way = (playground: Playground) => playground.status('Progress to the moment of the link');
const moment = async (playground: Playground) => (await playground.scrub().getAttribute('aria-valuetext')) ?? '';

test('a link to a moment opens this moment, with its panels', async ({ playground, context }) => {
  const { page } = playground;
  await playground.open(RUN);
  await playground.iterate(3);
  for (const at of [1, 2, 3]) {
    await playground.button('Step moment').click();
    await expect.poll(() => moment(playground)).toMatch(new RegExp(`^step 4, moment ${at} of`));
  }
  const timeline = playground.region('Timeline');
  await timeline.getByRole('radio', { name: 'measured' }).check();
  await timeline.getByText('As a table').click();
  await timeline.getByRole('button', { name: 'critical path' }).click();

  await playground.button('Share').click();
  const dialog = page.getByRole('dialog', { name: 'Share' });
  const box = dialog.getByRole('checkbox', { name: /^Open at this moment: step 4, moment 3 of \d+$/ });
  const link = dialog.getByRole('textbox', { name: 'Link' });
  await expect(box).not.toBeChecked();
  expect(await link.inputValue()).not.toContain('at=');
  await box.check();
  await expect(link).toHaveValue(/at=4&moment=3&clock=measured&speed=full&open=events&timeline=\(path:true\)$/);
  const href = await link.inputValue();
  await dialog.getByRole('button', { name: 'Copy the link' }).click();
  await expect(dialog.getByRole('status').filter({ hasText: 'Copied' })).toHaveCount(1);
  await page.keyboard.press('Escape');
  await expect(playground.button('Share')).toBeFocused();

  const other = new Playground(await context.newPage());
  await other.page.goto(href);
  await expect.poll(() => moment(other)).toBe(await moment(playground));
  await expect(other.button('Play')).toBeEnabled();
  expect(await other.number('Loss')).toBe(await playground.number('Loss'));
  const there = other.region('Timeline');
  await expect(there.getByRole('radio', { name: 'measured' })).toBeChecked();
  await expect(there.getByRole('button', { name: 'critical path' })).toHaveAttribute('aria-pressed', 'true');
  await expect(there.getByRole('row').filter({ hasText: /compute|comm/ })).not.toHaveCount(0);
  expect(other.problems).toEqual([]);
});

test(
  'training to a step in the millions can be stopped, and another link opened',
  placeInBrowser({ rest: 'a link to a moment near by is followed in the quick tier' }),
  async ({ playground }) => {
    const { page } = playground;
    await page.emulateMedia({ reducedMotion: 'no-preference' });
    await page.goto(`./#${RUN}&at=5000000`);
    await expect(playground.region('Stage')).toContainText('Training to step 5,000,000, where the link leads');
    await expect(way(playground)).toHaveText(/^[\d,]+ steps done/);
    await expect(page.getByRole('progressbar', { name: 'Training to step 5,000,000' })).toBeVisible();
    await expect.poll(() => playground.number('Step')).toBeGreaterThan(5);
    await playground.button('Stop here').click();
    await expect(playground.button('Play')).toBeEnabled();
    await expect(way(playground)).toHaveCount(0);
    // Back to a moment that the same run has already passed.
    await page.evaluate((hash) => window.location.assign(`#${hash}`), `${RUN}&at=2&moment=1`);
    await expect.poll(() => moment(playground)).toMatch(/^step 2, moment 1 of/);
    await expect(playground.button('Play')).toBeEnabled();
    await playground.iterate(1);
  },
);

/**
 * Runs in the page: follows the link as soon as the page says that a new worker starts. The notice about a worker that
 * was replaced before stays on the page ("Training continues from … in a new worker"), so its words can't be the sign.
 */
function followsOnRevival(link: string): void {
  const watcher = new MutationObserver(() => {
    if (!document.body.textContent?.includes('Continuing from')) return;
    watcher.disconnect();
    window.location.assign(`#${link}`);
  });
  watcher.observe(document.body, { subtree: true, childList: true, characterData: true });
}

test(
  'if a device is lost or a worker ends while a link trains to its moment, a notice says so and training continues',
  placeInBrowser({ rest: 'devices.spec.ts loses the device of a run that plays' }),
  async ({ playground }) => {
    const { page } = playground;
    await page.emulateMedia({ reducedMotion: 'no-preference' });
    // No machine reaches this step while the test reads the messages on the way.
    await page.goto(`./#${RUN}&device=webgpu&at=5000000&moment=2`);
    await expect.poll(() => playground.number('Step')).toBeGreaterThan(5);
    await page.evaluate(() => Reflect.get(globalThis, 'lockstep').test.loseDevice());
    await expect(playground.notice(/device was lost/i)).toBeVisible();
    const stage = playground.region('Stage');
    await expect(stage).toContainText('Training to step 5,000,000, where the link leads');
    const before = await playground.number('Step');
    await expect.poll(() => playground.number('Step')).toBeGreaterThan(before + 5);
    const endsWorker = () => page.workers()[0]?.evaluate(() => self.close());
    await endsWorker();
    await expect(playground.notice(/stopped unexpectedly/)).toBeVisible();
    await expect(stage).toContainText('Training to step 5,000,000, where the link leads');
    // If a link is opened while a new worker starts, the page goes there, and not to the moment of the earlier link. A
    // worker that ends again within five seconds is not replaced.
    await page.waitForFunction(
      (since) => performance.now() - since > 6000,
      await page.evaluate(() => performance.now()),
    );
    const near = (await playground.number('Step')) + 50;
    await page.evaluate(followsOnRevival, `${RUN}&device=webgpu&at=${near}&moment=2`);
    await endsWorker();
    const there = new RegExp(`^step ${near.toLocaleString('en')}, moment 2 of`);
    await expect.poll(() => moment(playground), { timeout: 60_000 }).toMatch(there);
    await expect(playground.button('Play')).toBeEnabled();
  },
);

test(
  'Share builds the frame: the snippet and the preview hide and lock the chosen parts',
  placeInBrowser({ rest: 'embeds.spec.ts has frames' }),
  async ({ playground }) => {
    const { page } = playground;
    await playground.open(RUN);
    await playground.button('Share').click();
    const dialog = page.getByRole('dialog', { name: 'Share' });
    await dialog.getByText('Embed it in a page').click();
    await expect(dialog.getByRole('checkbox', { name: 'Hide the whole bar' })).toBeChecked();
    await dialog.getByRole('checkbox', { name: 'Hide the whole set-up' }).uncheck();
    await dialog.getByRole('checkbox', { name: 'Lock the whole set-up' }).check();
    await dialog.getByRole('combobox', { name: 'Theme' }).selectOption('dark');
    const snippet = dialog.getByRole('textbox', { name: 'Snippet' });
    await expect(snippet).toHaveValue(/theme=dark&amp;embed=1&amp;hide=bar,result,code&amp;lock=setup"/);
    await expect(snippet).toHaveValue(/lockstep:height/);
    const preview = dialog.frameLocator('iframe[title="Preview of the embed"]');
    await expect(preview.getByRole('button', { name: 'Play', exact: true })).toBeEnabled();
    await expect(preview.getByRole('region', { name: 'Set-up' }).getByRole('radio').first()).toBeDisabled();
    await expect(preview.getByRole('region', { name: 'Code' })).toHaveCount(0);
    await axeFindsNothing(page, 'dialog[aria-label="Share"]');
    await dialog.getByRole('button', { name: 'Close' }).click();
    await expect(dialog).toBeHidden();
  },
);
