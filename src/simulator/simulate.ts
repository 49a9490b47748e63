/**
 * Times a Program on modelled hardware: an event simulation with two queues per device, each in order; waits; and per
 * device one outgoing and one incoming port, each for one message at a time. A send occupies its queue until its bytes
 * are out, a receive from the message's start to its arrival. A rank's first message of a collective waits for the
 * collective's start-up time; if it is a send, its duration includes that time. The next instruction is always the one
 * that can start first, or among equals the first emitted, so the result is deterministic. It executes nothing.
 */

import { LockstepError } from '../base/errors';
import { must } from '../base/invariant';
import { collectiveKey } from '../program/collective-key';
import type { Instruction, InstructionId, Load, Program, Recv, Send } from '../program/instruction';
import type { Straggler } from '../protocol/config';
import type { DeviceIndex, ModelledTime, Queue } from '../protocol/trace';
import { applyUs, kernelUs, loadUs, messageUs } from './cost-model';
import type { Hardware } from './hardware';
import { type Protocol, protocolsOf } from './protocols';
import { type Slowness, slownessOf } from './slowness';

interface QueueState {
  readonly device: DeviceIndex;
  readonly list: readonly Instruction[];
  next: number;
  freeUs: number;
  /** When its next instruction can start; undefined: when something else has been timed, or never. */
  nextUs: number | undefined;
}

interface Message {
  readonly startUs: number;
  readonly arrivalUs: number;
}

export class Simulation {
  readonly times = new Map<InstructionId, ModelledTime>();
  private readonly queues: readonly QueueState[];
  private readonly eventUs = new Map<string, number>();
  private readonly messages = new Map<string, Message>();
  /** When a device's port for sending, or for receiving, is free again. */
  private readonly outUs = new Map<DeviceIndex, number>();
  private readonly inUs = new Map<DeviceIndex, number>();
  private readonly protocols: ReadonlyMap<string, Protocol>;
  /** Pairs of device and collective whose start-up time has been counted. */
  private readonly begun = new Set<string>();
  protected readonly queuesOf = new Map<DeviceIndex, QueueState[]>();
  private readonly receiverOf = new Map<string, DeviceIndex>();
  /** By device, the other devices whose next instruction sends to it: they wait for its port. */
  private readonly sendersTo = new Map<DeviceIndex, Set<DeviceIndex>>();

  constructor(
    program: Program,
    private readonly hardware: Hardware,
    private readonly slowness: Slowness,
  ) {
    const queueOf = (lane: Program['lanes'][number], queue: Queue): QueueState => ({
      device: lane.device,
      list: lane.instructions.filter((i) => i.queue === queue),
      next: 0,
      freeUs: 0,
      nextUs: undefined,
    });
    this.protocols = protocolsOf(program, hardware);
    this.queues = program.lanes.flatMap((lane) => [queueOf(lane, 'compute'), queueOf(lane, 'comm')]);
    for (const { device, instructions } of program.lanes) {
      this.queuesOf.set(
        device,
        this.queues.filter((queue) => queue.device === device),
      );
      for (const i of instructions) if (i.kind === 'recv') this.receiverOf.set(i.tag, device);
    }
  }

  run(): this {
    for (const device of this.queuesOf.keys()) this.ask(device);
    for (let left = this.queues.reduce((n, q) => n + q.list.length, 0); left > 0; left--) {
      const first = this.first();
      if (!first) throw new LockstepError('program', 'The Program would hang; the verifier says where.');
      const { queue, instruction, startUs } = first;
      const startingUs = instruction.kind === 'send' ? this.beginUs(queue.device, instruction) : 0;
      const endUs = this.perform(queue.device, instruction, startUs);
      const timing = { startUs: startUs - startingUs, durUs: endUs - startUs + startingUs };
      this.times.set(instruction.id, startingUs > 0 ? { ...timing, startingUs } : timing);
      if (instruction.signals) this.eventUs.set(`${queue.device} ${instruction.signals}`, endUs);
      queue.freeUs = endUs;
      queue.next++;
      this.askAfter(queue.device, instruction);
    }
    return this;
  }

  /** The queue whose next instruction can start first; of equals, the instruction emitted first. */
  private first(): { queue: QueueState; instruction: Instruction; startUs: number } | undefined {
    let first: { queue: QueueState; instruction: Instruction; startUs: number } | undefined;
    for (const queue of this.queues) {
      const startUs = queue.nextUs;
      if (startUs === undefined || (first && startUs > first.startUs)) continue;
      const instruction = must(queue.list[queue.next], 'next instruction');
      if (!first || startUs < first.startUs || instruction.id < first.instruction.id)
        first = { queue, instruction, startUs };
    }
    return first;
  }

  /** Updates the devices whose queues may now start at another time because of the instruction. */
  protected askAfter(device: DeviceIndex, i: Instruction): void {
    this.ask(device);
    if (i.kind === 'load') this.askSendersTo(device);
    if (i.kind !== 'send') return;
    this.ask(i.peer);
    this.askSendersTo(i.peer);
    const receiver = this.receiverOf.get(i.tag);
    if (receiver !== undefined && receiver !== i.peer) this.ask(receiver);
  }

