/**
 * `npm start`: installs missing packages, then serves the playground. PORT chooses the port; if this port is taken,
 * Vite says so and uses the next one.
 */
import { ensureInstalled, root } from './install.mjs';
import { readArguments } from './read-arguments.mjs';

readArguments({
  command: 'npm start --',
  about:
    'Installs missing packages and serves the playground with Vite; the page shows a changed file at once. The environment variable PORT chooses the port; if this port is taken, the next free port is used.',
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
    // Only in a cross-origin isolated page can threads of the CPU device share memory.
    headers: { 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp' },
    ...(host ? { host } : {}),
  },
});
// If the port is taken, Vite says so and tries the next one.
await server.listen();
console.log('\n  Lockstep runs at');
server.printUrls();
console.log('  Stop it with Ctrl+C.');
