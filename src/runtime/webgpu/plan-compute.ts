/**
 * Turns launches into dispatches. The same computation on several devices becomes one dispatch if their memory allows
 * it: dense kernels run the devices as instances in z when every operand advances by a constant stride from device to
 * device; segmented kernels take any devices, because their table names every stretch.
 */
import { at, must } from '../../base/invariant';
import type { DenseLaunch, Launch, OpDef, SegmentedLaunch } from '../../graph/op';
import { type BlockStretch, blockTable } from './block-table';
import { type BoundRange, conflictError, type DispatchSpec, packParams, rangesConflict } from './dispatch';
import { WORD_BYTES, wordAt, wordsOf } from './gpu-words';
import { PUT } from './join-code';
import type { Location, MemoryLayout } from './memory-layout';
import { planTransfers, type TransferMove } from './plan-transfer';

const VECTOR_BYTES = 16;

/** Locations of [...inputs, ...outputs] of one device's computation. */
export type Operands = readonly Location[];

export function planCompute(
  op: OpDef,
  items: readonly Operands[],
  inputs: number,
  attrs: OpDefAttrs,
  layout: MemoryLayout,
): readonly DispatchSpec[] {
  const types = at(items, 0).map((location) => location.spec);
  const launches = op.lower({ inputs: types.slice(0, inputs), outputs: types.slice(inputs), attrs });
  return launches.flatMap((launch: Launch) =>
    launch.kind === 'dense' ? planDense(launch, items, layout) : planSegmented(launch, items, layout),
  );
}
type OpDefAttrs = Parameters<OpDef['lower']>[0]['attrs'];

function planDense(launch: DenseLaunch, items: readonly Operands[], layout: MemoryLayout): DispatchSpec[] {
  const [x, y] = launch.workgroups;
  if (x * y === 0) return [];
  const instances = items.map((operands) => launch.bindings.map((operand) => at(operands, operand)));
  instances.sort((a, b) => at(a, 0).offset - at(b, 0).offset);
  return uniformRuns(instances).flatMap((run) => {
    const whole = denseDispatch(launch, run);
    if (!rangesConflict(launch.kernel, whole.tensors)) return [whole];
    return run.map((instance) => {
      const single = denseDispatch(launch, [instance]);
      if (rangesConflict(launch.kernel, single.tensors))
        throw conflictError(launch.kernel, labelsOf(single.tensors, layout));
      return single;
    });
  });
}

/** Splits the instances where an operand changes its buffer or its stride. */
function uniformRuns(instances: readonly Operands[]): Operands[][] {
  const runs: Operands[][] = [];
  for (const instance of instances) {
    const run = runs.at(-1);
    if (run && fits(run, instance)) run.push(instance);
    else runs.push([instance]);
  }
  return runs;
}

function fits(run: readonly Operands[], next: Operands): boolean {
  const first = at(run, 0);
  const last = at(run, run.length - 1);
  return next.every((location, i) => {
    const gap = location.offset - at(last, i).offset;
    const stride = run.length > 1 ? at(at(run, 1), i).offset - at(first, i).offset : gap;
    return location.buffer === at(last, i).buffer && gap > 0 && gap === stride;
  });
}

function denseDispatch(launch: DenseLaunch, run: readonly Operands[]): DispatchSpec {
  const first = at(run, 0);
  const last = at(run, run.length - 1);
  // Rounds up to whole vectors of four floats, which some kernels read; slots begin and end at multiples of 256 bytes.
  const vectors = (bytes: number) => Math.ceil(bytes / VECTOR_BYTES) * VECTOR_BYTES;
  const tensors = first.map(({ buffer, offset }, i): BoundRange => {
    const { offset: start, bytes } = at(last, i);
    return { buffer, offset, size: start + vectors(bytes) - offset };
  });
  const strides = first.map(({ offset }, i) => (run.length > 1 ? (at(at(run, 1), i).offset - offset) / WORD_BYTES : 0));
  return {
    kernel: launch.kernel,
    tensors,
    params: packParams(launch.params, strides),
    ...groupsOf(launch, run.length),
  };
}

/** Widths of a workgroup that several instances share; few, because each needs a pipeline. */
const SHARED_WIDTHS = [8, 16, 32];
const MOST_INVOCATIONS = 64;

/**
 * Small instances share a workgroup, because a workgroup costs more than an invocation. The number of instances must be
 * a multiple of DEPTH, because the kernel does not know it.
 */
function groupsOf(launch: DenseLaunch, instances: number): Pick<DispatchSpec, 'constants' | 'workgroups'> {
  const { constants = {}, invocations } = launch;
  const [x, y] = launch.workgroups;
  const width = SHARED_WIDTHS.find((w) => invocations !== undefined && invocations <= w);
  if (instances === 1 || width === undefined) return { constants, workgroups: [x, y, instances] };
  let depth = Math.floor(MOST_INVOCATIONS / width);
  while (instances % depth !== 0) depth--;
  return { constants: { ...constants, WIDTH: width, DEPTH: depth }, workgroups: [1, 1, instances / depth] };
}

function planSegmented(launch: SegmentedLaunch, items: readonly Operands[], layout: MemoryLayout): DispatchSpec[] {
  const groups = new Map<string, Stretches>();
  for (const operands of items) {
    for (const segment of launch.segments) {
      if (segment.length === 0) continue;
      const locations = segment.at.map(({ operand }) => at(operands, operand));
      const buffers = locations.map((location) => location.buffer);
      const key = buffers.join(' ');
      const group = groups.get(key) ?? { buffers, stretches: [] };
      groups.set(key, group);
      const offsets = segment.at.map(({ offset, fixed }, i) => ({
        offset: wordAt(at(locations, i), offset),
        fixed,
      }));
      // The copy kernel counts words; every other kernel counts elements.
      const { length } = segment;
      const counted = launch.kernel === 'comm/transfer' ? wordsOf(at(locations, 0).spec.dtype, length) : length;
      group.stretches.push({ at: offsets, length: counted });
    }
  }
  // The copy kernel has variants for copies within one buffer, and from one buffer to many.
  if (launch.kernel === 'comm/transfer')
    return planTransfers([...groups.values()].flatMap(movesOf), launch.constants?.JOIN ?? PUT, layout);
  return [...groups.values()].flatMap(({ buffers, stretches }) => {
    const tensors = buffers.map((buffer) => layout.whole(buffer));
    if (rangesConflict(launch.kernel, tensors)) throw conflictError(launch.kernel, labelsOf(tensors, layout));
    const { words, lanes, workgroups } = blockTable(stretches);
    const constants = { ...launch.constants, LANES: lanes };
    return [
      { kernel: launch.kernel, constants, tensors, params: packParams(launch.params, []), table: words, workgroups },
    ];
  });
}

/** Stretches with operands in the same buffers. */
interface Stretches {
  readonly buffers: readonly number[];
  readonly stretches: BlockStretch[];
}

function movesOf({ buffers, stretches }: Stretches): readonly TransferMove[] {
  const [source, target] = [at(buffers, 0), at(buffers, 1)];
  return stretches.map(({ at: [from, to], length }) => ({
    source,
    target,
    from: must(from, 'source').offset,
    to: must(to, 'target').offset,
    length,
  }));
}

const labelsOf = (ranges: readonly BoundRange[], layout: MemoryLayout): string[] =>
  ranges.map(({ buffer }) => at(layout.buffers, buffer).label);
