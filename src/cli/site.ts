/**
 * The built site of this package, which `lockstep serve` and `--browser` open. The package contains it; in a clone it
 * is built if missing or old.
 */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { isCurrent } from '../../scripts/is-current.mjs';
import { LockstepError } from '../base/errors';

/** The bundle in dist-cli/ and bin/ are both one folder below the root of the package. */
const root = path.resolve(import.meta.dirname, '..');

/** The folder of the site. */
export async function builtSite(say: (text: string) => void): Promise<string> {
  const inClone = existsSync(path.join(root, 'src', 'app'));
  if (inClone && !isCurrent(root, 'dist/index.html', ['src', 'shaders', 'index.html'])) {
    say('Building the site ...');
    await buildSite();
  }
  return path.join(root, 'dist');
}

async function buildSite(): Promise<void> {
  const { build } = await import('vite');
  await build({ root, logLevel: 'error' }).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    throw new LockstepError('internal', `The site does not build. ${reason}`, '`npm run build` shows more.');
  });
}
