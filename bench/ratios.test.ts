/** The figures that have a bar. */
import { expect, it } from 'vitest';
import { ratios } from './ratios.mjs';
import type { Result } from './result';

const CONTENDERS = [
  ['lockstep-single', 'lockstep', 'webgpu'],
  ['lockstep-fused', 'lockstep', 'webgpu'],
  ['lockstep-ddp', 'lockstep', 'webgpu'],
  ['lockstep-tensor', 'lockstep', 'webgpu'],
  ['lockstep-sharded', 'lockstep', 'webgpu'],
  ['lockstep-cpu', 'lockstep', 'cpu'],
  ['lockstep-cpu-fma', 'lockstep', 'cpu'],
  ['pytorch-cpu', 'pytorch', 'cpu'],
  ['tensorflow-webgpu', 'tensorflow', 'webgpu'],
  ['tensorflow-cpu', 'tensorflow', 'cpu'],
  ['jax-webgpu', 'jax', 'webgpu'],
  ['jax-wasm', 'jax', 'wasm'],
] as const;

const resultOf = (workload: string, medians: Record<string, number>): Result => ({
  date: '2026-01-01',
  machine: 'm',
  runtime: 'r',
  adapter: 'a',
  presets: [],
  workloads: [{ id: workload, title: workload, unit: 'steps/s' }],
  contenders: CONTENDERS.map(([id, library, backend]) => ({ id, title: id, library, backend })),
  figures: CONTENDERS.map(([id]) => {
    const median = medians[id];
    if (median === undefined) return { workload, contender: id, problem: 'failed' };
    return { workload, contender: id, summary: { median, min: median, max: median, rounds: [median] } };
  }),
});

it('compares the faster of eager and fused with the fastest other WebGPU library, not with WASM', () => {
  const medians = {
    'lockstep-single': 6,
    'lockstep-fused': 8,
    'lockstep-ddp': 100,
    'lockstep-cpu': 200,
    'tensorflow-webgpu': 1,
    'jax-webgpu': 4,
    'jax-wasm': 400,
  };
  expect(ratios(resultOf('gpt', medians))).toEqual([
    { title: 'gpt', by: 'lockstep-fused to jax-webgpu', value: 2, unit: 'x', bar: 2 },
  ]);
});

it('uses the next library if the fastest failed, and gives no ratio if none ran', () => {
  const own = { 'lockstep-single': 6 };
  expect(ratios(resultOf('cnn', { ...own, 'tensorflow-webgpu': 3 }))[0]?.by).toBe(
    'lockstep-single to tensorflow-webgpu',
  );
  expect(ratios(resultOf('cnn', own))).toEqual([]);
});

it('compares Tensor with Single if both ran', () => {
  const all = { 'lockstep-single': 10, 'lockstep-tensor': 6 };
  expect(ratios(resultOf('gpt', all)).map(({ by, value, bar }) => [by, value, bar])).toEqual([
    ['lockstep-tensor to lockstep-single', 0.6, 0.5],
  ]);
});

it('compares Sharded with DDP if both ran', () => {
  const all = { 'lockstep-ddp': 10, 'lockstep-sharded': 6 };
  expect(ratios(resultOf('gpt', all)).map(({ by, value, bar }) => [by, value, bar])).toEqual([
    ['lockstep-sharded to lockstep-ddp', 0.6, 0.5],
  ]);
});

it('compares the CPU device with PyTorch on one thread if both ran', () => {
  const all = { 'lockstep-cpu': 5, 'pytorch-cpu': 10 };
  for (const [workload, bar] of [
    ['matmul-1024', 0.5],
    ['mlp-784-adam', 0.6],
    ['gpt', 0.5],
  ] as const)
    expect(ratios(resultOf(workload, all)).map((found) => [found.by, found.value, found.bar])).toEqual([
      ['lockstep-cpu to pytorch-cpu', 0.5, bar],
    ]);
  expect(ratios(resultOf('matmul-256', all))).toEqual([]);
  expect(ratios(resultOf('gpt', { 'lockstep-cpu-fma': 6, 'pytorch-cpu': 10 })).map(({ value }) => value)).toEqual([
    0.6,
  ]);
});

it('compares DDP with Single, and the CPU device with its bars', () => {
  const all = { 'lockstep-single': 10, 'lockstep-ddp': 6, 'lockstep-cpu': 30, 'tensorflow-cpu': 8, 'jax-webgpu': 1 };
  expect(ratios(resultOf('small-2-1', all)).map(({ by, value, unit, bar }) => [by, value, unit, bar])).toEqual([
    ['lockstep-single to jax-webgpu', 10, 'x', 12],
    ['lockstep-ddp to lockstep-single', 0.6, 'x', 0.7],
    ['lockstep-cpu', 30, 'steps/s', 20_000],
  ]);
  expect(ratios(resultOf('mlp-784-sgd', all)).map(({ by, value, bar }) => [by, value, bar])).toEqual([
    ['lockstep-single to jax-webgpu', 10, 2],
    ['lockstep-cpu to tensorflow-cpu', 3.75, 3],
  ]);
  expect(ratios(resultOf('matmul-512', all))).toEqual([]);
});
