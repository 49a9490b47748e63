/** A page of another site with three frames: each frame has its own height, and trains only while it is visible. */
import type { FrameLocator, Page } from '@playwright/test';
import { placeInBrowser } from '../scripts/tier';
import { expect, firstNumber, IN_MOTION, TINY, test } from './playground';

test.use(IN_MOTION);

const RUN = `${TINY}&data=xor&mode=ddp&world=2&device=cpu`;
const FIGURE = `${RUN}&embed=1&hide=bar,setup,result,code`;

/** The same content in a low and in a high frame, and the lab; below each frame is more than a screen of text. */
const FRAMES = [
  { title: 'low', hash: FIGURE, height: 480 },
  { title: 'high', hash: FIGURE, height: 1600 },
  { title: 'lab', hash: 'embed=1&hide=setup&lab=allReduce(ranks:3,length:6)', height: 300 },
] as const;

const HOST = `<!doctype html><title>A lesson</title><body style="margin: 0">
${FRAMES.map(
  ({ title, hash, height }) =>
    `<iframe title="${title}" src="./#${hash.replaceAll('&', '&amp;')}" style="width: 900px; height: ${height}px; border: 0"></iframe>
     <p style="height: 1200px">Text</p>`,
).join('\n')}
<script>
  globalThis.told = {};
  addEventListener('message', ({ data, source }) => {
    if (data?.type !== 'lockstep:height') return;
    for (const frame of document.querySelectorAll('iframe'))
      if (frame.contentWindow === source) {
        told[frame.title] = data.height;
        frame.style.height = data.height + 'px';
      }
  });
</script>`;

async function openHost(page: Page): Promise<void> {
  await page.route('**/some/folder/lesson', (route) => route.fulfill({ body: HOST, contentType: 'text/html' }));
  await page.goto('./lesson');
}

const told = (page: Page, title: string): Promise<number> =>
  page.evaluate((name) => Number(Reflect.get(Reflect.get(globalThis, 'told'), name)), title);

const frame = (page: Page, title: string): FrameLocator => page.frameLocator(`iframe[title="${title}"]`);
const step = async (embed: FrameLocator): Promise<number> =>
  firstNumber((await embed.getByRole('slider', { name: 'Scrub' }).getAttribute('aria-valuetext')) ?? '');

test('each frame reports the height of its content, whatever the height of the frame', async ({ playground }) => {
  const { page } = playground;
  await openHost(page);
  for (const title of ['low', 'high'])
    await expect(frame(page, title).getByRole('button', { name: 'Play', exact: true })).toBeEnabled();
  const low = frame(page, 'low');
  // The parts that are loaded later are there.
  await expect(low.getByRole('slider', { name: 'Time cursor' })).toBeVisible();
  await expect(frame(page, 'high').getByRole('slider', { name: 'Time cursor' })).toBeVisible();
  // The first step has been traced, and shown to its end.
  await expect(low.getByRole('slider', { name: 'Scrub' })).toHaveAttribute('aria-valuetext', /^step 1, moment 14 /, {
    timeout: 60_000,
  });
  await expect.poll(async () => (await told(page, 'low')) - (await told(page, 'high'))).toBe(0);
  for (const title of ['low', 'high']) {
    const over = frame(page, title).locator(':root');
    await expect.poll(() => over.evaluate((root) => root.scrollHeight - root.clientHeight)).toBe(0);
  }
  const before = await told(page, 'low');
  expect(before).toBeGreaterThan(480);
  expect(before).toBeLessThan(1600);
  // The frame grows if a part is opened, and shrinks if it is closed.
  const table = low.getByRole('region', { name: 'Timeline' }).getByText('As a table');
  await table.click();
  await expect.poll(() => told(page, 'low')).toBeGreaterThan(before);
  await table.click();
  await expect.poll(() => told(page, 'low')).toBe(before);
  await frame(page, 'lab')
    .getByRole('button', { name: 'Next round' })
    .or(frame(page, 'lab').getByRole('img'))
    .first()
    .waitFor();
  await expect.poll(() => told(page, 'lab')).toBeGreaterThan(200);
  for (const title of ['low', 'high', 'lab'])
    await expect(frame(page, title).getByRole('complementary', { name: 'Notices' })).toHaveCount(0);
});

test(
  'a frame out of view pauses, and continues when it is in view; a paused frame stays paused',
  placeInBrowser({ rest: 'a frame is shown and measured in the quick tier' }),
  async ({ playground }) => {
    const { page } = playground;
    await openHost(page);
    const [low, high] = [frame(page, 'low'), frame(page, 'high')];
    await low.getByRole('button', { name: 'Play', exact: true }).click();
    await expect.poll(() => step(low)).toBeGreaterThan(0);
    await page.evaluate(() => document.querySelector('iframe[title="high"]')?.scrollIntoView());
    await expect(low.getByRole('button', { name: 'Play', exact: true })).toHaveCount(1);
    await high.getByRole('button', { name: 'Play', exact: true }).click();
    await expect(high.getByRole('button', { name: 'Pause', exact: true })).toBeVisible();
    await high.getByRole('button', { name: 'Pause', exact: true }).click();
    await page.evaluate(() => scrollTo(0, 0));
    await expect(low.getByRole('button', { name: 'Pause', exact: true })).toBeVisible();
    await page.evaluate(() => document.querySelector('iframe[title="high"]')?.scrollIntoView());
    await expect(low.getByRole('button', { name: 'Play', exact: true })).toHaveCount(1);
    await expect(high.getByRole('button', { name: 'Play', exact: true })).toBeVisible();
  },
);

test(
  'a narrow frame: all of the bar is within it, in rows',
  placeInBrowser({ rest: 'first-look.spec.ts measures the bar of a whole page' }),
  async ({ playground }) => {
    const { page } = playground;
    await page.goto(`./#${RUN}&embed=1`);
    await expect(playground.button('Play')).toBeEnabled();
    for (const width of [1000, 820, 700, 500, 390]) {
      await page.setViewportSize({ width, height: 700 });
      const beyond = () =>
        page
          .getByRole('banner')
          .getByRole('button')
          .or(page.getByRole('banner').getByRole('radio'))
          .evaluateAll((all) => all.filter((one) => one.getBoundingClientRect().right > window.innerWidth).length);
      await expect.poll(beyond, `controls beyond a frame of ${width} px`).toBe(0);
    }
  },
);
