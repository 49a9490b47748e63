/**
 * Combines a traced step's measurements with its Program: one TraceEvent per instruction, in the canonical order of the
 * Program, so that the same Program gives the same trace wherever its ranks run. The simulator supplies the modelled
 * clock.
 */
import { must } from '../base/invariant';
import { carriedSlice } from '../program/captured';
import type { BufferSpec, Instruction, Program } from '../program/instruction';
import { readBuffers, writtenBuffers } from '../program/instruction-access';
import { linearize } from '../program/linearize';
import type { Straggler } from '../protocol/config';
import type { Captured, DeviceIndex, LossRecord, Rank, StepTrace, TensorPart, TraceEvent } from '../protocol/trace';
import type { InstructionRecord } from '../runtime/executor';
import type { Hardware } from '../simulator/hardware';
import { simulate } from '../simulator/simulate';

interface Placed {
  readonly device: DeviceIndex;
  readonly instruction: Instruction;
}

export interface StepTraceInput {
  readonly program: Program;
  readonly records: readonly InstructionRecord[];
  readonly hardware: Hardware;
  readonly stragglers: readonly Straggler[];
  readonly microBatch: number;
  readonly step: number;
  readonly accumulate: number;
  readonly epoch: number;
  readonly samples: StepTrace['samples'];
  readonly losses: LossRecord;
  readonly initial: StepTrace['initial'];
}

export function stepTrace({ program, records, hardware, stragglers, ...rest }: StepTraceInput): StepTrace {
  const record = new Map(records.map((r) => [r.id, r]));
  const origin = records.reduce((least, r) => Math.min(least, r.startUs), Number.POSITIVE_INFINITY);
  const modelled = simulate(program, hardware, stragglers);
  const deps = dependencies(program);
  const partners = matches(program);
  const ranks = new Map(program.lanes.map((lane) => [lane.device, lane.rank]));
  const specs = new Map(
    program.lanes.flatMap(({ device, buffers }) => buffers.map((spec) => [`${device} ${spec.name}`, spec] as const)),
  );
  const events = canonicalOrder(program, deps).map(({ device, instruction }): TraceEvent => {
    const measured = must(record.get(instruction.id), `a record of instruction ${instruction.id}`);
    const rank = must(ranks.get(device), 'rank');
    const waited = must(deps.get(instruction.id), 'deps');
    const specOf = (name: string): BufferSpec => must(specs.get(`${device} ${name}`), name);
    const event = toEvent(instruction, { device, rank, deps: waited }, { measured, origin, specOf });
    const match = partners.get(instruction.id);
    return match === undefined ? event : { ...event, match };
  });
  const parts = partsOf(program);
  return {
    ...rest,
    ...(parts.length === 0 && !sharesRows(program) ? {} : { parts }),
    kind: program.kind,
    events,
    modelled: events.map((e) => must(modelled.get(e.id), `modelled time of ${e.id}`)),
  };
}

/** Whether several ranks load the same rows; ranks of a tensor group do, even if the plan cuts nothing. */
function sharesRows({ lanes }: Program): boolean {
  const rankOf = new Map<string, Rank>();
  return lanes.some(({ rank, instructions }) =>
    instructions.some((i) => {
      if (i.kind !== 'load' || i.source !== 'inputs') return false;
      const key = `${i.dataIndex} ${i.buffer}`;
      const first = rankOf.get(key) ?? rank;
      rankOf.set(key, first);
      return first !== rank;
    }),
  );
}

const partsOf = ({ lanes }: Program): readonly TensorPart[] =>
  lanes.flatMap(({ device, buffers }) =>
    buffers.flatMap(({ name, region }): TensorPart[] => {
      if (!region) return [];
      const { ranges, addend } = region.piece;
      return [{ device, buffer: name, shape: region.shape, ranges, ...(addend === undefined ? {} : { addend }) }];
    }),
  );

/**
 * A merged order in which the lanes can run. The linearizer places a transfer where it is received; here a send moves
 * up to its place in its own queue, so that the events of each queue are in order, and every dependency precedes the
 * instruction that waits for it.
 */
