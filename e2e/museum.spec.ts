import { placeInBrowser } from '../scripts/tier';
import { axeFindsNothing } from './axe';
import { expect, test } from './playground';

const SHELF = 22;

test('a bug is opened with the keyboard, cured, and closed; the link names it', async ({ playground }) => {
  const { page } = playground;
  await playground.open('seed=0&data=xor&mode=single&device=cpu');
  await playground.button('Bugs').focus();
  await page.keyboard.press('Enter');
  const shelf = page.getByRole('dialog', { name: 'Bugs on purpose' });
  await expect(shelf.getByRole('listitem')).toHaveCount(SHELF);
  await shelf.getByRole('button', { name: /^Summed instead of averaged loss/ }).focus();
  await page.keyboard.press('Enter');

  const card = page.getByRole('region', { name: 'Bug: Summed instead of averaged loss' });
  await expect(card).toContainText('reduction="sum"');
  await expect(playground.mode('DistributedDataParallel')).toBeChecked();
  await expect.poll(() => playground.hash()).toContain('bug=sum-loss');
  await card.getByRole('button', { name: 'Cure it' }).click();
  await expect(card.getByRole('heading', { name: 'The cure' })).toBeVisible();
  await expect.poll(() => playground.hash()).toContain('cured=1');
  await card.getByRole('button', { name: 'Leave the museum' }).click();
  await expect(card).toBeHidden();
  await expect.poll(() => playground.hash()).not.toContain('bug=');
});

test(
  'a link to a bug runs it: without the broadcast the replicas differ',
  placeInBrowser({ rest: 'museum/ makes each bug, and a bug is opened on the page in the quick tier' }),
  async ({ playground }) => {
    await playground.open('bug=seeds&device=cpu');
    await playground.iterate(2);
    await expect.poll(() => playground.number('Replica divergence')).toBeGreaterThan(0.1);
    await playground.page.getByRole('button', { name: 'Cure it' }).click();
    await expect.poll(() => playground.number('Step')).toBe(0);
    await expect(playground.button('Play')).toBeEnabled();
    await playground.iterate(2);
    await expect.poll(() => playground.number('Replica divergence')).toBe(0);
  },
);

test(
  'axe finds nothing in the museum on a phone',
  placeInBrowser({
    rest: 'axe looks at the page in accessibility.spec.ts; these panels are made of the same controls',
  }),
  async ({ playground }) => {
    const { page } = playground;
    await page.setViewportSize({ width: 390, height: 800 });
    await playground.open('bug=set-epoch&device=cpu');
    // The museum is loaded after the page.
    await expect(page.getByRole('region', { name: /^Bug: / }).getByRole('button', { name: 'Cure it' })).toBeVisible();
    await axeFindsNothing(page, 'section[aria-label^="Bug"]');
  },
);
