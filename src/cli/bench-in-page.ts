/**
 * `bench --page`: runs the workloads in the page, as for a visitor: opened by their links and played at full speed
 * while the page draws them. The number of steps is read from the page.
 */
import type { Locator, Page } from 'playwright-core';
import { LockstepError } from '../base/errors';
import { askedWorkloads, type BenchFigures, type BenchRequest, timedWorkload, type Workload } from '../bench/run-bench';
import type { BenchWorkload } from '../protocol/bench-report';
import { isErrorCode } from './exit-code';
import { withSite } from './open-site';

const VIEWPORT = { width: 1360, height: 860 };
const WARM_UP_MS = 2000;
/** The most time for the page to be ready, and to show a further step. */
const PATIENCE_MS = 120_000;
const LOOK_MS = 5;

interface PageMeans {
  readonly signal: AbortSignal;
  readonly say: (text: string) => void;
  onWorkload(workload: BenchWorkload): void;
}

/** `runtime`: the browser. */
export async function benchInPage(
  request: BenchRequest,
  { signal, say, onWorkload }: PageMeans,
): Promise<{ readonly runtime: string; readonly measured: BenchFigures }> {
  const { only, threads, fusedMultiplyAdd, rounds, milliseconds } = request;
  const asked = askedWorkloads(only);
  const whenStopped = 'A benchmark that is stopped gives no report.';
  return await withSite({ option: '--page', say, signal, whenStopped }, async ({ url, browser, adapter, newPage }) => {
    const workloads: BenchWorkload[] = [];
    for (const workload of asked) {
      const page = await newPage();
      await page.setViewportSize(VIEWPORT);
      await play(page, `${url}${linkOf(workload, request)}`);
      const rates: number[] = [];
      while (rates.length < rounds) rates.push(await stepsPerSecond(page, milliseconds));
      await page.close();
      const timed = timedWorkload(workload, rates);
      workloads.push(timed);
      onWorkload(timed);
    }
    const device =
      request.device === 'cpu'
        ? ({ kind: 'cpu', adapter: 'CPU (typed arrays)' } as const)
        : { kind: 'webgpu' as const, adapter };
    const runtime = `Chromium ${browser.version()}`;
    return { runtime, measured: { device, threads, fusedMultiplyAdd, rounds, milliseconds, workloads } };
  });
}

function linkOf({ preset, setting }: Workload, { device, fusedMultiplyAdd }: BenchRequest): string {
  const keys = new URLSearchParams({
    ...{ seed: '0', preset, mode: String(setting.mode), world: String(setting.worldSize) },
    ...(device === 'auto' ? {} : { device }),
    ...(fusedMultiplyAdd ? { fma: '1' } : {}),
  });
  return `#${keys}`;
}

/** Starts the run, and waits until it is warm. If the page refuses the run, throws that error. */
async function play(page: Page, address: string): Promise<void> {
  await page.goto(address);
  const button = page.getByRole('button', { name: 'Play', exact: true }).and(page.locator(':enabled'));
  const problem = page.getByRole('alert').and(page.locator('[data-notice]')).first();
  await button.or(problem).first().waitFor({ timeout: PATIENCE_MS });
  await refuse(problem);
  await page.getByRole('combobox', { name: 'Speed', exact: true }).selectOption('full speed');
  await button.click();
  await page.waitForTimeout(WARM_UP_MS);
  await refuse(problem);
}

/** Throws an error with the words and the error code of the page's notice. */
async function refuse(problem: Locator): Promise<void> {
  if (!(await problem.isVisible())) return;
  const code = (await problem.getAttribute('data-notice')) ?? '';
  const [text = 'The page failed.', ...hint] = await problem.locator('p, p > span').allTextContents();
  const said = hint.reduce((all, part) => all.replace(part, ''), text).trim();
  throw new LockstepError(isErrorCode(code) ? code : 'internal', said, hint.join(' '));
}

/** Measured from one change of the number of steps to another, at least `milliseconds` later. */
async function stepsPerSecond(page: Page, milliseconds: number): Promise<number> {
  const status = page.getByRole('status', { name: 'Step', exact: true });
  const opened = performance.now();
  const next = async (seen: number, from: number): Promise<{ readonly steps: number; readonly at: number }> => {
    for (;;) {
      const steps = Number(/[\d,]+/.exec((await status.textContent()) ?? '')?.[0].replaceAll(',', ''));
      const at = performance.now();
      if (steps !== seen && at >= from) return { steps, at };
      if (at - opened > PATIENCE_MS + milliseconds)
        throw new LockstepError(
          'internal',
          'The page shows no further step.',
          'Open the same link in a browser to see why.',
        );
      await page.waitForTimeout(LOOK_MS);
    }
  };
  const { steps: shown } = await next(-1, 0);
  const first = await next(shown, 0);
  const last = await next(first.steps, first.at + milliseconds);
  return (1000 * (last.steps - first.steps)) / (last.at - first.at);
}
