import { placeInBrowser } from '../scripts/tier';
import { axeFindsNothing, axeFindsNothingOnPhone } from './axe';
import { expect, type Playground, test } from './playground';

const CNN = 'seed=0&data=digits&size=12&samples=400&channels=4-8&batch=32&mode=single&compare=0&device=cpu';

const tab = ({ page }: Playground, name: string) => page.getByRole('tab', { name, exact: true });
const pad = ({ page }: Playground) => page.getByRole('application', { name: 'Drawing pad' });

/** Draws along points, given as fractions of the pad. */
async function draw(playground: Playground, points: readonly (readonly [number, number])[]): Promise<void> {
  await pad(playground).scrollIntoViewIfNeeded();
  const box = await pad(playground).boundingBox();
  if (!box) throw new Error('the pad has no place');
  const { mouse } = playground.page;
  for (const [i, [x, y]] of points.entries()) {
    await mouse.move(box.x + x * box.width, box.y + y * box.height, { steps: 4 });
    if (i === 0) await mouse.down();
  }
  await mouse.up();
}

/** The class with the longest bar; undefined while there are no bars. */
async function likeliest(playground: Playground): Promise<number | undefined> {
  const bars = playground.page.getByRole('list', { name: 'Class probabilities' }).getByRole('status');
  const shares = (await bars.allTextContents()).map((text) => Number.parseFloat(text));
  return shares.some(Number.isFinite) ? shares.indexOf(Math.max(...shares)) : undefined;
}

/** The colour of the picture that the model gets while nothing is drawn; the theme is light. */
const groundOfEmptyPicture = ({ page }: Playground): Promise<string> =>
  page.getByText('12 × 12, as the model reads it').evaluate((text) => {
    const canvas = text.parentElement?.querySelector('canvas');
    const [r = 0, g = 0, b = 0] = canvas?.getContext('2d')?.getImageData(0, 0, 1, 1).data ?? [];
    return `#${[r, g, b].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
  });

test(
  'a digit drawn with the pointer is classified, and mistakes are shown',
  placeInBrowser({ rest: 'inference/ classifies, and presets.spec.ts trains a CNN on digits' }),
  async ({ playground }) => {
    await playground.open(CNN);
    await playground.playUntilStep(60);
    await draw(playground, [
      [0.42, 0.32],
      [0.5, 0.2],
      [0.5, 0.5],
      [0.5, 0.8],
    ]);
    await expect.poll(() => likeliest(playground)).toBe(1);
    await playground.button('Clear').click();
    await expect(playground.status('Probability of 1')).toHaveText('–');
    expect(await groundOfEmptyPicture(playground)).toBe('#ffffff');

    await tab(playground, 'Confusion').click();
    await playground.page.getByRole('tabpanel').getByText('As a table').click();
    const table = playground.page.getByRole('table', { name: 'Confusion matrix' }).getByRole('cell');
    await expect(table).toHaveCount(100);
    const cells = await table.allTextContents();
    expect(cells.map(Number).reduce((sum, n) => sum + n, 0)).toBe(80);

    await playground.page.getByRole('listbox', { name: /Confusion matrix/ }).focus();
    await playground.page.keyboard.press('ArrowRight');
    await expect(
      playground
        .region('Result')
        .getByText(/^target 0 taken for 1: \d+ of \d+$/)
        .first(),
    ).toBeVisible();

    await tab(playground, 'Mistakes').click();
    const mistakes = playground.page.getByRole('list', { name: /Misclassified/ }).getByRole('button');
    await expect(mistakes.first()).toHaveAccessibleName(/^is \d, classified as \d, \d+ %$/);
    const last = mistakes.last();
    await last.click();
    await expect(last).toHaveAttribute('aria-pressed', 'true');

    await tab(playground, 'Filters').click();
    await expect(playground.region('Result').getByRole('heading', { name: '4.weight' })).toBeVisible();
  },
);

test(
  'the keyboard draws, and the arrow keys change tabs',
  placeInBrowser({ rest: 'inference/ classifies; accessibility.spec.ts comes to every control' }),
  async ({ playground }) => {
    const { page } = playground;
    await playground.open(CNN);
    await pad(playground).focus();
    await page.keyboard.press('Space');
    for (let i = 0; i < 8; i++) await page.keyboard.press('ArrowDown');
    await expect.poll(() => likeliest(playground)).toBeGreaterThanOrEqual(0);
    await expect(playground.button('Play')).toBeVisible();
    await page.keyboard.press('Delete');
    await expect(playground.status('Probability of 1')).toHaveText('–');
    await tab(playground, 'Draw').focus();
    await page.keyboard.press('ArrowRight');
    await expect(tab(playground, 'Confusion')).toBeFocused();
    await expect(tab(playground, 'Confusion')).toHaveAttribute('aria-selected', 'true');
  },
);

test(
  'axe finds nothing in the views of images, wide and on a phone',
  placeInBrowser({
    rest: 'axe looks at the page in accessibility.spec.ts; these panels are made of the same controls',
  }),
  async ({ playground }) => {
    const { page } = playground;
    await playground.open(CNN);
    for (const looks of [axeFindsNothing, axeFindsNothingOnPhone])
      for (const name of ['Draw', 'Confusion', 'Mistakes', 'Filters'])
        await test.step(name, async () => {
          await tab(playground, name).click();
          await expect(page.getByRole('tabpanel', { name })).not.toBeEmpty();
          await looks(page, 'section[aria-label="Result"]');
        });
  },
);
