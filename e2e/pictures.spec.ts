/** Saved figures: SVG with the sentence and the link, PNG, losses as CSV; also with the keyboard. */
import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { placeInBrowser } from '../scripts/tier';
import { expect, TINY, test } from './playground';

async function save(page: Page, what: string, format: 'SVG' | 'PNG' | 'CSV') {
  const button = page.getByRole('button', { name: `Save picture of ${what}`, exact: true });
  await button.focus();
  await page.keyboard.press('Enter');
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page
      .getByRole('group', { name: `Save ${what} as` })
      .getByRole('button', { name: format })
      .press('Enter'),
  ]);
  await expect(button).toBeFocused();
  return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) };
}

test('stage, timeline, losses and field are saved with their caption and link', async ({ playground }) => {
  const { page } = playground;
  await playground.open(`${TINY}&data=xor&mode=ddp&world=2&device=cpu`);
  await playground.iterate(3);
  for (const what of ['the stage', 'the timeline', 'the losses', 'the decision field']) {
    const { name, bytes } = await save(page, what, 'SVG');
    expect(name).toMatch(/^lockstep-(stage|timeline|loss|field)-the-end-of-step-3\.svg$/);
    const svg = bytes.toString('utf8');
    expect(svg).not.toMatch(/NaN|undefined/);
    const read = await page.evaluate((text) => {
      const picture = new DOMParser().parseFromString(text, 'image/svg+xml');
      const texts = [...picture.querySelectorAll('text')].map(({ textContent }) => textContent ?? '');
      return {
        broken: picture.querySelector('parsererror')?.textContent,
        title: picture.querySelector('title')?.textContent ?? '',
        words: texts.join(' '),
        href: picture.querySelector('a')?.getAttribute('href') ?? '',
      };
    }, svg);
    expect(read.broken).toBeUndefined();
    expect(read.title).toContain('DistributedDataParallel, 2 ranks');
    expect(read.words.replaceAll(' ', '')).toContain(read.title.replaceAll(' ', ''));
    expect(read.href).toMatch(/#.*&at=3(&|$)/);
    // The meaning of the colours, and that the replicas are equal bit for bit.
    if (what === 'the stage') expect(read.words).toMatch(/= Δ 0.*weights ±.*whose values a chunk holds: rank 0 rank 1/);
  }
  await page.getByText('How the difference from one device grows, and why').click();
  const growth = (await save(page, 'how the difference grows', 'SVG')).bytes.toString('utf8');
  expect(growth).toContain('this run against one device');
  expect(growth).not.toMatch(/NaN|undefined/);
  const { bytes } = await save(page, 'the stage', 'PNG');
  expect([...bytes.subarray(1, 4)].map((byte) => String.fromCharCode(byte)).join('')).toBe('PNG');
  const csv = (await save(page, 'the losses', 'CSV')).bytes.toString('utf8').split('\r\n');
  expect(csv[0]).toMatch(/^step,micro_batch,epoch,loss,loss_rank_0,loss_rank_1,/);
  expect(csv.filter((row) => /^[123],1,/.test(row))).toHaveLength(3);
});

test(
  'the lab’s figure is saved with its values, its messages and the sentence of the round',
  placeInBrowser({ rest: 'the stage is saved in the quick tier, by the same code' }),
  async ({ playground }) => {
    const { page } = playground;
    await page.goto(`./#${TINY}&device=cpu&lab=allReduce(round:3)`);
    await expect(page.getByRole('img', { name: /^Buffers of 4 ranks/ })).toBeVisible();
    const { name, bytes } = await save(page, 'the buffers of the ranks', 'SVG');
    const svg = bytes.toString('utf8');
    expect(name).toBe('lockstep-lab-round-3.svg');
    for (const rank of [0, 1, 2, 3]) expect(svg).toContain(`>rank ${rank}</text>`);
    expect(svg).toContain('values of 4 of 4');
    expect(svg).toMatch(/all_reduce by ring, 4 ranks/);
    expect(svg).toContain('Round 3 of 6');
    const png = await save(page, 'the buffers of the ranks', 'PNG');
    expect(png.bytes.length).toBeGreaterThan(10_000);
  },
);
