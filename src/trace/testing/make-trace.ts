/**
 * Small traces made by hand for the tests of this room: a few events with the times given, everything else filled in.
 */
import { fullStep } from '../../protocol/step-kind';
import type { Captured, DeviceIndex, Slice, StepTrace, TraceEvent } from '../../protocol/trace';

export interface EventSketch extends Partial<Omit<TraceEvent, 'startUs' | 'durUs'>> {
  /** Start and end on the modelled clock; on the measured one everything takes ten times as long. */
  readonly us?: readonly [start: number, end: number];
}

const MEASURED = 10;

export const slice = (buffer: string, offset: number, length: number): Slice => ({ buffer, offset, length });

export const captured = (buffer: string, values: readonly number[], offset = 0): Captured => ({
  buffer,
  offset,
  values: Float32Array.from(values),
});

/** A send and its receive, `us` the send's; ids as given. */
export function transfer(
  ids: readonly [send: number, recv: number],
  from: DeviceIndex,
  to: DeviceIndex,
  more: EventSketch & { readonly slice: Slice; readonly recvUs?: readonly [start: number, end: number] },
): readonly EventSketch[] {
  const { recvUs, captured: left, apply, ...shared } = more;
  const side = { queue: 'comm', bytes: 4 * more.slice.length, payload: 'gradient', ...shared } as const;
  return [
    {
      ...side,
      id: ids[0],
      kind: 'send',
      name: 'send',
      device: from,
      peer: to,
      match: ids[1],
      reads: [more.slice.buffer],
    },
    {
      ...side,
      id: ids[1],
      kind: 'recv',
      name: 'recv',
      device: to,
      peer: from,
      match: ids[0],
      apply: apply ?? 'put',
      writes: [more.slice.buffer],
      deps: [ids[0]],
      ...(left ? { captured: left } : {}),
      ...(recvUs ? { us: recvUs } : {}),
    },
  ];
}

export function makeTrace(sketches: readonly EventSketch[], rest: Partial<StepTrace> = {}): StepTrace {
  const events = sketches.map(({ us, ...sketch }, index): TraceEvent => {
    const [start, end] = us ?? [index, index + 1];
    return {
      id: index,
      device: 0,
      rank: 0,
      queue: 'compute',
      kind: 'compute',
      name: 'ops/linear',
      phase: 'forward',
      module: '0',
      anchor: 'forward',
      reads: [],
      writes: [],
      bytes: 0,
      flops: 0,
      deps: [],
      captured: [],
      ...sketch,
      startUs: MEASURED * start,
      durUs: MEASURED * (end - start),
    };
  });
  return {
    microBatch: 3,
    step: 3,
    accumulate: 1,
    epoch: 0,
    kind: fullStep([]),
    events,
    modelled: events.map((e) => ({ startUs: e.startUs / MEASURED, durUs: e.durUs / MEASURED })),
    samples: [],
    losses: { step: 3, microBatch: 3, epoch: 0, perRank: [], loss: 0 },
    initial: [],
    ...rest,
  };
}
