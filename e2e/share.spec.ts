import { placeInBrowser } from '../scripts/tier';
import { expect, Playground, TINY, test } from './playground';

test('a shared link opens the same run', async ({ playground, context }) => {
  await playground.open(`${TINY}&data=xor&seed=3&mode=dp&world=2&device=cpu&lr=0.05`);
  await playground.iterate(2);
  await expect.poll(() => playground.number('Step')).toBe(2);
  const loss = await playground.number('Loss');
  await playground.button('Share').click();
  const link = await playground.page.getByRole('textbox', { name: 'Link' }).inputValue();
  expect(link).toContain('seed=3');

  const page = await context.newPage();
  const other = new Playground(page);
  await page.goto(link);
  await expect(other.button('Play')).toBeEnabled();
  await expect(other.mode('DataParallel')).toBeChecked();
  await other.iterate(2);
  await expect.poll(() => other.number('Step')).toBe(2);
  await expect.poll(() => other.number('Loss')).toBe(loss);
  expect(other.problems).toEqual([]);
});

test(
  'clipping by norm, norm type and value: set on the page and shared, the run is the same',
  placeInBrowser({ rest: 'app/permalink writes and reads every key' }),
  async ({ playground, context }) => {
    await playground.open(`${TINY}&data=xor&mode=mp&world=2&device=cpu`);
    await playground.iterate(1);
    await expect(playground.field('Norm type')).toHaveCount(0);
    await playground.field('Clip norm').fill('0,02');
    await playground.field('Clip norm').press('Enter');
    await expect(playground.page.getByText('Write 0.02, with a decimal point.')).toBeInViewport({ ratio: 1 });
    for (const [label, text] of [
      ['Clip norm', '0.02'],
      ['Norm type', 'max'],
      ['Norm type', 'inf'],
      ['Clip value', '0.01'],
    ] as const) {
      await playground.field(label).fill(text);
      await playground.field(label).press('Enter');
      const refused = playground.page.getByText('The value must be a number from 0.5 to 16 or inf.');
      await expect(refused).toHaveCount(text === 'max' ? 1 : 0);
    }
    await expect.poll(() => playground.hash()).toMatch(/clip=0\.02.*clipType=inf.*clipValue=0\.01/);
    await expect(
      playground.page.getByText("nn.utils.clip_grad_norm_(model.parameters(), 0.02, norm_type='inf')"),
    ).toBeVisible();
    await expect(playground.page.getByText('nn.utils.clip_grad_value_(model.parameters(), 0.01)')).toBeVisible();
    await playground.iterate(3);
    await expect.poll(() => playground.number('Step')).toBe(3);
    const loss = await playground.number('Loss');

    const other = new Playground(await context.newPage());
    await other.page.goto(playground.page.url());
    await expect(other.field('Norm type')).toHaveValue('inf');
    await expect(other.field('Clip value')).toHaveValue('0.01');
    await other.iterate(3);
    await expect.poll(() => other.number('Step')).toBe(3);
    await expect.poll(() => other.number('Loss')).toBe(loss);
    expect(other.problems).toEqual([]);
  },
);

test('invalid values in a link are kept and named, and the run uses the defaults', async ({ playground }) => {
  const { page } = playground;
  await playground.open(`${TINY}&world=99&mode=teleport&colour=blue&lr=minus&noise=12&device=cpu`);
  for (const text of ['world', 'mode', 'colour', 'lr', 'noise']) await expect(playground.notice(text)).toBeVisible();
  // However many they are, the page stays in its place; the last one is scrolled to.
  const strips = page.getByRole('complementary', { name: 'Notices' });
  expect((await strips.boundingBox())?.height).toBeLessThan(100);
  const one = strips.getByRole('status');
  await expect(one).toHaveCount(5);
  await one.last().getByRole('button', { name: 'Dismiss' }).click();
  await expect(one).toHaveCount(4);
  expect(playground.hash()).toContain('world=99');
  await playground.iterate(1);
  await expect.poll(() => playground.number('Step')).toBe(1);
  await test.step('back returns to the settings before', async () => {
    await playground.follow(`${TINY}&data=xor&mode=single&device=cpu`);
    await playground.choose('Model parallel');
    await expect.poll(() => playground.hash()).toContain('mode=mp');
    await playground.page.goBack();
    await expect(playground.mode('Single')).toBeChecked();
  });
});
