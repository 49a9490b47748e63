/**
 * The larger choices of the set-up: each preset trains, links restore presets, the user's own text can be used, and the
 * sums of the memory tree are right.
 */

import { placeInBrowser } from '../scripts/tier';
import { expect, Playground, type PresetTitle, test } from './playground';

/** The link makes everything as small as possible: the test checks the page, not the arithmetic. */
const SMALL = 'seed=0&mode=single&device=cpu&compare=0';

async function trains(playground: Playground, steps: number): Promise<void> {
  await expect(playground.button('Play')).toBeEnabled();
  await playground.iterate(1);
  // Over all rows, because the loss of one batch goes up and down, and the step at which Pause stops is random.
  await expect.poll(() => playground.number('Train loss')).toBeGreaterThan(0);
  const first = await playground.number('Train loss');
  await playground.playUntilStep(steps);
  await expect.poll(() => playground.number('Train loss')).toBeLessThan(first);
}

const STEPS: Readonly<Record<PresetTitle, number>> = { MLP: 60, 'Wide MLP': 12, 'CNN with BatchNorm': 16, GPT: 12 };

test(
  'one click on a preset gives a run that learns, coming from another kind of model each time',
  placeInBrowser({ rest: 'one preset is trained and changed in the quick tier' }),
  async ({ playground }) => {
    await playground.open(`${SMALL}&preset=cnn&channels=2-2&samples=100`);
    for (const title of ['MLP', 'Wide MLP', 'CNN with BatchNorm', 'GPT'] as const)
      await test.step(title, async () => {
        await playground.preset(title).click();
        await expect(playground.preset(title)).toBeChecked();
        await expect(playground.status('Step')).toHaveText('0');
        await trains(playground, STEPS[title]);
      });
  },
);

test('a changed CNN is in the link, and the link restores it', async ({ playground, context }) => {
  await playground.open(`${SMALL}&preset=cnn&samples=200&channels=2-4`);
  await playground.field('Channels').fill('3');
  await playground.field('Channels').press('Enter');
  await expect.poll(() => playground.hash()).toContain('channels=3-4');
  expect(playground.hash()).toContain('preset=cnn');
  await playground.iterate(1);
  const loss = await playground.number('Loss');
  const page = await context.newPage();
  const other = new Playground(page);
  await page.goto(playground.page.url());
  await expect(other.button('Play')).toBeEnabled();
  await expect(other.preset('CNN with BatchNorm')).toBeChecked();
  await expect(other.field('Channels')).toHaveValue('3');
  await other.iterate(1);
  await expect.poll(() => other.number('Loss')).toBe(loss);
  expect(other.problems).toEqual([]);
});

test(
  'choosing digits replaces a plain net, and the page says so; Back restores the net',
  placeInBrowser({ rest: 'app/edit holds what a choice of data changes' }),
  async ({ playground }) => {
    await playground.open(`${SMALL}&layers=2-4-1`);
    await playground.data('Digits').click();
    await expect(playground.notice(/preset CNN with BatchNorm replaced it/)).toBeVisible();
    await expect(playground.preset('CNN with BatchNorm')).toBeChecked();
    await expect(playground.button('Play')).toBeEnabled();
    await playground.iterate(1);
    await playground.page.goBack();
    await expect(playground.preset('MLP')).toBeChecked();
    await expect.poll(() => playground.hash()).toContain('layers=2-4-1');
  },
);

test(
  'the GPT learns a dropped text, and a text that is too short does not replace it',
  placeInBrowser({ rest: 'csv.spec.ts drops a file' }),
  async ({ playground }) => {
    await playground.open(`${SMALL}&preset=gpt&gpt=1-2-16&context=8`);
    await playground.drop([
      { name: 'rhyme.txt', text: 'one two three four five six seven eight nine ten. '.repeat(20) },
    ]);
    await expect(playground.page.getByText('rhyme.txt').first()).toBeVisible();
    await expect.poll(() => playground.hash()).toContain('file=rhyme.txt');
    await trains(playground, 20);
    await playground.drop([{ name: 'short.txt', text: 'abc' }]);
    await expect(playground.notice(/short\.txt.*3 characters/)).toBeVisible();
    await expect(playground.page.getByText('rhyme.txt').first()).toBeVisible();
    await expect(playground.button('Play')).toBeEnabled();
  },
);

test(
  'files that are not data are named, and the earlier data stays',
  placeInBrowser({ rest: 'app/looks names what a file is' }),
  async ({ playground }) => {
    await playground.open(`${SMALL}&samples=32&layers=2-4-1`);
    await playground.drop([{ name: 'song.mp3', text: 'la', type: 'audio/mpeg' }]);
    await expect(playground.notice(/song\.mp3: Lockstep cannot read this kind of file/)).toBeVisible();
    await playground.drop([{ name: 'x-images-idx3-ubyte', text: 'la' }]);
    await expect(playground.notice(/two files/)).toBeVisible();
    await playground.iterate(1);
  },
);

test(
  'the memory tree adds up to the peak on every level, with the keyboard',
  placeInBrowser({ rest: 'app/memory/memory-tree.test.ts adds up the same tree' }),
  async ({ playground }) => {
    await playground.open('seed=0&preset=cnn&channels=2-4&samples=100&batch=8&mode=ddp&world=2&device=cpu');
    const tree = await playground.memoryTree();
    const bytesOf = (level: number) =>
      tree
        .locator(`tr[aria-level="${level}"]`)
        .evaluateAll((rows) => rows.map((row) => Number(row.getAttribute('data-bytes'))));
    await expect(tree.locator('tr[aria-level="1"]')).toHaveCount(2);
    await tree.locator('tr[aria-level="1"]').first().focus();
    const [device = 0] = await bytesOf(1);
    const categories = await bytesOf(2);
    expect(categories.length).toBeGreaterThan(3);
    expect(categories.reduce((a, b) => a + b, 0)).toBe(device);
    await playground.page.keyboard.press('ArrowRight');
    await playground.page.keyboard.press('ArrowRight');
    await expect(tree.locator('tr[aria-level="3"]').first()).toBeVisible();
    const modules = await bytesOf(3);
    expect(modules.reduce((a, b) => a + b, 0)).toBe(categories[0]);
    await playground.page.keyboard.press('ArrowRight');
    await playground.page.keyboard.press('ArrowRight');
    await expect(tree.locator('tr[aria-level="4"]').first()).toBeVisible();
    const tensors = await bytesOf(4);
    expect(tensors.reduce((a, b) => a + b, 0)).toBe(modules[0]);
  },
);
