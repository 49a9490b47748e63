/** What norm layers refuse, in PyTorch's words, and their running statistics against numbers of PyTorch 1.13. */
import { describe, expect, it } from 'vitest';
import { at, must } from '../../../base/invariant';
import { CpuScratch } from '../../cpu-scratch';
import type { TensorType } from '../../op';
import { ALL_OPS } from '../../testing/all-ops';

const f32 = (...shape: number[]): TensorType => ({ shape, dtype: 'f32' });
const COUNT: TensorType = { shape: [1], dtype: 'i32' };
// torch.nn.BatchNorm1d(2, momentum=0.1), and momentum=None, after the batches of afterBatches.
const MOMENTUM = { mean: [2.24399995803833, 3.740000009536743], variance: [18.16200065612793, 44.0880012512207] };
const CUMULATIVE = { mean: [8.0, 13.333333015441895], variance: [60.66666793823242, 150.88888549804688] };

const op = (name: string) => must(ALL_OPS.get(name), name);

describe('refuses', () => {
  it.each([
    [
      'a single value per channel',
      'norm/batch-norm-stats',
      [f32(1, 4), f32(4), f32(4), COUNT],
      {},
      'Expected more than 1 value per channel when training, got input size torch.Size([1, 4])',
    ],
    [
      'running statistics of other channels',
      'norm/batch-norm-stats',
      [f32(2, 4), f32(3), f32(4), COUNT],
      {},
      'running_mean should contain 4 elements not 3',
    ],
    [
      'a weight of other channels',
      'norm/batch-norm',
      [f32(2, 4, 3), f32(4), f32(4), f32(5), f32(4)],
      {},
      'weight should contain 4 elements not 5',
    ],
    ['an empty batch', 'norm/batch-norm-eval', [f32(0, 4), f32(4), f32(4)], {}, 'empty input of size [0, 4]'],
    ['an empty batch', 'norm/layer-norm', [f32(0, 8)], { normalizedShape: [8] }, 'empty input of size [0, 8]'],
    [
      'another normalized_shape',
      'norm/layer-norm',
      [f32(5, 7)],
      { normalizedShape: [8] },
      'Given normalized_shape=[8], expected input with shape [*, 8], but got input of size[5, 7]',
    ],
    [
      'groups that do not divide the channels',
      'norm/group-norm',
      [f32(2, 5, 3)],
      { groups: 2 },
      'Expected number of channels in input to be divisible by num_groups, but got input of shape [2, 5, 3] and num_groups=2',
    ],
    [
      'groups of one value',
      'norm/group-norm',
      [f32(1, 4)],
      { groups: 4 },
      'Expected more than 1 value per channel when training, got input size [1, 4]',
    ],
  ])('%s (%s)', (_, name, inputs, attrs, message) => {
    expect(() => op(name).infer(inputs, attrs)).toThrow(message);
  });
});

/** x [3, 2]; running values start at 0, 1, 0. */
function afterBatches(batches: number, attrs: Readonly<Record<string, number | boolean>>) {
  const stats = op('norm/batch-norm-stats');
  const running = [new Float32Array(2), new Float32Array(2).fill(1), new Int32Array(1)] as const;
  const inputTypes = [f32(3, 2), f32(2), f32(2), COUNT];
  const outputTypes = stats.infer(inputTypes, attrs);
  for (let i = 0; i < batches; i++) {
    const x = Float32Array.of(1, 2, 3, 5, 8, 13).map((v) => v * (i + 1));
    const partial = new Float32Array(at(outputTypes, 5).shape.reduce((a, b) => a * b));
    const outputs = [new Float32Array(2), new Float32Array(2), ...running, partial];
    const types = { inputTypes, outputTypes, attrs: { eps: 1e-5, ...attrs } };
    stats.cpu({ inputs: [x, ...running], outputs, ...types, scratch: new CpuScratch() });
  }
  return { mean: [...running[0]], variance: [...running[1]], tracked: running[2][0] };
}

it.each([
  [{ momentum: 0.1 }, MOMENTUM],
  [{ cumulative: true }, CUMULATIVE],
])('moves running statistics over three batches as torch.nn.BatchNorm1d does: %o', (attrs, expected) => {
  const actual = afterBatches(3, attrs);
  expect(actual.tracked).toBe(3);
  for (const [found, wanted] of [
    [actual.mean, expected.mean],
    [actual.variance, expected.variance],
  ] as const)
    found.forEach((v, c) => {
      expect(Math.abs(v / at(wanted, c) - 1)).toBeLessThan(1e-6);
    });
});
