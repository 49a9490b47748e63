import type { Locator } from '@playwright/test';
import { placeInBrowser } from '../scripts/tier';
import { axeFindsNothing, axeFindsNothingOnPhone } from './axe';
import { expect, firstNumber, IN_MOTION, type Playground, TINY, test } from './playground';
import { addWorkerPrelude } from './worker-prelude';

test.use(IN_MOTION);

const RUN = `${TINY}&data=xor&mode=ddp&world=2&device=cpu&shuffle=0`;

const comparison = ({ page }: Playground): Locator => page.getByRole('dialog', { name: 'Compare two runs' });

/** As soon as both runs show a step. */
async function shown(playground: Playground): Promise<Locator> {
  const dialog = comparison(playground);
  await expect(dialog.getByRole('status', { name: 'Step of both' })).toHaveText(/^Step [\d,]+ of both$/);
  return dialog;
}

const difference = (dialog: Locator, name: string): Locator =>
  dialog
    .getByRole('row', { name: new RegExp(`^${name} `) })
    .getByRole('cell')
    .last();

const stepOfBoth = async (dialog: Locator): Promise<number> =>
  firstNumber((await dialog.getByRole('status', { name: 'Step of both' }).textContent()) ?? '');

test(
  'DDP beside one device: opened from the bar, stepped with the keyboard, losses differ, weights do not',
  placeInBrowser({ rest: 'the link opens the comparison in the quick tier; app/compare/duo.test.ts plays two runs' }),
  async ({ playground }) => {
    const { page } = playground;
    await playground.open(RUN);
    await playground.iterate(2);
    const step = await playground.number('Step');
    await playground.button('Compare').click();
    const dialog = await shown(playground);
    await expect(
      dialog.getByRole('combobox', { name: 'Run B is run A' }).getByRole('option', { selected: true }),
    ).toHaveText('on one device');
    // Run B has reached the step of run A.
    expect(await stepOfBoth(dialog)).toBe(step);
    await expect(dialog.getByRole('region', { name: 'Run A' })).toContainText('DistributedDataParallel, 2 devices');
    await expect(dialog.getByRole('region', { name: 'Run B' })).toContainText('Single');
    await expect(difference(dialog, 'Bytes')).toHaveText('only A');
    await expect(difference(dialog, 'Messages')).toHaveText('only A');
    await expect(difference(dialog, 'Step time')).toHaveText(/^[×÷] /);
    await expect(difference(dialog, 'Samples')).toHaveText('the same');
    expect(firstNumber((await difference(dialog, 'Weights').textContent()) ?? '')).toBeLessThan(1e-5);

    const time = dialog.getByRole('slider', { name: 'Time in the step' });
    await expect(time).toHaveValue('0');
    await page.keyboard.press('.');
    await expect.poll(async () => Number(await time.inputValue())).toBeGreaterThan(0);
    await page.keyboard.press('i');
    await expect(time).toHaveValue('1000');
    await page.keyboard.press('i');
    await expect.poll(() => stepOfBoth(dialog)).toBe(step + 1);
    await expect.poll(() => page.url()).toContain('beside=mode:single');

    // After closing, run A is as before and continues.
    await page.keyboard.press('Escape');
    await expect(dialog).toBeHidden();
    await expect.poll(() => page.url()).not.toContain('beside=');
    await expect(playground.mode('DistributedDataParallel')).toBeChecked();
    expect(await playground.number('Step')).toBeGreaterThanOrEqual(step + 1);
    await playground.iterate(1);
  },
);

test(
  'from Share, with Shuffle on: one click makes both take the same rows',
  placeInBrowser({ rest: 'the link opens the comparison in the quick tier' }),
  async ({ playground }) => {
    await playground.open(RUN.replace('&shuffle=0', ''));
    await playground.button('Share').click();
    await playground.button('Compare with another run').click();
    const dialog = await shown(playground);
    await expect(difference(dialog, 'Samples')).toHaveText(/in common$/);
    await dialog.getByRole('button', { name: 'Turn Shuffle off in both' }).click();
    await expect(difference(dialog, 'Samples')).toHaveText('the same');
    await expect(dialog.getByRole('button', { name: 'Turn Shuffle off in both' })).toHaveCount(0);
    await expect(dialog.getByRole('region', { name: 'Run B' })).toContainText('Single');
    await expect.poll(() => playground.page.url()).toContain('shuffle=0');
  },
);

test(
  'one run has finished its step while the other still runs',
  placeInBrowser({ rest: 'app/compare/duo.test.ts plays two runs to their ends' }),
  async ({ playground }) => {
    await playground.open(RUN);
    await playground.button('Compare').click();
    const dialog = await shown(playground);
    const [a, b] = ['Run A', 'Run B'].map((name) => dialog.getByRole('region', { name }).getByText(/^step done/));
    const time = dialog.getByRole('slider', { name: 'Time in the step' });
    const table = dialog.getByRole('row', { name: /^Step time / }).getByRole('cell');
    const times = [await table.nth(0).textContent(), await table.nth(1).textContent()].map((text) => text ?? '');
    const [first, last] =
      /ms/.test(times[0] ?? '') === /ms/.test(times[1] ?? '') &&
      firstNumber(times[0] ?? '') > firstNumber(times[1] ?? '')
        ? [b, a]
        : [a, b];
    await time.fill('990');
    await expect(first ?? dialog).toHaveText('step done; the other run still computes');
    await expect(last ?? dialog).toBeHidden();
    await time.fill('1000');
    await expect(last ?? dialog).toHaveText('step done');
  },
);

