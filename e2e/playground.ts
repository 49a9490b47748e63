/**
 * The page as a user finds it: everything by role and name. Each test also fails on any uncaught error or console
 * error, unless it says beforehand which one it provokes. Specs use this and no selectors of their own.
 */
import { test as base, expect, type Locator, type Page, type Request } from '@playwright/test';
import type { Report } from '../src/protocol/report';

export type ModeName =
  | 'Single'
  | 'DataParallel'
  | 'DistributedDataParallel'
  | 'Model parallel'
  | 'Pipeline'
  | 'Sharded data parallel'
  | 'Tensor parallel'
  | 'Parameter server';

export type PresetTitle = 'MLP' | 'Wide MLP' | 'CNN with BatchNorm' | 'GPT';

/** A net and a data set so small that a step takes no time even on a software adapter. */
export const TINY = 'seed=0&samples=32&test=0&batch=16&layers=2-4-1&act=tanh';

/**
 * For specs about motion and about where a run is meanwhile, to be given to test.use(). Elsewhere the page is one that
 * was asked for less of it: a step by hand is at its end at once, and nothing is drawn sixty times a second beside
 * other tests.
 */
export const IN_MOTION = { contextOptions: { reducedMotion: 'no-preference' } } as const;

export class Playground {
  readonly problems: string[] = [];
  private readonly provoked: RegExp[] = [];
  private readonly underWay = new Set<Request>();
  private requests = 0;

  constructor(readonly page: Page) {
    const note = (problem: string) => {
      if (!this.provoked.some((pattern) => pattern.test(problem))) this.problems.push(problem);
    };
    page.on('pageerror', (error) => note(`uncaught: ${error.message}`));
    page.on('console', (message) => {
      if (message.type() === 'error') note(`console: ${message.text()}`);
    });
    page.on('request', (request) => {
      this.requests += 1;
      this.underWay.add(request);
    });
    page.on('requestfinished', (request) => this.underWay.delete(request));
    page.on('requestfailed', (request) => this.underWay.delete(request));
  }

  /** Said before a test makes something go wrong: problems of these words are the test's own. */
  provokes(...problems: RegExp[]): void {
    this.provoked.push(...problems);
  }

  /** Opens the page and waits until the first step can run. Play then goes at full speed at once. */
  async open(hash: string): Promise<void> {
    await this.page.goto(`./#${hash}`);
    await expect(this.button('Play')).toBeEnabled();
    await expect(this.status('Step')).toHaveText(/\d/);
    await this.fullSpeed();
  }

  /**
   * Waits until what the page fetches by itself is there, some of it later than Play: its parts are seen, and nothing
   * more has been asked for in a second. Playwright's 'networkidle' comes once only, perhaps before Play.
   */
  async fetched(): Promise<void> {
    await expect(this.region('Stage').getByRole('img', { name: /^\d+ devices/ })).toBeVisible();
    await expect(this.region('Timeline').getByRole('slider', { name: 'Time cursor' })).toBeVisible();
    await expect(this.page.getByText('Memory, tensor by tensor')).toBeVisible();
    let before = -1;
    const isQuiet = (): boolean => {
      const quiet = this.underWay.size === 0 && this.requests === before;
      before = this.requests;
      return quiet;
    };
    await expect.poll(isQuiet, { intervals: [1000] }).toBe(true);
  }

  /**
   * Takes a link in the page that is open, as one pasted into the address bar, and waits for its first step as open()
   * does. The run before must have taken a step, so that the next one is known by having taken none.
   */
  async follow(hash: string): Promise<void> {
    expect(await this.number('Step'), 'steps of the run before').toBeGreaterThan(0);
    await this.page.evaluate((link) => window.location.assign(`#${link}`), hash);
    await expect(this.status('Step')).toHaveText('0');
    await expect(this.button('Play')).toBeEnabled();
    await this.fullSpeed();
  }

  /** Where the page shows how fast Play goes, and lets one choose. */
  async fullSpeed(): Promise<void> {
    if ((await this.speed().count()) > 0 && (await this.speed().isEnabled()))
      await this.speed().selectOption('full speed');
  }

  speed(): Locator {
    return this.page.getByRole('combobox', { name: 'Speed', exact: true });
  }

  button(name: string): Locator {
    return this.page.getByRole('button', { name, exact: true });
  }

  region(name: 'Stage' | 'Timeline' | 'Set-up' | 'Result' | 'Code'): Locator {
    return this.page.getByRole('region', { name, exact: true });
  }

  status(name: string): Locator {
    return this.page.getByRole('status', { name, exact: true });
  }

  /**
   * The first number that a status shows; NaN when it shows none. Tests ask again and again until it is what they wait
   * for, so it is found by its label: for a role Playwright looks at every element of the page.
   */
  async number(name: string): Promise<number> {
    return firstNumber((await this.page.locator(`[role="status"][aria-label="${name}"]`).textContent()) ?? '');
  }

  /** So that a key is the page's, and not that of the control used last. */
  async leaveControls(): Promise<void> {
    await this.page.evaluate(() => {
      if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
    });
  }

  mode(name: ModeName): Locator {
    return this.page.getByRole('radiogroup', { name: 'Parallel mode' }).getByRole('radio', { name, exact: true });
  }

