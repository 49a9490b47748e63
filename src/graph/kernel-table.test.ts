/**
 * The kernel table is what its generator makes of the .wgsl files now, and the generator refuses other declarations. So
 * are the kernels that do what another one does with vectors of four.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { kernelRow, kernelTable } from '../../scripts/kernel-rows.mjs';
import { TWINS, twinOf } from '../../scripts/vec4-twins.mjs';
import { KERNELS, type KernelId } from './kernel-table';
import { ALL_SHADERS } from './testing/all-shaders';

it('is up to date: `node scripts/kernel-table.mjs` writes it anew', () => {
  expect(readFileSync('src/graph/kernel-table.ts', 'utf8')).toBe(kernelTable('shaders'));
});

it.each(Object.keys(TWINS))('%s-vec4 is written from it: `node scripts/kernel-table.mjs` writes it anew', (id) => {
  const text = (kernel: string) => readFileSync(`shaders/${kernel}.wgsl`, 'utf8');
  expect(text(`${id}-vec4`)).toBe(twinOf(id, text(id)));
  // A change of the source that a rule of the twin no longer finds is an error, not a wrong twin.
  expect(() => twinOf(id, text(id).replaceAll('_stride', '_step'))).toThrow('_stride');
});

it.each(Object.keys(KERNELS) as KernelId[])('%s opens with a comment and stays short', (id) => {
  const source = ALL_SHADERS[id];
  expect(source.startsWith('//')).toBe(true);
  expect(source.split('\n').length).toBeLessThanOrEqual(210);
});

describe('the declarations of a kernel', () => {
  const DENSE = `
struct Params { n: u32, scale: f32, x_stride: u32, y_stride: u32 }
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<vec4<f32>>;
@group(1) @binding(0) var<uniform> params: Params;
@compute @workgroup_size(64, 1) fn main() { y[0] = vec4<f32>(x[0] * params.scale); }
`;
  it('become a row', () => {
    expect(kernelRow('a', DENSE)).toEqual({ tensors: 'rw', params: 2, segmented: false });
  });

  it.each([
    ['end with a stride', [', y_stride: u32', '']],
    ['0, 1, 2', ['@binding(1) var<storage', '@binding(2) var<storage']],
    ['main', ['fn main', 'fn other']],
    ['array of f32', ['array<f32>', 'array<mat2x2<f32>>']],
    ['u32 or f32', ['scale: f32', 'scale: i32']],
    ['binding 0 of group 1', ['@group(1) @binding(0)', '@group(1) @binding(2)']],
    ['LANES', ['@group(1)', '@group(1) @binding(1) var<storage, read> blocks: array<u32>;\n@group(1)']],
  ])('must keep the rule: %s', (words, [from = '', to = '']) => {
    expect(() => kernelRow('a', DENSE.replace(from, to))).toThrow(words);
  });
});
