import { placeInBrowser } from '../scripts/tier';
import { expect, type Playground, TINY, test } from './playground';

const RUN = `${TINY}&data=xor&mode=ddp&world=2&device=cpu&layers=2-8-8-1`;

async function openBuckets({ page }: Playground) {
  await page
    .getByText(/^Buckets/)
    .first()
    .click();
  return page.getByRole('region', { name: 'Buckets of the step' });
}

test('the slider of the cap changes the number of buckets and the link', async ({ playground }) => {
  const { page } = playground;
  await playground.open(`${RUN}&bucket=0.25KiB`);
  await playground.iterate(2);
  const rows = await openBuckets(playground);
  const bucket = rows.getByRole('img', { name: /^bucket \d/ });
  await expect.poll(() => bucket.count()).toBeGreaterThan(1);
  await rows.getByText('As a table').click();
  await expect(rows.getByRole('row')).toHaveCount((await bucket.count()) + 1);
  const cap = page.getByRole('slider', { name: 'Bucket cap' });
  await cap.focus();
  await page.keyboard.press('End');
  await expect(cap).toHaveAttribute('aria-valuetext', /^default/);
  await expect.poll(() => page.url()).toContain('bucket=default');
  await expect(page.getByText(/^Buckets/).first()).toContainText('1 after the rebuild');
  await expect(bucket).toHaveCount(1);
});

test(
  'the time that overlap saves is the difference of the two modelled steps',
  placeInBrowser({ rest: 'modelled times are held in simulator/' }),
  async ({ playground }) => {
    const { page } = playground;
    const stepUs = async (overlap: 0 | 1) => {
      const { time } = await page.evaluate(
        (on) =>
          (
            window as never as { lockstep: { run: (config: unknown) => Promise<{ time: { modelledStepUs: number } }> } }
          ).lockstep.run({
            model: {
              layers: [
                { type: 'Linear', in: 2, out: 8 },
                { type: 'Tanh' },
                { type: 'Linear', in: 8, out: 8 },
                { type: 'Tanh' },
                { type: 'Linear', in: 8, out: 1 },
              ],
            },
            optimizer: { type: 'Adam', lr: 0.01 },
            data: { type: 'xor', samples: 32, testFraction: 0 },
            batchSize: 16,
            mode: 'ddp',
            worldSize: 2,
            device: 'cpu',
            steps: 4,
            ddp: { bucketCapMb: 0.25 / 1024, overlap: on === 1 },
          }),
        overlap,
      );
      return time.modelledStepUs;
    };
    await playground.open(`${RUN}&bucket=0.25KiB`);
    const saved = (await stepUs(0)) - (await stepUs(1));
    await openBuckets(playground);
    await expect(playground.status('Saved by overlap')).toBeVisible();
    expect(Math.abs((await playground.number('Saved by overlap')) - saved)).toBeLessThanOrEqual(
      0.006 * Math.abs(saved),
    );
  },
);