function canonicalOrder(program: Program, deps: ReadonlyMap<number, readonly number[]>): readonly Placed[] {
  const pending = new Map<string, Placed[]>();
  const queueOf = ({ device, instruction }: Placed): string => `${device} ${instruction.queue}`;
  const placed = new Map<number, Placed>();
  for (const { device, instructions } of program.lanes) {
    for (const instruction of instructions) {
      if (instruction.kind === 'wait') continue;
      const item = { device, instruction };
      placed.set(instruction.id, item);
      const queue = pending.get(queueOf(item));
      if (queue) queue.push(item);
      else pending.set(queueOf(item), [item]);
    }
  }
  const order: Placed[] = [];
  const done = new Set<number>();
  const emit = (id: number): void => {
    if (done.has(id)) return;
    for (const dep of deps.get(id) ?? []) emit(dep);
    const item = must(placed.get(id), `instruction ${id}`);
    const queue = must(pending.get(queueOf(item)), 'queue');
    for (let head = queue[0]; head && head !== item; head = queue[0]) emit(head.instruction.id);
    queue.shift();
    order.push(item);
    done.add(id);
  };
  for (const step of linearize(program, { group: false })) {
    const items: readonly Placed[] =
      step.kind === 'transfer' ? step.items.flatMap(({ send, recv }) => [send, recv]) : step.items;
    for (const { instruction } of items) emit(instruction.id);
  }
  return order;
}

/**
 * The dependencies of each instruction beside its own queue: the signal of a wait just before it, or the send of a
 * receive.
 */
function dependencies(program: Program): ReadonlyMap<number, readonly number[]> {
  const sends = new Map<string, number>();
  for (const lane of program.lanes) for (const i of lane.instructions) if (i.kind === 'send') sends.set(i.tag, i.id);
  const result = new Map<number, readonly number[]>();
  for (const lane of program.lanes) {
    const signaller = new Map(lane.instructions.flatMap((i) => (i.signals ? [[i.signals, i] as const] : [])));
    /** A wait may itself signal; then its own dependency is included. */
    const origins = (event: string): readonly number[] => {
      const by = signaller.get(event);
      if (!by) return [];
      return by.kind === 'wait' ? origins(by.event) : [by.id];
    };
    const pending = { compute: [] as number[], comm: [] as number[] };
    for (const i of lane.instructions) {
      if (i.kind === 'wait') {
        pending[i.queue].push(...origins(i.event));
        continue;
      }
      const own = i.kind === 'recv' ? [must(sends.get(i.tag), i.tag)] : [];
      result.set(i.id, [...new Set([...pending[i.queue], ...own])]);
      pending[i.queue] = [];
    }
  }
  return result;
}

interface EventFacts {
  readonly measured: InstructionRecord;
  readonly origin: number;
  /** The spec of a buffer of the device. */
  specOf(buffer: string): BufferSpec;
}

function toEvent(
  i: Instruction,
  place: Pick<TraceEvent, 'device' | 'rank' | 'deps'>,
  { measured, origin, specOf }: EventFacts,
): TraceEvent {
  const captured: readonly Captured[] = measured.captured;
  return {
    id: i.id,
    ...place,
    queue: i.queue,
    kind: i.kind,
    name: i.kind === 'compute' ? i.op : i.kind,
    phase: i.phase,
    module: i.module,
    anchor: i.anchor,
    reads: readBuffers(i),
    writes: writtenBuffers(i),
    bytes: i.bytes,
    flops: i.flops,
    startUs: measured.startUs - origin,
    durUs: measured.durUs,
    captured,
    ...(i.bucket === undefined ? {} : { bucket: i.bucket }),
    ...(i.action === undefined ? {} : { action: i.action }),
    ...(i.kind === 'send' || i.kind === 'recv'
      ? { peer: i.peer, slice: carriedSlice(specOf(i.slice.buffer), i.slice), payload: i.payload }
      : {}),
    ...(i.kind === 'recv' ? { apply: i.apply } : {}),
    ...((i.kind === 'send' || i.kind === 'recv') && i.collective ? { collective: i.collective } : {}),
  };
}

/** Maps the id of each side of a transfer to the other side. */
function matches(program: Program): ReadonlyMap<number, number> {
  const sides = program.lanes.flatMap((lane) =>
    lane.instructions.flatMap((i) => (i.kind === 'send' || i.kind === 'recv' ? [i] : [])),
  );
  const sends = new Map(sides.flatMap((i) => (i.kind === 'send' ? [[i.tag, i.id] as const] : [])));
  return new Map(
    sides.flatMap((i) => {
      const send = sends.get(i.tag);
      return i.kind === 'recv' && send !== undefined ? [[i.id, send] as const, [send, i.id] as const] : [];
    }),
  );
}
