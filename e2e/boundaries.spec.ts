/**
 * An error while a part of the page is drawn removes only this part, and training continues. Each test makes the error
 * by removing something that the part needs for drawing.
 */

import { placeInBrowser } from '../scripts/tier';
import { expect, type Playground, TINY, test } from './playground';

const RUN = `${TINY}&data=xor&mode=ddp&world=2&device=cpu`;

/** From now on, drawing on canvases inside this region fails; '' ends this. */
const breakCanvases = ({ page }: Playground, region: string) =>
  page.evaluate((name) => Reflect.set(globalThis, 'brokenRegion', name), region);

test.beforeEach(async ({ playground }) => {
  playground.provokes(/the canvas is gone|the colours are gone|The above error|recreate this component tree/);
  await playground.page.addInitScript(() => {
    const real = HTMLCanvasElement.prototype.getContext;
    Object.defineProperty(HTMLCanvasElement.prototype, 'getContext', {
      value(this: HTMLCanvasElement, ...given: unknown[]) {
        const region: unknown = Reflect.get(globalThis, 'brokenRegion');
        if (region && this.closest(`section[aria-label="${String(region)}"]`)) throw new Error('the canvas is gone');
        return Reflect.apply(real, this, given);
      },
    });
  });
});

test(
  'Buckets is closed, and the mode changes while it is open: the page stays',
  placeInBrowser({ rest: 'the fence around the whole page is tested in the quick tier' }),
  async ({ playground }) => {
    const { page } = playground;
    await playground.open(RUN);
    const buckets = page.getByRole('region', { name: 'Buckets of the step' });
    const summary = page.getByText(/^Buckets/).first();
    await summary.click();
    await expect(buckets).toBeVisible();
    await summary.click();
    await expect(buckets).toHaveCount(0);
    await playground.iterate(1);
    await summary.click();
    await expect(buckets).toBeVisible();
    await playground.choose('Single');
    await expect(buckets).toHaveCount(0);
    await playground.iterate(1);
  },
);

test(
  'a part that cannot be drawn shows a message, the other parts work on, and the part comes back',
  placeInBrowser({ rest: 'the fence around the whole page is tested in the quick tier' }),
  async ({ playground }) => {
    const { page } = playground;
    await playground.open(RUN);
    for (const name of ['Stage', 'Timeline', 'Set-up', 'Result'] as const)
      await test.step(name, async () => {
        await breakCanvases(playground, name);
        // A change of the colours draws everything again.
        await page.getByRole('button', { name: /^Use the .* theme$/ }).click();
        const alert = playground.region(name).getByRole('alert');
        await expect(alert).toContainText('could not be drawn');
        await expect(alert).toContainText('This is a bug in Lockstep: the canvas is gone.');
        await expect(alert.getByRole('link')).toHaveAttribute('href', /#.*seed=0.*data=xor/);
        await expect(page.getByRole('alert')).toHaveCount(1);
        // The run, the bar and the other drawings are not affected.
        const step = (await playground.number('Step')) + 5;
        await playground.playUntilStep(step);
        await breakCanvases(playground, '');
        await alert.getByRole('button', { name: 'Try again' }).click();
        await expect(page.getByRole('alert')).toHaveCount(0);
        await expect(playground.region(name).locator('canvas').first()).toBeVisible();
        expect(await playground.number('Step')).toBeGreaterThanOrEqual(step);
      });
  },
);

test('if no other boundary catches an error, the whole page shows a message, and training continues', async ({
  playground,
}) => {
  const { page } = playground;
  await playground.open(RUN);
  await playground.button('Play').click();
  await expect.poll(() => playground.number('Step')).toBeGreaterThan(2);
  await page.evaluate(() => {
    const real = window.getComputedStyle;
    Reflect.set(window, 'heal', () => Reflect.set(window, 'getComputedStyle', real));
    window.getComputedStyle = () => {
      throw new Error('the colours are gone');
    };
  });
  await page.getByRole('button', { name: /^Use the .* theme$/ }).click();
  const alert = page.getByRole('alert');
  await expect(alert).toContainText('The page could not be drawn. This is a bug in Lockstep: the colours are gone.');
  await expect(alert.getByRole('link', { name: /with these settings/ })).toHaveAttribute('href', /#.*seed=0.*data=xor/);
  await page.evaluate(() => Reflect.get(window, 'heal')());
  await alert.getByRole('button', { name: 'Try again' }).click();
  await expect(alert).toHaveCount(0);
  const step = await playground.number('Step');
  expect(step).toBeGreaterThan(2);
  await expect.poll(() => playground.number('Step')).toBeGreaterThan(step);
  await playground.button('Pause').click();
});

test('a page that cannot start shows a message that says what to do', async ({ playground }) => {
  const { page } = playground;
  playground.provokes(/no media/);
  await page.addInitScript(() => {
    window.matchMedia = () => {
      throw new Error('no media');
    };
  });
  await page.goto(`./#${RUN}`);
  const alert = page.getByRole('alert');
  await expect(alert).toContainText('no media');
  await expect(alert.getByRole('button', { name: 'Try again' })).toBeVisible();
  await expect(alert.getByRole('link', { name: 'Start with the default settings' })).toBeVisible();
});

test('uncaught errors and rejections, on the page and in its worker, become notices', async ({ playground }) => {
  const { page } = playground;
  playground.provokes(/stray one|stray two|stray three/);
  await playground.open(`${TINY}&data=xor&mode=single&device=cpu`);
  await page.evaluate(() => {
    setTimeout(() => {
      throw new Error('stray one');
    });
  });
  await expect(playground.notice('Something went wrong outside the run: stray one')).toBeVisible();
  await page.evaluate(() => void Promise.reject(new Error('stray two')));
  await expect(playground.notice('Something went wrong outside the run: stray two')).toBeVisible();
  const [worker] = page.workers();
  await worker?.evaluate(() => void Promise.reject(new Error('stray three')));
  await expect(playground.notice('Something went wrong outside the run: stray three')).toBeVisible();
  await playground.iterate(1);
});
