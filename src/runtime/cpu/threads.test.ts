/** Several threads on one memory: the bits of one thread, whoever runs what, and an end. */
import { afterEach, expect, it } from 'vitest';
import { at, must } from '../../base/invariant';
import { COMM_OPS } from '../../collectives/bucket-ops';
import { COMM_VECTORS } from '../../collectives/vector-ops';
import { CpuScratch } from '../../graph/cpu-scratch';
import type { CpuArgs, OpDef, TensorType } from '../../graph/op';
import { ALL_OPS } from '../../graph/testing/all-ops';
import { randomSource } from '../../graph/testing/case-tools';
import { GRAPH_VECTORS, KERNELS, Vectors } from '../../graph/vectors';
import { instantiate, type Kernels } from '../../graph/vectors/kernels';
import { SHARED_KERNELS } from '../../graph/vectors/shared';
import { elements } from '../../tensor/shape';
import { teamOf } from './threads';

const opened: Vectors[] = [];
afterEach(() => {
  for (const vectors of opened.splice(0)) vectors.close();
});

const ROOM = [64 * 1024 * 1024];
const f32 = (...shape: number[]): TensorType => ({ shape, dtype: 'f32' });

/** A sum over ranks, which executors make of many instructions, as an operator. */
const FOLD: OpDef = {
  name: 'comm/fold',
  infer: (inputs) => [at(inputs, 0), at(inputs, 0)],
  flops: () => 0,
  lower: () => [],
  cpu: () => {
    throw new Error('the kernel runs it');
  },
};
const OPS = new Map([...ALL_OPS, ...COMM_OPS, [FOLD.name, FOLD]]);
const VECTOR_OPS = new Map([...GRAPH_VECTORS, ...COMM_VECTORS]);

/** What each operator gives with so many threads, on the same random inputs. */
function outputsOf(op: OpDef, types: readonly TensorType[], attrs: CpuArgs['attrs'], vectors: Vectors): Float32Array[] {
  const random = randomSource(11);
  const outputTypes = op.infer(types, attrs);
  const inputs = types.map(({ dtype, shape }) => {
    const array = vectors.array(dtype, elements(shape));
    for (let i = 0; i < array.length; i++) array[i] = random() * 2 - 1;
    return array;
  });
  const outputs = outputTypes.map(({ dtype, shape }) => vectors.array(dtype, elements(shape)));
  const args = { inputs, outputs, inputTypes: types, outputTypes, attrs, scratch: new CpuScratch(vectors) };
  const run = VECTOR_OPS.get(op.name)?.(args, vectors) ?? (() => op.cpu(args));
  // The second time all threads are there.
  run();
  run();
  return outputs.map((array) => Float32Array.from(array));
}

const RUNS: readonly (readonly [string, readonly TensorType[], CpuArgs['attrs']])[] = [
  ['ops/linear', [f32(130, 70), f32(60, 70), f32(60)], {}],
  ['ops/linear', [f32(12, 300), f32(200, 300), f32(200)], {}],
  ['ops/linear-grad-params', [f32(300, 130), f32(300, 90)], { bias: true }],
  ['ops/linear-grad-input', [f32(200, 90), f32(90, 130)], {}],
  ['ops/gelu', [f32(301, 101)], {}],
  ['ops/relu-grad', [f32(301, 101), f32(301, 101)], {}],
  ['ops/add', [f32(301, 101), f32(301, 101)], {}],
  ['norm/layer-norm', [f32(301, 101), f32(101), f32(101)], { eps: 1e-5 }],
  ['attention/self-attention', [f32(3, 20, 3 * 32)], { heads: 4, causal: true }],
  ['conv/conv2d', [f32(5, 6, 9, 11), f32(10, 3, 3, 3), f32(10)], { padding: 1, groups: 2 }],
  ['conv/conv2d-grad-input', [f32(5, 10, 9, 11), f32(10, 6, 3, 3)], { padding: 1, inputSize: [9, 11] }],
  [
    'conv/conv2d-grad-params',
    [f32(5, 6, 9, 11), f32(5, 10, 9, 11)],
    { padding: 1, groups: 2, kernelSize: [3, 3], bias: true },
  ],
  ['conv/max-pool2d', [f32(20, 30, 8, 10)], { kernelSize: 2 }],
  ['ddp/pack', [f32(101), f32(300, 301)], { scale: 0.25 }],
  ['comm/fold', [f32(70_001), f32(70_001), f32(70_001)], { scale: 0.5, after: 0.25 }],
  ['norm/batch-norm', [f32(9, 20, 8, 8), f32(20), f32(20), f32(20), f32(20)], { activation: 'relu' }],
  ['norm/batch-norm-grad-reduce', [f32(9, 20, 8, 8), f32(9, 20, 8, 8), f32(20), f32(20)], {}],
  ['norm/batch-norm-grad-input', [f32(9, 20, 8, 8), f32(9, 20, 8, 8), f32(20), f32(20), f32(20), f32(20), f32(20)], {}],
];

