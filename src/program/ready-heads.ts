/**
 * The queues of a Program that can run their next instruction while `linearize` merges them. After each step only
 * devices with changes are checked again: a device that ran, posted or signalled something, that a message was sent to,
 * or whose message was received. `testing/linearize-plainly` checks every queue after every step; a test compares the
 * two.
 */
import { at, must } from '../base/invariant';
import type { Attrs } from '../graph/op';
import type { DeviceIndex, Queue } from '../protocol/trace';
import type { Instruction, Program, Send } from './instruction';
import { writesInto } from './instruction-access';

export interface Placed<I extends Instruction> {
  readonly device: DeviceIndex;
  readonly instruction: I;
}

export interface Head {
  readonly device: DeviceIndex;
  readonly queue: Queue;
  readonly list: readonly Instruction[];
  /** Position among the heads. */
  readonly index: number;
  next: number;
  /** Signature of the group that the head is in, while its instruction is ready. */
  group: string | undefined;
}

/** The next instruction of the queue; undefined: the queue has finished. */
export const headOf = ({ list, next }: Head): Instruction | undefined => list[next];

export class ReadyHeads {
  readonly heads: readonly Head[];
  readonly posted = new Posted();
  private readonly signalled = new Set<string>();
  private readonly headsOfDevice = new Map<DeviceIndex, Head[]>();
  private readonly receiverOf = new Map<string, DeviceIndex>();
  private readonly signatureOf: (device: DeviceIndex, i: Instruction) => string;
  /** By signature: the heads whose instructions are ready and may run as one step, in the order of the heads. */
  private readonly groups = new Map<string, Head[]>();
  private readonly changed = new Set<DeviceIndex>();
  /** By signature: how many of its instructions each device has still to run. */
  private readonly left = new Map<string, Map<DeviceIndex, number>>();

  constructor(program: Program) {
    this.signatureOf = signatures(program);
    this.heads = headsOf(program);
    for (const head of this.heads) {
      const own = this.headsOfDevice.get(head.device);
      if (own) own.push(head);
      else this.headsOfDevice.set(head.device, [head]);
      for (const i of head.list) {
        if (i.kind === 'recv') this.receiverOf.set(i.tag, head.device);
        if (i.kind !== 'wait' && i.kind !== 'send') this.count(this.signatureOf(head.device, i), head.device, 1);
      }
      this.changed.add(head.device);
    }
  }

  /**
   * The largest group of ready heads; among equally large groups, the one whose first instruction was emitted first.
   * `gathers`: a whole group, if there is one. A group is whole if no other device has such an instruction left. So if
   * one rank's part of a layer has another shape, the other ranks wait after the layer until this rank has computed its
   * part, and all compute the next layer in one step.
   */
  largest(gathers: boolean): readonly Head[] | undefined {
    this.settle();
    const all = [...this.groups];
    const whole = all.filter(
      ([signature, group]) =>
        gathers && new Set(group.map(({ device }) => device)).size === this.left.get(signature)?.size,
    );
    let best: readonly Head[] | undefined;
    for (const [, group] of whole.length > 0 ? whole : all) if (!best || comesBefore(group, best)) best = group;
    return best;
  }

  /** Runs the next instructions of these heads as one step. */
  run(chosen: readonly Head[]): void {
    const ran = chosen.map((head) => must(headOf(head), 'ready head'));
    for (const { device, group } of chosen) this.count(must(group, 'signature'), device, -1);
    for (const head of chosen) this.finish(head);
    for (const i of ran) {
      if (i.kind !== 'recv') continue;
      const sender = this.posted.received(i.tag);
      if (sender !== undefined) this.changed.add(sender);
    }
  }

  private count(signature: string, device: DeviceIndex, more: 1 | -1): void {
    const devices = this.left.get(signature) ?? new Map<DeviceIndex, number>();
    this.left.set(signature, devices);
    const count = (devices.get(device) ?? 0) + more;
    if (count > 0) devices.set(device, count);
    else devices.delete(device);
  }

  private finish(head: Head): void {
    const signals = headOf(head)?.signals;
    head.next++;
    this.changed.add(head.device);
    if (signals !== undefined) this.signalled.add(`${head.device} ${signals}`);
  }

  /** Posts sends and passes waits on the devices that changed, then regroups their heads. */
  private settle(): void {
    for (const device of this.changed) {
      const own = must(this.headsOfDevice.get(device), `queues of cuda:${device}`);
      while (own.some((head) => this.passes(head)));
    }
    for (const device of this.changed)
      for (const head of must(this.headsOfDevice.get(device), `queues of cuda:${device}`)) this.regroup(head);
    this.changed.clear();
  }

