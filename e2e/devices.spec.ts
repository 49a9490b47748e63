import { placeInBrowser } from '../scripts/tier';
import { expect, TINY, test } from './playground';
import { addWorkerPrelude, COMPILES_LATE, compileNow, WITHOUT_ADAPTER, WITHOUT_WEBGPU } from './worker-prelude';

test.describe(() => {
  // The scripts that remove WebGPU are loaded into the workers as a blob:, which the page's policy forbids.
  test.use({ bypassCSP: true });

  test('without WebGPU the page trains on the CPU and says so', async ({ playground }) => {
    await addWorkerPrelude(playground.page, WITHOUT_WEBGPU);
    await playground.page.addInitScript(WITHOUT_WEBGPU);
    await playground.open(`${TINY}&data=gauss&mode=ddp&world=2`);
    await expect(playground.notice(/WebGPU/)).toBeVisible();
    await playground.playUntilStep(5);
  });

  test('while a GPU compiles, the page shows the first step from the CPU, and then the GPU’s step', async ({
    playground,
  }) => {
    const { page } = playground;
    await addWorkerPrelude(page, COMPILES_LATE);
    // With fewer cores there is no preview, since the CPU's step would delay the compiler.
    await page.addInitScript("Object.defineProperty(Navigator.prototype, 'hardwareConcurrency', { get: () => 8 });");
    await page.goto(`./#${TINY}&data=gauss&mode=ddp&world=2&device=webgpu`);
    await expect(page.getByTitle(/Meanwhile: step 1 on the CPU/)).toBeVisible();
    await expect(playground.region('Set-up').getByText('Computing on CPU')).toBeVisible();
    await expect(playground.button('Play')).toBeDisabled();
    // The panels do not wait for the GPU: the code panel has its lines, and the plot of the losses has its first point.
    await expect(page.getByRole('list', { name: 'PyTorch code' }).getByText('loss.backward()')).toBeVisible();
    await expect.poll(() => playground.number('Loss')).toBeGreaterThan(0);
    const cursor = page.getByRole('slider', { name: 'Time cursor' });
    // The preview ends in the step's last moment.
    await expect(cursor).toHaveAttribute('aria-valuetext', /optimizer\.step\(\) on rank 1/, { timeout: 30_000 });
    const place = await cursor.getAttribute('aria-valuetext');
    await compileNow(page);
    await expect(playground.button('Play')).toBeEnabled();
    await expect(playground.region('Set-up').getByText(/Computing on WebGPU/)).toBeVisible();
    await expect(cursor).toHaveAttribute('aria-valuetext', place ?? '');
    await playground.playUntilStep(3);
  });

  test(
    'with WebGPU but without an adapter the page trains on the CPU and says so',
    placeInBrowser({ rest: 'a browser without WebGPU takes the same way' }),
    async ({ playground }) => {
      await addWorkerPrelude(playground.page, WITHOUT_ADAPTER);
      await playground.page.addInitScript(WITHOUT_ADAPTER);
      await playground.open(`${TINY}&data=gauss&mode=single`);
      await expect(playground.notice(/adapter/)).toBeVisible();
      await playground.playUntilStep(5);
    },
  );
});

test('on a software adapter the page starts on the CPU and offers to use the adapter', async ({ playground }) => {
  await playground.open(`${TINY}&data=gauss&mode=single`);
  // A short text beside the device, not a banner.
  await expect(playground.page.getByRole('complementary', { name: 'Notices' })).toHaveCount(0);
  await playground.region('Set-up').getByText('software adapter', { exact: true }).click();
  await expect(playground.button('Use WebGPU')).toBeVisible();
  await playground.playUntilStep(5);
});

test('a notice says that a device was lost, and training continues from the last step', async ({ playground }) => {
  await playground.open(`${TINY}&data=gauss&mode=ddp&world=2&device=webgpu`);
  await playground.iterate(3);
  await expect.poll(() => playground.number('Step')).toBe(3);
  await playground.page.evaluate(() => Reflect.get(globalThis, 'lockstep').test.loseDevice());
  await expect(playground.notice(/device was lost/i)).toBeVisible();
  await expect(playground.button('Play')).toBeEnabled();
  await playground.playUntilStep(6);
});

test(
  'a loss that is not finite pauses and offers reset',
  placeInBrowser({ rest: 'session/ holds when a run pauses' }),
  async ({ playground }) => {
    await playground.open(`${TINY}&data=plane&loss=mse&mode=single&device=cpu&opt=sgd&lr=100&act=relu`);
    await playground.button('Play').click();
    await expect(playground.notice(/finite/i)).toBeVisible();
    await playground.reset();
    await playground.iterate(1);
    await expect.poll(() => playground.number('Step')).toBe(1);
  },
);

test(
  'more devices than layers are refused, and the earlier run continues',
  placeInBrowser({ rest: 'config/ holds what is refused, and a notice is shown in share.spec.ts' }),
  async ({ playground }) => {
    await playground.open(`${TINY}&data=gauss&mode=mp&world=8&device=cpu`);
    await expect(
      playground.notice(/worldSize is 8: model parallel cannot place 2 Linear layers on 8 devices/),
    ).toBeVisible();
    await playground.iterate(1);
  },
);

test(
  'a batch smaller than the world is refused, and the earlier run continues',
  placeInBrowser({ rest: 'config/ holds what is refused, and a notice is shown in share.spec.ts' }),
  async ({ playground }) => {
    await playground.open(`${TINY.replace('batch=16', 'batch=2')}&data=gauss&mode=ddp&world=4&device=cpu`);
    await expect(
      playground.notice(/batchSize is 2 and worldSize is 4: 2 ranks would get no row of the batch/),
    ).toBeVisible();
    await playground.iterate(1);
  },
);
