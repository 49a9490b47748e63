/**
 * Which data movements become folds, in which order they add, and what keeps them apart. Their bits are held by
 * runtime/cpu/interleavings.property.test.ts.
 */

import { expect, test } from 'vitest';
import { at } from '../base/invariant';
import { loadedAlgorithms } from '../collectives/algorithms';
import { ALGORITHM as halvingDoubling } from '../collectives/late/halving-doubling';
import { naive } from '../collectives/naive';
import { ring } from '../collectives/ring';
import { initDeviceMesh } from '../mesh/device-mesh';
import { PROGRAM_OPS } from '../parallel/modes';
import { ProgramBuilder } from './builder';
import { type FoldStep, foldMovements } from './fold-movements';
import type { Where } from './lane-builder';
import { linearize } from './linearize';

const WHERE: Where = { phase: 'reduce', anchor: 'allreduce', queue: 'comm' };
const STEP: Where = { phase: 'step', anchor: 'step' };

type Meanwhile = 'nothing' | 'gradient read' | 'gradient written' | 'bucket read';

/** `g` of 5 elements per rank, packed, all-reduced and unpacked. */
function program(ranks: number, algorithm: typeof ring, meanwhile: Meanwhile = 'nothing') {
  const group = Array.from({ length: ranks }, (_, r) => r);
  const builder = new ProgramBuilder(initDeviceMesh({ dpReplicate: group.length }), PROGRAM_OPS);
  for (const lane of builder.lanes) {
    const persistent = { shape: [5], dtype: 'f32', category: 'gradient', persistent: true } as const;
    lane.buffer({ ...persistent, name: 'g', pool: 'gradients' });
    lane.buffer({ ...persistent, name: 'other' });
    lane.buffer({ name: 'bucket', shape: [5], dtype: 'f32', category: 'bucket', persistent: false });
    lane.compute('ddp/pack', ['g'], ['bucket'], { scale: 1 / ranks }, STEP);
    if (meanwhile === 'gradient read') lane.compute('ops/relu', ['g'], ['other'], {}, STEP);
    if (meanwhile === 'gradient written') lane.compute('ops/relu', ['other'], ['g'], {}, STEP);
    if (meanwhile === 'bucket read') lane.compute('ops/relu', ['bucket'], ['other'], {}, STEP);
    lane.handOver('compute', 'comm', WHERE);
  }
  algorithm.emit({
    builder,
    op: 'allReduce',
    group: builder.mesh.world,
    input: 'bucket',
    length: 5,
    payload: 'gradient',
    where: WHERE,
  });
  for (const lane of builder.lanes) {
    lane.handOver('comm', 'compute', STEP);
    lane.compute('ddp/unpack', ['bucket'], ['g'], {}, STEP);
  }
  return builder.finish('ddp');
}

function folded(...args: Parameters<typeof program>): { kinds: readonly string[]; fold: FoldStep | undefined } {
  const made = program(...args);
  const steps = foldMovements(made, linearize(made, { group: true }), PROGRAM_OPS, () => 'one');
  return { kinds: steps.map((s) => s.kind), fold: steps.find((s) => s.kind === 'fold') };
}

test('a ring of three is one step that adds each chunk in the order of the ring', () => {
  const { kinds, fold } = folded(3, ring);
  expect(kinds).toEqual(['fold']);
  const items = fold?.items ?? [];
  // Chunk c is x[c-1] + x[c-2] + x[c], of which the first two may change places; chunks of two elements, the last of
  // one.
  expect(
    items.map(({ length, scale, terms }) => [terms[0]?.offset, length, scale, terms.map((t) => t.device)]),
  ).toEqual([
    [0, 2, Math.fround(1 / 3), [1, 2, 0]],
    [2, 2, Math.fround(1 / 3), [2, 0, 1]],
    [4, 1, Math.fround(1 / 3), [0, 1, 2]],
  ]);
  for (const { targets } of items)
    expect(targets.map((t) => `${t.device} ${t.buffer}`).sort()).toEqual(['0 g', '1 g', '2 g']);
});