  /** A send, or a wait whose event has been signalled, is not a step: it completes at once. */
  private passes(head: Head): boolean {
    const i = headOf(head);
    if (i?.kind === 'send') {
      this.posted.add({ device: head.device, instruction: i });
      const receiver = this.receiverOf.get(i.tag);
      if (receiver !== undefined) this.changed.add(receiver);
    } else if (i?.kind !== 'wait' || !this.signalled.has(`${head.device} ${i.event}`)) return false;
    this.finish(head);
    return true;
  }

  private regroup(head: Head): void {
    const i = headOf(head);
    const signature = i && this.isReady(head.device, i) ? this.signatureOf(head.device, i) : undefined;
    if (signature === head.group) return;
    if (head.group !== undefined) {
      const old = must(this.groups.get(head.group), head.group);
      old.splice(old.indexOf(head), 1);
      if (old.length === 0) this.groups.delete(head.group);
    }
    head.group = signature;
    if (signature === undefined) return;
    const group = this.groups.get(signature) ?? [];
    this.groups.set(signature, group);
    const after = group.findLastIndex(({ index }) => index < head.index);
    group.splice(after + 1, 0, head);
  }

  private isReady(device: DeviceIndex, i: Instruction): boolean {
    if (i.kind === 'wait' || i.kind === 'send') return false;
    if (i.kind === 'recv' && !this.posted.byTag.has(i.tag)) return false;
    return !this.posted.overwrittenBy(device, i);
  }
}

function headsOf(program: Program): readonly Head[] {
  const queues = program.lanes.flatMap(({ device, instructions }) =>
    (['compute', 'comm'] as const).map((queue) => ({
      device,
      queue,
      list: instructions.filter((i) => i.queue === queue),
    })),
  );
  return queues.map((queue, index) => ({ ...queue, index, next: 0, group: undefined }));
}

function comesBefore(a: readonly Head[], b: readonly Head[]): boolean {
  if (a.length !== b.length) return a.length > b.length;
  const idOf = (group: readonly Head[]): number => must(headOf(at(group, 0)), 'ready head').id;
  return idOf(a) < idOf(b);
}

/**
 * Gives instructions that may run as one step the same text: operator, attributes and shapes, or the received message.
 */
export function signatures(program: Program): (device: DeviceIndex, i: Instruction) => string {
  const shapes = new Map(
    program.lanes.map((lane) => [lane.device, new Map(lane.buffers.map((b) => [b.name, b.shape.join('x')]))]),
  );
  /** Ranks that compute the same node share its attributes. */
  const attrTexts = new Map<Attrs, string>();
  const textOf = (attrs: Attrs): string => {
    const text = attrTexts.get(attrs) ?? JSON.stringify(attrs);
    attrTexts.set(attrs, text);
    return text;
  };
  const signatureOf = (device: DeviceIndex, i: Instruction): string => {
    switch (i.kind) {
      case 'compute': {
        const own = shapes.get(device);
        let text = `${i.op} ${textOf(i.attrs)}`;
        for (const name of i.inputs) text += ` ${name}:${own?.get(name) ?? '?'}`;
        text += ' >';
        for (const name of i.outputs) text += ` ${name}:${own?.get(name) ?? '?'}`;
        return text;
      }
      case 'recv':
        return `recv ${i.apply} ${i.payload} ${i.collective?.group?.id ?? ''} ${i.collective?.seq ?? ''} ${i.collective?.part ?? ''} ${i.collective?.round ?? ''}`;
      default:
        return `${i.kind} ${i.kind === 'load' ? i.source : ''}`;
    }
  };
  /** Cached, because an instruction is checked repeatedly while it waits for its turn. */
  const known = new Map<Instruction, string>();
  return (device, i) => {
    const found = known.get(i);
    if (found !== undefined) return found;
    const signature = signatureOf(device, i);
    known.set(i, signature);
    return signature;
  };
}

/** Sends that have been posted and not yet received. */
export class Posted {
  readonly byTag = new Map<string, Placed<Send>>();
  private readonly byDevice = new Map<DeviceIndex, Set<Send>>();

  add(send: Placed<Send>): void {
    this.byTag.set(send.instruction.tag, send);
    const own = this.byDevice.get(send.device);
    if (own) own.add(send.instruction);
    else this.byDevice.set(send.device, new Set([send.instruction]));
  }

  /** Removes the message and returns the device that sent it. */
  received(tag: string): DeviceIndex | undefined {
    const send = this.byTag.get(tag);
    if (send) this.byDevice.get(send.device)?.delete(send.instruction);
    this.byTag.delete(tag);
    return send?.device;
  }

  /**
   * A write must not overtake a pending send of its device; a receive may overwrite the slice that is sent to itself.
   */
  overwrittenBy(device: DeviceIndex, instruction: Instruction): boolean {
    const tag = instruction.kind === 'recv' ? instruction.tag : undefined;
    for (const send of this.byDevice.get(device) ?? [])
      if (send.tag !== tag && writesInto(instruction, send.slice)) return true;
    return false;
  }
}
