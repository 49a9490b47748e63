/**
 * The order that a Program guarantees on any executor: each queue runs its list in order, a wait comes after the
 * instruction that signals its event, a receive after its send. Instructions that no path of these connects may run at
 * the same time, in any order. Computed as vector clocks, one entry per queue (Lamport 1978; Mattern 1989). Used by the
 * memory planner and by tests.
 */
import { at } from '../base/invariant';
import type { Instruction, Program, Recv } from './instruction';

export interface Order {
  /** `first` has certainly completed before `then` starts. */
  before(first: Instruction, then: Instruction): boolean;
  /**
   * The instruction after which nothing needs the memory that this one touches. A send does not wait for its peer, so
   * in a shared memory space the copy may happen as late as the matching receive, which is then returned; otherwise the
   * instruction itself.
   */
  done(instruction: Instruction): Instruction;
  /**
   * Its number in one of the orders in which the mesh may run: an instruction before another has the smaller number.
   * Infinity if it never runs.
   */
  turn(instruction: Instruction): number;
}

interface Head {
  readonly device: number;
  readonly index: number;
  readonly list: readonly Instruction[];
  next: number;
  /** For every other queue of the mesh, how many of its instructions have completed before this queue's next one. */
  clock: Uint32Array;
}

/**
 * The state when an event is signalled or a message posted: completed instructions of its own queue, and the `clock` of
 * the others.
 */
interface Reached {
  readonly queue: number;
  readonly completed: number;
  readonly clock: Uint32Array;
}

export function happensBefore(program: Program): Order {
  const lists = program.lanes.flatMap(({ device, instructions }) =>
    (['compute', 'comm'] as const).map((queue) => ({ device, list: instructions.filter((i) => i.queue === queue) })),
  );
  const heads = lists.map(
    ({ device, list }, index): Head => ({ device, index, list, next: 0, clock: new Uint32Array(lists.length) }),
  );
  /** By instruction: the clock of other queues before it started; instructions of a queue often share a clock. */
  const clocks: (Uint32Array | undefined)[] = [];
  const places: ({ readonly queue: number; readonly position: number; readonly turn: number } | undefined)[] = [];
  let turns = 0;
  /** By event of a device, and by tag of a message. */
  const signals = new Map<string, Reached>();
  const messages = new Map<string, Reached>();

  const run = (head: Head, instruction: Instruction, awaited: Reached | undefined): void => {
    if (awaited) head.clock = later(head.clock, awaited);
    const { index: queue, clock } = head;
    clocks[instruction.id] = clock;
    places[instruction.id] = { queue, position: head.next, turn: turns++ };
    head.next++;
    const reached = { queue, completed: head.next, clock };
    if (instruction.signals !== undefined) signals.set(`${head.device} ${instruction.signals}`, reached);
    if (instruction.kind === 'send') messages.set(instruction.tag, reached);
  };
  for (let moved = true; moved; ) {
    moved = false;
    for (const head of heads) {
      for (let instruction = head.list[head.next]; instruction; instruction = head.list[head.next]) {
        const waits = instruction.kind === 'wait' || instruction.kind === 'recv';
        const awaited =
          instruction.kind === 'wait'
            ? signals.get(`${head.device} ${instruction.event}`)
            : instruction.kind === 'recv'
              ? messages.get(instruction.tag)
              : undefined;
        if (waits && !awaited) break;
        run(head, instruction, awaited);
        moved = true;
      }
    }
  }

  const receives = new Map<string, Recv>(
    lists.flatMap(({ list }) => list.flatMap((i) => (i.kind === 'recv' ? [[i.tag, i] as const] : []))),
  );
  return {
    before(first, then) {
      const place = places[first.id];
      const clock = clocks[then.id];
      const thenPlace = places[then.id];
      if (place === undefined || clock === undefined || thenPlace === undefined) return false;
      if (place.queue === thenPlace.queue) return place.position < thenPlace.position;
      return at(clock, place.queue) > place.position;
    },
    turn: ({ id }) => places[id]?.turn ?? Number.POSITIVE_INFINITY,
    done: (instruction) => (instruction.kind === 'send' ? (receives.get(instruction.tag) ?? instruction) : instruction),
  };
}

/** Entry by entry, the maximum of the two clocks. */
function later(own: Uint32Array, { queue, completed, clock: other }: Reached): Uint32Array {
  const clock = own.slice();
  for (let k = 0; k < clock.length; k++) {
    const theirs = other[k] ?? 0;
    if (theirs > (clock[k] ?? 0)) clock[k] = theirs;
  }
  clock[queue] = Math.max(at(clock, queue), completed);
  return clock;
}
