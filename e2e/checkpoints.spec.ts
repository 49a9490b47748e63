import { readFile } from 'node:fs/promises';
import { placeInBrowser } from '../scripts/tier';
import { expect, TINY, test } from './playground';

test('a checkpoint in the browser outlives the page, with the keyboard; a checkpoint file brings its settings', async ({
  playground,
}) => {
  const { page } = playground;
  const dialog = page.getByRole('dialog', { name: 'Checkpoints' });
  await playground.open(`${TINY}&data=xor&mode=ddp&world=2&device=cpu`);
  await playground.iterate(2);
  await expect.poll(() => playground.number('Step')).toBe(2);
  await page.keyboard.press('c');
  await dialog.getByRole('textbox', { name: 'Name' }).fill('two');
  await dialog.getByRole('button', { name: 'Save in this browser' }).press('Enter');
  await expect(dialog.getByRole('status')).toHaveText('Saved "two" before step 2.');
  const download = page.waitForEvent('download');
  await dialog.getByRole('button', { name: 'Download two' }).click();
  const zip = await (await download).path();
  await dialog.getByRole('button', { name: 'Close' }).click();

  await playground.iterate(1);
  await expect.poll(() => playground.number('Step')).toBe(3);
  const loss = await playground.number('Loss');
  await page.keyboard.press('c');
  await dialog.getByRole('button', { name: 'Load two', exact: true }).press('Enter');
  await expect.poll(() => playground.number('Step')).toBe(2);
  await expect.poll(() => playground.hash()).toContain('resume=two');
  await page.reload();
  await expect(playground.button('Play')).toBeEnabled();
  await playground.iterate(1);
  await expect.poll(() => playground.number('Step')).toBe(3);
  await expect.poll(() => playground.number('Loss')).toBe(loss);

  await playground.open(`${TINY}&data=xor&mode=single&device=cpu`);
  await page.keyboard.press('c');
  await dialog
    .locator('input[type=file]')
    .setInputFiles({ name: 'two.zip', mimeType: 'application/zip', buffer: await readFile(zip) });
  await expect(playground.mode('DistributedDataParallel')).toBeChecked();
  await expect.poll(() => playground.number('Step')).toBe(2);
  await page.keyboard.press('c');
  await dialog.getByRole('button', { name: 'Begin at step 0' }).click();
  await expect.poll(() => playground.number('Step')).toBe(0);
});

test(
  'loading, looking and saving changes nothing: a checkpoint has the step that the page shows',
  placeInBrowser({ rest: 'training/checkpoint holds what is in a checkpoint' }),
  async ({ playground }) => {
    const { page } = playground;
    const dialog = page.getByRole('dialog', { name: 'Checkpoints' });
    const save = async (name: string, step: number) => {
      await page.keyboard.press('c');
      await dialog.getByRole('textbox', { name: 'Name' }).fill(name);
      await dialog.getByRole('button', { name: 'Save in this browser' }).click();
      await expect(dialog.getByRole('status')).toHaveText(`Saved "${name}" before step ${step}.`);
    };
    await playground.open(`${TINY}&data=xor&mode=ddp&world=2&device=cpu`);
    await expect.poll(() => playground.number('Step')).toBe(0);
    await save('fresh', 0);
    await dialog.getByRole('button', { name: 'Close' }).click();
    await playground.iterate(3);
    await expect.poll(() => playground.number('Step')).toBe(3);
    await save('three', 3);
    await dialog.getByRole('button', { name: 'Load three', exact: true }).click();
    await expect.poll(() => playground.hash()).toContain('resume=three');
    await expect.poll(() => playground.number('Step')).toBe(3);
    await save('again', 3);
  },
);

test(
  'the slider chooses a ZeRO stage with the keyboard; a checkpoint in shards goes on in another mode',
  placeInBrowser({ modes: ['sharded', 'ddp'] }),
  async ({ playground }) => {
    const { page } = playground;
    const stage = page.getByRole('slider', { name: 'what is sharded' });
    await playground.open(`${TINY}&data=xor&mode=sharded&world=2&device=cpu&opt=adam`);
    await expect(stage).toHaveAttribute('aria-valuetext', /^stage 3, fully_shard.* on each rank$/);
    await stage.press('ArrowLeft');
    await expect.poll(() => playground.hash()).toContain('zero=2');
    await expect(stage).toHaveAttribute('aria-valuetext', /^stage 2, /);
    await expect(stage).toBeFocused();
    await playground.iterate(2);
    await expect.poll(() => playground.number('Step')).toBe(2);
    const dialog = page.getByRole('dialog', { name: 'Checkpoints' });
    await page.keyboard.press('c');
    await dialog.getByRole('textbox', { name: 'Name' }).fill('two');
    const downloading = page.waitForEvent('download');
    await dialog.getByRole('button', { name: 'Download in shards' }).click();
    const download = await downloading;
    expect(download.suggestedFilename()).toBe('two-shards.zip');
    const buffer = await readFile(await download.path());
    await dialog.getByRole('button', { name: 'Close' }).click();
    await playground.iterate(1);
    await expect.poll(() => playground.number('Step')).toBe(3);
    const loss = await playground.number('Loss');

    await playground.open(`${TINY}&data=xor&mode=ddp&world=2&device=cpu&opt=adam`);
    await page.keyboard.press('c');
    await dialog.getByRole('radio', { name: 'this page' }).check();
    await dialog
      .locator('input[type=file]')
      .setInputFiles({ name: 'two-shards.zip', mimeType: 'application/zip', buffer });
    await expect.poll(() => playground.number('Step')).toBe(2);
    await expect(playground.mode('DistributedDataParallel')).toBeChecked();
    await playground.iterate(1);
    await expect.poll(() => playground.number('Step')).toBe(3);
    expect(await playground.number('Loss')).toBeCloseTo(loss, 3);
  },
);

test(
  'if the browser aborts a save, the page says so and keeps the earlier checkpoint',
  placeInBrowser({ rest: 'a save that works is tested on the page' }),
  async ({ playground }) => {
    const { page } = playground;
    await playground.open(`${TINY}&data=xor&mode=single&device=cpu`);
    await playground.iterate(1);
    await playground.button('Save').click();
    const dialog = page.getByRole('dialog', { name: 'Checkpoints' });
    const list = dialog.getByRole('list', { name: 'Saved in this browser' });
    await dialog.getByRole('button', { name: 'Save in this browser' }).click();
    await expect(list.getByRole('listitem')).toHaveCount(1);
    // As if the disk were full: the transaction is aborted halfway.
    await page.evaluate(() => {
      const real = IDBObjectStore.prototype.put;
      IDBObjectStore.prototype.put = function put(this: IDBObjectStore, ...given: Parameters<typeof real>) {
        const request = Reflect.apply(real, this, given);
        this.transaction.abort();
        return request;
      };
    });
    await dialog.getByLabel('Name').fill('second');
    await dialog.getByRole('button', { name: 'Save in this browser' }).click();
    await expect(dialog.getByRole('status')).toHaveText(/^That did not work: /);
    await expect(list.getByRole('listitem')).toHaveCount(1);
    await expect(page.getByRole('complementary', { name: 'Notices' }).getByText(/went wrong/)).toHaveCount(0);
  },
);
