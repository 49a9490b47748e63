import { expect, TINY, test } from './playground';

test('everything that assistive tools and scripts rely on has its role and its name', async ({ playground }) => {
  const { page } = playground;
  await playground.open(`${TINY}&data=xor&mode=ddp&world=2&device=cpu`);
  const modes = page.getByRole('radiogroup', { name: 'Parallel mode' }).getByRole('radio');
  const names = [
    'Single',
    'DataParallel',
    'DistributedDataParallel',
    'Model parallel',
    'Pipeline',
    'Sharded data parallel',
    'Tensor parallel',
    'Parameter server',
  ];
  await expect(modes).toHaveCount(names.length);
  for (const [index, name] of names.entries()) await expect(modes.nth(index)).toHaveAccessibleName(name);
  await expect(page.getByRole('slider', { name: 'World size' })).toHaveValue('2');
  for (const name of [
    'Play',
    'Step moment',
    'Step round',
    'Step phase',
    'Step iteration',
    'Step back',
    'Reset',
    'Share',
  ]) {
    await expect(playground.button(name)).toBeVisible();
  }
  const statuses = ['Step', 'Loss', 'Bytes per rank', 'Replica divergence', 'Difference from single device'];
  for (const name of statuses) await expect(playground.status(name)).toHaveText(/\d/);
  for (const name of ['Stage', 'Timeline', 'Result', 'Code'] as const)
    await expect(playground.region(name)).toBeVisible();
  await playground.button('Play').click();
  await expect(playground.button('Pause')).toBeVisible();
  await playground.button('Pause').click();
  await test.step('the page says which device computes, and the device can be set', async () => {
    await expect(playground.status('Computing device')).toHaveText(/^CPU/);
    await playground.open(`${TINY}&data=xor&mode=single&device=webgpu`);
    await expect(playground.status('Computing device')).toHaveText(/^WebGPU/);
  });
});