  private askSendersTo(peer: DeviceIndex): void {
    const senders = this.sendersTo.get(peer) ?? new Set();
    for (const device of senders) {
      const sends = ({ list, next }: QueueState): boolean => {
        const i = list[next];
        return i?.kind === 'send' && i.peer === peer;
      };
      if (this.queuesOf.get(device)?.some(sends)) this.ask(device);
      else senders.delete(device);
    }
  }

  /** When the next instruction of each queue of the device can start. */
  protected ask(device: DeviceIndex): void {
    for (const queue of this.queuesOf.get(device) ?? []) {
      const instruction = queue.list[queue.next];
      queue.nextUs = instruction && this.startUs(queue, instruction);
      if (instruction?.kind !== 'send') continue;
      const senders = this.sendersTo.get(instruction.peer);
      if (senders) senders.add(device);
      else this.sendersTo.set(instruction.peer, new Set([device]));
    }
  }

  /** When the head of a queue can start; undefined while it waits for something that has not been timed yet. */
  private startUs({ device, freeUs }: QueueState, i: Instruction): number | undefined {
    switch (i.kind) {
      case 'compute':
        return freeUs;
      case 'load':
        return this.usesLink(i.source) ? Math.max(freeUs, this.inUs.get(device) ?? 0) : freeUs;
      case 'send':
        return Math.max(freeUs + this.beginUs(device, i), this.outUs.get(device) ?? 0, this.inUs.get(i.peer) ?? 0);
      case 'recv': {
        const message = this.messages.get(i.tag);
        return message && Math.max(freeUs + this.beginUs(device, i), message.startUs);
      }
      case 'wait':
        return this.eventUs.has(`${device} ${i.event}`) ? freeUs : undefined;
    }
  }

  private protocolOf({ collective }: Send | Recv): Protocol | undefined {
    return collective && this.protocols.get(collectiveKey(collective));
  }

  /** When the collective's start-up ends, for the device's first message of it. */
  private beginUs(device: DeviceIndex, i: Send | Recv): number {
    if (!i.collective || this.begun.has(`${device} ${collectiveKey(i.collective)}`)) return 0;
    return this.slowness.device(device) * (this.protocolOf(i)?.startUs ?? 0);
  }

  /** Occupies queue and ports for the instruction; returns when it ends. */
  private perform(device: DeviceIndex, i: Instruction, startUs: number): number {
    if ((i.kind === 'send' || i.kind === 'recv') && i.collective)
      this.begun.add(`${device} ${collectiveKey(i.collective)}`);
    switch (i.kind) {
      case 'compute':
        return startUs + this.slowness.device(device) * kernelUs(i, this.hardware);
      case 'load': {
        const endUs = startUs + this.slowness.device(device) * loadUs(i, this.hardware);
        if (this.usesLink(i.source)) this.inUs.set(device, endUs);
        return endUs;
      }
      case 'send': {
        const cost = messageUs(i, device, this.hardware, this.protocolOf(i));
        const factor = this.slowness.link(device, i.peer);
        const endUs = startUs + factor * cost.busyUs;
        this.outUs.set(device, endUs);
        this.inUs.set(i.peer, endUs);
        this.messages.set(i.tag, { startUs, arrivalUs: startUs + factor * cost.arrivalUs });
        return endUs;
      }
      case 'recv': {
        const message = must(this.messages.get(i.tag), i.tag);
        return Math.max(startUs, message.arrivalUs, message.startUs + applyUs(i, this.hardware));
      }
      case 'wait':
        return Math.max(startUs, this.eventUs.get(`${device} ${i.event}`) ?? startUs);
    }
  }

  private usesLink(source: Load['source']): boolean {
    return this.hardware.hostSharesLink && source !== 'scalars';
  }
}

/** Start and duration of every instruction, waits included. */
export function simulate(
  program: Program,
  hardware: Hardware,
  stragglers: readonly Straggler[] = [],
): ReadonlyMap<InstructionId, ModelledTime> {
  return new Simulation(program, hardware, slownessOf(stragglers)).run().times;
}

export interface ModelledStep {
  readonly stepUs: number;
  /** In the order of the Program's lanes: how long each queue works; waiting is not work. */
  readonly perDevice: readonly { readonly device: DeviceIndex; readonly computeUs: number; readonly commUs: number }[];
}

/** The duration of one step, and each device's part. */
export function modelledStep(
  program: Program,
  hardware: Hardware,
  stragglers: readonly Straggler[] = [],
): ModelledStep {
  const times = simulate(program, hardware, stragglers);
  const timing = (i: Instruction): ModelledTime => times.get(i.id) ?? { startUs: 0, durUs: 0 };
  const all = [...times.values()];
  const busyUs = (lane: Program['lanes'][number], queue: Queue): number =>
    lane.instructions.reduce((sum, i) => sum + (i.queue === queue && i.kind !== 'wait' ? timing(i).durUs : 0), 0);
  return {
    stepUs: all.reduce((latest, { startUs, durUs }) => Math.max(latest, startUs + durUs), 0),
    perDevice: program.lanes.map((lane) => ({
      device: lane.device,
      computeUs: busyUs(lane, 'compute'),
      commUs: busyUs(lane, 'comm'),
    })),
  };
}

/** The speed-up of the step over the same samples on one device. */
export function speedup(
  program: Program,
  single: Program,
  hardware: Hardware,
  stragglers: readonly Straggler[] = [],
): number {
  return modelledStep(single, hardware).stepUs / modelledStep(program, hardware, stragglers).stepUs;
}
