/** When the gathered parameters and scattered gradients of a sharded unit become folds. */
import { expect, test } from 'vitest';
import { ring } from '../collectives/ring';
import { initDeviceMesh } from '../mesh/device-mesh';
import { PROGRAM_OPS } from '../parallel/modes';
import { ProgramBuilder } from './builder';
import { foldMovements } from './fold-movements';
import type { Where } from './lane-builder';
import { linearize } from './linearize';

const WHERE: Where = { phase: 'reduce', anchor: 'allreduce', queue: 'comm' };
const STEP: Where = { phase: 'step', anchor: 'step' };

type Between = 'nothing' | 'shard written' | 'whole read' | 'gathered read';

/**
 * A shard of 2 elements per rank, with a third of padding, gathered into `whole`, a buffer of the step that `ops/relu`
 * reads.
 */
function gathering(between: Between = 'nothing') {
  const builder = new ProgramBuilder(initDeviceMesh({ dpReplicate: 2 }), PROGRAM_OPS);
  const ofStep = { dtype: 'f32', persistent: false } as const;
  const copy = (from: number, to: number, length: number) => ({ runs: [0, from, 0, to, length] });
  for (const lane of builder.lanes) {
    lane.buffer({ name: 'shard', shape: [2], dtype: 'f32', category: 'parameter', persistent: true });
    lane.buffer({ name: 'out', shape: [4], dtype: 'f32', category: 'parameter', persistent: true });
    lane.buffer({ ...ofStep, name: 'gathered', shape: [6], category: 'communication' });
    lane.buffer({ ...ofStep, name: 'whole', shape: [4], category: 'unsharded' });
    if (between === 'whole read') lane.compute('ops/relu', ['out'], ['whole'], {}, STEP);
    lane.compute('comm/fill', [], ['gathered'], { from: 3 * lane.device, length: 3, value: 0 }, STEP);
    lane.compute('fsdp/all-gather-copy-in', ['shard'], ['gathered'], copy(0, 3 * lane.device, 2), STEP);
    if (between === 'shard written') lane.compute('ops/relu', ['shard'], ['shard'], {}, STEP);
    if (between === 'gathered read') lane.compute('ops/relu', ['gathered'], ['gathered'], {}, STEP);
    if (between === 'whole read') lane.compute('ops/relu', ['whole'], ['out'], {}, STEP);
    lane.handOver('compute', 'comm', WHERE);
  }
  ring.emit({
    builder,
    op: 'allGather',
    group: builder.mesh.world,
    ...{ input: 'gathered', output: 'gathered', length: 3, payload: 'parameter', where: WHERE },
  });
  for (const lane of builder.lanes) {
    lane.handOver('comm', 'compute', STEP);
    const runs = { runs: [0, 0, 0, 0, 2, 0, 3, 0, 2, 2] };
    lane.compute('fsdp/split-with-sizes-copy', ['gathered'], ['whole'], runs, STEP);
    lane.compute('ops/relu', ['whole'], ['out'], {}, STEP);
  }
  const made = builder.finish('sharded');
  const steps = foldMovements(made, linearize(made, { group: true }), PROGRAM_OPS, ({ buffer }) => buffer);
  return { kinds: steps.map((s) => s.kind), fold: steps.find((s) => s.kind === 'fold') };
}

test('the all-gather of a sharded unit is one step of copies, between allocations and without padding', () => {
  const { kinds, fold } = gathering();
  expect(kinds).toEqual(['fold', 'compute']);
  const place = (device: number, buffer: string, offset: number) => ({ device, buffer, offset });
  expect(fold?.items.map(({ length, terms, targets }) => ({ length, terms, targets }))).toEqual(
    [0, 1].map((rank) => ({
      length: 2,
      terms: [place(rank, 'shard', 0)],
      targets: [place(0, 'whole', 2 * rank), place(1, 'whole', 2 * rank)],
    })),
  );
});

test('shard written meanwhile: the unit is gathered in steps', () => {
  expect(gathering('shard written').kinds).not.toContain('fold');
});

