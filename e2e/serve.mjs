/** Serves dist/ for the browser tests from a nested folder, because the site must work from any folder. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { build } from 'vite';
import { root } from '../scripts/install.mjs';
import { serveFolder } from '../scripts/static-server.mjs';

const dist = path.join(root, 'dist');
if (!existsSync(path.join(dist, 'index.html'))) await build({ root, logLevel: 'warn' });
const { url } = await serveFolder(dist, {
  port: Number(process.env['LOCKSTEP_E2E_PORT'] ?? 4319),
  prefix: '/some/folder/',
});
console.log(`serving dist/ at ${url}`);
