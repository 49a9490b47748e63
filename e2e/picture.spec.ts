import { expect, type Playground, TINY, test } from './playground';

/** All tests use one page; each checks another part of it. */
const CASES: readonly (readonly [string, (playground: Playground) => Promise<void>])[] = [
  [
    'the stage is there for eyes, keyboard and as a table',
    async (playground) => {
      const { page } = playground;
      const stage = playground.region('Stage');
      await expect(stage.getByRole('img')).toHaveAccessibleName(/2 devices/);

      await stage.getByText('As a table').click();
      const rows = stage.getByRole('table').getByRole('row');
      await expect(rows).toHaveCount(3);
      await expect(rows.nth(1)).toContainText('rank 0');
      await expect(rows.nth(1)).toContainText('sum of 2');

      const items = stage.getByRole('listbox', { name: 'Items on the stage' });
      await items.focus();
      await items.press('Home');
      await expect(items.getByRole('option')).toContainText('rank 0 now');
      await items.press('ArrowRight');
      // The pictures of operators may appear after the first drawing of the stage.
      await expect(items.getByRole('option')).toContainText(/0\.weight(\.grad)? on rank 0/);
      await expect(page.getByText(/^0\.weight(\.grad)? on rank 0$/)).toBeVisible();
    },
  ],

  [
    'the timeline goes to an event by keyboard and by pointer, and lists them',
    async (playground) => {
      const timeline = playground.region('Timeline');
      const cursor = timeline.getByRole('slider', { name: 'Time cursor' });
      await cursor.focus();
      await cursor.press('Home');
      await cursor.press('ArrowRight');
      await expect(cursor).toHaveAttribute('aria-valuetext', /^event 1 of \d+: loading samples on rank 0/);
      await cursor.press('ArrowRight');
      await expect(playground.scrub()).toHaveAttribute('aria-valuetext', /^step 1, moment 1 of/);

      const box = await cursor.boundingBox();
      if (!box) throw new Error('the timeline has no size');
      await cursor.click({ position: { x: box.width - 24, y: 49 } });
      await expect(cursor).toHaveAttribute('aria-valuetext', /optimizer\.step\(\) on rank 0/);

      const events = Number(await cursor.getAttribute('aria-valuemax'));
      await timeline.getByText('As a table').click();
      await expect(timeline.getByRole('row').filter({ hasText: /compute|comm/ })).toHaveCount(events);
    },
  ],

  [
    'the two clocks are never without their label',
    async (playground) => {
      const timeline = playground.region('Timeline');
      await expect(timeline.getByRole('radio', { name: 'modelled' })).toBeChecked();
      await expect(timeline).toContainText('modelled time, 2 × A100');
      await timeline.getByRole('radio', { name: 'measured' }).check();
      await expect(timeline).toContainText('virtual devices share it');
    },
  ],
];

test('stage, timeline and clocks can be seen, used with the keyboard, and read as tables', async ({ playground }) => {
  // The code of the stage arrives after the step, as on a slow connection: then no further change tells the stage to
  // draw.
  const { page } = playground;
  let letCome = () => {};
  const mayCome = new Promise<void>((resolve) => {
    letCome = resolve;
  });
  await page.route(/assets\/stage-[\w-]+\.js/, async (route) => {
    await mayCome;
    await route.continue();
  });
  await playground.open(`${TINY}&data=xor&mode=ddp&world=2&device=cpu`);
  await playground.iterate(1);
  letCome();
  for (const [title, run] of CASES) await test.step(title, () => run(playground));
});
