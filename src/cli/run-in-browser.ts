/**
 * `--browser`: the same run in headless Chromium, through the function that the page offers to scripts
 * (`window.lockstep.run`). Builds the site when it is missing or old, serves it, opens it, and takes the report back.
 */
import { chromiumFlags, findChromium } from '../../scripts/chromium.mjs';
import { serveFolder } from '../../scripts/static-server.mjs';
import { fromWire, isWireError, LockstepError, type WireError } from '../base/errors';
import type { RecordOptions, Report } from '../protocol/report';
import type { GivenRun } from './read-run';
import { builtSite } from './site';

export async function runInBrowser(
  run: GivenRun,
  records: RecordOptions,
  say: (text: string) => void,
  signal: AbortSignal,
): Promise<Report> {
  const dist = await builtSite(say);
  // Optional in the package: whoever does not use a browser need not have it.
  const { chromium } = await import('playwright-core').catch(() => {
    throw new LockstepError(
      'no-adapter',
      'The package playwright-core is not installed.',
      'npm install playwright-core, or leave --browser out.',
    );
  });
  const found = await findChromium({ install: false }).catch((error: unknown) => {
    throw new LockstepError(
      'no-adapter',
      String(error instanceof Error ? error.message : error),
      'npm test can install one.',
    );
  });
  const server = await serveFolder(dist);
  const browser = await chromium.launch({
    executablePath: found.executablePath,
    args: chromiumFlags,
    // The entry point hears these.
    handleSIGINT: false,
    handleSIGTERM: false,
  });
  const stopped = new Promise<never>((_, reject) => {
    const stop = (): void =>
      reject(
        new LockstepError('aborted', 'The run was stopped.', 'With --browser a run that is stopped gives no report.'),
      );
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop);
  });
  stopped.catch(() => undefined);
  try {
    say(`Running in ${found.executablePath} (${found.adapter}) ...`);
    const page = await browser.newPage();
    await page.goto(server.url);
    await page.waitForFunction(() => 'lockstep' in globalThis);
    // Bytes do not survive the way into the page; base64 does.
    const files = Object.entries(run.files).map(
      ([name, bytes]) => [name, Buffer.from(bytes).toString('base64')] as const,
    );
    const result = await Promise.race([page.evaluate(inPage, { config: run.config, files, records }), stopped]);
    if (isWireError(result)) throw fromWire(result);
    return result;
  } finally {
    await browser.close();
    await server.close();
  }
}

interface PageInput {
  readonly config: unknown;
  readonly files: readonly (readonly [string, string])[];
  readonly records: RecordOptions;
}

/** Runs in the page: nothing from outside it may be named here. */
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