test('the naive algorithm: one sum, from the root on', () => {
  const { kinds, fold } = folded(3, naive);
  expect(kinds).toEqual(['fold']);
  expect(fold?.items.map(({ length, terms }) => [length, terms.map((t) => t.device)])).toEqual([[5, [0, 1, 2]]]);
});

test.each(loadedAlgorithms())('$name is one step at any world size, partial sums and all', (algorithm) => {
  for (const ranks of [2, 3, 4, 5, 8, 16]) {
    const { kinds, fold } = folded(ranks, algorithm);
    expect(kinds).toEqual(['fold']);
    for (const { terms, targets, joins = [] } of fold?.items ?? []) {
      expect([terms.length, targets.length]).toEqual([ranks, ranks]);
      expect(joins.reduce((sum, n) => sum + n, 0)).toBe(joins.length === 0 ? 0 : ranks - 1);
    }
  }
});

test('halves of four ranks are sums of two sums', () => {
  const { fold } = folded(4, halvingDoubling);
  for (const { joins } of fold?.items ?? []) expect(joins).toEqual([0, 1, 0, 2]);
});

test('every instruction that a fold replaces is in it', () => {
  const made = program(4, ring);
  const [step] = foldMovements(made, linearize(made, { group: true }), PROGRAM_OPS, () => 'one');
  const all = made.lanes.flatMap((lane) => lane.instructions.filter((i) => i.kind !== 'wait').map((i) => i.id));
  expect(step?.kind === 'fold' && step.ran.map(({ instruction }) => instruction.id).sort((a, b) => a - b)).toEqual(
    all.sort((a, b) => a - b),
  );
});

test('a gradient that is read before the fold still has its value: the fold comes afterwards', () => {
  expect(folded(3, ring, 'gradient read').kinds).toEqual(['compute', 'fold']);
});

test('gradient written meanwhile: the rounds stay', () => {
  expect(folded(3, ring, 'gradient written').kinds).not.toContain('fold');
});

test('bucket read meanwhile: the bucket is packed, read and unpacked, and its rounds are one step', () => {
  const { kinds, fold } = folded(3, ring, 'bucket read');
  expect(kinds).toEqual(['compute', 'compute', 'fold', 'compute']);
  for (const { terms, targets } of fold?.items ?? [])
    expect([...terms, ...targets].map(({ buffer }) => buffer)).toEqual(Array.from({ length: 6 }, () => 'bucket'));
});

test('devices whose gradients lie in several allocations keep their rounds', () => {
  const made = program(3, ring);
  const steps = linearize(made, { group: true });
  expect(foldMovements(made, steps, PROGRAM_OPS, ({ device }) => device)).toEqual(steps);
});

/** `g`, persistent, all-reduced in place, once or twice. */
function inPlace(ranks: number, length: number, { twice = false, readBetween = false } = {}) {
  const group = Array.from({ length: ranks }, (_, r) => r);
  const builder = new ProgramBuilder(initDeviceMesh({ dpReplicate: group.length }), PROGRAM_OPS);
  for (const lane of builder.lanes) {
    const persistent = { shape: [length], dtype: 'f32', category: 'gradient', persistent: true } as const;
    lane.buffer({ ...persistent, name: 'g', pool: 'gradients' });
    lane.buffer({ ...persistent, name: 'other' });
  }
  const call = {
    builder,
    op: 'allReduce',
    group: builder.mesh.world,
    input: 'g',
    length,
    payload: 'gradient',
    where: WHERE,
  } as const;
  ring.emit({ ...call });
  for (const lane of builder.lanes) {
    if (!readBetween) continue;
    lane.handOver('comm', 'compute', STEP);
    lane.compute('ops/relu', ['g'], ['other'], {}, STEP);
    lane.handOver('compute', 'comm', WHERE);
  }
  if (twice) ring.emit({ ...call });
  const made = builder.finish('ddp');
  const steps = foldMovements(made, linearize(made, { group: true }), PROGRAM_OPS, () => 'one');
  return { kinds: steps.map((s) => s.kind), fold: steps.find((s) => s.kind === 'fold') };
}

