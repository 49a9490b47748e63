/**
 * The page as a user finds it: tests find everything by role and name. Each test also fails on any uncaught error or
 * console error, unless it announces before which error it provokes. Specs use this class and no selectors of their
 * own.
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

/** A net and a data set that are so small that a step takes almost no time even on a software adapter. */
export const TINY = 'seed=0&samples=32&test=0&batch=16&layers=2-4-1&act=tanh';

/**
 * For specs about motion, and about the position of a run meanwhile: pass this to test.use(). In other specs the page
 * does less: a step by hand is at its end at once, and nothing is drawn sixty times per second while other tests run.
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

  /** Called before a test causes an error: errors with these words are expected. */
  provokes(...problems: RegExp[]): void {
    this.provoked.push(...problems);
  }

  /** Opens the page and waits until the first step can run. Play then runs at full speed at once. */
  async open(hash: string): Promise<void> {
    await this.page.goto(`./#${hash}`);
    await expect(this.button('Play')).toBeEnabled();
    await expect(this.status('Step')).toHaveText(/\d/);
    await this.fullSpeed();
  }

  /**
   * Waits until the files that the page loads by itself have arrived, some of them after Play can be pressed: their
   * parts are visible, and there has been no new request for a second. Playwright's 'networkidle' occurs only once,
   * perhaps before Play.
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
   * Opens a link in the open page, like a link pasted into the address bar, and waits for its first step as open()
   * does. The run before must have taken a step, because the test recognises the new run by having taken none.
   */
  async follow(hash: string): Promise<void> {
    expect(await this.number('Step'), 'steps of the run before').toBeGreaterThan(0);
    await this.page.evaluate((link) => window.location.assign(`#${link}`), hash);
    await expect(this.status('Step')).toHaveText('0');
    await expect(this.button('Play')).toBeEnabled();
    await this.fullSpeed();
  }

  /** The control that shows and sets the pace of Play. */
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
   * The first number in the text of a status; NaN if the text has no number. Tests ask repeatedly until the number is
   * as expected, so the status is found by its label: to find a role, Playwright checks every element of the page.
   */
  async number(name: string): Promise<number> {
    return firstNumber((await this.page.locator(`[role="status"][aria-label="${name}"]`).textContent()) ?? '');
  }

  /** So that a key goes to the page, and not to the control that was used last. */
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

  /** The cursor's position among all stored events, from the slider under the stage. */
  scrub(): Locator {
    return this.page.getByRole('slider', { name: 'Scrub' });
  }

  async position(): Promise<number> {
    return Number(await this.scrub().inputValue());
  }

  /**
   * The last position, as soon as the cursor is there: the slider follows the cursor twenty times per second, not at
   * once.
   */
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

  /** The message that a part of the page could not be drawn or loaded. */
  broken(part: string): Locator {
    return this.page.getByRole('alert').filter({ hasText: `${part} could not be` });
  }

  /** A field of the set-up, by its label. */
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

  /** Opens the memory tree beside the result and returns it. */
  async memoryTree(): Promise<Locator> {
    await this.page.getByText('Memory, tensor by tensor').click();
    return this.page.getByRole('treegrid', { name: /^Memory/ });
  }

  async choose(name: ModeName): Promise<void> {
    await this.mode(name).click();
    await expect(this.mode(name)).toBeChecked();
    await expect(this.button('Play')).toBeEnabled();
  }

  /** Presses "Step iteration" the given number of times, and waits after each press until the step is done. */
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
    // A run at full speed uses a core until it is paused.
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
 * Runs in every page before its scripts: the page gets twenty animation frames per second, not sixty. Moving drawings
 * are functions of the time, and without a GPU a page with moving drawings spends most of its time on drawing.
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
    // A page that the test has not closed may still request a file through a route, and nobody waits for the answer.
    if (!page.isClosed()) await page.unrouteAll({ behavior: 'ignoreErrors' });
    expect(playground.problems, 'errors in the console').toEqual([]);
  },
});

export { expect };
