import { readFileSync } from 'node:fs';
import { unzipSync } from 'fflate';
import { expect, TINY, test } from './playground';

test('the run on the page becomes a folder for PyTorch, and its code is also shown in TensorFlow', async ({
  playground,
}) => {
  await playground.open(`${TINY}&data=xor&mode=ddp&world=3&device=cpu&steps=5`);
  const { page } = playground;
  await playground.button('Take it to PyTorch').click();
  const dialog = page.getByRole('dialog', { name: 'Take it to PyTorch' });
  await expect(dialog.getByRole('textbox', { name: 'Commands' })).toHaveValue(
    /torchrun --standalone --nproc_per_node=3 train\.py --report report\.json/,
  );
  const coming = page.waitForEvent('download');
  await dialog.getByRole('button', { name: /^Download / }).click();
  const download = await coming;
  expect(download.suggestedFilename()).toBe('lockstep-ddp.zip');
  const files = unzipSync(readFileSync(await download.path()));
  const text = (name: string) => new TextDecoder().decode(files[name]);
  expect(text('train.py')).toContain('DistributedDataParallel(model');
  expect(JSON.parse(text('config.json'))).toMatchObject({ mode: 'ddp', worldSize: 3 });
  for (const name of [
    'README.md',
    'run.sh',
    'job.sbatch',
    'pytorchjob.yaml',
    'requirements.txt',
    'initial.safetensors',
  ])
    expect(files[name]?.length, name).toBeGreaterThan(0);
  await dialog.getByRole('button', { name: 'Compare with a report' }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByRole('dialog', { name: 'Compare with a report' })).toBeVisible();
  await page.keyboard.press('Escape');
  await playground.iterate(1);
  await expect.poll(() => playground.number('Step')).toBe(1);

  // The code panel also shows the same run in TensorFlow, for comparison; only the PyTorch code has the cursors of the
  // ranks.
  const framework = (name: string) => page.getByRole('button', { name, exact: true });
  const pytorch = page.getByRole('list', { name: 'PyTorch code' });
  await expect(pytorch).toContainText('DistributedDataParallel(model');
  await framework('TensorFlow').click();
  const code = page.getByRole('list', { name: 'TensorFlow code' });
  await expect(code).toContainText('tf.distribute.MirroredStrategy(');
  await expect(code).not.toContainText('import torch');
  await expect(code.getByText(/is here/)).toHaveCount(0);
  await expect(framework('TensorFlow')).toHaveAttribute('aria-pressed', 'true');
  await expect(page.getByRole('heading', { name: 'TensorFlow, to compare' })).toBeVisible();
  await framework('PyTorch').click();
  await expect(pytorch).toContainText('DistributedDataParallel(model');
  await expect(pytorch.getByText(/is here/)).not.toHaveCount(0);
});
