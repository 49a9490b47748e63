/**
 * The lessons as readers find them: every page is complete without a script. With the script every figure in view is
 * live and moves, predictions reveal their answers, solutions complete their tasks, and one worker runs at a time. The
 * test reads from the HTML of a page what the page contains (src/lessons/CONTRACT.md), so a new lesson needs no change
 * here.
 */
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Locator, Page } from '@playwright/test';
import { CONTENTS } from '../learn/contents';
import { placeInBrowser } from '../scripts/tier';
import { axeFindsNothing, axeFindsNothingInLight, axeFindsNothingOnPhone } from './axe';
import { bringToView, figuresOf, goesLive, isLive, keepsItsHeight } from './figures';
import { expect, IN_MOTION, test } from './playground';

const root = path.join(import.meta.dirname, '..');
const WRITTEN = CONTENTS.map(({ name }) => name).filter((name) =>
  existsSync(path.join(root, 'learn', name, 'lesson.ts')),
);
const WIDE = { width: 1100, height: 900 };
const PHONE = { width: 390, height: 844 };
/**
 * Together these lessons have every view, notices, and toolbars with two rows. Their figures go live on a phone, and
 * axe also checks their colours in the dark theme. All lessons share one style sheet.
 */
const EVERY_VIEW = [
  'all-reduce',
  'buckets',
  'data-parallel',
  'launching',
  'pipelines',
  'pipeline-schedules',
  'sharding',
  'half-precision',
];

const startsByItself = async (figure: Locator): Promise<boolean> =>
  (await figure.getAttribute('data-starts')) !== 'rest';

interface WentLive {
  /** Height of the figure before, in px. */
  readonly still: number;
  /** Milliseconds until the figure has moved; undefined for a figure that rests until it is pressed. */
  readonly took: number | undefined;
}

/** With reduced motion a figure that would start by itself waits for Play, which the test presses. */
async function goesLiveAndMoves(figure: Locator): Promise<WentLive> {
  const began = performance.now();
  const still = await goesLive(figure);
  if (!(await startsByItself(figure))) return { still, took: undefined };
  await expect(figure).toHaveAttribute('data-live', 'rest');
  const first = await figure.getAttribute('data-at');
  await figure.getByRole('button', { name: 'Play', exact: true }).click();
  await expect.poll(() => figure.getAttribute('data-at')).not.toBe(first);
  return { still, took: performance.now() - began };
}

/** The number of visible recorded views of a figure; none while a picture of the figure is missing. */
const printedViews = (figure: Locator): Promise<number> =>
  figure.evaluate((element) => {
    const views = [...element.querySelectorAll('.figure-static .figure-view')];
    const pictures = [...element.querySelectorAll<HTMLImageElement>('.figure-static img')];
    return pictures.every((picture) => picture.complete && picture.naturalWidth > 0)
      ? views.filter((view) => view.checkVisibility()).length
      : 0;
  });

/** Every control changes the picture, the sentence or the numbers. */
async function turnsItsKnobs(drawing: Locator): Promise<void> {
  await drawing.scrollIntoViewIfNeeded();
  await expect(drawing).toHaveAttribute('data-live', 'rest');
  const shown = () =>
    drawing.evaluate((element) => {
      const parts = [...element.querySelectorAll('.drawing-says, .drawing-picture svg, .figure-numbers td')];
      return parts.map((part) => part.innerHTML).join(' ');
    });
  for (const knob of await drawing.locator('[data-knob]').all()) {
    const before = await shown();
    const field = knob.locator('select, input[type="range"], input[type="radio"]:not(:checked)').first();
    const kind = await field.evaluate((own) => own.getAttribute('type') ?? own.localName);
    if (kind === 'select') await field.selectOption({ index: await otherOption(field) });
    else if (kind === 'radio') await field.check();
    else await field.press((await field.inputValue()) === '0' ? 'ArrowRight' : 'ArrowLeft');
    await expect.poll(shown, `the knob ${await knob.getAttribute('data-knob')}`).not.toBe(before);
  }
}

