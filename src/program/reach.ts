/**
 * How far the lanes of a Program run if a process stops before an instruction: its devices run everything before that
 * instruction, every other queue runs until it waits for something that never comes. Pure. Executors that host all
 * lanes run exactly these instructions; tests and training/failures (which rank waits for which) use it, too.
 */
import { must } from '../base/invariant';
import type { DeviceIndex, Queue } from '../protocol/trace';
import type { Instruction, InstructionId, Program } from './instruction';

/** The next instruction of each queue of a device; undefined: the queue has finished. */
export interface LanePosition {
  readonly device: DeviceIndex;
  readonly compute: InstructionId | undefined;
  readonly comm: InstructionId | undefined;
}

interface Head {
  readonly device: DeviceIndex;
  readonly queue: Queue;
  readonly list: readonly Instruction[];
  next: number;
}

const headsOf = (program: Program): Head[] =>
  program.lanes.flatMap(({ device, instructions }) =>
    (['compute', 'comm'] as const).map((queue) => ({
      device,
      queue,
      list: instructions.filter((i) => i.queue === queue),
      next: 0,
    })),
  );

/**
 * Ids of all instructions that run. `devices`: of the process that stops; lanes without the instruction stop at their
 * first instruction after it.
 */
export function reach(
  program: Program,
  devices: readonly DeviceIndex[],
  before: InstructionId,
): ReadonlySet<InstructionId> {
  const stopped = new Set<InstructionId>();
  for (const lane of program.lanes) {
    if (!devices.includes(lane.device)) continue;
    const at = lane.instructions.findIndex((i) => i.id >= before);
    const own = lane.instructions.findIndex((i) => i.id === before);
    const from = own >= 0 ? own : at;
    for (const i of from < 0 ? [] : lane.instructions.slice(from)) stopped.add(i.id);
  }
  const ran = new Set<InstructionId>();
  const signalled = new Set<string>();
  const sent = new Set<string>();
  const heads = headsOf(program);
  const ready = (head: Head, i: Instruction): boolean => {
    if (stopped.has(i.id)) return false;
    if (i.kind === 'wait') return signalled.has(`${head.device} ${i.event}`);
    return i.kind !== 'recv' || sent.has(i.tag);
  };
  for (let moved = true; moved; ) {
    moved = false;
    for (const head of heads) {
      for (let i = head.list[head.next]; i && ready(head, i); i = head.list[head.next]) {
        ran.add(i.id);
        if (i.kind === 'send') sent.add(i.tag);
        if (i.signals !== undefined) signalled.add(`${head.device} ${i.signals}`);
        head.next++;
        moved = true;
      }
    }
  }
  return ran;
}

/** The position of every device after exactly these instructions have run. */
export function positionsAfter(program: Program, ran: ReadonlySet<InstructionId>): readonly LanePosition[] {
  const next = (device: DeviceIndex, queue: Queue): InstructionId | undefined => {
    const lane = must(
      program.lanes.find((l) => l.device === device),
      `lane ${device}`,
    );
    return lane.instructions.find((i) => i.queue === queue && !ran.has(i.id))?.id;
  };
  return program.lanes.map(({ device }) => ({
    device,
    compute: next(device, 'compute'),
    comm: next(device, 'comm'),
  }));
}
