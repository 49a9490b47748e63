import { expect, TINY, test } from './playground';

test('a torchrun line sets ranks and nodes; each process shows its variables; the page says what is wrong with a bad line', async ({
  playground,
}) => {
  const { page } = playground;
  await playground.open(`${TINY}&data=xor&mode=single&device=cpu`);
  await page.getByText('Launch: nodes and ranks').click();
  const line = page.getByRole('textbox', { name: 'Line' });
  await line.fill('torchrun --nnodes=2 --nproc_per_node=2 train.py');
  await line.press('Enter');
  await expect.poll(() => playground.hash()).toContain('nodes=2');
  await expect(playground.mode('DistributedDataParallel')).toBeChecked();
  const variables = page.getByRole('table', { name: 'Variables of each process' });
  await expect(variables.getByRole('row')).toHaveCount(5);
  await expect(variables.getByRole('row').last()).toHaveText(/^3\s*1\s*1\s*4\s*2$/);

  await line.fill('torchrun --nnodes=two train.py');
  await line.press('Enter');
  await expect(page.getByRole('alert').filter({ hasText: 'nnodes' })).toBeVisible();
  await expect.poll(() => playground.hash()).toContain('nodes=2');
});