test('a persistent buffer that is all-reduced in place is one step, too', () => {
  const { kinds, fold } = inPlace(3, 5);
  expect(kinds).toEqual(['fold']);
  expect((fold?.items ?? []).map(({ terms, scale }) => [scale, terms.map((t) => t.device)])).toEqual([
    [1, [1, 2, 0]],
    [1, [2, 0, 1]],
    [1, [0, 1, 2]],
  ]);
});

test('two all-reduces of one buffer stay two, and a reader between them stays there', () => {
  expect(inPlace(2, 4, { twice: true }).kinds).toEqual(['fold', 'fold']);
  expect(inPlace(2, 4, { twice: true, readBetween: true }).kinds).toEqual(['fold', 'compute', 'fold']);
});

test('without peers the fold has nothing to move', () => {
  expect(folded(1, ring).kinds).toEqual(['fold']);
  expect(at([folded(1, ring).fold?.items.length ?? -1], 0)).toBe(0);
});

test('collectives of buffers that lie in two allocations stay two steps, because a dispatch binds one', () => {
  const builder = new ProgramBuilder(initDeviceMesh({ dpReplicate: 2 }), PROGRAM_OPS);
  const names = ['mean', 'var'];
  for (const lane of builder.lanes)
    for (const name of names)
      lane.buffer({ name, shape: [2], dtype: 'f32', category: 'buffer', persistent: true, pool: name });
  names.forEach((name, seq) => {
    builder.transfer(
      { device: 0, slice: builder.lane(0).whole(name), where: WHERE },
      { device: 1, slice: builder.lane(1).whole(name), where: WHERE },
      { name, payload: 'parameter', collective: { seq, op: 'broadcast', algorithm: 'direct' } },
    );
  });
  const made = builder.finish('ddp');
  const kinds = (memoryOf: (place: { readonly buffer: string }) => unknown) =>
    foldMovements(made, linearize(made, { group: true }), PROGRAM_OPS, memoryOf).map((s) => s.kind);
  expect(kinds(({ buffer }) => buffer)).toEqual(['fold', 'fold']);
  expect(kinds(() => 'one')).toEqual(['fold']);
});

/** Addends of a step's layer: `product` is copied to `sum`, which is all-reduced in place and read. */
function addends({ late = false } = {}) {
  const builder = new ProgramBuilder(initDeviceMesh({ tp: 3 }), PROGRAM_OPS);
  for (const lane of builder.lanes) {
    lane.buffer({ name: 'in', shape: [5], dtype: 'f32', category: 'activation', persistent: true });
    for (const name of ['product', 'sum', 'out'])
      lane.buffer({ name, shape: [5], dtype: 'f32', category: 'activation', persistent: false });
    lane.compute('ops/relu', ['in'], ['product'], {}, STEP);
    // One rank copies before the others have their addends.
    if (late && lane.device > 0)
      builder.transfer(
        { device: 0, slice: builder.lane(0).whole('in'), where: STEP },
        { device: lane.device, slice: lane.whole('in'), where: STEP },
        { name: `late ${lane.device}`, payload: 'activation' },
      );
    if (late && lane.device > 0) lane.compute('ops/relu', ['in'], ['product'], {}, STEP);
    lane.compute('ops/copy', ['product'], ['sum'], { from: 0, to: 0, length: 5 }, STEP);
    lane.handOver('compute', 'comm', WHERE);
  }
  ring.emit({
    ...{ builder, op: 'allReduce', group: builder.mesh.world, input: 'sum' },
    ...{ length: 5, payload: 'activation', where: WHERE },
  });
  for (const lane of builder.lanes) {
    lane.handOver('comm', 'compute', STEP);
    lane.compute('ops/gelu', ['sum'], ['out'], {}, STEP);
  }
  const made = builder.finish('tensor');
  const memoryOf = ({ buffer }: { readonly buffer: string }) => buffer;
  const steps = foldMovements(made, linearize(made, { group: true }), PROGRAM_OPS, memoryOf);
  return { kinds: steps.map((s) => s.kind), fold: steps.find((s) => s.kind === 'fold') };
}

