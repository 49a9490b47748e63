/**
 * Every collective by every algorithm that knows it, run on the CPU executor, in one memory space and over a transport:
 * what its definition says, for every size, world, root, sub-group and layout of nodes; the same bytes on all ranks;
 * bytes and rounds as the cost formula says.
 *
 * @module-tag rest: lab.test.ts runs every algorithm against the definition of its collective.
 */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { at } from '../base/invariant';
import { verify } from '../program/verifier';
import { type CollectiveOp, REDUCE_OPS, type ReduceOp } from '../protocol/collective';
import { ALONE, programKey } from '../protocol/step-kind';
import { createCpuExecutor } from '../runtime/cpu/cpu-executor';
import type { Executor } from '../runtime/executor';
import { memoryTransport } from '../runtime/webgpu/testing/memory-transport';
import { loadedAlgorithms } from './algorithms';
import { COMM_OPS } from './bucket-ops';
import type { Algorithm } from './collective';
import { bytesSent, type Collective, dtypeOf, expectedOf, programOf, resultBuffer } from './testing/collective-run';

const FEED = () => new Float32Array(0);
const SUMS: readonly CollectiveOp[] = ['allReduce', 'reduce', 'reduceScatter'];
const IN_BLOCKS: readonly CollectiveOp[] = ['scatter', 'reduceScatter', 'allToAll'];
const SAME: readonly CollectiveOp[] = ['allReduce', 'broadcast', 'allGather'];

function trials({ name, ops }: Algorithm, most = 16): fc.Arbitrary<Collective> {
  return fc
    .record({
      op: fc.constantFrom(...ops.filter((op) => op !== 'barrier')),
      reduceOp: fc.constantFrom(...REDUCE_OPS),
      ranks: fc.integer({ min: 1, max: most }),
      others: fc.integer({ min: 0, max: 2 }),
      // 0, 1, fewer than ranks, and some more.
      length: fc.oneof(fc.integer({ min: 0, max: 20 }), fc.integer({ min: 21, max: 90 })),
      root: fc.nat(15),
      nodes: fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 4 }),
      uneven: fc.boolean(),
      seed: fc.nat(),
    })
    .map(({ op, reduceOp: chosen, ranks, others, length: some, root, nodes, uneven, seed }) => {
      const reduceOp = SUMS.includes(op) ? chosen : seed % 2 === 0 ? 'sum' : 'bor';
      const layout = nodesOf(ranks, nodes, uneven);
      const length = IN_BLOCKS.includes(op) ? Math.ceil(some / ranks) * ranks : some;
      const mesh = ranks + others;
      // A group need not begin at device 0, nor count upwards.
      const group = Array.from({ length: ranks }, (_, r) => (r * (others === 0 ? 1 : -1) + seed * mesh + ranks) % mesh);
      const inputs = group.map((_, r) => values(reduceOp, length, seed + r));
      return {
        algorithm: name,
        op,
        reduceOp,
        mesh,
        group: [...new Set(group)],
        root: root % ranks,
        nodes: layout,
        inputs,
      };
    });
}

function nodesOf(ranks: number, sizes: readonly number[], uneven: boolean): readonly (readonly number[])[] {
  const all = Array.from({ length: ranks }, (_, r) => r);
  const count = uneven ? Math.min(ranks, sizes.length) : ranks % sizes.length === 0 ? sizes.length : 1;
  const cuts = Array.from({ length: count + 1 }, (_, k) => Math.floor((k * ranks) / count));
  return cuts.slice(1).map((end, k) => all.slice(cuts[k], end));
}

function values(reduceOp: ReduceOp, length: number, seed: number): Float32Array | Int32Array {
  let state = (seed * 2654435761) >>> 0;
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  // Integers that are NaNs as floats, quiet and signalling ones, where the bits are what counts.
  if (dtypeOf(reduceOp) === 'i32')
    return Int32Array.from({ length }, () => Math.floor(next() * 2 ** 24) * (next() < 0.5 ? -1 : 1));
  return Float32Array.from({ length }, () => (reduceOp === 'product' ? 0.5 + next() : next() * 200 - 100));
}

async function run(trial: Collective, executorOf: (device: number) => Executor, executors: readonly Executor[]) {
  const devices = Array.from({ length: trial.mesh }, (_, d) => d);
  trial.group.forEach((device, rank) => {
    executorOf(device).write(device, 'in', at(trial.inputs, rank));
  });
  await Promise.all(executors.map((executor) => executor.step(programKey(ALONE), FEED)));
  const read = (buffer: string) =>
    Promise.all(devices.map(async (device) => at(await executorOf(device).read([{ device, buffer }]), 0)));
  const result = { in: await read('in'), out: await read('out') };
  for (const executor of executors) executor.dispose();
  return result;
}

function inOneMemory(trial: Collective) {
  const devices = Array.from({ length: trial.mesh }, (_, d) => d);
  const executor = createCpuExecutor({ programs: [programOf(trial)], devices, ops: COMM_OPS });
  return run(trial, () => executor, [executor]);
}

