import type { Locator } from '@playwright/test';
import { placeInBrowser } from '../scripts/tier';
import { axeFindsNothing } from './axe';
import { expect, type Playground, TINY, test } from './playground';

/** Two ranks. The second takes three times as long, and the first waits for it. */
const SLOW = `${TINY}&data=xor&mode=ddp&world=2&device=cpu&slow=!(rank(rank:1,factor:3))`;

const timeline = (playground: Playground) => playground.region('Timeline');
const cursor = (playground: Playground) => timeline(playground).getByRole('slider', { name: 'Time cursor' });
const chosen = (playground: Playground) =>
  timeline(playground).getByRole('region', { name: 'Selected on the timeline' });
const search = (playground: Playground) => timeline(playground).getByRole('searchbox', { name: 'Search the timeline' });

async function sizeOf(locator: Locator) {
  const box = await locator.boundingBox();
  if (!box) throw new Error('it has no size');
  return box;
}

/**
 * All tests use one page, in this order: each test leaves nothing selected or searched for. The tests before the
 * search, which zooms to its result, leave the whole timeline visible.
 */
const CASES: readonly (readonly [string, (playground: Playground) => Promise<void>])[] = [
  [
    'a gap says why the device is idle',
    async (playground) => {
      const hand = cursor(playground);
      const { width } = await sizeOf(hand);
      // The last span of rank 0 is its update; the slow rank is still busy at that time.
      await hand.click({ position: { x: width - 26, y: 49 } });
      await expect(chosen(playground).getByRole('heading')).toHaveText('Why is rank 0 idle here?');
      await expect(chosen(playground)).toContainText('Rank 0 has done its part of the step.');
      await hand.press('Escape');
      await expect(chosen(playground)).toBeHidden();
    },
  ],

  [
    'the critical path adds up to the step',
    async (playground) => {
      const toggle = timeline(playground).getByRole('button', { name: 'critical path' });
      await toggle.click();
      await expect(toggle).toHaveAttribute('aria-pressed', 'true');
      const words = timeline(playground).getByRole('status', { name: 'Critical path' });
      await expect(words).toContainText(/of computing .*= [\d.]+ µs, through rank/);
      const [parts = '', total = ''] = ((await words.textContent()) ?? '').split(/[=,]/);
      const sum = [...parts.matchAll(/([\d.]+) µs/g)].reduce((us, [, number]) => us + Number(number), 0);
      // Each number has three digits.
      expect(Math.abs(sum / Number.parseFloat(total.trim()) - 1)).toBeLessThan(0.02);
      await toggle.click();
      await expect(words).toBeHidden();
    },
  ],

  [
    'the wheel and a drag along the axis zoom, and fit shows all again',
    async (playground) => {
      const hand = cursor(playground);
      const box = await sizeOf(hand);
      const { mouse } = playground.page;
      const atEnd = async () => {
        await hand.click({ position: { x: box.width - 30, y: 100 } });
        const event = Number(await hand.getAttribute('aria-valuenow'));
        // The tooltip would cover the lanes.
        await hand.press('Escape');
        return event;
      };
      const whole = await atEnd();
      await mouse.move(box.x + 120, box.y + 28);
      await mouse.down();
      await mouse.move(box.x + 320, box.y + 28, { steps: 4 });
      await mouse.up();
      // A press hits the spans that have been drawn.
      await expect.poll(atEnd).toBeLessThan(whole);
      await timeline(playground).getByRole('button', { name: 'Show the whole step' }).click();
      await expect.poll(atEnd).toBe(whole);
      await mouse.move(box.x + 120, box.y + 60);
      await mouse.wheel(0, -600);
      await expect.poll(atEnd).toBeLessThan(whole);
      await timeline(playground).getByRole('button', { name: 'Show the whole step' }).click();
      await expect.poll(atEnd).toBe(whole);
    },
  ],

  [
    'all of it by keyboard alone',
    async (playground) => {
      const hand = cursor(playground);
      await hand.focus();
      await hand.press('Home');
      await hand.press('Enter');
      await expect(chosen(playground)).toContainText('rank 0: load');
      await hand.press('Shift+ArrowRight');
      await expect(chosen(playground)).not.toContainText('It starts when the step starts.');
      await hand.press('Shift+ArrowDown');
      await hand.press('w');
      await hand.press('d');
      await hand.press('f');
      await hand.press('0');
      await hand.press('k');
      await expect(timeline(playground).getByRole('status', { name: 'Critical path' })).toBeVisible();
      await hand.press('k');

      // Along the lane of rank 0 to a time in which rank 0 is idle.
      await hand.press('Home');
      await hand.press('Escape');
      await hand.press('Enter');
      const title = chosen(playground).getByRole('heading');
      for (let k = 0; k < 60 && !(await title.textContent())?.startsWith('Why is rank 0 idle'); k += 1)
        await hand.press('Shift+ArrowRight');
      await expect(title).toHaveText('Why is rank 0 idle here?');
      await expect(chosen(playground)).toContainText(/Rank 0 (waits for rank 1|has done)/);

      await hand.press('/');
      await expect(search(playground)).toBeFocused();
      await playground.page.keyboard.type('layer 0 step');
      await playground.page.keyboard.press('Escape');
      await expect(hand).toBeFocused();
      await hand.press('Escape');
      await expect(chosen(playground)).toBeHidden();

      await hand.press('?');
      const keys = playground.page.getByRole('dialog', { name: 'Keys' });
      await expect(keys).toContainText('While the timeline has the focus');
      await expect(keys).toContainText('Highlight the critical path');
      await playground.page.keyboard.press('Escape');
      await expect(keys).toBeHidden();
    },
  ],

  [
    'a search leads from match to match, and the panel says what each waited for',
    async (playground) => {
      await search(playground).fill('recv rank 0');
      const matches = timeline(playground).getByRole('status', { name: 'Matches' });
      await expect(matches).toHaveText(/^\d+ found$/);
      await search(playground).press('Enter');
      await expect(matches).toHaveText(/^1 of \d+$/);
      await expect(chosen(playground)).toContainText(/rank 0, round 1 of \d/);
      await expect(chosen(playground)).toContainText(/waited .+ for rank 1/);
      await expect(chosen(playground)).toContainText(/Cause: /);
      for (const fact of ['start', 'duration', 'bytes']) await expect(chosen(playground)).toContainText(fact);
      await axeFindsNothing(playground.page, 'section[aria-label="Timeline"]');

      // One press selects the event for which it waited, and from there another press leads back.
      const causes = chosen(playground).getByRole('group', { name: 'Waited for', exact: true });
      await causes.getByRole('button', { name: /^send .+ on rank 1$/ }).click();
      await expect(chosen(playground)).toContainText(/rank 1, round 1 of/);
      const effects = chosen(playground).getByRole('group', { name: 'Waited for it' });
      await expect(effects.getByRole('button', { name: /on rank 0$/ })).toBeVisible();

      await timeline(playground).getByRole('button', { name: 'Next match' }).click();
      await expect(chosen(playground)).toContainText('rank 0');
      await search(playground).fill('no such thing');
      await expect(matches).toHaveText('nothing found');
      await chosen(playground).getByRole('button', { name: 'Select nothing' }).click();
      await expect(chosen(playground)).toBeHidden();
      await search(playground).fill('');
      await expect(matches).toBeHidden();
    },
  ],

  [
    'the table has the same facts',
    async (playground) => {
      await timeline(playground).getByText('As a table').click();
      const rows = timeline(playground).getByRole('row');
      await expect(rows.first()).toContainText('Waited for');
      await expect(rows.filter({ hasText: /send .+ on rank 1, for [\d.]+ µs/ }).first()).toBeVisible();
      await expect(rows.filter({ hasText: 'on it' }).first()).toBeVisible();
    },
  ],
];

test(
  'gaps, critical path, zoom, keyboard, search and table',
  placeInBrowser({
    rest: 'app/timeline and trace/causes.test.ts hold gaps and critical path; picture.spec.ts walks the timeline by keyboard',
  }),
  async ({ playground }) => {
    await playground.open(SLOW);
    await playground.iterate(2);
    await expect(cursor(playground)).toHaveAttribute('aria-valuetext', /^event \d+ of/);
    for (const [title, run] of CASES) await test.step(title, () => run(playground));
  },
);
