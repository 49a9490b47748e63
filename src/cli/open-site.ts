/**
 * Opens the built site in headless Chromium, for `train --browser` and `bench --page`. Builds the site if it is missing
 * or old, and serves it.
 */
import type { Browser, Page } from 'playwright-core';
import { chromiumFlags, findChromium } from '../../scripts/chromium.mjs';
import { serveFolder } from '../../scripts/static-server.mjs';
import { LockstepError } from '../base/errors';
import { builtSite } from './site';

interface OpenSite {
  readonly url: string;
  readonly adapter: string;
  readonly browser: Browser;
  newPage(): Promise<Page>;
}

interface SiteUse {
  /** The option that needs a browser; errors say how to run without it. */
  readonly option: string;
  readonly say: (text: string) => void;
  readonly signal: AbortSignal;
  /** What an interrupted use leaves behind, in words. */
  readonly whenStopped: string;
}

/** Closes browser and server when `use` ends, also if the signal stops it. */
export async function withSite<T>(
  { option, say, signal, whenStopped }: SiteUse,
  use: (site: OpenSite) => Promise<T>,
): Promise<T> {
  const dist = await builtSite(say);
  // Optional in the package: users who need no browser need not install it.
  const { chromium } = await import('playwright-core').catch(() => {
    throw new LockstepError(
      'no-adapter',
      'The package playwright-core is not installed.',
      `npm install playwright-core, or leave ${option} out.`,
    );
  });
  const found = await findChromium({ install: false }).catch((error: unknown) => {
    throw new LockstepError(
      'no-adapter',
      String(error instanceof Error ? error.message : error),
      `Leave ${option} out to run without a browser. In a clone of Lockstep, npm test installs a Chromium.`,
    );
  });
  const server = await serveFolder(dist);
  const browser = await chromium.launch({
    executablePath: found.executablePath,
    args: chromiumFlags,
    // The entry point handles these signals.
    handleSIGINT: false,
    handleSIGTERM: false,
  });
  const stopped = new Promise<never>((_, reject) => {
    const stop = (): void => reject(new LockstepError('aborted', 'The run was stopped.', whenStopped));
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop);
  });
  stopped.catch(() => undefined);
  try {
    say(`Running in ${found.executablePath} (${found.adapter}) ...`);
    const { url } = server;
    const site = { url, browser, adapter: found.adapter, newPage: () => browser.newPage() };
    return await Promise.race([use(site), stopped]);
  } finally {
    await browser.close();
    await server.close();
  }
}