it.each(RUNS)('%s has the bits of one thread', async (name, types, attrs) => {
  const op = must(OPS.get(name), name);
  const alone = must(Vectors.open(must(KERNELS, 'kernels'), ROOM), 'memory');
  const expected = outputsOf(op, types, attrs, alone);
  const together = must(Vectors.open(must(SHARED_KERNELS, 'kernels'), ROOM, teamOf(3)), 'shared memory');
  opened.push(together);
  await allHere(together);
  const found = outputsOf(op, types, attrs, together);
  found.forEach((array, k) => {
    expect(new Uint32Array(array.buffer), `output ${k}`).toEqual(new Uint32Array(at(expected, k).buffer));
  });
});

/** Threads begin in their own time; until then the caller's does all the work. */
async function allHere(vectors: Vectors): Promise<void> {
  await expect.poll(() => vectors.threads).toBe(3);
}

it('shares the calls out to the threads', async () => {
  const memory = new WebAssembly.Memory({ initial: 64, maximum: 65_536, shared: true });
  const module = must(SHARED_KERNELS, 'kernels');
  const kernels = instantiate(module, memory);
  const here: (readonly number[])[] = [];
  const watched: Kernels = {
    ...kernels,
    relu(...numbers) {
      here.push(numbers);
      return kernels.relu(...numbers);
    },
  };
  const team = must(teamOf(3), 'threads').start({ module, memory, kernels: watched, scratchBytes: 65_536 });
  await expect.poll(() => team.here()).toBe(3);
  const values = new Float32Array(memory.buffer, 4 * 65_536, 12).fill(-1);
  values.set([5, 6, 7, 8], 4);
  const at = (index: number) => values.byteOffset + 4 * index;
  team.run(
    'relu',
    [0, 4, 8].map((index) => [at(index), at(index), 4]),
    false,
  );
  expect([...values]).toEqual([0, 0, 0, 0, 5, 6, 7, 8, 0, 0, 0, 0]);
  expect(here).toEqual([[at(0), at(0), 4]]);
  team.close();
});

it('reports a failed thread, and finishes the calls', async () => {
  const memory = new WebAssembly.Memory({ initial: 64, maximum: 65_536, shared: true });
  const module = must(SHARED_KERNELS, 'kernels');
  const team = must(teamOf(2), 'threads').start({
    ...{ module, memory, scratchBytes: 65_536 },
    kernels: { ...instantiate(module, memory), relu: () => 0 },
  });
  await expect.poll(() => team.here()).toBe(2);
  const outside = 2 ** 32 - 64;
  expect(() =>
    team.run(
      'relu',
      [
        [0, 0, 4],
        [outside, outside, 16],
      ],
      false,
    ),
  ).toThrow('A thread failed in a kernel.');
  team.close();
});
