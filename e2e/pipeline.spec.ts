import { placeInBrowser } from '../scripts/tier';
import { axeFindsNothing } from './axe';
import { expect, type Playground, test } from './playground';

/** Two stages, four micro-batches: the cells of a row are F0 to F3 and B0 to B3. */
const TWO =
  'seed=0&data=xor&samples=64&test=0&batch=16&layers=2-4-1&act=tanh&mode=pipeline&pp=2&microBatches=4&device=cpu';

const timeline = (playground: Playground) => playground.region('Timeline');
const tab = (playground: Playground, name: string) => timeline(playground).getByRole('tab', { name, exact: true });
const cell = (playground: Playground, name: string | RegExp) => timeline(playground).getByRole('button', { name });
const said = (playground: Playground) =>
  timeline(playground).getByRole('status', { name: 'Selected in the schedule', exact: true });
const verdict = (playground: Playground) =>
  timeline(playground).getByRole('status', { name: 'Your schedule', exact: true });

test('the schedule as a picture: a cell moves the cursor, and a gap says why it is there', async ({ playground }) => {
  await playground.open(`${TWO}&pipeline=GPipe`);
  await expect(tab(playground, 'Schedule')).toHaveAttribute('aria-selected', 'true');
  await cell(playground, 'F0 of stage 0').focus();
  for (const key of ['ArrowRight', 'ArrowRight']) await playground.page.keyboard.press(key);
  await expect(cell(playground, 'F2 of stage 0')).toBeFocused();
  await playground.page.keyboard.press('Enter');
  await expect(said(playground)).toHaveText('Forward pass of micro-batch 2 in stage 0: from 2 to 3 units.');
  // Wherever the preview was: this forward pass is the fifth moment of the step.
  await expect.poll(() => playground.position()).toBe(5);

  // Two cells to the right is the bubble, in which stage 0 waits for the first gradient.
  for (const key of ['ArrowRight', 'ArrowRight', 'Enter']) await playground.page.keyboard.press(key);
  await expect(said(playground)).toHaveText(
    'Stage 0 is idle for 3 units. It waits for the gradient of micro-batch 0, which stage 1 computes until 7.',
  );
  await timeline(playground).getByRole('radio', { name: 'modelled' }).check({ force: true });
  await cell(playground, /of stage 0|of stage 1/)
    .first()
    .focus();
  await timeline(playground).getByText('As a table').click();
  const table = timeline(playground).getByRole('region', { name: 'Cells of the schedule' });
  await expect(table.getByRole('button', { name: 'B3', exact: true })).toHaveCount(2);
  await expect(table).toContainText(/computes until [\d.]+ µs; the message then takes/);
  await axeFindsNothing(playground.page, '[role="tabpanel"]');
  await tab(playground, 'Timeline').click();
  await expect(timeline(playground).getByRole('slider', { name: 'Time cursor' })).toBeVisible();
});

test(
  'an own schedule is built, refused, corrected and run, and a link contains it',
  placeInBrowser({ rest: 'app/pipeline/draft.test.ts and schedules/ hold what is built and what is refused' }),
  async ({ playground }) => {
    const { page } = playground;
    await playground.open(`${TWO}&pipeline=GPipe`);
    await playground.iterate(2);
    const loss = await playground.status('Loss').textContent();
    await tab(playground, 'Build your own').click();
    await expect(verdict(playground)).toHaveText('This schedule can run. It is GPipe.');

    // A backward pass before the forward pass that it needs.
    await cell(playground, /^F0 of stage 1/)
      .or(cell(playground, /^F0 of stage 0/))
      .first()
      .focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('End');
    await expect(cell(playground, /^end of stage 1/)).toBeFocused();
    // Past the bubble at the end, to the last backward pass.
    for (const key of ['ArrowLeft', 'ArrowLeft']) await page.keyboard.press(key);
    for (let i = 0; i < 7; i++) await page.keyboard.press('Alt+ArrowLeft');
    await expect(verdict(playground)).toContainText('Rank 1 runs 1B3 (cell 1) before 1F3 (cell 5), which 1B3 needs.');
    await axeFindsNothing(page, '[role="tabpanel"]');
    await playground.button('Run it').press('Enter');
    await expect(verdict(playground)).toContainText('The schedule cannot run yet.');
    for (let i = 0; i < 7; i++) await playground.button('Undo (Ctrl+Z)').click();
    await expect(verdict(playground)).toHaveText('This schedule can run. It is GPipe.');

    // Typed again, with one forward and one backward pass in turn.
    await timeline(playground).getByRole('combobox', { name: 'Start from' }).selectOption('nothing');
    await expect(verdict(playground)).toContainText('Rank 0 never runs 0F0.');
    await cell(playground, /^end of stage 0/).focus();
    await page.keyboard.type('ffbfbfbb');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('End');
    await page.keyboard.type('fbfbfbfb');
    await expect(verdict(playground)).toHaveText('This schedule can run. It is 1F1B.');
    await expect(
      timeline(playground)
        .getByRole('table', { name: 'Score' })
        .getByRole('row', { name: /^yours/ }),
    ).toHaveText(/yours\s*15\s*20.0 %\s*2/);
    await playground.button('Run it').click();
    await expect(playground.button('this runs')).toBeVisible();
    await expect.poll(() => playground.hash()).toContain('actions=0F0,0F1,0B0,0F2,0B1,0F3,0B2,0B3~1F0,1B0,');
    await playground.iterate(2);
    await expect(playground.status('Loss')).toHaveText(loss ?? '');

    // The link alone restores the schedule.
    await page.reload();
    await expect(playground.button('Play')).toBeEnabled();
    await tab(playground, 'Build your own').click();
    await expect(verdict(playground)).toHaveText('This schedule can run. It is 1F1B.');
  },
);
