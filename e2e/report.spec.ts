import type { Locator } from '@playwright/test';
import { placeInBrowser } from '../scripts/tier';
import { axeFindsNothing } from './axe';
import { expect, type Playground, TINY, test } from './playground';

const RUN = `${TINY}&data=xor&mode=ddp&world=2&device=cpu`;

/** Two thousand steps of this run take minutes on any machine, so the test can cancel the run meanwhile. */
const LONG_RUN =
  'seed=0&samples=512&test=0&batch=256&layers=2-512-512-512-1&act=tanh&data=xor&mode=ddp&world=2&device=cpu';

/** The settings of the link RUN as a configuration. */
const CONFIG = {
  model: { layers: [{ type: 'Linear', in: 2, out: 4 }, { type: 'Tanh' }, { type: 'Linear', in: 4, out: 1 }] },
  data: { type: 'xor', samples: 32, testFraction: 0 },
  optimizer: { type: 'Adam', lr: 0.01 },
  batchSize: 16,
  mode: 'ddp',
  worldSize: 2,
  device: 'cpu',
};

const dialogOf = ({ page }: Playground): Locator => page.getByRole('dialog', { name: 'Compare with a report' });
const verdictOf = (playground: Playground): Locator => dialogOf(playground).getByRole('status', { name: 'Verdict' });

const reportFile = (report: unknown, name = 'report.json') => ({
  name,
  mimeType: 'application/json',
  buffer: Buffer.from(typeof report === 'string' ? report : JSON.stringify(report)),
});

const choose = async (playground: Playground, report: unknown): Promise<void> =>
  dialogOf(playground).getByLabel('Report', { exact: true }).setInputFiles(reportFile(report));

async function openDialog(playground: Playground): Promise<void> {
  await playground.button('Compare').click();
  await playground.page.getByRole('button', { name: 'Compare with a report' }).click();
  await expect(dialogOf(playground)).toContainText('A loop of your own');
}

test(
  'a report of the same run, and of one with another seed: verdict, cause, tables',
  placeInBrowser({
    rest: 'reports/compare-reports.test.ts finds verdict and cause; recordings.spec.ts opens files in a dialog',
  }),
  async ({ playground }) => {
    await playground.open(RUN);
    await playground.iterate(4);
    const same = await playground.run({ ...CONFIG, steps: 4 });
    await openDialog(playground);
    await choose(playground, same);
    await expect(verdictOf(playground)).toContainText('The same run: 4 losses are equal');
    await expect(dialogOf(playground).getByRole('region', { name: 'Likely causes' })).toHaveCount(0);
    await axeFindsNothing(playground.page);

    await choose(playground, await playground.run({ ...CONFIG, steps: 4, seed: 7 }));
    await expect(verdictOf(playground)).toContainText('The runs first differ at step 0');
    await expect(dialogOf(playground).getByRole('region', { name: 'Settings that differ', exact: true })).toContainText(
      'seed',
    );
    await axeFindsNothing(playground.page);

    // Weights and gradients are compared, too: the page runs the same steps.
    await dialogOf(playground).getByRole('button', { name: 'Run 4 steps here' }).click();
    await expect(dialogOf(playground)).toContainText('made for this comparison');
    await expect(verdictOf(playground)).toContainText('The runs first differ at step 0');
  },
);

test(
  'a long run for a report is cancelled: the shown report stays, and the run can begin again',
  placeInBrowser({ rest: 'app/reports holds cancelling' }),
  async ({ playground }) => {
    await playground.open(LONG_RUN);
    await playground.iterate(1);
    await openDialog(playground);
    await choose(playground, { losses: Array.from({ length: 2000 }, (_, i) => 1 / (i + 1)) });
    const long = dialogOf(playground).getByRole('button', { name: 'Run 2,000 steps here' });
    await long.click();
    await expect(dialogOf(playground).getByRole('button', { name: 'Running 2,000 steps' })).toBeDisabled();
    await dialogOf(playground).getByRole('button', { name: 'Cancel' }).click();
    await expect(long).toBeEnabled();
    await expect(dialogOf(playground).getByRole('alert')).toHaveCount(0);
    await expect(dialogOf(playground)).toContainText('A is the run on this page up to its current step');
  },
);

test(
  'a file that is not a report is refused with the reason, and the run continues',
  placeInBrowser({ rest: 'reports/ refuses it in the same words' }),
  async ({ playground }) => {
    await playground.open(RUN);
    await openDialog(playground);
    await choose(playground, '{"losses": [0.7,');
    await expect(dialogOf(playground).getByRole('alert')).toContainText(
      'report.json cannot be compared: it is not JSON',
    );
    await choose(playground, { losses: 'none' });
    await expect(dialogOf(playground).getByRole('alert')).toContainText('which must be a list');
    await choose(playground, { losses: [0.7] });
    await expect(dialogOf(playground).getByRole('alert')).toHaveCount(0);
    await expect(verdictOf(playground)).toContainText('The runs first differ at step 0');
    await playground.page.keyboard.press('Escape');
    await expect(dialogOf(playground)).toHaveCount(0);
    await playground.iterate(1);
  },
);

test(
  'a report that is dropped on the page is compared',
  placeInBrowser({ rest: 'recordings.spec.ts drops files' }),
  async ({ playground }) => {
    await playground.open(RUN);
    await playground.iterate(2);
    const dropped = await playground.page.evaluateHandle(() => {
      const transfer = new DataTransfer();
      transfer.items.add(new File(['{"losses": [9, NaN]}'], 'mine.json', { type: 'application/json' }));
      return transfer;
    });
    await playground.page.locator('main').dispatchEvent('drop', { dataTransfer: dropped });
    await expect(verdictOf(playground)).toContainText('The runs first differ at step 0');
    await expect(dialogOf(playground)).toContainText('mine.json');
  },
);
