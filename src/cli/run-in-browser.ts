/**
 * `--browser`: makes the same run in headless Chromium, through the page's function for scripts
 * (`window.lockstep.run`). Opens the built site and returns the report.
 */
import { fromWire, isWireError, type WireError } from '../base/errors';
import type { RecordOptions, Report } from '../protocol/report';
import { withSite } from './open-site';
import type { GivenRun } from './read-run';

export async function runInBrowser(
  run: GivenRun,
  records: RecordOptions,
  say: (text: string) => void,
  signal: AbortSignal,
): Promise<Report> {
  const whenStopped = 'With --browser a run that is stopped gives no report.';
  const result = await withSite({ option: '--browser', say, signal, whenStopped }, async ({ url, newPage }) => {
    const page = await newPage();
    await page.goto(url);
    await page.waitForFunction(() => 'lockstep' in globalThis);
    // Bytes cannot be passed into the page, so they are encoded as base64.
    const files = Object.entries(run.files).map(
      ([name, bytes]) => [name, Buffer.from(bytes).toString('base64')] as const,
    );
    return await page.evaluate(inPage, { config: run.config, files, records });
  });
  if (isWireError(result)) throw fromWire(result);
  return result;
}

interface PageInput {
  readonly config: unknown;
  readonly files: readonly (readonly [string, string])[];
  readonly records: RecordOptions;
}

/** Runs in the page, so it must not refer to anything outside itself. */
async function inPage({ config, files, records }: PageInput): Promise<Report | WireError> {
  const api = Reflect.get(globalThis, 'lockstep') as {
    run(config: unknown, files: unknown, records: RecordOptions): Promise<Report>;
  };
  const bytes = files.map(([name, text]) => [name, Uint8Array.from(atob(text), (char) => char.charCodeAt(0))] as const);
  try {
    return await api.run(config, Object.fromEntries(bytes), records);
  } catch (error) {
    const { code, message, hint, details } = error as Partial<WireError>;
    return {
      lockstepError: true,
      code: code ?? 'internal',
      message: message ?? String(error),
      hint: hint ?? '',
      details: details ?? {},
    };
  }
}
