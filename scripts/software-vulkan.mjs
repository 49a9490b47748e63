/**
 * The environment variables with which Dawn for Node (npm `webgpu`) finds a Vulkan driver: on Linux the SwiftShader of
 * an installed Chromium, or the driver that LOCKSTEP_DRIVER names. A process reads these variables when it starts, so
 * they must be set for a child process; setting them in the running process has no effect.
 */
import { existsSync, readdirSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { isLavapipe, lavapipeEnvironment } from './lavapipe.mjs';

/** Real drivers register themselves here; Dawn then finds them without help. */
function hasSystemDriver() {
  return ['/usr/share/vulkan/icd.d', '/etc/vulkan/icd.d'].some(
    // lavapipe is no GPU, and Dawn refuses the lavapipe of older Mesa versions; LOCKSTEP_DRIVER asks for it.
    (folder) => existsSync(folder) && readdirSync(folder).some((file) => file.endsWith('.json') && !isLavapipe(file)),
  );
}

/**
 * Ends the process, with the reason, if LOCKSTEP_DRIVER names a driver that cannot be used.
 *
 * @param {{chromium?: string, preferSoftware: boolean}} options chromium: a Chromium's executable, looked at first
 * @returns {Record<string, string> | undefined} variables to add; {} when none is needed; undefined when there is no
 * driver
 */
export function vulkanEnvironment({ chromium, preferSoftware }) {
  const driver = process.env['LOCKSTEP_DRIVER'];
  if (driver) {
    try {
      return namedDriver(driver, chromium);
    } catch (error) {
      console.error(error instanceof Error ? error.message : error);
      process.exit(3);
    }
  }
  if (process.platform !== 'linux' || process.env['VK_DRIVER_FILES'] || process.env['VK_ICD_FILENAMES']) return {};
  if (!preferSoftware && hasSystemDriver()) return {};
  return swiftShader(chromium) ?? (hasSystemDriver() ? {} : undefined);
}

/**
 * @param {string} driver swiftshader, lavapipe, or the path of an ICD file
 * @param {string} [chromium]
 * @returns {Record<string, string> | undefined}
 */
export function namedDriver(driver, chromium) {
  if (driver === 'swiftshader') return swiftShader(chromium);
  if (driver === 'lavapipe') return lavapipeEnvironment();
  if (!driver.endsWith('.json'))
    throw new Error(`LOCKSTEP_DRIVER is "${driver}"; it can be swiftshader, lavapipe, or the path of an ICD file.`);
  const icd = path.resolve(driver);
  if (isLavapipe(path.basename(icd))) return lavapipeEnvironment(icd);
  if (!existsSync(icd)) throw new Error(`There is no ICD file ${icd}, which LOCKSTEP_DRIVER names.`);
  return { VK_DRIVER_FILES: icd };
}

/** @param {string | undefined} chromium */
function swiftShader(chromium) {
  const given = [chromium, process.env['LOCKSTEP_CHROMIUM'], process.env['CHROME_PATH']].filter(
    (file) => file !== undefined && existsSync(file),
  );
  const folders = [
    ...given.map((file) => path.dirname(realpathSync(file ?? ''))),
    '/usr/lib/chromium',
    '/usr/lib/chromium-browser',
    '/opt/google/chrome',
    ...playwrightFolders(),
  ];
  const folder = folders.find((each) => existsSync(path.join(each, 'vk_swiftshader_icd.json')));
  if (folder === undefined) return undefined;
  const libraries = [folder, process.env['LD_LIBRARY_PATH']].filter(Boolean).join(':');
  return { VK_DRIVER_FILES: path.join(folder, 'vk_swiftshader_icd.json'), LD_LIBRARY_PATH: libraries };
}

function playwrightFolders() {
  const cache = process.env['PLAYWRIGHT_BROWSERS_PATH'] ?? path.join(process.env['HOME'] ?? '', '.cache/ms-playwright');
  if (!existsSync(cache)) return [];
  return readdirSync(cache).flatMap((name) =>
    ['chrome-linux64', 'chrome-linux', 'chrome-headless-shell-linux64'].map((inner) => path.join(cache, name, inner)),
  );
}
