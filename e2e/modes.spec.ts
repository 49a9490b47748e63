import { placeInBrowser } from '../scripts/tier';
import { expect, type ModeName, TINY, test } from './playground';

const MODES: readonly [ModeName, string, number][] = [
  ['Single', 'single', 1],
  ['DataParallel', 'dp', 2],
  ['DistributedDataParallel', 'ddp', 2],
  ['Model parallel', 'mp', 2],
  ['Sharded data parallel', 'sharded', 2],
  ['Tensor parallel', 'tensor', 2],
  // A coordinator and two workers.
  ['Parameter server', 'ps', 3],
];

for (const device of ['webgpu', 'cpu']) {
  const rest = device === 'cpu' ? 'all modes train on WebGPU, and other tests of the page train on the CPU' : undefined;
  const modes = ['single', 'dataParallel', 'ddp', 'modelParallel', 'sharded', 'tensor', 'parameterServer'] as const;
  test(`every mode trains on ${device}`, placeInBrowser({ modes, rest }), async ({ playground }) => {
    for (const [name, key, world] of MODES)
      await test.step(name, async () => {
        const link = `${TINY}&data=gauss&mode=${key}&world=${world}&device=${device}&opt=adam&lr=0.05`;
        await (name === 'Single' ? playground.open(link) : playground.follow(link));
        await expect(playground.mode(name)).toBeChecked();
        await playground.iterate(1);
        await expect.poll(() => playground.number('Loss')).toBeGreaterThan(0);
        const first = await playground.number('Loss');
        await playground.playUntilStep(20);
        await expect.poll(() => playground.number('Loss')).toBeLessThan(first);
        if (key !== 'single') await expect(playground.status('Difference from single device')).toHaveText(/\d/);
        if (key === 'ddp') await expect.poll(() => playground.number('Replica divergence')).toBe(0);
      });
  });
}

test(
  'the report of window.lockstep.run is the same in every mode but for the order of float sums',
  placeInBrowser({ rest: 'the modes are compared without a page in training/parity/equality.test.ts' }),
  async ({ playground }) => {
    await playground.open(`${TINY}&mode=single&device=cpu`);
    const config = {
      model: { layers: [{ type: 'Linear', in: 2, out: 4 }, { type: 'Tanh' }, { type: 'Linear', in: 4, out: 1 }] },
      data: { type: 'gauss', samples: 32 },
      batchSize: 16,
      shuffle: false,
      steps: 6,
      worldSize: 2,
      device: 'cpu',
    };
    const single = await playground.run({ ...config, mode: 'single' });
    const stages = await playground.run({ ...config, mode: 'modelParallel' });
    const replicas = await playground.run({ ...config, mode: 'dataParallel' });
    expect(single.losses).toHaveLength(6);
    expect(stages.weightsSha256).toBe(single.weightsSha256);
    expect(replicas.finalLoss).toBeCloseTo(single.finalLoss, 5);
  },
);

test(
  'Tensor parallel: each layer shows its cut, and one press changes the cut',
  placeInBrowser({
    modes: ['tensor'],
    rest: 'the mode trains on WebGPU in the quick tier, and plan-changes.test.ts changes plans',
  }),
  async ({ playground }) => {
    const { page } = playground;
    await playground.open('seed=0&samples=32&test=0&batch=16&layers=2-4-4-1&act=tanh&mode=tensor&world=2&device=cpu');
    const plan = page.getByRole('region', { name: 'Plan' });
    const layer = (path: string) => plan.getByRole('group', { name: path });
    await expect(layer('0 Linear').getByRole('radio', { name: 'columns' })).toBeChecked();
    await expect(layer('2 Linear').getByRole('radio', { name: 'rows' })).toBeChecked();
    await expect(plan).toContainText('1 forward, 0 backward');
    await playground.iterate(1);
    const loss = await playground.number('Loss');
    // With columns after columns, the parts of the first layer are gathered for the second layer.
    await layer('2 Linear').getByRole('radio', { name: 'columns' }).check();
    await expect(plan).toContainText('an all-gather runs here');
    await expect(page).toHaveURL(/plan=/);
    await playground.iterate(1);
    await expect.poll(() => playground.number('Loss')).toBeCloseTo(loss, 5);
    await plan.getByRole('button', { name: 'made for the model' }).click();
    await expect(layer('2 Linear').getByRole('radio', { name: 'rows' })).toBeChecked();
    await expect(page).not.toHaveURL(/plan=/);
    // The site loads by itself the code that only cut layers need: vocabulary, heads, loss and norm in parts.
    await playground.iterate(1);
    await playground.follow('seed=0&preset=gpt&mode=tensor&world=2&device=cpu&compare=0');
    await playground.iterate(1);
    await expect.poll(() => playground.number('Loss')).toBeGreaterThan(0);
  },
);

