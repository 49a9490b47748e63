/**
 * Merges the lanes of one memory space into a single order that respects both queues of every device, every wait and
 * every transfer. Equal computations of several devices that are ready together form one step, so that the runtime can
 * run them as one dispatch. It is also the deadlock detector: when nothing is ready and something is left, it says who
 * waits for whom.
 */
import { LockstepError } from '../base/errors';
import { must } from '../base/invariant';
import type { DeviceIndex, Queue } from '../protocol/trace';
import type { Compute, Instruction, Lane, Load, Program, Recv, Send } from './instruction';
import { writesInto } from './instruction-access';

export interface Placed<I extends Instruction> {
  readonly device: DeviceIndex;
  readonly instruction: I;
}

export interface Transfer {
  readonly send: Placed<Send>;
  readonly recv: Placed<Recv>;
}

/** All items of a step are independent of each other. */
export type LinearStep =
  | { readonly kind: 'compute'; readonly items: readonly Placed<Compute>[] }
  | { readonly kind: 'load'; readonly items: readonly Placed<Load>[] }
  | { readonly kind: 'transfer'; readonly items: readonly Transfer[] };

interface Head {
  readonly lane: Lane;
  readonly queue: Queue;
  readonly list: readonly Instruction[];
  next: number;
}

type Group = { readonly head: Head; readonly instruction: Instruction }[];

/** The larger group, else the one whose first instruction is earlier. */
const comesBefore = (a: Group, b: Group): boolean =>
  a.length === b.length ? must(a[0], 'group').instruction.id < must(b[0], 'group').instruction.id : a.length > b.length;

/** `group: false` puts each instruction in a step of its own (tracing). */
export function linearize(program: Program, options: { readonly group: boolean }): readonly LinearStep[] {
  const heads: Head[] = program.lanes.flatMap((lane) =>
    (['compute', 'comm'] as const).map((queue) => ({
      lane,
      queue,
      list: lane.instructions.filter((i) => i.queue === queue),
      next: 0,
    })),
  );
  const signalled = new Set<string>();
  const posted = new Posted();
  const steps: LinearStep[] = [];
  const signatureOf = signatures(program);

  const finish = (head: Head, instruction: Instruction) => {
    head.next++;
    if (instruction.signals) signalled.add(`${head.lane.device} ${instruction.signals}`);
  };

  for (;;) {
    let moved = true;
    while (moved) {
      moved = false;
      for (const head of heads) {
        const instruction = head.list[head.next];
        if (instruction?.kind === 'send') {
          posted.add({ device: head.lane.device, instruction });
          finish(head, instruction);
          moved = true;
        } else if (instruction?.kind === 'wait' && signalled.has(`${head.lane.device} ${instruction.event}`)) {
          finish(head, instruction);
          moved = true;
        }
      }
    }
    const groups = new Map<string, Group>();
    for (const head of heads) {
      const instruction = head.list[head.next];
      if (!instruction || instruction.kind === 'wait' || instruction.kind === 'send') continue;
      if (instruction.kind === 'recv' && !posted.byTag.has(instruction.tag)) continue;
      if (posted.overwrittenBy(head.lane.device, instruction)) continue;
      const key = signatureOf(head.lane.device, instruction);
      const group = groups.get(key);
      if (group) group.push({ head, instruction });
      else groups.set(key, [{ head, instruction }]);
    }
    const best = [...groups.values()].reduce<Group | undefined>(
      (most, group) => (most && !comesBefore(group, most) ? most : group),
      undefined,
    );
    if (!best) break;
    const chosen = options.group ? best : best.slice(0, 1);
    steps.push(toStep(chosen, posted.byTag));
    for (const { head, instruction } of chosen) finish(head, instruction);
    for (const { instruction } of chosen) if (instruction.kind === 'recv') posted.received(instruction.tag);
  }

  const stuck = heads.filter((h) => h.next < h.list.length);
  if (stuck.length > 0) throw deadlock(stuck);
  return steps;
}

