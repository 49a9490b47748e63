/**
 * Finds a Chromium that has WebGPU. It tries, in this order: the Chromium that LOCKSTEP_CHROMIUM or CHROME_PATH names,
 * an installed one, Playwright's download, Debian's package. A candidate counts only after it has started and given an
 * adapter. Used by the tests, the benchmark, and `lockstep train --browser`. Only the tests may also install a
 * Chromium.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';

/**
 * Parts of Chromium that no test needs. The first three are pages of the browser itself behind the address bar; every
 * window opens and draws them, which took a third of the time to open a page. Playwright turns off the other parts; its
 * list is repeated here, because only the last --disable-features counts.
 */
const UNUSED = [
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxFullPopup',
  'AimEnabled',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'ThirdPartyStoragePartitioning',
];

/**
 * Headless WebGPU on SwiftShader, the same adapter on every machine. LOCKSTEP_CHROMIUM_FLAGS replaces these flags, for
 * example to use a real GPU.
 */
export const chromiumFlags = process.env['LOCKSTEP_CHROMIUM_FLAGS']?.split(' ').filter(Boolean) ?? [
  '--headless=new',
  '--no-sandbox',
  '--enable-unsafe-webgpu',
  '--enable-features=Vulkan',
  `--disable-features=${UNUSED.join(',')}`,
  '--use-vulkan=swiftshader',
  '--use-webgpu-adapter=swiftshader',
];

/** @param {string} message */
function fail(message) {
  throw new Error(message);
}

/** @returns {string | undefined} */
function fromEnvironment() {
  for (const name of ['LOCKSTEP_CHROMIUM', 'CHROME_PATH']) {
    const value = process.env[name];
    if (!value) continue;
    if (!existsSync(value)) fail(`${name} is set to ${value}, which does not exist.`);
    return value;
  }
  return undefined;
}

/** @returns {string[]} */
function systemCandidates() {
  const names = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];
  const onPath = (process.env['PATH'] ?? '')
    .split(path.delimiter)
    .flatMap((folder) => names.map((name) => path.join(folder, name)));
  const fixed = [
    '/usr/lib/chromium/chromium',
    '/opt/google/chrome/chrome',
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
    ...['PROGRAMFILES', 'PROGRAMFILES(X86)', 'LOCALAPPDATA'].map((name) =>
      path.join(process.env[name] ?? '', 'Google/Chrome/Application/chrome.exe'),
    ),
  ];
  return [...onPath, ...fixed].filter((file) => path.isAbsolute(file) && existsSync(file));
}

/** @param {string} command @param {string[]} args @param {boolean} [quiet] */
const runs = (command, args, quiet = false) =>
  spawnSync(command, args, { stdio: quiet ? 'ignore' : ['ignore', 'inherit', 'inherit'], timeout: 600_000 }).status ===
  0;

/** @returns {Promise<string | undefined>} */
async function playwrightDownload(/** @type {boolean} */ install) {
  const { chromium } = await import('playwright-core');
  const file = chromium.executablePath();
  if (existsSync(file) || !install) return existsSync(file) ? file : undefined;
  console.log('No Chromium on this system: asking Playwright to download one ...');
  const cli = path.resolve(import.meta.dirname, '../node_modules/playwright-core/cli.js');
  const done = runs(process.execPath, [cli, 'install', '--no-shell', 'chromium']);
  return done && existsSync(file) ? file : undefined;
}

/** @returns {string | undefined} */
function debianPackage() {
  if (process.platform !== 'linux' || !runs('apt-get', ['--version'], true)) return undefined;
  const prefix = process.getuid?.() === 0 ? [] : runs('sudo', ['-n', 'true'], true) ? ['sudo', '-n'] : undefined;
  if (prefix === undefined) return undefined;
  console.log("Installing Debian's chromium package ...");
  const apt = [...prefix, 'env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', '-qq'];
  const [command = 'env', ...args] = apt;
  runs(command, [...args, 'update']);
  runs(command, [...args, 'install', '-y', '--no-install-recommends', 'chromium']);
  return systemCandidates()[0];
}

/**
 * Starts the browser and asks for an adapter.
 * @param {string} executablePath
 * @returns {Promise<{adapter: string} | {problem: string}>}
 */
export async function probeChromium(executablePath) {
  const { chromium } = await import('playwright-core');
  try {
    const browser = await chromium.launch({ executablePath, args: chromiumFlags, timeout: 30_000 });
    try {
      const page = await browser.newPage();
      // WebGPU exists only in a secure context: a local file is one, and about:blank is not.
      await page.goto('file:///');
      const adapter = await page.evaluate(async () => {
        const found = await navigator.gpu?.requestAdapter();
        return found
          ? [found.info.vendor, found.info.architecture, found.info.description].filter(Boolean).join(' ')
          : undefined;
      });
      return adapter === undefined ? { problem: 'it has no WebGPU adapter' } : { adapter };
    } finally {
      await browser.close();
    }
  } catch (error) {
    const [line = 'it does not start'] = String(error instanceof Error ? error.message : error).split('\n');
    return { problem: line };
  }
}

/**
 * @param {{install: boolean}} options install: may download or apt-get when nothing is there
 * @returns {Promise<{executablePath: string, source: string, adapter: string}>}
 */
export async function findChromium({ install }) {
  const tried = new Set();
  /** @type {string[]} */
  const problems = [];
  /** @type {[string, () => string[] | Promise<string[]>][]} */
  const sources = [
    ['environment', () => [fromEnvironment() ?? ''].filter(Boolean)],
    ['system', systemCandidates],
    ['Playwright download', async () => [(await playwrightDownload(install)) ?? ''].filter(Boolean)],
    ['Debian package', () => (install ? [debianPackage() ?? ''].filter(Boolean) : [])],
  ];
  for (const [source, candidates] of sources) {
    for (const executablePath of await candidates()) {
      const real = realpathSync(executablePath);
      if (tried.has(real)) continue;
      tried.add(real);
      const result = await probeChromium(executablePath);
      if ('adapter' in result) return { executablePath, source, adapter: result.adapter };
      problems.push(`${executablePath} (${source}): ${result.problem}`);
      if (source === 'environment') fail(`The Chromium given by the environment cannot be used: ${problems.at(-1)}`);
    }
  }
  const list = problems.map((problem) => `\n  tried ${problem}`).join('');
  throw new Error(
    `No Chromium with WebGPU was found.${list}\nInstall Chromium or Chrome, or set LOCKSTEP_CHROMIUM to one.`,
  );
}