  worldSize(): Locator {
    return this.page.getByRole('slider', { name: 'World size' });
  }

  /** Where the cursor is among all events kept, by the slider under the stage. */
  scrub(): Locator {
    return this.page.getByRole('slider', { name: 'Scrub' });
  }

  async position(): Promise<number> {
    return Number(await this.scrub().inputValue());
  }

  /** The last position of all, once the cursor is there: the slider follows it twenty times a second, not at once. */
  async endPosition(): Promise<number> {
    const last = async () => Number(await this.scrub().getAttribute('max'));
    await expect.poll(async () => (await this.position()) - (await last())).toBe(0);
    return last();
  }

  notice(text: string | RegExp): Locator {
    const notices = this.page.getByRole('complementary', { name: 'Notices' });
    return notices.getByRole('alert').or(notices.getByRole('status')).filter({ hasText: text }).first();
  }

  preset(name: PresetTitle): Locator {
    return this.page.getByRole('radiogroup', { name: 'Preset' }).getByRole('radio', { name, exact: true });
  }

  data(name: string): Locator {
    return this.page.getByRole('radiogroup', { name: 'Data' }).getByRole('radio', { name, exact: true });
  }

  /** What says that a part of the page could not be drawn or fetched. */
  broken(part: string): Locator {
    return this.page.getByRole('alert').filter({ hasText: `${part} could not be` });
  }

  /** A field of the set-up by its label. */
  field(label: string): Locator {
    return this.page.getByRole('region', { name: 'Set-up' }).getByLabel(label, { exact: true });
  }

  /** Drops files on the page, as from the desktop. */
  async drop(
    files: readonly { readonly name: string; readonly text: string; readonly type?: string }[],
  ): Promise<void> {
    const transfer = await this.page.evaluateHandle((given) => {
      const data = new DataTransfer();
      for (const { name, text, type } of given) data.items.add(new File([text], name, { type: type ?? 'text/plain' }));
      return data;
    }, files);
    for (const type of ['dragenter', 'dragover', 'drop'])
      await this.page.dispatchEvent('main', type, { dataTransfer: transfer });
  }

  /** The memory tree beside the result, opened. */
  async memoryTree(): Promise<Locator> {
    await this.page.getByText('Memory, tensor by tensor').click();
    return this.page.getByRole('treegrid', { name: /^Memory/ });
  }

  async choose(name: ModeName): Promise<void> {
    await this.mode(name).click();
    await expect(this.mode(name)).toBeChecked();
    await expect(this.button('Play')).toBeEnabled();
  }

  /** Presses "Step iteration" and waits until the step is done, so many times. */
  async iterate(times: number): Promise<void> {
    for (let done = 0; done < times; done += 1) {
      const before = await this.number('Step');
      await this.button('Step iteration').click();
      await expect.poll(() => this.number('Step'), { intervals: [30] }).toBeGreaterThan(before);
    }
  }

  async reset(): Promise<void> {
    await this.button('Reset').click();
    await expect.poll(() => this.number('Step')).toBe(0);
    await expect(this.button('Play')).toBeEnabled();
  }

  async playUntilStep(step: number): Promise<void> {
    await this.fullSpeed();
    await this.button('Play').click();
    // A run at full speed takes a core for as long as it is not asked.
    await expect.poll(() => this.number('Step'), { timeout: 60_000, intervals: [30] }).toBeGreaterThanOrEqual(step);
    await this.button('Pause').click();
    await expect(this.button('Play')).toBeVisible();
  }

  hash(): string {
    return new URL(this.page.url()).hash.slice(1);
  }

  /** `window.lockstep.run`, as a script in the page would call it. */
  run(config: Record<string, unknown>): Promise<Report> {
    return this.page.evaluate((given) => Reflect.get(globalThis, 'lockstep').run(given), config);
  }
}

export function firstNumber(text: string): number {
  const found = /-?\d[\d,]*(\.\d+)?(e[+-]?\d+)?/i.exec(text.replaceAll('\u2212', '-'));
  return found ? Number(found[0].replaceAll(',', '')) : Number.NaN;
}

/**
 * Runs in every page before its scripts: it is given twenty frames a second, not sixty. What moves is a function of the
 * time, and without a GPU drawing is most of what a page takes that moves.
 */
const fewerFrames = () => {
  const real = globalThis.requestAnimationFrame.bind(globalThis);
  const EVERY_MS = 50;
  let last = -EVERY_MS;
  Object.assign(globalThis, {
    requestAnimationFrame: (draw: FrameRequestCallback) =>
      setTimeout(
        () =>
          real((now) => {
            last = now;
            draw(now);
          }),
        Math.max(0, last + EVERY_MS - performance.now()),
      ),
    cancelAnimationFrame: clearTimeout,
  });
};

export const test = base.extend<{ playground: Playground }>({
  context: async ({ context }, use) => {
    await context.addInitScript(fewerFrames);
    await use(context);
  },
  playground: async ({ page }, use) => {
    const playground = new Playground(page);
    await use(playground);
    // A page that the test has not closed may still fetch something through a route whose answer nobody waits for.
    if (!page.isClosed()) await page.unrouteAll({ behavior: 'ignoreErrors' });
    expect(playground.problems, 'errors in the console').toEqual([]);
  },
});

export { expect };
