/**
 * Sends links of a fuzzer to the built page, one after the other, as a user pastes them into the address bar: the page
 * stays, names what it does not accept, and has no uncaught error. Each run of the tests sends some links; `npm run
 * fuzz -- --browser --links 300` sends more, with another seed.
 */
import fc from 'fast-check';
import { anyLink } from '../fuzz/arbitraries/links';
import regressions from '../fuzz/regressions.json' with { type: 'json' };
import { placeInBrowser } from '../scripts/tier';
import { expect, type Playground, TINY, test } from './playground';

const SEED = Number(process.env['LOCKSTEP_FUZZ_SEED'] ?? 20_260_101);
const LINKS = Number(process.env['LOCKSTEP_FUZZ_LINKS'] ?? 12);

/** Links that once made the page blank or blocked it. */
const KNOWN = [
  'data=csv&file=constructor&device=cpu',
  'data=npy&inputs=__proto__&targets=toString&device=cpu',
  `sched=${'!('.repeat(20_000)}`,
  `groups=${'!('.repeat(5000)}${')'.repeat(5000)}`,
  `model=${'res('.repeat(20_000)}`,
  Array.from({ length: 100_000 }, (_, i) => `key${i}=${i}`).join('&'),
  `mode=${'x'.repeat(900_000)}`,
  'weights=__proto__&resume=constructor&device=cpu',
  ...regressions.links,
];

async function holds(playground: Playground, link: string): Promise<void> {
  const { page } = playground;
  // On the CPU, because software GPUs are slow, and the device is not what this test checks.
  await page.evaluate((hash) => window.location.assign(`#${hash}`), `${link}&device=cpu`);
  await expect(page.getByRole('region', { name: 'Stage', exact: true }).or(page.getByRole('main'))).not.toHaveCount(0);
  const notices = page.getByRole('complementary', { name: 'Notices' });
  await expect(page.getByRole('main')).toBeVisible();
  const text = (await notices.allInnerTexts()).join('\n');
  expect(text, link.slice(0, 300)).not.toMatch(/bug in Lockstep|\n\s+at |Invalid (type|value)/);
  expect(text.length, link.slice(0, 300)).toBeLessThan(12_000);
  expect(playground.problems, link.slice(0, 300)).toEqual([]);
}

test(
  'links that once blanked the page are refused in words',
  placeInBrowser({ rest: 'the pure fuzzers read the same links without a page' }),
  async ({ playground }) => {
    await playground.open(`${TINY}&device=cpu`);
    for (const link of KNOWN) await holds(playground, link);
    // The page still works.
    await playground.page.goto('about:blank');
    await playground.open(`${KNOWN[2]}&${TINY}&device=cpu&seed=5`);
    await expect(playground.notice('brackets may be nested 16 deep')).toBeVisible();
    await playground.iterate(1);
  },
);

test(
  'links of a fuzzer leave the page working',
  placeInBrowser({ rest: 'the pure fuzzers read links without a page' }),
  async ({ playground }) => {
    test.setTimeout(60_000 + LINKS * 5000);
    await playground.open(`${TINY}&device=cpu`);
    for (const link of fc.sample(anyLink, { seed: SEED, numRuns: LINKS })) await holds(playground, link);
    await playground.page.goto('about:blank');
    await playground.open(`${TINY}&device=cpu`);
    await playground.iterate(1);
  },
);
