/**
 * `npm start`: installs what is missing, then serves the playground. PORT chooses the port; a taken one is said, the
 * next is used.
 */
import { ensureInstalled, root } from './install.mjs';
import { readArguments } from './read-arguments.mjs';

readArguments({
  command: 'npm start --',
  about:
    'Installs the packages that are missing and serves the playground with Vite; changes show at once. The environment variable PORT chooses the port; where it is taken the next free one is used.',
});
ensureInstalled();
const { createServer } = await import('vite');
const wanted = Number(process.env['PORT'] || 5173);
if (!Number.isInteger(wanted) || wanted < 1 || wanted > 65535) {
  console.error(`PORT must be a number from 1 to 65535, not "${process.env['PORT']}".`);
  process.exit(2);
}
const host = process.env['HOST'];
const server = await createServer({
  root,
  clearScreen: false,
  server: {
    port: wanted,
    strictPort: false,
    // Cross-origin isolated: threads of the CPU device share memory only in such a page.
    headers: { 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp' },
    ...(host ? { host } : {}),
  },
});
// Vite says itself when the port is taken, and goes on to the next.
await server.listen();
console.log('\n  Lockstep runs at');
server.printUrls();
console.log('  Stop it with Ctrl+C.');