/** Gives instructions that may run as one step the same text: operator, attributes and shapes, or what is received. */
function signatures(program: Program): (device: DeviceIndex, i: Instruction) => string {
  const shapes = new Map(
    program.lanes.map((lane) => [lane.device, new Map(lane.buffers.map((b) => [b.name, b.shape.join('x')]))]),
  );
  const signatureOf = (device: DeviceIndex, i: Instruction): string => {
    const shape = (name: string) => shapes.get(device)?.get(name) ?? '?';
    switch (i.kind) {
      case 'compute':
        return [i.op, JSON.stringify(i.attrs), ...[...i.inputs, '>', ...i.outputs].map((n) => `${n}:${shape(n)}`)].join(
          ' ',
        );
      case 'recv':
        return `recv ${i.apply} ${i.payload} ${i.collective?.group?.id ?? ''} ${i.collective?.seq ?? ''} ${i.collective?.part ?? ''} ${i.collective?.round ?? ''}`;
      default:
        return `${i.kind} ${i.kind === 'load' ? i.source : ''}`;
    }
  };
  /** An instruction is looked at again while it waits for its turn. */
  const known = new Map<Instruction, string>();
  return (device, i) => {
    const signature = known.get(i) ?? signatureOf(device, i);
    known.set(i, signature);
    return signature;
  };
}

/** Sends that have been posted and not yet received. */
class Posted {
  readonly byTag = new Map<string, Placed<Send>>();
  private readonly byDevice = new Map<DeviceIndex, Set<Send>>();

  add(send: Placed<Send>): void {
    this.byTag.set(send.instruction.tag, send);
    const own = this.byDevice.get(send.device);
    if (own) own.add(send.instruction);
    else this.byDevice.set(send.device, new Set([send.instruction]));
  }

  received(tag: string): void {
    const send = this.byTag.get(tag);
    if (send) this.byDevice.get(send.device)?.delete(send.instruction);
    this.byTag.delete(tag);
  }

  /** A writer must not overtake a send of its device; a receive may write over what is sent to itself. */
  overwrittenBy(device: DeviceIndex, instruction: Instruction): boolean {
    const tag = instruction.kind === 'recv' ? instruction.tag : undefined;
    for (const send of this.byDevice.get(device) ?? [])
      if (send.tag !== tag && writesInto(instruction, send.slice)) return true;
    return false;
  }
}

function toStep(
  chosen: readonly { head: Head; instruction: Instruction }[],
  posted: ReadonlyMap<string, Placed<Send>>,
): LinearStep {
  const placed = chosen.map(({ head, instruction }) => ({ device: head.lane.device, instruction }));
  const kind = must(placed[0], 'step').instruction.kind;
  if (kind === 'compute') return { kind, items: placed as Placed<Compute>[] };
  if (kind === 'load') return { kind, items: placed as Placed<Load>[] };
  const items = (placed as Placed<Recv>[]).map((recv) => ({
    recv,
    send: must(posted.get(recv.instruction.tag), recv.instruction.tag),
  }));
  return { kind: 'transfer', items };
}

function deadlock(stuck: readonly Head[]): LockstepError {
  const lines = stuck.map((head) => {
    const i = must(head.list[head.next], 'stuck head');
    const what =
      i.kind === 'recv'
        ? `waits for cuda:${i.peer} to send ${i.tag}`
        : i.kind === 'wait'
          ? `waits for event ${i.event}`
          : `cannot run ${i.kind === 'compute' ? i.op : i.kind} before a pending transfer has left`;
    return `cuda:${head.lane.device} (${head.queue}) ${what}`;
  });
  return new LockstepError(
    'program',
    `The Program would hang: ${lines.join('; ')}.`,
    'Every recv needs a send with the same tag, in an order that all ranks can follow.',
    { lines },
  );
}
