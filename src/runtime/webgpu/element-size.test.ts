/**
 * What follows from the size of an element, held with int32 tensors that have two bytes per element: whatever assumes
 * four bytes somewhere says another number than the rest.
 */
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { loadedAlgorithms } from '../../collectives/algorithms';
import { COMM_OPS } from '../../collectives/bucket-ops';
import { bytesSent, type Collective, programOf } from '../../collectives/testing/collective-run';
import { alignedBytes } from '../../program/memory-planner';
import { programKey } from '../../protocol/step-kind';
import { ELEMENT_BYTES } from '../../tensor/shape';
import { memoryOf } from '../../trace/memory';
import { makeTrace, slice, transfer } from '../../trace/testing/make-trace';
import { planCaptures } from './captures';
import { wordAt } from './gpu-words';
import { MemoryLayout } from './memory-layout';
import { planInstructions } from './plan-step';
import { planRemote } from './remote-plan';

beforeEach(() => {
  vi.spyOn(ELEMENT_BYTES, 'i32', 'get').mockReturnValue(2);
});

const LIMITS = { maxBufferSize: 2 ** 28, maxStorageBufferBindingSize: 2 ** 27 };

/** Bitwise operations have int32 inputs. 98,304 elements are 3 chunks of a tree, and would be 6 at four bytes. */
function trial(ranks: number, length: number, of: Pick<Collective, 'algorithm' | 'op'>): Collective {
  const group = Array.from({ length: ranks }, (_, rank) => rank);
  return { ...of, reduceOp: 'bor', mesh: ranks, group, root: 0, inputs: group.map(() => new Int32Array(length)) };
}

describe.each(loadedAlgorithms())('$name', (algorithm) => {
  test.each(algorithm.ops.flatMap((op) => [3, 4, 6].map((ranks) => ({ op, ranks }))))(
    '$op of $ranks ranks: the cost counts the bytes that its Program sends',
    ({ op, ranks }) => {
      for (const length of [48, 98_304]) {
        const of = trial(ranks, length, { algorithm: algorithm.name, op });
        const program = programOf(of);
        const cost = algorithm.cost({ op, bytes: 2 * length, dtype: 'i32', worldSize: ranks });
        expect(bytesSent(program, of.group)).toEqual(cost.bytesSent);
        const rounds = program.lanes.flatMap(({ instructions }) =>
          instructions.flatMap((i) => (i.kind === 'send' ? [i.collective?.rounds] : [])),
        );
        expect([...new Set(rounds)]).toEqual([cost.rounds]);
      }
    },
  );
});

test('a tree cuts a buffer by its bytes', () => {
  const { lanes } = programOf(trial(4, 98_304, { algorithm: 'tree', op: 'broadcast' }));
  const chunks = lanes.flatMap(({ instructions }) =>
    instructions.map((i) => i.kind === 'send' && i.collective?.chunks),
  );
  expect(new Set(chunks)).toEqual(new Set([3, false]));
});

test('the planner gives a buffer the bytes of its elements', () => {
  const spec = { name: 'x', shape: [200], category: 'communication', persistent: false } as const;
  expect([alignedBytes({ ...spec, dtype: 'i32' }), alignedBytes({ ...spec, dtype: 'f32' })]).toEqual([512, 1024]);
});

test('a buffer that only this trace has is as large as its transfers need', () => {
  const trace = makeTrace(transfer([7, 8], 0, 1, { slice: slice('bucket0', 100, 100), bucket: 0, bytes: 200 }));
  expect(memoryOf(trace, []).at(1, 1)).toMatchObject({ bucket: 512 });
});

describe('the GPU runtime', () => {
  function planned() {
    const of = trial(4, 240, { algorithm: 'ring', op: 'allReduce' });
    const program = programOf(of);
    const layout = new MemoryLayout([program], of.group, LIMITS);
    const key = programKey(program.kind);
    return { program, layout, key, locate: (name: string, device = 0) => layout.locate(key, device, name) };
  }

  test('keeps the first elements of what an instruction wrote', () => {
    const { program, locate } = planned();
    const recv = program.lanes[0]?.instructions.find((i) => i.kind === 'recv' && i.slice.offset > 0);
    if (recv?.kind !== 'recv') throw new Error('no receive');
    const [plan] = planCaptures(recv, locate, 512);
    const { offset, length } = recv.slice;
    expect(plan).toMatchObject({ offset: locate('in').offset + 2 * offset, length, bytes: 2 * length, to: 512 });
  });

  test('moves words, of which each holds two elements', () => {
    const { program, layout, locate } = planned();
    const [first] = planInstructions(program, COMM_OPS, layout).flatMap(({ ran, dispatches }) =>
      ran.some(({ instruction }) => instruction.kind === 'recv' && instruction.slice.offset === 60) ? dispatches : [],
    );
    expect(wordAt(locate('in'), 60) - wordAt(locate('in'))).toBe(30);
    expect([...(first?.table ?? [])]).toContain(wordAt(locate('in', 3), 60));
    expect(() => wordAt(locate('in'), 1)).toThrow('in: ');
  });

  test('sends and receives the bytes that the Program says', () => {
    const { program, key } = planned();
    const own = { ...program, lanes: program.lanes.slice(0, 1) };
    const layout = new MemoryLayout([program], [0], LIMITS);
    const { variants } = planRemote({ programs: [own], ops: COMM_OPS, layout });
    const actions = [...(variants.get(key)?.queues.comm ?? [])].filter(({ message }) => message);
    expect(actions.length).toBeGreaterThan(0);
    for (const { slice: home, message, instruction } of actions) {
      expect(home?.bytes).toBe(instruction.bytes);
      expect(message?.home.bytes).toBe(instruction.bytes);
    }
  });
});
