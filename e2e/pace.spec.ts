/**
 * The first minute: one line and one button, slow steps that get faster, and a replay that is slow enough to follow.
 */

import { placeInBrowser } from '../scripts/tier';
import { expect, IN_MOTION, TINY, test } from './playground';

test.use(IN_MOTION);

const RUN = `${TINY}&data=gauss&mode=ddp&world=2&device=cpu`;

test(
  'a new visitor sees one line and a labelled Play button; on the next visit there is neither',
  placeInBrowser({ rest: 'app/transport holds when the line is shown' }),
  async ({ playground }) => {
    const { page } = playground;
    await page.goto(`./#${RUN}`);
    const line = page.getByRole('note', { name: 'What you see' });
    await expect(line).toContainText('Two replicas of one net, each with its own samples. Watch them agree.');
    await expect(playground.button('Play')).toHaveText('Play');
    // Nothing else on the page asks the user to do something.
    await expect(page.getByRole('complementary', { name: 'Notices' })).toHaveCount(0);
    // The bar now has its largest width, and is one row in every window of a laptop or a larger screen.
    for (const width of [1440, 1541, 1641, 1781, 2241, 2401]) {
      await page.setViewportSize({ width, height: 860 });
      await expect
        .poll(async () => (await page.getByRole('banner').boundingBox())?.height, `height of the bar at ${width} px`)
        .toBeLessThan(60);
    }
    await page.setViewportSize({ width: 1440, height: 860 });
    await playground.mode('Single').click();
    await expect(line).toContainText('One net on one device');
    await line.getByRole('button', { name: 'Close this line' }).click();
    await expect(line).toHaveCount(0);
    await page.reload();
    await expect(playground.button('Play')).toBeEnabled();
    await expect(line).toHaveCount(0);
    await expect(playground.button('Play')).toHaveText('');
  },
);

test(
  'the first step is slow, and each further step doubles the pace; a click or a key holds the pace',
  placeInBrowser({ rest: 'app/pace/pace.test.ts holds how the pace doubles' }),
  async ({ playground }) => {
    const { page } = playground;
    await page.goto(`./#${RUN}`);
    await expect(playground.button('Play')).toBeEnabled();
    const pace = page.getByRole('group', { name: 'Pace' });
    await expect(pace).toContainText('×0.02, speeding up');
    await expect(pace).toContainText('×2 each step');
    await playground.button('Play').click();
    expect(await playground.number('Step')).toBeLessThanOrEqual(1);
    await pace.getByRole('button', { name: 'hold' }).click();
    await expect(pace).toContainText('×0.02, held');
    await page.keyboard.press('h');
    await expect(pace).toContainText('×0.02, speeding up');
    // The step that Play shows from its beginning takes ten seconds, and the next step five.
    await expect(pace).toContainText('×0.04, speeding up', { timeout: 30_000 });
    // By hand, as fast as the page shows steps.
    await playground.speed().selectOption('5 steps per second');
    await expect(pace).toContainText('×1, held');
    await expect.poll(() => playground.number('Step')).toBeGreaterThan(5);
    await playground.leaveControls();
    await page.keyboard.press('+');
    await page.keyboard.press('+');
    await expect(pace).toContainText('full speed');
    await expect(pace).toContainText(/steps\/s/);
  },
);

for (const motion of ['no-preference', 'reduce'] as const)
  test(
    `a first slow play shows the hint "faster: +" once, with motion: ${motion}`,
    placeInBrowser(motion === 'reduce' ? { rest: 'with motion it is shown in the quick tier' } : {}),
    async ({ playground }) => {
      const { page } = playground;
      await page.emulateMedia({ reducedMotion: motion });
      await page.goto(`./#${RUN}`);
      const faster = playground.region('Stage').getByRole('button', { name: 'faster: +' });
      const told = page.getByText('To play faster, press plus.');
      await expect(playground.button('Play')).toBeEnabled();
      await expect(faster).toHaveCount(0);
      await playground.button('Play').click();
      await expect(faster).toBeVisible();
      await expect(told).toHaveCount(1);
      // The key + does what the hint says.
      await page.keyboard.press('+');
      await expect(faster).toHaveCount(0);
      await expect(told).toHaveCount(0);
      await expect(page.getByRole('group', { name: 'Pace' })).toContainText('held');
      // At a slow pace again, in this visit and in the next one, the hint does not appear again.
      for (const visit of ['this', 'next']) {
        if (visit === 'next') await page.reload();
        await expect(playground.button(visit === 'this' ? 'Pause' : 'Play')).toBeEnabled();
        await playground.speed().selectOption('first step slow, then doubling');
        if (visit === 'next') await playground.button('Play').click();
        await expect(playground.button('Pause')).toBeEnabled();
        await expect(page.getByRole('group', { name: 'Pace' })).toContainText('speeding up');
        await expect(faster).toHaveCount(0);
      }
    },
  );

test(
  'on a phone the hint is a button to press; in a frame of another page there is none',
  placeInBrowser({ rest: 'the hint is shown in the test before' }),
  async ({ playground }) => {
    const { page } = playground;
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(`./#${RUN}&embed=1`);
    const faster = playground.region('Stage').getByRole('button', { name: 'faster: +' });
    await playground.button('Play').click();
    await expect(playground.button('Pause')).toBeEnabled();
    await expect(page.getByRole('group', { name: 'Pace' })).toContainText('speeding up');
    await expect(faster).toHaveCount(0);
    await page.goto('about:blank');
    await page.goto(`./#${RUN}`);
    await playground.button('Play').click();
    await faster.click();
    await expect(page.getByRole('group', { name: 'Pace' })).toContainText('×0.04, held');
    await expect(faster).toHaveCount(0);
  },
);

test(
  'at full speed the page replays the last traced step, labelled; a pause shows the step of the training',
  placeInBrowser({ rest: 'Play reaches full speed in the quick tier' }),
  async ({ playground }) => {
    const { page } = playground;
    await playground.open(RUN);
    await playground.button('Play').click();
    const stage = playground.region('Stage');
    await expect(stage.getByText(/Replaying step [\d,]+; training is at [\d,]+/)).toBeVisible();
    // The replay keeps moving, and goes from one step to a later one.
    const shown = async () =>
      Number((await stage.getByText(/Replaying step/).textContent())?.match(/\d[\d,]*/)?.[0].replaceAll(',', ''));
    const first = await shown();
    await expect.poll(() => shown(), { timeout: 60_000 }).toBeGreaterThan(first);
    await playground.button('Pause').click();
    await expect(playground.button('Play')).toBeVisible();
    await expect(stage.getByText(/Replaying/)).toHaveCount(0);
    // The last steps before the pause may still be on their way to the page.
    const headed = async (): Promise<boolean> => {
      const step = await playground.number('Step');
      return page.getByRole('heading', { name: `Step ${step.toLocaleString('en')}`, exact: true }).isVisible();
    };
    await expect.poll(headed).toBe(true);
  },
);