test('addends of the step are copied and summed over the ranks in one step, with the bits of the ring', () => {
  const { kinds, fold } = addends();
  expect(kinds).toEqual(['compute', 'fold', 'compute']);
  expect(
    (fold?.items ?? []).map(({ terms, targets }) => [terms.map((t) => `${t.device} ${t.buffer}`), targets.length]),
  ).toEqual([
    [['1 product', '2 product', '0 product'], 3],
    [['2 product', '0 product', '1 product'], 3],
    [['0 product', '1 product', '2 product'], 3],
  ]);
});

test('where copies come at different times, the rounds alone are one step', () => {
  const { kinds, fold } = addends({ late: true });
  expect(kinds.filter((kind) => kind === 'fold')).toHaveLength(1);
  for (const { terms } of fold?.items ?? []) expect(terms.map(({ buffer }) => buffer)).toEqual(['sum', 'sum', 'sum']);
});

/** Three ranks, and a broadcast of rank 0 whose rounds are two messages, `t1` and `t2`. */
function broadcasts(buffers: { readonly kept: readonly string[]; readonly ofStep: readonly string[] }) {
  const builder = new ProgramBuilder(initDeviceMesh({ tp: 3 }), PROGRAM_OPS);
  for (const lane of builder.lanes)
    for (const name of [...buffers.kept, ...buffers.ofStep]) {
      const persistent = buffers.kept.includes(name);
      lane.buffer({ name, shape: [4], dtype: 'f32', category: 'activation', persistent });
    }
  const collective = { seq: 0, op: 'broadcast', algorithm: 'direct' } as const;
  const send = (tag: string, from: readonly [rank: number, buffer: string], to: readonly [number, string]) => {
    const place = ([rank, buffer]: readonly [number, string]) => ({
      ...{ device: rank, where: STEP },
      slice: builder.lane(rank).whole(buffer),
    });
    const about = { name: tag, payload: 'activation', ...(tag.startsWith('t') ? { collective } : {}) } as const;
    builder.transfer(place(from), place(to), about);
  };
  const kinds = () => {
    const made = builder.finish('tensor');
    const steps = linearize(made, { group: true });
    return [steps, foldMovements(made, steps, PROGRAM_OPS, () => 'one')].map((list) => list.map(({ kind }) => kind));
  };
  return { builder, send, kinds };
}

test('a copy between two rounds is none that fills the buffers before them: what is sent first stays first', () => {
  const { builder, send, kinds } = broadcasts({ kept: ['a', 'b', 'c', 'd', 'e', 'x'], ofStep: [] });
  send('t1', [0, 'a'], [1, 'b']);
  builder.lane(0).compute('ops/relu', ['x'], ['a'], {}, STEP);
  builder.lane(1).compute('ops/copy', ['e'], ['c'], { from: 0, to: 0, length: 4 }, STEP);
  send('t2', [1, 'c'], [2, 'd']);
  const [before, after] = kinds();
  expect(after).toEqual(before);
});

test('what nobody reads is not received later, when its memory can belong to another buffer', () => {
  const { builder, send, kinds } = broadcasts({ kept: ['p', 'q', 'r'], ofStep: ['t', 'u'] });
  send('t1', [0, 'p'], [1, 't']);
  builder.lane(1).compute('ops/relu', ['p'], ['u'], {}, STEP);
  send('between', [1, 'q'], [0, 'q']);
  send('t2', [0, 'p'], [2, 't']);
  builder.lane(2).compute('ops/relu', ['t'], ['p'], {}, STEP);
  builder.lane(1).compute('ops/relu', ['u'], ['r'], {}, STEP);
  const [before, after] = kinds();
  expect(after).toEqual(before);
});