/** An option that is not selected yet. */
const otherOption = (field: Locator): Promise<number> =>
  field.evaluate((own) => (own instanceof HTMLSelectElement && own.selectedIndex === 1 ? 0 : 1));

async function commitsAndSees(section: Locator): Promise<void> {
  const answer = section.locator('.predict-answer');
  await expect(answer).toBeHidden();
  const radios = section.getByRole('radio');
  if ((await radios.count()) > 0) await radios.first().check();
  else await section.getByRole('slider').press('ArrowRight');
  const commit = section.getByRole('button', { name: 'Commit' });
  await commit.press('Enter');
  await expect(answer).toBeVisible();
  // The pressed button has disappeared. The next press of Tab continues from here, not from the top of the page.
  await expect(commit).toBeHidden();
  await expect(section.getByRole('button', { name: 'Guess again' })).toBeFocused();
  await expect(section.locator('.predict-guess')).not.toBeEmpty();
  await expect(section.locator('.predict-verdict')).not.toBeEmpty();
  if ((await section.locator('svg.plot').count()) > 0 && (await radios.count()) === 0)
    await expect(section.locator('.plot-guess:visible')).toHaveCount(1);
  await section.getByRole('button', { name: 'Guess again' }).click();
  await expect(answer).toBeHidden();
}

/** All lessons consist of the same parts: figures, predictions, tasks. */
const IN_QUICK = 'model-parallel';

