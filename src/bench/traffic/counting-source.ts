/**
 * Rewrites a kernel's WGSL so that it counts its accesses: every index into a storage buffer goes through a function
 * that adds the bytes to a counter and marks the words in a bitmap, and every barrier is counted. The kernel's results
 * stay the same. The rewriting knows no specific kernel; code that it does not understand is an error. Used by
 * counting-gpu.ts.
 */
import { at, must } from '../../base/invariant';

/** Tensors of group 0 by binding, then the block table of group 1. */
export const TABLE = 8;
/** Words of a dispatch's buffer before its bitmaps: two words for each counter, then the start of each bitmap. */
export const COUNTERS = { read: 0, written: 18, barriers: 36, invocations: 38, bases: 40, words: 64 } as const;

interface Binding {
  readonly name: string;
  readonly index: number;
  /** The number of words of an element. */
  readonly width: number;
}

const DECLARATION = /@group\((\d)\) @binding\((\d+)\) var<storage, \w+> (\w+): array<([^;]+)>;/g;
const MAIN = /@compute @workgroup_size\(([^)]*)\)\s*fn main\s*\(/;

function widthOf(type: string, code: string): number {
  if (/^[fiu]32$/.test(type)) return 1;
  if (/^vec2/.test(type)) return 2;
  if (/^vec4/.test(type)) return 4;
  const fields = new RegExp(`struct ${type} \\{([^}]*)\\}`).exec(code)?.[1];
  return must(fields, `struct ${type}`).split(':').length - 1;
}

/** The position after the bracket that closes the one at `open`. */
function closeOf(code: string, open: number): number {
  const [opening, closing] = code[open] === '[' ? '[]' : '()';
  for (let depth = 0, i = open; i < code.length; i++) {
    if (code[i] === opening) depth++;
    if (code[i] === closing && --depth === 0) return i + 1;
  }
  throw new Error(`an open bracket: ${code.slice(open, open + 60)}`);
}

const COMPONENTS: ReadonlyMap<string, string> = new Map([
  ['x', '0u'],
  ['y', '1u'],
  ['z', '2u'],
  ['w', '3u'],
]);

/** The access after the index: the accessed component of the element (undefined: all), and whether it is assigned. */
function accessAt(code: string, from: number) {
  let end = from;
  let component: string | undefined;
  if (code[from] === '[') {
    end = closeOf(code, from);
    component = `u32(${code.slice(from + 1, end - 1)})`;
  } else if (code[from] === '.') {
    const member = must(/^\.(\w+)/.exec(code.slice(from))?.[1], 'a member');
    end = from + 1 + member.length;
    component = COMPONENTS.get(member);
    if (component === undefined && /^[xyzw]+$/.test(member)) throw new Error(`several components at once: .${member}`);
    // A field of a struct: one word; the block table has no bitmap, so which one does not matter.
    component ??= '0u';
  }
  const next = /^\s*(=(?!=)|[-+*/|&^]=)?/.exec(code.slice(end))?.[1];
  return { component, reads: next !== '=', writes: next !== undefined };
}

function countAccesses(code: string, bindings: ReadonlyMap<string, Binding>): string {
  const names = new RegExp(`(?<![\\w.])(${[...bindings.keys()].join('|')})\\[`);
  let done = '';
  let rest = code;
  for (let found = names.exec(rest); found; found = names.exec(rest)) {
    const { name, index, width } = must(bindings.get(at(found, 1)), 'a binding');
    const open = found.index + name.length;
    const end = closeOf(rest, open);
    const { component, reads, writes } = accessAt(rest, end);
    const place = component === undefined ? `0u, ${width}u` : `${component}, 1u`;
    let counted = `u32(${countAccesses(rest.slice(open + 1, end - 1), bindings)})`;
    if (reads) counted = `lk_access(${index}u, ${COUNTERS.read}u, ${counted}, ${width}u, ${place})`;
    if (writes) counted = `lk_access(${index}u, ${COUNTERS.written}u, ${counted}, ${width}u, ${place})`;
    done += `${rest.slice(0, open)}[${counted}]`;
    rest = rest.slice(end);
  }
  return done + rest;
}

/** When an invocation ends, its counters are added to those of the dispatch. */
const COUNTING = `
@group(2) @binding(0) var<storage, read_write> lk_totals: array<atomic<u32>>;
var<private> lk_read: array<u32, 9>;
var<private> lk_written: array<u32, 9>;
var<private> lk_barriers: u32;

fn lk_access(tensor: u32, counter: u32, index: u32, width: u32, component: u32, count: u32) -> u32 {
  let writes = counter != ${COUNTERS.read}u;
  if (writes) { lk_written[tensor] += 4u * count; } else { lk_read[tensor] += 4u * count; }
  if (tensor < ${TABLE}u) {
    let place = index * width + component;
    let base = atomicLoad(&lk_totals[${COUNTERS.bases}u + 2u * tensor + select(0u, 1u, writes)]);
    let mask = ((1u << count) - 1u) << (place % 32u);
    if ((atomicLoad(&lk_totals[base + place / 32u]) & mask) != mask) { atomicOr(&lk_totals[base + place / 32u], mask); }
  }
  return index;
}

fn lk_barrier() {
  lk_barriers += 1u;
  workgroupBarrier();
}

fn lk_add(counter: u32, value: u32) {
  if (value == 0u) { return; }
  let before = atomicAdd(&lk_totals[counter], value);
  if (before > 0xffffffffu - value) { atomicAdd(&lk_totals[counter + 1u], 1u); }
}

fn lk_finish() {
  for (var i = 0u; i < 9u; i++) {
    lk_add(${COUNTERS.read}u + 2u * i, lk_read[i]);
    lk_add(${COUNTERS.written}u + 2u * i, lk_written[i]);
  }
  lk_add(${COUNTERS.barriers}u, lk_barriers);
  lk_add(${COUNTERS.invocations}u, 1u);
}
`;

export function countingSource(source: string): string {
  const code = source.replace(/\/\/.*$/gm, '');
  const bindings = new Map<string, Binding>();
  for (const [, group, binding, name = '', type = ''] of code.matchAll(DECLARATION)) {
    const width = widthOf(type, code);
    bindings.set(name, { name, index: group === '0' ? Number(binding) : TABLE, width });
    if (new RegExp(`\\b(let|var|const) ${name}\\b(?!:\\s*array<[^;]*>;)`).test(code))
      throw new Error(`${name} is a tensor and a variable`);
  }
  const main = must(MAIN.exec(code), 'an entry point');
  const open = main.index + main[0].length - 1;
  const close = closeOf(code, open);
  const parameters = code.slice(open + 1, close - 1);
  const plain = parameters.replaceAll(/@builtin\(\w+\)\s*/g, '');
  const names = [...plain.matchAll(/(\w+)\s*:/g)].map(([, name]) => name).join(', ');
  const counted = countAccesses(
    `${code.slice(0, main.index)}fn lk_main(${plain})${code.slice(close)}`,
    bindings,
  ).replaceAll('workgroupBarrier()', 'lk_barrier()');
  return `${counted}${COUNTING}
@compute @workgroup_size(${main[1]})
fn main(${parameters}) {
  lk_main(${names});
  lk_finish();
}
`;
}

/** The bytes of workgroup memory that a kernel declares. */
export function workgroupBytes(source: string): number {
  const code = source.replace(/\/\/.*$/gm, '');
  const arrays = [...code.matchAll(/var<workgroup> \w+: ([^;]+);/g)];
  return arrays.reduce((sum, [, type = '']) => {
    const [, element = '', length = ''] = /^array<(\w+), (\d+)>$/.exec(type) ?? [];
    if (length === '') throw new Error(`workgroup memory of an unknown size: ${type}`);
    return sum + 4 * widthOf(element, code) * Number(length);
  }, 0);
}
