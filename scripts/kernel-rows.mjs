/**
 * Turns the declarations of a .wgsl file into a row of the kernel table, and refuses declarations that the table cannot
 * describe: these are the house rules of kernels. Called by kernel-table.mjs, which writes src/graph/kernel-table.ts,
 * and by its test.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { WgslReflect } from 'wgsl_reflect/wgsl_reflect.module.js';

const ELEMENTS = /^array<(i32|vec2i|vec4<i32>|vec4i|f32|vec2f|vec4<f32>|vec4f), 0>$/;
const MOST_STORAGE_BUFFERS = 8;

/**
 * The source with empty function bodies: the parser fails on some valid statements, and the table does not need the
 * bodies.
 * @param {string} source
 */
function declarations(source) {
  const code = source.replace(/\/\/.*$/gm, '');
  let kept = '';
  let from = 0;
  for (let at = code.search(/\bfn\s/); at >= 0; ) {
    let end = code.indexOf('{', at) + 1;
    kept += `${code.slice(from, end)}}`;
    for (let depth = 1; depth > 0 && end < code.length; end++)
      depth += code[end] === '{' ? 1 : code[end] === '}' ? -1 : 0;
    from = end;
    const next = code.slice(from).search(/\bfn\s/);
    at = next < 0 ? -1 : from + next;
  }
  return kept + code.slice(from);
}

/**
 * @param {string} id the path under shaders/ without extension
 * @param {string} source
 * @returns {{ readonly tensors: string, readonly params: number, readonly segmented: boolean }}
 */
export function kernelRow(id, source) {
  /** @param {unknown} holds @param {string} rule */
  const require = (holds, rule) => {
    if (!holds) throw new Error(`shaders/${id}.wgsl: ${rule}`);
  };
  const reflect = new WgslReflect(declarations(source));
  const storage = (/** @type {number} */ group) =>
    reflect.storage.filter((each) => each.group === group).sort((a, b) => a.binding - b.binding);
  const tensors = storage(0);
  require(tensors.every(({ binding }, i) => binding === i), 'the tensors are bindings 0, 1, 2 ... of group 0');
  require(tensors.every(({ type }) =>
    ELEMENTS.test(type.getTypeName()),
  ), 'a tensor is an array of f32 or i32, or of vectors of them');
  require(reflect.storage.length <= MOST_STORAGE_BUFFERS, `at most ${MOST_STORAGE_BUFFERS} storage buffers`);
  const tables = storage(1);
  const segmented = tables.length > 0;
  require(tables.length <= 1 &&
    tables.every(
      ({ binding, access }) => binding === 1 && access === 'read',
    ), 'the block table of a segmented kernel is read at binding 1 of group 1');
  const overrides = reflect.overrides.map(({ name }) => name);
  require(!segmented || overrides.includes('LANES'), 'a segmented kernel has an override LANES');
  const uniforms = reflect.uniforms.flatMap(({ group, binding, members }) => {
    require(group === 1 && binding === 0, 'the parameters are binding 0 of group 1');
    return members ?? [];
  });
  const fields = uniforms.map(({ name, type }) => `${name}: ${type.getTypeName()}`);
  const strides = segmented ? [] : tensors.map(({ name }) => `${name}_stride: u32`);
  const params = fields.length - strides.length;
  require(fields.slice(params).join() ===
    strides.join(), `the Params of a dense kernel end with a stride for every tensor: ${strides.join(', ')}`);
  require(fields
    .slice(0, params)
    .every((field) => /: (u32|f32)$/.test(field) && !/_stride:/.test(field)), 'parameters are u32 or f32');
  require(reflect.entry.compute.map(({ name }) => name).join() === 'main', 'its only entry point is main');
  return { tensors: tensors.map(({ access }) => (access === 'read' ? 'r' : 'w')).join(''), params, segmented };
}

/**
 * The text of the table.
 * @param {string} shaders the folder
 */
export function kernelTable(shaders) {
  const ids = readdirSync(shaders, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.wgsl') && !file.startsWith('helpers'))
    .map((file) => file.replaceAll('\\', '/').replace(/\.wgsl$/, ''))
    .sort();
  if (ids.length < 100) throw new Error(`only ${ids.length} kernels in ${shaders}`);
  const rows = ids.map((id) => {
    const { tensors, params, segmented } = kernelRow(id, readFileSync(path.join(shaders, `${id}.wgsl`), 'utf8'));
    return `  '${id}': { tensors: '${tensors}', params: ${params}${segmented ? ', segmented: true' : ''} },`;
  });
  return `/**
 * Every kernel, by its path under shaders/ without extension, with what its bind group layouts need to know. Written by
 * \`node scripts/kernel-table.mjs\` from the .wgsl files, which a test holds it to; not to be edited.
 */
import type { KernelSpec } from './kernel-spec';

export const KERNELS = {
${rows.join('\n')}
} as const satisfies Record<string, KernelSpec>;

export type KernelId = keyof typeof KERNELS;
`;
}
