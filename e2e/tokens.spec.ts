import { placeInBrowser } from '../scripts/tier';
import { axeFindsNothing } from './axe';
import { expect, type Playground, test } from './playground';

const RUN = 'seed=0&gpt=1-2-16&mode=single&compare=0&device=cpu';
const TEXT = `${RUN}&data=text&context=16`;
const REVERSE = `${RUN}&data=sequence&task=reverse&length=3&symbols=5`;

const tab = ({ page }: Playground, name: string) => page.getByRole('tab', { name, exact: true });

test(
  'a text model writes while it learns, and continues a prompt',
  placeInBrowser({ rest: 'inference/ writes texts and goes on from a prompt' }),
  async ({ playground }) => {
    const { page } = playground;
    await playground.open(TEXT);
    await playground.iterate(2);
    const samples = page.getByRole('list', { name: /Samples/ }).getByRole('listitem');
    await expect(samples.first()).toContainText('step 2');
    await expect(samples.last()).toContainText('step 0');
    await expect.poll(() => playground.number('Train perplexity')).toBeGreaterThan(1);

    const panel = page.getByRole('tabpanel', { name: 'Text' });
    await panel.getByLabel('Prompt').fill('the ');
    await panel.getByLabel('Length').fill('20');
    const write = async () => {
      await playground.button('Write').click();
      await expect(playground.button('Write')).toBeEnabled();
      return await panel.getByRole('status', { name: 'Written text' }).textContent();
    };
    const first = await write();
    expect(first).toMatch(/^the /);
    expect(first).toHaveLength(24);
    expect(await write()).toBe(first);
    await panel.getByLabel('Seed').fill('1');
    expect(await write()).not.toBe(first);

    await panel.getByLabel('Prompt').fill('Ω');
    await playground.button('Write').click();
    await expect(panel.getByText(/Ω/).last()).toContainText('The prompt has a token that the data does not contain');
    await axeFindsNothing(page, 'section[aria-label="Result"]');
  },
);

test(
  'answers are right after the task is learnt, and attention is shown with its tokens',
  placeInBrowser({ rest: 'it trains until the task is learnt' }),
  async ({ playground }) => {
    const { page } = playground;
    await playground.open(REVERSE);
    const answers = page.getByRole('region', { name: 'Answers' });
    await expect(answers.getByRole('img', { name: 'wrong' }).first()).toBeVisible();
    await axeFindsNothing(page, 'section[aria-label="Result"]');
    // The step at which a pause ends may have one less than the step before it.
    await expect(async () => {
      await playground.button('Play').click();
      await expect(page.getByText(/^8 of 8/)).toBeVisible({ timeout: 60_000 });
      await playground.button('Pause').click();
      await expect(playground.button('Play')).toBeVisible();
      await expect(answers.getByRole('img', { name: 'right' })).toHaveCount(8, { timeout: 3000 });
    }).toPass({ timeout: 75_000 });

    await tab(playground, 'Attention').click();
    const map = page.getByRole('listbox', { name: 'Attention of blocks.0, head 0' });
    await map.focus();
    await page.keyboard.press('ArrowDown');
    await expect(map.getByRole('option')).toHaveText(/^‘.’ at 1 looks at ‘.’ at 0: \d+ %$/);
    await page.getByRole('button', { name: 'blocks.0, head 1' }).click();
    await expect(page.getByRole('listbox', { name: 'Attention of blocks.0, head 1' })).toBeAttached();
    await page.emulateMedia({ colorScheme: 'dark' });
    await axeFindsNothing(page, 'section[aria-label="Result"]');
  },
);
