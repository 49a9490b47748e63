import { placeInBrowser } from '../scripts/tier';
import { expect, TINY, test } from './playground';

test.beforeEach(async ({ playground }) => {
  // Steps are shown at once, so that the test can take many.
  await playground.page.emulateMedia({ reducedMotion: 'reduce' });
});

test('the bytes that the page counts equal the closed form', async ({ playground }) => {
  // 17 parameters are 68 bytes. In a ring of two, each rank sends one half that is to be summed, and one half that has
  // been summed.
  await playground.open(`${TINY}&data=gauss&mode=ddp&world=2&device=cpu&compare=0`);
  await playground.iterate(2);
  await expect.poll(() => playground.number('Bytes per rank')).toBe(68);
  const report = await playground.run({
    model: { layers: [{ type: 'Linear', in: 2, out: 4 }, { type: 'Tanh' }, { type: 'Linear', in: 4, out: 1 }] },
    data: { type: 'gauss', samples: 32 },
    batchSize: 16,
    steps: 3,
    mode: 'ddp',
    worldSize: 2,
    device: 'cpu',
  });
  expect(report.bytes.perRank).toEqual([68, 68]);
  expect(report.bytes.perStepByPayload).toMatchObject({ gradient: 136 });
});

test(
  'one corrupted transfer makes the replicas differ from each other and from the single device',
  placeInBrowser({ rest: 'runtime/ corrupts transfers, and museum.spec.ts shows replicas apart' }),
  async ({ playground }) => {
    await playground.open(`${TINY}&data=gauss&mode=ddp&world=2&device=cpu`);
    await playground.iterate(1);
    await expect.poll(() => playground.number('Replica divergence')).toBe(0);
    // The test does not know which events are transfers: the hook takes any event and corrupts the step if the event is
    // a transfer. A wrong number among those to be summed reaches every replica alike. A wrong number among the sums
    // makes the replicas differ. The search starts where transfers are likely. Replicas that differ stay different, so
    // a number that arrives late shows one step later.
    for (const event of Array.from({ length: 60 }, (_, index) => (index + 24) % 60)) {
      await playground.page.evaluate((id) => Reflect.get(globalThis, 'lockstep').test.corrupt(id, 0.5), event);
      await playground.iterate(1);
      if ((await playground.number('Replica divergence')) > 0) break;
    }
    await expect.poll(() => playground.number('Replica divergence')).toBeGreaterThan(1e-3);
    await expect.poll(() => playground.number('Difference from single device')).toBeGreaterThan(1e-3);
  },
);

test(
  'the control run shows that the difference from one device is rounding, and detects a hook that rounds more',
  placeInBrowser({ rest: 'training/ computes the control' }),
  async ({ playground }) => {
    const proof = playground.status('What the control proves');
    const open = () => playground.page.getByText('How the difference from one device grows, and why').click();
    await playground.open(`${TINY}&data=gauss&mode=ddp&world=4&device=cpu`);
    await playground.playUntilStep(200);
    await open();
    await expect(proof).toContainText('rounding alone explains the difference');
    await expect(proof).toContainText('After 100 steps');
    // The headline is about the first hundred steps, however many steps the run has taken.
    const early = await playground.status('Difference from single device').textContent();
    await expect(proof).toContainText(`After 100 steps the run is ${early} away`);
    await playground.follow(`${TINY}&data=gauss&mode=ddp&world=4&device=cpu&hook=fp16Compress()`);
    await playground.playUntilStep(110);
    await expect(proof).toContainText('rounding is not the cause');
    await expect(proof).toContainText('the communication hook sends less than the gradients');
  },
);

test(
  'the parts of a step add up, each part explains itself, and memory of one name has one number',
  placeInBrowser({ rest: 'app/result holds the parts' }),
  async ({ playground }) => {
    const { page } = playground;
    for (const mode of ['ddp', 'dp', 'mp']) {
      const link = `seed=0&mode=${mode}&world=4&device=cpu`;
      await (mode === 'ddp' ? playground.open(link) : playground.follow(link));
      await playground.iterate(1);
      for (const clock of ['measured', 'modelled']) {
        await page.getByRole('radio', { name: clock, exact: true }).check({ force: true });
        const parts = ['Computing', 'Waits for communication', 'Idle'];
        const sum = async () =>
          (await Promise.all(parts.map((part) => playground.number(part)))).reduce((a, b) => a + b, 0);
        await expect.poll(sum, `${mode}, ${clock}`).toBe(100);
      }
      const reserved = await playground.status('Reserved memory').textContent();
      await expect(page.getByText(`${reserved} reserved`)).toBeVisible();
    }
    await page.getByText('waits for communication').first().click();
    await expect(page.getByText('The device sends or receives and computes nothing')).toBeVisible();
  },
);
