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
  await expect(playground.status('Step')).toHaveText('0');
  await playground.button('Step iteration').click();
  await expect(playground.status('Step')).toHaveText('1');
  await expect(place).toBeVisible();
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
