/** Every row of the kernel table against its .wgsl file, read by an independent parser. */
import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { WgslReflect } from 'wgsl_reflect/wgsl_reflect.module.js';
import { KERNELS, type KernelId, type KernelSpec } from './kernel-table';
import { SHADERS } from './shader-sources';

const ids = Object.keys(KERNELS) as KernelId[];

/** Fields of struct Params that the table asks for: the parameters, then a stride a tensor unless a table gives the offsets. */
function expectedFields(spec: KernelSpec): string[] {
  return spec.segmented ? [...spec.params] : [...spec.params, ...spec.tensors.map((t) => `${t.name}_stride: u32`)];
}

describe.each(ids)('%s', (id) => {
  const spec: KernelSpec = KERNELS[id];
  const source = SHADERS[id];

  it('has a file that fits its row', () => {
    expect(source, `shaders/${id}.wgsl`).toBeTypeOf('string');
    const reflect = new WgslReflect(source);
    const tensors = reflect.storage.filter((r) => r.group === 0).sort((a, b) => a.binding - b.binding);
    expect(tensors.map((r) => `${r.binding} ${r.name} ${r.access}`)).toEqual(
      spec.tensors.map((t, i) => `${i} ${t.name} ${t.access}`),
    );
    expect(tensors.map((r) => r.type.getTypeName())).toEqual(
      spec.tensors.map((t) => expect.stringMatching(t.dtype === 'i32' ? /^array<i32>$/ : /^array<(f32|vec4<f32>|vec4f)>$/)),
    );
    expect(reflect.storage.length).toBeLessThanOrEqual(8);

    const fields = reflect.uniforms.filter((u) => u.group === 1 && u.binding === 0).flatMap((u) => u.members ?? []);
    expect(fields.map((m) => `${m.name}: ${m.type.getTypeName()}`)).toEqual(expectedFields(spec));
    const tables = reflect.storage.filter((r) => r.group === 1);
    expect(tables.map((r) => [r.binding, r.access])).toEqual(spec.segmented ? [[1, 'read']] : []);

    expect(reflect.overrides.map((o) => o.name).sort()).toEqual([...(spec.overrides ?? [])].sort());
    const main = reflect.entry.compute.map((f) => [f.name, ...f.attributes?.filter((a) => a.name === 'workgroup_size').map((a) => a.value) ?? []]);
    expect(main).toEqual([['main', spec.workgroupSize.map(String)]]);
  });

  it('opens with a comment and stays short', () => {
    expect(source.startsWith('//')).toBe(true);
    expect(source.split('\n').length).toBeLessThanOrEqual(121);
  });
});

it('every shader file has a row', () => {
  const files = readdirSync('shaders', { recursive: true, encoding: 'utf8' }).filter((f) => f.endsWith('.wgsl'));
  expect(files.map((f) => f.replace(/\.wgsl$/, '').replaceAll('\\', '/')).sort()).toEqual([...ids].sort());
});