test.describe('lessons', () => {
  test.use({ viewport: WIDE });

  test('the built site has lessons', () => expect(WRITTEN.length).toBeGreaterThan(5));

  for (const name of WRITTEN) {
    const at = placeInBrowser(
      name === IN_QUICK ? {} : { rest: `the lesson ${IN_QUICK} has figures, predictions and tasks` },
    );
    test(
      `${name}: figures move, predictions reveal, tasks tick; axe, themes, phone, keyboard`,
      at,
      async ({ page, playground }) => {
        test.slow();
        if (EVERY_VIEW.includes(name)) await page.setViewportSize(PHONE);
        await page.goto(`./learn/${name}.html`);
        const heights: (readonly [figure: Locator, still: number])[] = [];
        for (const figure of await figuresOf(page)) {
          const { still, took } = await goesLiveAndMoves(figure);
          heights.push([figure, still]);
          // A figure that gives up its worker may be visible for a moment beside the figure that replaces it.
          await expect.poll(() => sessions(page), 'session workers at a time').toBeLessThanOrEqual(1);
          if (took !== undefined)
            test.info().annotations.push({ type: 'moved after', description: `${name}: ${Math.round(took)} ms` });
        }
        // The heights of all figures are read at once, because reading them one by one waited for each.
        await page.waitForTimeout(500);
        for (const [figure, still] of heights) await keepsItsHeight(figure, still);
        await page.setViewportSize(WIDE);
        for (const drawing of await page.locator('figure[data-drawing]').all()) await turnsItsKnobs(drawing);
        await page.emulateMedia({ reducedMotion: 'reduce' });
        for (const section of await page.locator('.predict[data-predict]').all()) await commitsAndSees(section);
        for (const task of await page.locator('.task[data-task]').all()) {
          // The solution of one task may also solve another task.
          if ((await task.getAttribute('data-done')) !== null) continue;
          await task.getByRole('button', { name: 'Show the solution' }).click();
          await expect(task, (await task.innerText()).slice(0, 80)).toHaveAttribute('data-done', '', {
            timeout: 60_000,
          });
          await expect(task.getByRole('checkbox')).toBeChecked();
        }
        await expect(page.locator(`.dot[data-lesson="${name}"]`)).toHaveAttribute('data-state', 'done');
        await expect.poll(() => sessions(page), 'session workers at a time').toBeLessThanOrEqual(1);
        expect(playground.problems).toEqual([]);
        // All figures are live by now, and tasks and predictions show their texts.
        await page.evaluate(() => scrollTo(0, 0));
        await (EVERY_VIEW.includes(name) ? axeFindsNothing(page) : axeFindsNothingInLight(page));
        await reachesByKeyboard(page);
        await axeFindsNothingOnPhone(page);
      },
    );
  }

  test(
    'without a script the text and the pictures are there',
    placeInBrowser({ rest: 'lessons/page renders all pages when the site is built' }),
    async ({ browser, baseURL }) => {
      const page = await browser.newPage({ javaScriptEnabled: false });
      for (const name of WRITTEN) await wholeWithoutScript(page, `${baseURL}learn/${name}.html`);
      await page.close();
    },
  );

  test(
    'a printed page has text, questions and pictures, and no controls',
    placeInBrowser({ rest: 'the style sheet alone decides it, and is the same for all lessons' }),
    async ({ page }) => {
      for (const name of ['buckets', 'traces']) {
        await page.emulateMedia({ media: 'screen' });
        await page.goto(`./learn/${name}.html`);
        const [live] = await figuresOf(page);
        if (!live) throw new Error('The lesson has no figure.');
        await bringToView(live);
        await isLive(live);
        await page.emulateMedia({ media: 'print' });
        await expect(page.locator('.predict[data-predict] form p').first()).toBeVisible();
        for (const asked of await page.locator('.predict[data-predict] form p, .task[data-task]').all())
          await expect(asked).toBeVisible();
        for (const definition of await page.locator('.definitions [popover]').all())
          await expect(definition).toBeVisible();
        for (const figure of await figuresOf(page)) await expect.poll(() => printedViews(figure)).toBeGreaterThan(0);
        await expect(page.locator('.predict button:visible, .task button:visible, .figure-bar:visible')).toHaveCount(0);
      }
    },
  );

  test.describe('in motion', () => {
    test.use(IN_MOTION);

    test(
      'a figure that comes into view plays by itself',
      placeInBrowser({ rest: 'live/figure/figure-run.test.ts holds when a figure plays by itself' }),
      async ({ page }) => {
        await page.goto('./learn/model-parallel.html');
        const [first] = await figuresOf(page);
        if (!first) throw new Error('The lesson has no figure.');
        expect(await startsByItself(first)).toBe(true);
        await goesLive(first);
        await expect(first).toHaveAttribute('data-live', 'playing');
        await page.emulateMedia({ reducedMotion: 'reduce' });
        await page.reload();
        await goesLive(first);
        const still = await first.getAttribute('data-at');
        await page.waitForTimeout(1500);
        expect(await first.getAttribute('data-at')).toBe(still);
        await expect(first).toHaveAttribute('data-live', 'rest');
      },
    );
  });

  test(
    'a figure that is in view again continues where it was, and a changed setting restarts it',
    placeInBrowser({ rest: 'lessons/live holds the sessions of figures' }),
    async ({ page }) => {
      await page.goto('./learn/model-parallel.html');
      const [first, second] = await figuresOf(page);
      if (!first || !second) throw new Error('The lesson has fewer than two figures.');
      await goesLiveAndMoves(first);
      await first.getByRole('button', { name: 'Pause' }).click();
      await first.getByRole('button', { name: 'Step moment' }).click();
      await expect(first).toHaveAttribute('data-live', 'rest');
      const here = await settledAt(first);
      await bringToView(second);
      await isLive(second);
      await bringToView(first);
      await page.waitForTimeout(600);
      expect(await settledAt(first)).toBe(here);
      await first.getByRole('button', { name: 'Step moment' }).click();
      await expect.poll(() => first.getAttribute('data-at')).not.toBe(here);
      await page.goto('./learn/all-reduce.html');
      const [ring] = await figuresOf(page);
      if (!ring) throw new Error('The lesson has no figure.');
      await goesLiveAndMoves(ring);
      await ring.getByRole('radio', { name: '8' }).check({ force: true });
      await expect(ring.locator('.figure-numbers')).toContainText('14');
      await ring.getByRole('slider', { name: 'Round' }).press('End');
      await expect(ring).toHaveAttribute('data-at', '14');
    },
  );

  test(
    'the link to the playground opens the state of the figure',
    placeInBrowser({ rest: 'exact-links.spec.ts follows a link to a moment' }),
    async ({ page }) => {
      await page.goto('./learn/model-parallel.html');
      const [first] = await figuresOf(page);
      if (!first) throw new Error('The lesson has no figure.');
      await goesLiveAndMoves(first);
      await first.getByRole('button', { name: 'Pause' }).click();
      const link = first.locator('.figure-open');
      await link.focus();
      await expect(link).toHaveAttribute('href', /^\.\.\/#.*mode=mp.*at=/);
      await link.click();
      await expect(page.getByRole('button', { name: 'Play', exact: true })).toBeEnabled();
      await expect(page.getByRole('status', { name: 'Step', exact: true })).toHaveText(/\d/);
    },
  );

  test(
    'memory does not grow over twelve visits',
    placeInBrowser({ rest: 'it visits a page twelve times' }),
    async ({ page }) => {
      test.slow();
      const devtools = await page.context().newCDPSession(page);
      const visit = async () => {
        await page.goto('./learn/all-reduce.html');
        const [first] = await figuresOf(page);
        if (first) await isLive(first);
      };
      const used = async () => {
        await devtools.send('HeapProfiler.collectGarbage');
        return (await devtools.send('Runtime.getHeapUsage')).usedSize;
      };
      for (let count = 0; count < 3; count++) await visit();
      const early = await used();
      for (let count = 3; count < 12; count++) await visit();
      // 200 kB per visit, which is less than the code of one figure.
      expect((await used()) - early, 'bytes more than after three').toBeLessThan(1.8e6);
    },
  );
});

/** Workers of the session; the session's own workers for ranks do not count. */
const sessions = (page: Page): number => page.workers().length;

/** The position when nothing moves any more. */
async function settledAt(figure: Locator): Promise<string | null> {
  for (let before: string | null | undefined; ; ) {
    const now = await figure.getAttribute('data-at');
    if (now === before) return now;
    before = now;
    await figure.page().waitForTimeout(900);
  }
}

/** Tab reaches everything in the toolbars, the forms and the tasks; a group of options is one stop. */
async function reachesByKeyboard(page: Page): Promise<void> {
  const missed = await page.evaluateHandle(() => {
    const reached = new Set<EventTarget | null>();
    document.addEventListener('focusin', ({ target }) => reached.add(target));
    window.scrollTo(0, 0);
    document.body.focus();
    const stops =
      '[data-press] button:enabled, [data-setting] input[type="range"]:enabled, .figure-open, .task button, .predict button, .drawing-knobs select, .drawing-knobs button, .drawing-knobs input[type="range"]';
    return () =>
      [...document.querySelectorAll<HTMLElement>(stops)]
        .filter((stop) => stop.checkVisibility() && stop.tabIndex >= 0 && !reached.has(stop))
        .map((stop) => stop.getAttribute('aria-label') ?? stop.textContent ?? '');
  });
  const left = () => missed.evaluate((list) => list());
  // Several times around the page: an element that is disabled when Tab passes may be enabled the next time.
  const tabs = async () => {
    // Sent at once: the page need not be drawn between two of them.
    await Promise.all(Array.from({ length: 50 }, () => page.keyboard.press('Tab')));
    return left();
  };
  await expect.poll(tabs, { message: 'not reached by Tab', timeout: 15_000, intervals: [0, 0, 0, 0, 100] }).toEqual([]);
}

async function wholeWithoutScript(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  expect((await page.locator('article, main').first().innerText()).length).toBeGreaterThan(2000);
  for (const figure of await figuresOf(page)) {
    const shown = figure.locator('.figure-static img, .figure-static table');
    expect(await shown.count(), 'pictures and tables of a figure').toBeGreaterThan(0);
    await expect(figure.locator('figcaption')).not.toBeEmpty();
  }
  for (const drawing of await page.locator('figure[data-drawing]').all()) {
    await expect(drawing.locator('.drawing-picture svg:visible')).toHaveCount(1);
    await expect(drawing.locator('.drawing-says')).not.toBeEmpty();
    await expect(drawing.locator('.drawing-knobs')).toBeHidden();
  }
  for (const picture of await page.locator('.figure-static img').all()) {
    const file = await page.request.get(new URL((await picture.getAttribute('src')) ?? '', url).href);
    expect(file.ok()).toBe(true);
    expect(await file.text()).toContain('<svg');
  }
}
