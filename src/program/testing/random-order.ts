/**
 * Legal orders of a Program, drawn at random, for tests: whichever head of whichever queue may go, goes next. What a
 * send touches stays in use until its message has been received, as in a shared memory space.
 */
import { must } from '../../base/invariant';
import { programKey } from '../../protocol/step-kind';
import type { DeviceIndex } from '../../protocol/trace';
import type { Instruction, Program } from '../instruction';
import { accessedBuffers } from '../instruction-access';
import type { DevicePlan } from '../memory-planner';

export interface Ran {
  readonly device: DeviceIndex;
  readonly instruction: Instruction;
}

/** `choose(n)` picks one of n heads that are ready. Throws when nothing is ready and something is left. */
export function randomOrder(
  program: Program,
  choose: (n: number) => number,
  ready: (next: Ran) => boolean = () => true,
  ran: (now: Ran) => void = () => {},
): readonly Ran[] {
  const queues = program.lanes.flatMap(({ device, instructions }) =>
    (['compute', 'comm'] as const).map((queue) => ({ device, list: instructions.filter((i) => i.queue === queue) })),
  );
  const next = queues.map(() => 0);
  const signalled = new Set<string>();
  const sent = new Set<string>();
  const order: Ran[] = [];
  const left = () => queues.some(({ list }, q) => (next[q] ?? 0) < list.length);
  while (left()) {
    const heads = queues.flatMap(({ device, list }, q) => {
      const instruction = list[next[q] ?? 0];
      if (!instruction) return [];
      const held =
        (instruction.kind === 'wait' && !signalled.has(`${device} ${instruction.event}`)) ||
        (instruction.kind === 'recv' && !sent.has(instruction.tag));
      return held || !ready({ device, instruction }) ? [] : [{ q, device, instruction }];
    });
    const { q, device, instruction } = must(heads[choose(heads.length)], 'an instruction that can run');
    next[q] = (next[q] ?? 0) + 1;
    if (instruction.signals !== undefined) signalled.add(`${device} ${instruction.signals}`);
    if (instruction.kind === 'send') sent.add(instruction.tag);
    order.push({ device, instruction });
    ran({ device, instruction });
  }
  return order;
}

/** Pairs of buffers that lie in one slot and are alive at the same moment of that order. */
export function lifetimesCollide(
  program: Program,
  plans: ReadonlyMap<DeviceIndex, DevicePlan>,
  order: readonly Ran[],
): readonly string[] {
  const received = new Map(
    order.flatMap(({ instruction }, t) => (instruction.kind === 'recv' ? [[instruction.tag, t] as const] : [])),
  );
  const lives = new Map<string, { device: DeviceIndex; buffer: string; from: number; to: number }>();
  order.forEach(({ device, instruction }, t) => {
    const end = instruction.kind === 'send' ? (received.get(instruction.tag) ?? t) : t;
    for (const buffer of accessedBuffers(instruction)) {
      const life = lives.get(`${device} ${buffer}`);
      if (life) life.to = Math.max(life.to, end);
      else lives.set(`${device} ${buffer}`, { device, buffer, from: t, to: end });
    }
  });
  const found: string[] = [];
  for (const a of lives.values()) {
    for (const b of lives.values()) {
      if (a.device !== b.device || a.buffer >= b.buffer) continue;
      const places = plans.get(a.device)?.placements.get(programKey(program.kind));
      const [x, y] = [must(places?.get(a.buffer), a.buffer), must(places?.get(b.buffer), b.buffer)];
      const overlap = x.region === y.region && x.offset < y.offset + y.bytes && y.offset < x.offset + x.bytes;
      if (overlap && a.from <= b.to && b.from <= a.to) found.push(`cuda:${a.device} ${a.buffer} and ${b.buffer}`);
    }
  }
  return found;
}
