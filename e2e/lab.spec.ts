import { readFile } from 'node:fs/promises';
import { placeInBrowser } from '../scripts/tier';
import { axeFindsNothing, axeFindsNothingOnPhone } from './axe';
import { expect, TINY, test } from './playground';

const RUN = `${TINY}&data=xor&mode=single&device=cpu`;

test('the lab opens from the bar, is stepped with the keyboard, is in the link, and closes with Escape', async ({
  playground,
}) => {
  const { page } = playground;
  await playground.open(RUN);
  await playground.button('Lab').click();
  const lab = page.getByRole('dialog', { name: 'Collectives lab' });
  const shown = lab.getByRole('status', { name: 'Round shown' });
  await expect(shown).toHaveText('start');
  await page.keyboard.press('.');
  await page.keyboard.press('.');
  await expect(shown).toHaveText('2 of 6');
  await expect(lab.getByText(/^Round 2 of 6, reduce-scatter: every rank sends 4 elements/)).toBeVisible();
  await expect.poll(() => page.url()).toContain('lab=allReduce(round:2)');
  await page.keyboard.press(',');
  await expect(shown).toHaveText('1 of 6');
  await page.keyboard.press('End');
  await expect(shown).toHaveText('6 of 6');
  await expect(lab.getByText('The result is exact.')).toBeVisible();
  await lab.getByText('As a table', { exact: true }).click();
  await expect(lab.getByRole('cell', { name: '0, 1, 2, 3', exact: true }).first()).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(lab).toBeHidden();
  await expect.poll(() => page.url()).not.toContain('lab=');
  // The run below the lab is the run from before.
  await expect(playground.button('Play')).toBeEnabled();
});

test(
  'a link opens the lab at the same round, and other settings run another collective',
  placeInBrowser({ rest: 'app/permalink reads the link' }),
  async ({ playground }) => {
    const { page } = playground;
    await playground.open(`${RUN}&lab=allReduce(algorithm:naive,ranks:3,round:1)`);
    const lab = page.getByRole('dialog', { name: 'Collectives lab' });
    await expect(lab.getByRole('heading', { name: 'all_reduce by naive exchange' })).toBeVisible();
    await expect(lab.getByRole('status', { name: 'Round shown' })).toHaveText(/^1 of/);
    await lab.getByLabel('Algorithm', { exact: true }).selectOption('ring');
    await expect(lab.getByRole('heading', { name: 'all_reduce by ring' })).toBeVisible();
    await lab.getByRole('slider', { name: 'Ranks' }).fill('8');
    await expect(lab.getByRole('slider', { name: 'Round' })).toHaveAttribute('max', '14');
    await expect.poll(() => page.url()).toContain('lab=allReduce(ranks:8)');
    await lab.getByLabel('Elements', { exact: true }).fill('0');
    await lab.getByLabel('Elements', { exact: true }).press('Enter');
    await expect(lab.getByText(/Nothing has to be sent/)).toBeVisible();
    await lab.getByRole('button', { name: 'Measure on this machine' }).click();
    await expect(lab.getByRole('button', { name: /median of \d+ runs/ })).toBeVisible();
  },
);

test(
  'an embedded lab shows only the figure, reports its height, trains nothing, and waits while it is out of view',
  placeInBrowser({ rest: 'embeds.spec.ts embeds the lab' }),
  async ({ playground }) => {
    const { page } = playground;
    // The figure's own clock, so that the test need not wait for ten seconds out of view.
    await page.clock.install();
    await page.goto('./#embed=1&lab=allReduce');
    const src = page.url();
    await page.route('**/frame.html', (route) =>
      route.fulfill({
        contentType: 'text/html',
        body: `<title>frame</title><script>onmessage=(e)=>{document.title=String(e.data.height)}</script>
        <iframe title="figure" src="${src}" width="900" height="700"></iframe><div style="height:4000px"></div>`,
      }),
    );
    await page.goto('./frame.html');
    const figure = page.frameLocator('iframe');
    const shown = figure.getByRole('status', { name: 'Round shown' });
    await expect(shown).toHaveText('start');
    await expect(figure.getByRole('button', { name: 'Step iteration' })).toHaveCount(0);
    await expect.poll(async () => Number(await page.title())).toBeGreaterThan(500);
    await figure.getByRole('button', { name: 'Play the rounds' }).click();
    await expect(shown).toHaveText(/^\d of 6$/);
    await page.evaluate(() => window.scrollTo(0, 3000));
    await expect(figure.locator('[data-unseen]')).toBeAttached();
    const held = await shown.textContent();
    await page.clock.runFor(10_000);
    expect(await shown.textContent()).toBe(held);
    await page.evaluate(() => window.scrollTo(0, 0));
    await expect(figure.locator('[data-unseen]')).toHaveCount(0);
    await expect(shown).toHaveText('6 of 6');
  },
);

test(
  'in another page the figure can also be saved, with a link to it',
  placeInBrowser({ rest: 'pictures.spec.ts saves pictures, and embeds.spec.ts embeds the lab' }),
  async ({ playground }) => {
    const { page } = playground;
    await page.goto('./#embed=1&lab=allReduce(round:2)');
    const save = playground.button('Save picture of the buffers of the ranks');
    await save.click();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: /^SVG/ }).click(),
    ]);
    expect(file.suggestedFilename()).toMatch(/\.svg$/);
    const svg = await readFile(await file.path(), 'utf8');
    expect(svg).toContain('lab=allReduce');
    expect(svg).toContain('<text');
  },
);

test(
  'axe finds nothing in the lab, wide and on a phone',
  placeInBrowser({
    rest: 'axe looks at the page in accessibility.spec.ts; these panels are made of the same controls',
  }),
  async ({ playground }) => {
    const { page } = playground;
    await page.goto('./#embed=1&lab=allReduce(round:2)');
    await expect(page.getByRole('heading', { name: /the algorithms compared/ })).toBeVisible();
    await axeFindsNothing(page);
    await axeFindsNothingOnPhone(page);
  },
);