test('gathered read meanwhile: the message is filled and unpacked in steps, and its rounds are one', () => {
  const { kinds, fold } = gathering('gathered read');
  expect(kinds.filter((kind) => kind !== 'compute')).toEqual(['fold']);
  expect(fold?.items.flatMap(({ targets }) => targets.map(({ buffer }) => buffer))).toEqual(['gathered', 'gathered']);
});

test('the earlier contents of a whole parameter are read before they are overwritten', () => {
  const { kinds } = gathering('whole read');
  expect(kinds.slice(-2)).toEqual(['fold', 'compute']);
});

/**
 * The gradient of the step, summed over two ranks, halved, and put in the shards. The step's memory of the gradient
 * ends where it is packed, so the fold is there, before what comes in between.
 */
function scattering(between: 'nothing' | 'shard read' | 'gradient of rank 1 late') {
  const builder = new ProgramBuilder(initDeviceMesh({ dpReplicate: 2 }), PROGRAM_OPS);
  const ofStep = { dtype: 'f32', persistent: false } as const;
  for (const lane of builder.lanes) {
    for (const name of ['in', 'other', 'shard'])
      lane.buffer({ name, shape: [name === 'shard' ? 2 : 4], dtype: 'f32', category: 'gradient', persistent: true });
    lane.buffer({ ...ofStep, name: 'gradient', shape: [4], category: 'unsharded' });
    lane.buffer({ ...ofStep, name: 'all', shape: [4], category: 'communication' });
    lane.buffer({ ...ofStep, name: 'part', shape: [2], category: 'communication' });
    // Rank 1 computes its gradient from what rank 0 sends after its own gradient is packed.
    if (between === 'gradient of rank 1 late' && lane.device === 1)
      builder.transfer(
        { device: 0, slice: builder.lane(0).whole('other'), where: STEP },
        { device: 1, slice: lane.whole('in'), where: STEP },
        { name: 'late', payload: 'activation' },
      );
    lane.compute('ops/relu', ['in'], ['gradient'], {}, STEP);
    lane.compute('fsdp/chunk-cat', ['gradient'], ['all'], { runs: [0, 0, 0, 0, 4] }, STEP);
    lane.handOver('compute', 'comm', WHERE);
    lane.compute(
      'ops/relu',
      between === 'shard read' ? ['shard'] : ['in'],
      between === 'shard read' ? ['shard'] : ['other'],
      {},
      STEP,
    );
  }
  ring.emit({
    ...{ builder, op: 'reduceScatter', group: builder.mesh.world },
    ...{ input: 'all', consumesInput: true, output: 'part', length: 4, payload: 'gradient', where: WHERE },
  });
  for (const lane of builder.lanes) {
    lane.compute('comm/scale', ['part'], ['part'], { from: 0, length: 2, scale: 0.5 }, WHERE);
    lane.compute('fsdp/sharded-grad', ['part'], ['shard'], { runs: [0, 0, 0, 0, 2] }, WHERE);
  }
  const made = builder.finish('sharded');
  const steps = foldMovements(made, linearize(made, { group: true }), PROGRAM_OPS, ({ buffer }) => buffer);
  return { kinds: steps.map((s) => s.kind), fold: steps.find((s) => s.kind === 'fold') };
}

test('the reduce-scatter is one step in the place of its gradients, and multiplies the sum', () => {
  const { kinds, fold } = scattering('nothing');
  expect(kinds).toEqual(['compute', 'fold', 'compute']);
  expect(
    fold?.items.map(({ length, terms, scale, after, targets }) => [
      ...[length, scale, after],
      ...[terms.map(({ device, offset }) => [device, offset]), targets.map(({ device, offset }) => [device, offset])],
    ]),
  ).toEqual([
    [
      2,
      1,
      0.5,
      [
        [0, 0],
        [1, 0],
      ],
      [[0, 0]],
    ],
    [
      2,
      1,
      0.5,
      [
        [1, 2],
        [0, 2],
      ],
      [[1, 0]],
    ],
  ]);
});

test('a shard that is used before its gradient has come, or a gradient that comes later: the rounds stay', () => {
  expect(scattering('shard read').kinds).not.toContain('fold');
  expect(scattering('gradient of rank 1 late').kinds).not.toContain('fold');
});
