/** `lockstep serve`: serves the playground on this machine until Ctrl+C, from the package alone. */
import { serveFolder } from '../../scripts/static-server.mjs';
import { LockstepError } from '../base/errors';
import type { ServeOptions } from './serve-usage';
import { builtSite } from './site';

/** The number of ports to try, from the requested one on. */
const TRIES = 20;

/** Resolves when `signal` stops it. */
export async function serve({ port }: ServeOptions, signal: AbortSignal): Promise<void> {
  const say = (text: string): void => {
    process.stderr.write(`${text}\n`);
  };
  const folder = await builtSite(say);
  const { url, close } = await firstFree(folder, port, say);
  process.stdout.write(`Lockstep runs at ${url}\nStop it with Ctrl+C.\n`);
  if (!signal.aborted) await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
  await close();
}

type Served = Awaited<ReturnType<typeof serveFolder>>;

async function firstFree(folder: string, port: number, say: (text: string) => void): Promise<Served> {
  for (let tried = port; ; tried++) {
    try {
      return await serveFolder(folder, { port: tried });
    } catch (error) {
      const { code = '', message } = error as NodeJS.ErrnoException;
      if (code !== 'EADDRINUSE' || port === 0)
        throw new LockstepError(
          'config',
          `The playground cannot be served on port ${tried}: ${message}`,
          'Choose another with --port.',
        );
      if (tried - port >= TRIES || tried >= 65_535)
        throw new LockstepError('config', `Ports ${port} to ${tried} are all taken.`, 'Choose another with --port.');
      say(`Port ${tried} is taken, trying ${tried + 1}.`);
    }
  }
}
