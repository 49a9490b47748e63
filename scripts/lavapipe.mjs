/**
 * Finds lavapipe, Mesa's Vulkan driver for the processor, and refuses a Mesa that is too old for Dawn. A driver is
 * described by an ICD file, a JSON file that names the driver's library. Used by software-vulkan.mjs.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const FOLDERS = ['/usr/share/vulkan/icd.d', '/usr/local/share/vulkan/icd.d', '/etc/vulkan/icd.d'];
const IS_LAVAPIPE = /^(lvp|lavapipe).*\.json$/;
/**
 * The oldest Mesa with which all GPU tests have passed. Dawn refuses lavapipe of Mesa 22.3 (Debian 12), which lacks
 * shaderUniformBufferArrayDynamicIndexing.
 */
const OLDEST = 25;
const ADVICE =
  `Mesa ${OLDEST}.0 or later is needed: package mesa-vulkan-drivers of Debian 13, of Debian 12's backports, or of ` +
  'Ubuntu 24.04 with its updates. It may also be unpacked in a folder: LOCKSTEP_DRIVER can be the path of lvp_icd.json.';

/** @param {string} name */
export const isLavapipe = (name) => IS_LAVAPIPE.test(name);

/**
 * The variables with which Dawn loads this lavapipe. Throws if there is none or its Mesa is too old.
 *
 * @param {string} [icd] the ICD file of a lavapipe; without one the installed lavapipe is used
 * @returns {Record<string, string>}
 */
export function lavapipeEnvironment(icd = installed()) {
  if (icd === undefined) throw new Error(`No lavapipe is installed in ${FOLDERS.join(', ')}. ${ADVICE}`);
  if (!existsSync(icd)) throw new Error(`There is no ICD file ${icd}. ${ADVICE}`);
  const library = libraryOf(icd);
  const version = library === undefined ? undefined : versionOf(library);
  if (version !== undefined && Number.parseInt(version, 10) < OLDEST)
    throw new Error(`${icd} is lavapipe of Mesa ${version}, which is too old for Dawn. ${ADVICE}`);
  const limits = '/proc/sys/vm/max_map_count';
  if (existsSync(limits)) warnOfMappings(Number(readFileSync(limits, 'utf8')));
  // The folder also has the Vulkan loader and Mesa's other libraries, if Mesa was unpacked there.
  const folders = [library && path.dirname(library), process.env['LD_LIBRARY_PATH']].filter(Boolean);
  return { VK_DRIVER_FILES: icd, ...(folders.length > 0 ? { LD_LIBRARY_PATH: folders.join(':') } : {}) };
}

/**
 * Lavapipe takes a memory mapping for each bind group that Dawn prepares, and crashes when the process has no mapping
 * left. In the tests one GPUDevice needs about 5,000.
 */
const MAPPINGS = 262_144;

/** Linux's limit of mappings per process is 65,530 by default. @param {number} limit */
export function warnOfMappings(limit) {
  if (limit >= MAPPINGS) return;
  console.error(
    `Lavapipe may crash with more than ${Math.floor(limit / 5000)} GPUDevices, which need more than the ${limit} ` +
      `memory mappings that a process may have here: sudo sysctl -w vm.max_map_count=${MAPPINGS}`,
  );
}

/** @returns {string | undefined} */
function installed() {
  for (const folder of FOLDERS) {
    const name = existsSync(folder) ? readdirSync(folder).find(isLavapipe) : undefined;
    if (name !== undefined) return path.join(folder, name);
  }
  return undefined;
}

/**
 * The library that the ICD file names. A bare name is searched in the folders of libraries beside the ICD file's
 * `share`; undefined: the system's loader has to find it.
 *
 * @param {string} icd
 */
function libraryOf(icd) {
  const named = JSON.parse(readFileSync(icd, 'utf8')).ICD?.library_path;
  if (typeof named !== 'string') throw new Error(`${icd} names no library of a Vulkan driver (ICD.library_path).`);
  const lib = path.resolve(path.dirname(icd), '../../../lib');
  const beside = existsSync(lib) ? ['', ...readdirSync(lib)].map((inner) => path.join(lib, inner)) : [];
  const candidates = named.includes('/')
    ? [path.resolve(path.dirname(icd), named)]
    : beside.map((folder) => path.join(folder, named));
  return candidates.find((file) => existsSync(file));
}

/** The version that Mesa's libraries contain as text, for example "25.0.7". @param {string} library */
const versionOf = (library) => /Mesa (\d+\.\d+(\.\d+)?)/.exec(readFileSync(library, 'latin1'))?.[1];