test(
  'both runs play to the same steps, also at full speed, and pause there',
  placeInBrowser({ rest: 'app/compare/duo.test.ts plays two runs side by side' }),
  async ({ playground }) => {
    await playground.open(RUN);
    await playground.button('Compare').click();
    const dialog = await shown(playground);
    const before = await stepOfBoth(dialog);
    await dialog.getByRole('combobox', { name: 'Pace' }).selectOption('full speed');
    await dialog.getByRole('button', { name: 'Play', exact: true }).click();
    await expect.poll(() => stepOfBoth(dialog), { timeout: 60_000 }).toBeGreaterThan(before + 2);
    await dialog.getByRole('button', { name: 'Pause', exact: true }).click();
    await expect(dialog.getByRole('button', { name: 'Play', exact: true })).toBeVisible();
    await dialog.getByText('Losses as a table').click();
    const losses = dialog.getByRole('table').first().getByRole('row').nth(1).getByRole('cell');
    await expect(losses.first()).toHaveText(/\d/);
    await expect(losses.last()).toHaveText(/\d/);
  },
);

test.describe(() => {
  // The script that gives access to a worker's device is loaded as a blob:, which the page's policy forbids.
  test.use({ bypassCSP: true });

  test(
    'in the comparison, run B continues after its device was lost',
    placeInBrowser({ rest: 'run A loses its device in devices.spec.ts, by the same code' }),
    async ({ playground }) => {
      const { page } = playground;
      await addWorkerPrelude(
        page,
        `const ask = GPUAdapter.prototype.requestDevice;
       GPUAdapter.prototype.requestDevice = async function (...given) {
         self.lastDevice = await ask.apply(this, given);
         return self.lastDevice;
       };`,
      );
      await playground.open(RUN.replace('device=cpu', 'device=webgpu'));
      await playground.button('Compare').click();
      const dialog = await shown(playground);
      const loseDeviceOfB = () =>
        page
          .workers()
          .at(-1)
          ?.evaluate(() => Reflect.get(self, 'lastDevice').destroy());
      // At rest, and while both runs play.
      await loseDeviceOfB();
      await expect(dialog.getByText(/device was lost/i)).toBeVisible();
      const before = await stepOfBoth(await shown(playground));
      await dialog.getByRole('combobox', { name: 'Pace' }).selectOption('full speed');
      await dialog.getByRole('button', { name: 'Play', exact: true }).click();
      await expect.poll(() => stepOfBoth(dialog), { timeout: 30_000 }).toBeGreaterThan(before);
      const last = await stepOfBoth(await shown(playground));
      await loseDeviceOfB();
      // Both runs play on by themselves.
      await expect.poll(() => stepOfBoth(dialog), { timeout: 30_000 }).toBeGreaterThan(last + 1);
      // While both runs play, a pause may come when one run is a step ahead.
      const apart = async () => firstNumber((await difference(dialog, 'Weights').textContent()) ?? '');
      await expect.poll(apart).toBeLessThan(1e-5);
      await dialog.getByRole('button', { name: 'Pause', exact: true }).click();
    },
  );
});

test('the link opens the comparison again, and settings of run B change it', async ({ playground }) => {
  const { page } = playground;
  await page.goto(`./#${RUN}&beside=algorithm:naive`);
  const dialog = await shown(playground);
  const choice = dialog.getByRole('combobox', { name: 'Run B is run A' });
  await expect(choice.getByRole('option', { selected: true })).toHaveText('with all-reduce by naive exchange');
  await choice.selectOption('with a bucket cap of 25 MiB');
  await expect.poll(() => page.url()).toContain('beside=bucket:25MiB');
  await shown(playground);
  await dialog.getByText('Settings of run B').click();
  await dialog.getByRole('radio', { name: 'DataParallel', exact: true }).click();
  await expect.poll(() => page.url()).toContain('beside=mode:dp,bucket:25MiB');
  await expect(dialog.getByRole('region', { name: 'Run B' })).toContainText('DataParallel');
  await shown(playground);
  // Run A is unchanged.
  await expect(dialog.getByRole('region', { name: 'Run A' })).toContainText('DistributedDataParallel');
  await dialog.getByRole('textbox', { name: 'or by a link' }).fill('https://example.org/#seed=7&mode=single&data=xor');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.url()).toContain('seed:7');
  await expect(dialog.getByRole('region', { name: 'Run B' })).toContainText('Single');
});

test(
  'settings that run B cannot have are refused there, and run A continues',
  placeInBrowser({ rest: 'where.spec.ts and devices.spec.ts refuse settings of run A' }),
  async ({ playground }) => {
    const { page } = playground;
    await page.goto(`./#${RUN}&beside=budget:0.001`);
    const dialog = comparison(playground);
    const notice = dialog.getByRole('region', { name: 'Run B' }).getByRole('alert').first();
    await expect(notice).toContainText('memory');
    await expect(notice).toContainText('Run A’s settings run as B instead.');
    await shown(playground);
    await page.keyboard.press('Escape');
    await playground.fullSpeed();
    await playground.iterate(1);
  },
);

test(
  'axe finds nothing in the comparison, wide and on a phone',
  placeInBrowser({
    rest: 'axe looks at the page in accessibility.spec.ts; these panels are made of the same controls',
  }),
  async ({ playground }) => {
    const { page } = playground;
    await page.goto(`./#${RUN}&beside=mode:single`);
    await shown(playground);
    await axeFindsNothing(page, 'dialog[open]');
    await axeFindsNothingOnPhone(page, 'dialog[open]');
  },
);
