/** Every row of the kernel table against its .wgsl file, read by an independent parser. */
import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { WgslReflect } from 'wgsl_reflect/wgsl_reflect.module.js';
import { KERNELS, type KernelId, type KernelSpec } from './kernel-table';
import { ALL_SHADERS } from './testing/all-shaders';

const ids = Object.keys(KERNELS) as KernelId[];

/**
 * Fields of struct Params that the table asks for: the parameters, then a stride a tensor unless a table gives the
 * offsets.
 */
function expectedFields(spec: KernelSpec): string[] {
  return spec.segmented ? [...spec.params] : [...spec.params, ...spec.tensors.map((t) => `${t.name}_stride: u32`)];
}

/**
 * The source with function bodies emptied: the parser stumbles over some valid statements, and the table says nothing
 * of bodies.
 */
function declarations(source: string): string {
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

describe.each(ids)('%s', (id) => {
  const spec: KernelSpec = KERNELS[id];
  const source = ALL_SHADERS[id];

  it('has a file that fits its row', () => {
    expect(source, `shaders/${id}.wgsl`).toBeTypeOf('string');
    const reflect = new WgslReflect(declarations(source));
    const tensors = reflect.storage.filter((r) => r.group === 0).sort((a, b) => a.binding - b.binding);
    expect(tensors.map((r) => `${r.binding} ${r.name} ${r.access}`)).toEqual(
      spec.tensors.map((t, i) => `${i} ${t.name} ${t.access}`),
    );
    expect(tensors.map((r) => r.type.getTypeName())).toEqual(
      spec.tensors.map((t) =>
        expect.stringMatching(
          t.dtype === 'i32' ? /^array<(i32|vec4<i32>|vec4i), 0>$/ : /^array<(f32|vec2f|vec4<f32>|vec4f), 0>$/,
        ),
      ),
    );
    expect(reflect.storage.length).toBeLessThanOrEqual(8);

    const fields = reflect.uniforms.filter((u) => u.group === 1 && u.binding === 0).flatMap((u) => u.members ?? []);
    expect(fields.map((m) => `${m.name}: ${m.type.getTypeName()}`)).toEqual(expectedFields(spec));
    const tables = reflect.storage.filter((r) => r.group === 1);
    expect(tables.map((r) => [r.binding, r.access])).toEqual(spec.segmented ? [[1, 'read']] : []);

    expect(reflect.overrides.map((o) => o.name).sort()).toEqual([...(spec.overrides ?? [])].sort());
    expect(reflect.entry.compute.map((f) => f.name)).toEqual(['main']);
    // A number, or an override with its default.
    const number = (text: string) =>
      Number(new RegExp(`override ${text.trim()}: u32 = (\\d+)u;`).exec(source)?.[1] ?? text);
    const size = /@workgroup_size\(([^)]*)\)/.exec(source)?.[1]?.split(',').map(number) ?? [];
    expect([size[0], size[1] ?? 1, size[2] ?? 1]).toEqual([...spec.workgroupSize, 1]);
  });

  it('opens with a comment and stays short', () => {
    expect(source.startsWith('//')).toBe(true);
    expect(source.split('\n').length).toBeLessThanOrEqual(125);
  });
});

it('every shader file has a row', () => {
  const files = readdirSync('shaders', { recursive: true, encoding: 'utf8' }).filter((f) => f.endsWith('.wgsl'));
  expect(files.map((f) => f.replace(/\.wgsl$/, '').replaceAll('\\', '/')).sort()).toEqual([...ids].sort());
});
