/**
 * What a first visitor must see without searching: the name of the page, the words of its entry points, whole
 * schedules.
 */
import { placeInBrowser } from '../scripts/tier';
import { expect, TINY, test } from './playground';

const RUN = `${TINY}&data=xor&device=cpu`;

test('on a laptop the page’s name stays beside the labelled Play button; on a projector the menu has words, and all stages fit', async ({
  playground,
}) => {
  const { page } = playground;
  await page.setViewportSize({ width: 1440, height: 900 });
  await playground.open(`${RUN}&mode=ddp&world=4&hardware=transputer`);
  await playground.region('Result').getByRole('button', { name: 'transputer' }).click();
  await expect(page.getByRole('note', { name: 'transputer' })).toContainText('The slow machine of these pages');
  await page.keyboard.press('Escape');
  await expect(playground.button('Play')).toHaveText('Play');
  const name = await page.getByRole('heading', { name: 'Lockstep', level: 1 }).boundingBox();
  expect(name?.width).toBeGreaterThan(40);

  // What stands side by side is apart.
  const loss = await playground.status('Loss').boundingBox();
  const seed = await page.getByText('seed', { exact: true }).boundingBox();
  expect((seed?.x ?? 0) - (loss?.x ?? 0) - (loss?.width ?? 0)).toBeGreaterThan(8);
  // A formula is in one line, whatever its column leaves it.
  const formula = page.getByText(/^sent per step/);
  await expect(formula).toContainText('2(N−1)/');
  const lines = await formula.evaluate(({ firstChild: text }) => {
    const range = document.createRange();
    const found = /2\(N.*?S(?=;)/.exec(text?.textContent ?? '');
    if (!text || !found) return [];
    range.setStart(text, found.index);
    range.setEnd(text, found.index + found[0].length);
    return [...range.getClientRects()].map(({ top }) => top);
  });
  expect(new Set(lines).size).toBe(1);

  await page.setViewportSize({ width: 1280, height: 720 });
  await playground.button('Menu').click();
  for (const door of ['Compare', 'Recordings']) await expect(page.getByText(door, { exact: true })).toBeVisible();
  await page.keyboard.press('Escape');
  await playground.mode('Pipeline').check();
  const schedule = page.getByRole('img', { name: /^The schedule/ });
  await expect(schedule).toBeVisible();
  // By how many pixels the picture extends beyond the panel that scrolls it.
  const hidden = () =>
    schedule.evaluate((own) => {
      let most = 0;
      for (let around = own.parentElement; around; around = around.parentElement)
        if (/auto|scroll/.test(getComputedStyle(around).overflowY))
          most = Math.max(most, own.getBoundingClientRect().bottom - around.getBoundingClientRect().bottom);
      return most;
    });
  await expect.poll(hidden).toBeLessThanOrEqual(3);
});

test('before Play the first step is shown to its end, the optimiser’s step and the new weights', async ({
  playground,
}) => {
  const { page } = playground;
  // Without the helper: nothing is pressed.
  await page.goto(`./#${RUN}&mode=ddp&world=2`);
  const place = page.getByText(/^step 1, moment (\d+) of \1$/);
  await expect(place).toBeVisible({ timeout: 60_000 });
  await expect(playground.region('Stage')).toContainText('optimizer.step(): both ranks update their weights');
  const line = playground.region('Code').getByRole('listitem').filter({ hasText: 'rank 0 is here' });
  await expect(line).toContainText('optimizer.step()');
  // Nothing counts as trained yet; a step by hand ends the step that is shown, and takes no second one.
  const done = playground.status('Step').locator('..');
  await expect(done).toHaveText('0steps done');
  await playground.button('Step iteration').click();
  await expect(done).toHaveText('1step done');
  await expect(place).toBeVisible();
});

test('the code has five lines where a laptop shows it, and a way to the numbers of a real model', async ({
  playground,
}) => {
  const { page } = playground;
  await page.setViewportSize({ width: 1440, height: 900 });
  await playground.open(`${RUN}&mode=ddp&world=4`);
  const list = page.getByRole('list', { name: 'PyTorch code' });
  const long = list.getByRole('listitem').filter({ hasText: 'non_blocking' }).first();
  // The indent is drawn narrow and copied whole: the longest line of the loop has two rows, not three.
  expect(await long.textContent()).toMatch(/^ {8}x/);
  await expect.poll(async () => (await long.boundingBox())?.height).toBeLessThan(40);
  expect((await list.boundingBox())?.height).toBeGreaterThanOrEqual(90);
  await page.getByRole('link', { name: 'At your size' }).click();
  await expect(page).toHaveURL(/learn\/ddp\.html#at-your-size$/);
  await expect(page.getByRole('heading', { name: 'At your size' })).toBeInViewport();
});

test(
  'below a short sentence the reason has a second line, and is not cut off',
  placeInBrowser({ rest: 'the first test looks at the same page' }),
  async ({ playground }) => {
    const { page } = playground;
    await page.setViewportSize({ width: 1280, height: 720 });
    await playground.open(`${RUN}&mode=ddp&world=4&at=1&moment=0`);
    const why = page.getByText('All ranks now hold the same gradients, so the optimiser makes the same update');
    // Moment by moment, because a press before the page shows the previous moment would skip it.
    await expect(async () => {
      await page.keyboard.press('.');
      await expect(why).toBeVisible({ timeout: 200 });
    }).toPass({ intervals: [0], timeout: 60_000 });
    expect(await why.evaluate((own) => own.scrollWidth - own.clientWidth)).toBeLessThanOrEqual(0);
    expect(await why.evaluate((own) => own.getBoundingClientRect().height)).toBeGreaterThan(30);
  },
);

test(
  'while a link trains to its moment, no hint says how to play faster',
  placeInBrowser({ rest: 'pace.spec.ts has the hint and what takes it away' }),
  async ({ playground }) => {
    await playground.open(RUN);
    await playground.page.goto(`./#${RUN}&mode=ddp&world=2&at=9999999`);
    await expect(playground.button('Stop here')).toBeVisible();
    await expect(playground.button('faster: +')).toHaveCount(0);
    await expect(playground.page.getByRole('group', { name: 'Pace' })).toContainText('full speed');
    await expect(playground.page.getByRole('group', { name: 'Pace' })).not.toContainText('speeding up');
  },
);