function overTransport(trial: Collective) {
  const transport = memoryTransport();
  const programs = [programOf(trial)];
  const executors = Array.from({ length: trial.mesh }, (_, device) =>
    createCpuExecutor({ programs, devices: [device], ops: COMM_OPS, transport }),
  );
  return run(trial, (device) => at(executors, device), executors);
}

const EXACT: readonly ReduceOp[] = ['min', 'max', 'band', 'bor', 'bxor'];

function expectClose(actual: Float32Array, expected: readonly number[], { op, reduceOp, inputs }: Collective): void {
  const exact = !SUMS.includes(op) || EXACT.includes(reduceOp);
  const scale = reduceOp === 'product' ? Math.max(...expected) : 100 * inputs.length;
  expect(actual.length).toBe(expected.length);
  const bar = exact ? 0 : 1e-6 * scale;
  const far = expected.flatMap((value, i) => {
    const found = at(actual, i);
    return Math.abs(found - value) <= bar ? [] : [{ i, found, value, bar }];
  });
  expect(far).toEqual([]);
}

describe.each(loadedAlgorithms())('$name', (algorithm) => {
  test('gives the result of the definition, the same bytes on all ranks, and changes no other elements', async () => {
    await fc.assert(
      fc.asyncProperty(trials(algorithm), async (trial) => {
        const { op, group, inputs } = trial;
        verify(programOf(trial), COMM_OPS);
        const result = await inOneMemory(trial);
        const own = result[resultBuffer(op)];
        expectedOf(trial).forEach((expected, rank) => {
          if (expected) expectClose(at(own, at(group, rank)), expected, trial);
        });
        if (SAME.includes(op)) for (const device of group) expect(at(own, device)).toEqual(at(own, at(group, 0)));
        if (resultBuffer(op) === 'out')
          group.forEach((device, rank) => {
            expect(at(result.in, device)).toEqual(Float32Array.from(at(inputs, rank)));
          });
        for (let device = 0; device < trial.mesh; device++)
          if (!group.includes(device)) expect(at(result.in, device).every((value) => value === 0)).toBe(true);
      }),
      { numRuns: 80 },
    );
  });

  test('gives the same bits over a transport', async () => {
    await fc.assert(
      fc.asyncProperty(trials(algorithm, 6), async (trial) => {
        expect(await overTransport(trial)).toEqual(await inOneMemory(trial));
      }),
      { numRuns: 40 },
    );
  });

  test('sends the bytes and has the rounds of its cost formula', () => {
    void fc.assert(
      fc.property(trials(algorithm), (trial) => {
        const { op, group, root, nodes } = trial;
        const bytes = 4 * at(trial.inputs, 0).length;
        const program = programOf(trial);
        const cost = algorithm.cost({ op, bytes, worldSize: group.length, root, ...(nodes ? { nodes } : {}) });
        expect(bytesSent(program, group)).toEqual(cost.bytesSent);
        const rounds = program.lanes.flatMap(({ instructions }) =>
          instructions.flatMap((i) => (i.kind === 'send' ? [i.collective?.rounds] : [])),
        );
        expect([...new Set(rounds)]).toEqual(rounds.length > 0 ? [cost.rounds] : []);
      }),
      { numRuns: 150 },
    );
  });
});

test('a collective of no elements sends nothing, and so does a group of one rank', () => {
  for (const { name, ops } of loadedAlgorithms()) {
    for (const op of ops) {
      for (const [ranks, length] of [
        [4, 0],
        [1, 8],
      ] as const) {
        const inputs = Array.from({ length: ranks }, () => new Float32Array(length));
        const group = [...inputs.keys()];
        const program = programOf({ algorithm: name, op, reduceOp: 'sum', mesh: ranks, group, root: 0, inputs });
        verify(program, COMM_OPS);
        // A barrier carries a token of its own.
        if (op !== 'barrier' || ranks === 1) expect(bytesSent(program, group)).toEqual(group.map(() => 0));
      }
    }
  }
});

test('no rank passes a barrier before the last rank has reached it', () => {
  for (const { name } of loadedAlgorithms()) {
    for (let ranks = 2; ranks <= 16; ranks++) {
      const group = Array.from({ length: ranks }, (_, r) => r);
      const inputs = group.map(() => new Float32Array(0));
      const program = programOf({
        algorithm: name,
        op: 'barrier',
        reduceOp: 'sum',
        mesh: ranks,
        group,
        root: 0,
        inputs,
      });
      verify(program, COMM_OPS);
      // Follow messages from each rank's first instruction: its arrival must be known to all ranks at their end.
      const knows = group.map((r) => new Set([r]));
      const next = group.map(() => 0);
      const posted = new Map<string, Set<number>>();
      for (let moved = true; moved; ) {
        moved = false;
        for (const r of group) {
          const i = at(program.lanes, r).instructions[at(next, r)];
          if (!i || (i.kind === 'recv' && !posted.has(i.tag))) continue;
          if (i.kind === 'send') posted.set(i.tag, new Set(at(knows, r)));
          if (i.kind === 'recv') for (const rank of posted.get(i.tag) ?? []) at(knows, r).add(rank);
          next[r] = at(next, r) + 1;
          moved = true;
        }
      }
      expect(knows.map((known) => known.size)).toEqual(group.map(() => ranks));
    }
  }
});
