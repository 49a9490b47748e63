/**
 * A Vite plugin that compiles assembly/, the CPU device's kernels, with AssemblyScript to WebAssembly, and makes a
 * module of the bytes in base64. So browsers, Node and tests load the kernels like any other module. The compiled bytes
 * are kept in .cache under a hash of the sources.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './install.mjs';

const FOLDER = path.join(root, 'assembly');
/**
 * Compiled for memory of one thread and for memory that threads share, which are different types in WebAssembly; each
 * also with fused multiply-add, which needs relaxed SIMD.
 *
 * @typedef {{shared: boolean, fused: boolean}} Variant
 * @type {Record<string, Variant>}
 */
const MODULES = {
  'assembly/index.ts?wasm': { shared: false, fused: false },
  'assembly/index.ts?wasm-shared': { shared: true, fused: false },
  'assembly/index.ts?wasm-fused': { shared: false, fused: true },
  'assembly/index.ts?wasm-shared-fused': { shared: true, fused: true },
};

const OPTIONS = [
  ...['--runtime', 'stub', '--importMemory', '--noAssert', '--optimizeLevel', '3'],
  // Warning 112: a function that takes a vector cannot be called from JavaScript. Only other kernels call such
  // functions.
  ...['--disableWarning', '112'],
];

/** @param {Variant} variant */
const optionsOf = ({ shared, fused }) => [
  ...OPTIONS,
  ...['--enable', ['simd', ...(shared ? ['threads'] : []), ...(fused ? ['relaxed-simd'] : [])].join(',')],
  ...(shared ? ['--sharedMemory', '--maximumMemory', '65536'] : []),
];

/** @returns {readonly string[]} */
const sources = () =>
  readdirSync(FOLDER)
    .filter((name) => name.endsWith('.ts'))
    .toSorted()
    .map((name) => path.join(FOLDER, name));

/** @param {Variant} variant @returns {Promise<string>} base64 */
export async function assembled(variant) {
  const given = optionsOf(variant);
  const hash = createHash('sha256').update(given.join(' '));
  for (const file of [path.join(root, 'package-lock.json'), ...sources()]) hash.update(readFileSync(file));
  const kept = path.join(root, '.cache', 'assembly', `${hash.digest('hex').slice(0, 16)}.txt`);
  if (existsSync(kept)) return readFileSync(kept, 'utf8');
  const { default: asc } = await import('assemblyscript/asc');
  /** @type {Uint8Array | undefined} */
  let binary;
  const { error, stdout, stderr } = await asc.main(['index.ts', '--outFile', 'kernels.wasm', ...given], {
    readFile: (name, folder) => read(path.join(folder, name)),
    listFiles: (name, folder) => (existsSync(path.join(folder, name)) ? readdirSync(path.join(folder, name)) : null),
    writeFile(name, contents) {
      if (name === 'kernels.wasm' && typeof contents !== 'string') binary = contents;
    },
  });
  if (error || !binary) throw new Error(`assembly/ does not compile:\n${stderr.toString()}${stdout.toString()}`);
  if (sectionsOf(binary).includes(DATA))
    throw new Error(
      'assembly/ has data of its own, which would lie in the memory of the tensors: no arrow functions, constant arrays, texts.',
    );
  const text = Buffer.from(binary).toString('base64');
  mkdirSync(path.dirname(kept), { recursive: true });
  writeFileSync(kept, text);
  return text;
}

/** The id of a section with data, in a module's binary format. */
const DATA = 11;

/** The ids of a module's sections. @param {Uint8Array} binary */
function sectionsOf(binary) {
  const found = [];
  // After the magic number and the version, each section has an id, a size in LEB128, and as many bytes.
  for (let at = 8; at < binary.length; ) {
    found.push(binary[at++]);
    let size = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = binary[at++] ?? 0;
      size += (byte % 128) * 2 ** shift;
      if (byte < 128) break;
    }
    at += size;
  }
  return found;
}

/** The compiler also asks for files of its own library. @param {string} file */
function read(file) {
  for (const candidate of [path.resolve(FOLDER, file), path.resolve(root, file)])
    if (existsSync(candidate)) return readFileSync(candidate, 'utf8');
  return null;
}

/** @returns {import('vite').Plugin} */
export const assembly = () => ({
  name: 'assembly',
  enforce: 'pre',
  async load(id) {
    const found = Object.entries(MODULES).find(([name]) => id.endsWith(name));
    if (!found) return null;
    for (const file of sources()) this.addWatchFile(file);
    return { code: `export const base64 = ${JSON.stringify(await assembled(found[1]))};`, map: null };
  },
});
