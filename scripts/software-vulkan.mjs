/**
 * The environment variables with which Dawn for Node (npm `webgpu`) finds a Vulkan driver: on Linux the SwiftShader of
 * an installed Chromium. A process reads these variables when it starts, so they must be set for a child process;
 * setting them in the running process has no effect.
 */
import { existsSync, readdirSync, realpathSync } from 'node:fs';
import path from 'node:path';

/** Real drivers register themselves here; Dawn then finds them without help. */
function hasSystemDriver() {
  return ['/usr/share/vulkan/icd.d', '/etc/vulkan/icd.d'].some(
    // lavapipe of older Mesa versions is installed on many machines without a GPU, and Dawn refuses it.
    (folder) =>
      existsSync(folder) && readdirSync(folder).some((file) => file.endsWith('.json') && !/lvp|lavapipe/.test(file)),
  );
}

/**
 * @param {{chromium?: string, preferSoftware: boolean}} options chromium: a Chromium's executable, looked at first
 * @returns {Record<string, string> | undefined} variables to add; {} when none is needed; undefined when there is no
 * driver
 */
export function vulkanEnvironment({ chromium, preferSoftware }) {
  if (process.platform !== 'linux' || process.env['VK_DRIVER_FILES'] || process.env['VK_ICD_FILENAMES']) return {};
  if (!preferSoftware && hasSystemDriver()) return {};
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
  if (folder === undefined) return hasSystemDriver() ? {} : undefined;
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
