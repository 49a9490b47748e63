/** Runs before `npm pack`: builds the two parts of the package, the site in dist/ and the command line in dist-cli/. */
import { buildCommandLine } from './build-cli.mjs';
import { ensureInstalled, root } from './install.mjs';
import { isCurrent } from './is-current.mjs';
import { readArguments } from './read-arguments.mjs';

readArguments({
  command: 'npm run prepack --',
  about:
    'Runs before `npm pack`: builds the two parts of the package, the site in dist/ and the command line in dist-cli/.',
});
ensureInstalled();
const { build } = await import('vite');
// Standard output belongs to npm, which may write JSON there.
if (!isCurrent(root, 'dist/index.html', ['src', 'assembly', 'learn', 'public', 'shaders', 'index.html']))
  await build({ root, logLevel: 'error' });
await buildCommandLine();
