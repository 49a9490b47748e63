/**
 * The package as a user gets it: packed and installed into an empty folder without a network, it trains and serves the
 * playground, and builds nothing.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@playwright/test';
import { placeInBrowser } from '../scripts/tier';

const root = path.resolve(import.meta.dirname, '..');
const windows = process.platform === 'win32';
const npm = windows ? 'npm.cmd' : 'npm';
const npx = windows ? 'npx.cmd' : 'npx';
const run = promisify(execFile);

test.describe.configure({ mode: 'serial' });
const PACKED = 'it builds the site again to pack it; cli/ runs the commands from the source';

/** The package contains only these folders and its texts. */
const FOLDERS = ['bin', 'dist', 'dist-cli', 'docs', 'scripts'];

let folder = '';
test.beforeAll(async () => {
  test.setTimeout(300_000);
  folder = await mkdtemp(path.join(tmpdir(), 'lockstep-package-'));
  const { stdout } = await run(npm, ['pack', '--json', '--pack-destination', folder], { cwd: root, shell: windows });
  const [packed] = JSON.parse(stdout) as [{ filename: string; files: { path: string }[] }];
  const files = packed.files.map((file) => file.path);
  expect(files).toEqual(
    expect.arrayContaining(['dist/index.html', 'dist-cli/lockstep.mjs', 'bin/lockstep.mjs', 'LICENSE']),
  );
  const top = [...new Set(files.map((file) => file.split('/')[0] ?? ''))].sort();
  expect(top).toEqual([...FOLDERS, 'CHANGELOG.md', 'LICENSE', 'README.md', 'package.json'].sort());
  // The package contains no sources and no tests.
  expect(files.filter((file) => /^(src|e2e|bench|shaders)\/|test/.test(file))).toEqual([]);
  await writeFile(path.join(folder, 'package.json'), '{"private": true}');
  const quiet = ['--offline', '--omit=optional', '--no-audit', '--no-fund', '--loglevel=error'];
  await run(npm, ['install', ...quiet, path.join(folder, packed.filename)], { cwd: folder, shell: windows });
});
test.afterAll(() => rm(folder, { recursive: true, force: true }));

/** `npx --no` runs an installed program and installs nothing. */
const lockstep = (...args: readonly string[]) =>
  run(npx, ['--no', '--', 'lockstep', ...args], { cwd: folder, shell: windows });

test('the package contains everything that it needs', placeInBrowser({ rest: PACKED }), async () => {
  const { dependencies } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')) as {
    dependencies?: Record<string, string>;
  };
  const installed = path.join(folder, 'node_modules');
  expect(existsSync(path.join(installed, 'lockstep', 'dist', 'index.html'))).toBe(true);
  for (const name of Object.keys(dependencies ?? {})) expect(existsSync(path.join(installed, name)), name).toBe(true);
  // The package does not contain the tools that build the site.
  for (const name of ['vite', 'react', 'typescript']) expect(existsSync(path.join(installed, name)), name).toBe(false);
});

test('npx lockstep train', placeInBrowser({ rest: PACKED }), async () => {
  await lockstep(
    'train',
    '--mode',
    'DDP',
    '--world-size',
    '2',
    '--steps',
    '5',
    '--device',
    'cpu',
    '--out',
    'report.json',
  );
  const report = JSON.parse(await readFile(path.join(folder, 'report.json'), 'utf8')) as { losses: unknown[] };
  expect(report.losses).toHaveLength(5);
  expect((await lockstep('code', '--steps', '5')).stdout).toContain('steps = 5');
  expect(JSON.parse((await lockstep('schema')).stdout)).toHaveProperty('title');
});

test('npx lockstep serve', placeInBrowser({ rest: PACKED }), async ({ page }) => {
  const server = spawn(npx, ['--no', '--', 'lockstep', 'serve', '--port', '0'], {
    cwd: folder,
    shell: windows,
    detached: !windows,
  });
  try {
    const url = await addressOf(server);
    await page.goto(url);
    await page.getByRole('button', { name: 'Play', exact: true }).click();
    await expect(page.getByRole('button', { name: 'Pause', exact: true })).toBeVisible();
  } finally {
    // npx and the shell that npx starts are between this process and the server.
    if (server.pid !== undefined) process.kill(windows ? server.pid : -server.pid, 'SIGINT');
  }
});

/** The line that the server prints when it listens. */
function addressOf(server: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = '';
    const hear = (data: unknown): void => {
      said += String(data);
      const url = /Lockstep runs at (\S+)/.exec(said)?.[1];
      if (url !== undefined) resolve(url);
    };
    server.stdout?.on('data', hear);
    server.stderr?.on('data', hear);
    server.on('error', reject);
    server.on('exit', (code) => reject(new Error(`lockstep serve ended with ${code}: ${said}`)));
  });
}