test(
  'Pipeline: the mode opens from any run, shows its stages, and restores the settings that it changed',
  placeInBrowser({ modes: ['pipeline'] }),
  async ({ playground }) => {
    const { page } = playground;
    await playground.open('preset=wideMlp&mode=ddp&world=4&device=cpu&compare=0');
    await playground.mode('Pipeline').check();
    await expect(page.getByRole('figure', { name: 'Mesh of ranks' })).toBeVisible();
    // Two layers with weights: two stages, and a handle at the cut between them.
    await expect(page.getByRole('slider', { name: 'Cut between stages 0 and 1' })).toBeVisible();
    await expect(page.getByRole('button', { name: 'rank 1: pipeline of ranks 0, 1; no replicas' })).toBeVisible();
    await playground.iterate(1);
    await expect.poll(() => playground.number('Loss')).toBeGreaterThan(0);
    await playground.mode('DistributedDataParallel').check();
    await expect(page.getByRole('slider', { name: 'World size' })).toHaveValue('4');
  },
);

test(
  'Sharded: the stages of ZeRO show what a rank keeps, and one press moves a unit into the root',
  placeInBrowser({
    modes: ['sharded'],
    rest: 'the mode trains on WebGPU in the quick tier, and sharded-memory.test.ts has what a rank keeps',
  }),
  async ({ playground }) => {
    const { page } = playground;
    await playground.open('seed=0&samples=32&test=0&batch=16&layers=2-4-4-1&act=tanh&mode=sharded&world=2&device=cpu');
    const sharding = page.getByRole('region', { name: 'Sharding' });
    const stage = sharding.getByRole('slider', { name: 'what is sharded' });
    await expect(stage).toHaveValue('3');
    await playground.iterate(1);
    const loss = await playground.number('Loss');
    await expect(sharding.getByRole('img', { name: /^Memory of rank 0 over the step/ })).toBeVisible();
    await sharding.getByRole('checkbox', { name: '2' }).uncheck();
    await expect(sharding).toContainText('root: the rest');
    await expect(page).toHaveURL(/modules=/);
    await playground.iterate(1);
    await expect.poll(() => playground.number('Loss')).toBeCloseTo(loss, 5);
    await sharding.getByRole('button', { name: 'made for the model' }).click();
    await expect(page).not.toHaveURL(/modules=/);
    // MixedPrecisionPolicy: ranks send parameters and gradients in two bytes, and the script says so.
    await sharding.getByRole('combobox', { name: 'Compute in' }).selectOption('bfloat16');
    await expect(page).toHaveURL(/paramDtype=bfloat16/);
    await expect(sharding.getByRole('combobox', { name: 'Reduce in' })).toHaveValue('param');
    await playground.iterate(1);
    await expect.poll(() => playground.number('Loss')).toBeCloseTo(loss, 1);
    await expect(page.getByText('root_policy = MixedPrecisionPolicy').first()).toBeAttached();
    await sharding.getByRole('combobox', { name: 'Compute in' }).selectOption('float32');
    // The second of the four columns.
    const { width = 0, height = 0 } = (await stage.boundingBox()) ?? {};
    await stage.click({ position: { x: 0.375 * width, y: height / 2 } });
    await expect(stage).toHaveValue('1');
    await expect(page).toHaveURL(/zero=1/);
    await playground.iterate(1);
    await expect.poll(() => playground.number('Loss')).toBeCloseTo(loss, 5);
  },
);

test(
  'a model that is too large for DDP: one press trains it in shards',
  placeInBrowser({ rest: 'the refusal and what it offers are tested without a page (sharded-memory.test)' }),
  async ({ playground }) => {
    const { page } = playground;
    await playground.open(
      'seed=0&samples=32&test=0&batch=16&layers=2-64-64-64-64-1&act=tanh&mode=ddp&world=4&device=cpu&budget=0.22&opt=adam',
    );
    await page.getByRole('button', { name: 'Run it sharded' }).click();
    await expect(playground.mode('Sharded data parallel')).toBeChecked();
    await playground.iterate(1);
  },
);
