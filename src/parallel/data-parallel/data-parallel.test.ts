/** What DataParallel sends and when: flat pieces as torch coalesces them, and cuda:0's own work behind its copies. */
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { at, must } from '../../base/invariant';
import type { Instruction, Program } from '../../program/instruction';
import { type ConfigInput, configSchema } from '../../protocol/config';
import { fullStep } from '../../protocol/step-kind';
import { HARDWARE } from '../../simulator/hardware';
import { simulate } from '../../simulator/simulate';
import { PARALLEL_MODES, PROGRAM_OPS } from '../modes';
import { type CoalescedTensor, piecesOf } from './coalesced';

const MIB = 1024 * 1024;

/**
 * PyTorch 1.13.1's torch._utils._take_tensors gave the second list; take_tensors of 2.x's tensor_flatten.cpp closes
 * late.
 */
const PIECES: readonly (readonly [
  sizes: readonly number[],
  broadcast: readonly (readonly number[])[],
  reduce: readonly (readonly number[])[],
])[] = [
  [[4, 4, 4], [[4, 4, 4]], [[4, 4], [4]]],
  [
    [9, 2, 9],
    [[9, 2], [9]],
    [[9], [2], [9]],
  ],
  [
    [12, 1],
    [[12], [1]],
    [[12], [1]],
  ],
  [
    [10, 1],
    [[10], [1]],
    [[10], [1]],
  ],
  [
    [5, 5, 1],
    [[5, 5], [1]],
    [[5, 5], [1]],
  ],
  [
    [1, 12, 1],
    [[1, 12], [1]],
    [[1], [12], [1]],
  ],
];

test.each(PIECES)('tensors of %j MiB in pieces', (sizes, broadcast, reduce) => {
  const tensors = sizes.map((size, i): CoalescedTensor => ({ name: String(i), bytes: size * MIB, dtype: 'f32' }));
  const sizesOf = (pieces: readonly (readonly string[])[]) => pieces.map((p) => p.map((name) => sizes[Number(name)]));
  expect(sizesOf(piecesOf(tensors, 'after'))).toEqual(broadcast);
  expect(sizesOf(piecesOf(tensors, 'before'))).toEqual(reduce);
});

test('a piece has one type', () => {
  const types = ['f32', 'i32', 'f32', 'i32', 'f32'] as const;
  const tensors = types.map((dtype, i): CoalescedTensor => ({ name: String(i), bytes: 4 * MIB, dtype }));
  expect(piecesOf(tensors, 'after')).toEqual([
    ['0', '2', '4'],
    ['1', '3'],
  ]);
  expect(piecesOf(tensors, 'before')).toEqual([['0', '2'], ['4'], ['1', '3']].sort());
});

function compiled(input: ConfigInput): Program {
  const config = v.parse(configSchema, { mode: 'dataParallel', worldSize: 4, batchSize: 12, ...input });
  const head = at(config.model.layers, 0);
  const tail = config.model.layers.findLast((layer) => layer.type === 'Linear');
  const types = { inputType: 'f32', targetType: 'f32' } as const;
  const inputShape = [head.type === 'Linear' ? head.in : 1];
  const targetShape = [tail?.type === 'Linear' ? tail.out : 1];
  return PARALLEL_MODES.dataParallel
    .facets(config)
    .compiler.compile({ config, ops: PROGRAM_OPS, inputShape, targetShape, ...types }, fullStep([12]));
}

const sendsOf = (program: Program) =>
  program.lanes.flatMap(({ instructions }) => instructions.filter((i) => i.kind === 'send'));
const elementsSent = (program: Program, phase: Instruction['phase']) =>
  sendsOf(program).flatMap((i) => (i.phase === phase && i.kind === 'send' ? [i.slice.length] : []));

describe('messages', () => {
  test('one piece of parameters to each replica, and one of gradients back: 15 messages, where 6 parameters made 45', () => {
    const program = compiled({});
    const parameters = must(program.lanes[0], 'lane').buffers.filter((b) => b.category === 'parameter');
    expect(parameters.length).toBe(6);
    const count = parameters.reduce((n, { shape }) => n + shape.reduce((a, b) => a * b, 1), 0);
    expect(elementsSent(program, 'replicate')).toEqual([count, count, count]);
    expect(elementsSent(program, 'reduce')).toEqual([count, count, count]);
    expect(sendsOf(program).length).toBe(15);
  });

  test('buffers travel in pieces of their own, one per type', () => {
    const norm = { type: 'BatchNorm1d', features: 8 } as const;
    const layers: ConfigInput['model'] = {
      layers: [{ type: 'Linear', in: 2, out: 8 }, norm, { type: 'Linear', in: 8, out: 8 }, norm],
    };
    const parameters = 16 + 8 + 16 + 64 + 8 + 16;
    expect(elementsSent(compiled({ worldSize: 2, model: layers }), 'replicate')).toEqual([parameters, 32, 2]);
  });

  test('a net of 36 MiB', () => {
    const layers: ConfigInput['model'] = {
      layers: Array.from({ length: 3 }, () => ({ type: 'Linear', in: 1773, out: 1773 })),
    };
    const [weight, bias] = [1773 * 1773, 1773];
    const program = compiled({ worldSize: 2, model: layers });
    // Three weights of 12 MiB: a piece is closed once it has 10 MiB, or before it would have more.
    expect(elementsSent(program, 'replicate')).toEqual([weight, bias + weight, bias + weight, bias]);
    expect(elementsSent(program, 'reduce')).toEqual([weight, bias, weight, bias, weight, bias]);
  });
});

describe.each(Object.values(HARDWARE))('on $label', (hardware) => {
  const program = compiled({});
  const times = simulate(program, hardware);
  const on = (device: number, test: (i: Instruction) => boolean) =>
    must(program.lanes[device], 'lane').instructions.filter(test);
  const start = (list: readonly Instruction[]) => Math.min(...list.map((i) => must(times.get(i.id), 'timing').startUs));
  const end = (list: readonly Instruction[]) =>
    Math.max(...list.map((i) => must(times.get(i.id), 'timing')).map(({ startUs, durUs }) => startUs + durUs));
  const work = (device: number, phase: Instruction['phase']) =>
    on(device, (i) => i.kind === 'compute' && i.phase === phase && i.module !== '');

  test('cuda:0 begins its forward pass when its copies are out, as every other device', () => {
    for (const phase of ['scatter', 'replicate'] as const)
      expect(start(work(0, 'forward'))).toBeGreaterThanOrEqual(
        end(on(0, (i) => i.kind === 'send' && i.phase === phase)),
      );
    for (const device of [1, 2, 3])
      expect(start(work(device, 'forward'))).toBeGreaterThanOrEqual(
        end(on(device, (i) => i.kind === 'recv' && i.phase === 'replicate')),
      );
  });

  test('cuda:0 begins its backward pass when the gradients of the outputs are out', () => {
    expect(start(work(0, 'backward'))).toBeGreaterThanOrEqual(
      end(on(0, (i) => i.kind === 'send' && i.phase === 'backward')),
    );
  });

  test('views cost no time, and flattening does', () => {
    for (const i of on(1, (j) => j.kind === 'compute' && j.op === 'comm/unflatten'))
      expect(times.get(i.id)?.durUs).toBe(0);
    for (const i of on(0, (j) => j.kind === 'compute' && j.op === 'comm/flatten'))
      expect(times.get(i.id)?.durUs).toBeGreaterThan(0);
  });
});
