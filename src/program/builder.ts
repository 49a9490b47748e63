/**
 * What compilers write Programs with: one LaneBuilder a device, ids and tags over the whole mesh. It fills in bytes and
 * flops from the op table and checks nothing else; the verifier does.
 */

import { LockstepError } from '../base/errors';
import { invariant, must } from '../base/invariant';
import type { Attrs, OpTable, TensorType } from '../graph/op';
import type { DeviceMesh } from '../mesh/device-mesh';
import type { Group } from '../protocol/mesh';
import { ALONE, type StepKind } from '../protocol/step-kind';
import type { Apply, CollectiveRef, DeviceIndex, Payload, Phase, Queue, Rank, Slice } from '../protocol/trace';
import { elements } from '../tensor/shape';
import { expandViews } from './expand-views';
import type { BufferSpec, Instruction, Lane, LaneLoss, Load, Program, Recv, Send } from './instruction';

/** Where an instruction belongs: the queue that runs it, its phase, module and PyTorch line. */
export interface Where {
  readonly phase: Phase;
  readonly anchor: string;
  readonly module?: string;
  readonly queue?: Queue;
  readonly signals?: string;
  readonly bucket?: number;
}

/** One side of a transfer. */
export interface Endpoint {
  readonly device: DeviceIndex;
  readonly slice: Slice;
  readonly where: Where;
}

export interface Message {
  readonly name: string;
  readonly payload: Payload;
  readonly apply?: Apply;
  readonly collective?: CollectiveRef;
}

export interface Exchanged {
  readonly from: Endpoint;
  readonly to: Endpoint;
  readonly what: Message;
  /** Emits what the receiver does with it. */
  readonly received?: ((lane: LaneBuilder) => void) | undefined;
}

/** What a lane hands to a peer; the peer takes it by the same tag. */
type Sent = Pick<Send, 'peer' | 'slice' | 'tag' | 'payload' | 'collective'>;
type Received = Sent & Pick<Recv, 'apply'>;

export class LaneBuilder {
  private readonly specs = new Map<string, BufferSpec>();
  private readonly list: Instruction[] = [];
  private readonly losses: LaneLoss[] = [];
  readonly views = new Map<string, readonly string[]>();
  private microBatch = 0;
  /** Buffers that the later micro-batch which is being emitted has for itself. */
  private readonly own = new Set<string>();

  constructor(
    readonly device: DeviceIndex,
    readonly rank: Rank,
    /** Whose batch it takes. */
    readonly dataIndex: number,
    private readonly ops: OpTable,
    private readonly nextId: () => number,
  ) {}

  /** What follows belongs to that micro-batch: what it declares are buffers and events of its own. */
  startMicroBatch(microBatch: number): void {
    this.microBatch = microBatch;
    this.own.clear();
  }

  /**
   * Declares a buffer; the same name again must be the same buffer. In a later micro-batch it is another one, as
   * '3.out@1', and what follows means that one by the name; `shared`: all micro-batches have the same one.
   */
  buffer(spec: BufferSpec, { shared = spec.persistent }: { readonly shared?: boolean } = {}): void {
    if (this.microBatch > 0 && !shared) this.own.add(spec.name);
    const name = this.named(spec.name);
    if (this.specs.has(name)) return;
    this.specs.set(name, name === spec.name ? spec : { ...spec, name, insteadOf: spec.name });
  }

  spec(name: string): BufferSpec {
    return must(this.specs.get(this.named(name)), `buffer ${name} on cuda:${this.device}`);
  }

  has(name: string): boolean {
    return this.specs.has(this.named(name));
  }

  /** The whole buffer as a slice. */
  whole(name: string): Slice {
    return { buffer: this.named(name), offset: 0, length: elements(this.spec(name).shape) };
  }

  /**
   * A name for buffers one after the other, for transfers: has no memory of its own, and the finished Program names the
   * parts.
   */
  view(name: string, parts: readonly string[]): void {
    const length = parts.reduce((n, part) => n + elements(this.spec(part).shape), 0);
    this.buffer({ name, shape: [length], dtype: 'f32', category: 'bucket', persistent: false });
    this.views.set(
      this.named(name),
      parts.map((part) => this.named(part)),
    );
  }

  lossIn(name: string): void {
    this.losses.push({ microBatch: this.microBatch, buffer: this.named(name) });
  }

  /** attrs.view: PyTorch takes a view there, and copies nothing. */
  compute(op: string, inputs: readonly string[], outputs: readonly string[], attrs: Attrs, where: Where): void {
    const def = this.ops.get(op);
    if (!def) throw new LockstepError('program', `Unknown operator ${op}.`);
    const type = (name: string): TensorType => this.spec(name);
    const types = { inputs: inputs.map(type), outputs: outputs.map(type), attrs };
    const touched = attrs.view === true ? [] : [...new Set([...inputs, ...outputs])];
    const bytes = 4 * touched.reduce((sum, name) => sum + elements(this.spec(name).shape), 0);
    const names = { inputs: inputs.map((name) => this.named(name)), outputs: outputs.map((name) => this.named(name)) };
    this.push({ kind: 'compute', op, ...names, attrs, ...this.base(where, bytes, def.flops(types)) });
  }

  load(load: Pick<Load, 'buffer' | 'source' | 'start' | 'count' | 'p'>, where: Where): void {
    const { dataIndex } = this;
    const buffer = this.named(load.buffer);
    const isDrawn = load.source === 'mask' || load.source === 'noise';
    const draw = isDrawn && buffer !== load.buffer ? { draw: load.buffer } : {};
    const base = this.base(where, 4 * elements(this.spec(buffer).shape), 0);
    this.push({ kind: 'load', ...load, buffer, dataIndex, ...draw, ...base });
  }

  wait(event: string, where: Where): void {
    this.waitFor(this.ofMicroBatch(event), where);
  }

  send(message: Sent, where: Where): void {
    this.push({
      kind: 'send',
      ...message,
      slice: this.sliced(message.slice),
      ...this.base(where, 4 * message.slice.length, 0),
    });
  }

  recv(message: Received, where: Where): void {
    const { slice, apply } = message;
    const base = this.base(where, 4 * slice.length, apply === 'put' ? 0 : slice.length);
    this.push({ kind: 'recv', ...message, slice: this.sliced(message.slice), ...base });
  }

  /** The other queue may wait for everything emitted so far on `queue`: sets an event on its last instruction. */
  signal(queue: Queue, event: string): void {
    this.setEvent(queue, this.ofMicroBatch(event));
  }

  private setEvent(queue: Queue, event: string): void {
    const last = this.list.findLastIndex((i) => i.queue === queue);
    const instruction = must(this.list[last], `an instruction on ${queue} to signal ${event}`);
    invariant(
      instruction.signals === undefined || instruction.signals === event,
      `${instruction.signals} is already signalled there`,
    );
    this.list[last] = { ...instruction, signals: event };
  }

  /** `to` waits for everything emitted so far on `from`, the other queue of this device. */
  handOver(from: Queue, to: Queue, where: Where): void {
    const last = this.list.findLast((i) => i.queue === from);
    if (!last) return;
    const event = last.signals ?? `${from}.${last.id}`;
    this.setEvent(from, event);
    this.waitFor(event, { ...where, queue: to });
  }

  finish(): Lane {
    const { device, rank, list: instructions, losses } = this;
    return { device, rank, buffers: [...this.specs.values()], instructions, losses };
  }

  private waitFor(event: string, where: Where): void {
    this.push({ kind: 'wait', event, ...this.base(where, 0, 0) });
  }

  /** The buffer that a name means in this micro-batch. */
  private named(name: string): string {
    return this.own.has(name) ? this.ofMicroBatch(name) : name;
  }

  private ofMicroBatch(name: string): string {
    return this.microBatch > 0 ? `${name}@${this.microBatch}` : name;
  }

  private sliced(slice: Slice): Slice {
    return { ...slice, buffer: this.named(slice.buffer) };
  }

  private base(where: Where, bytes: number, flops: number) {
    return {
      id: this.nextId(),
      queue: where.queue ?? ('compute' as const),
      phase: where.phase,
      module: where.module ?? '',
      anchor: where.anchor,
      bytes,
      flops,
      ...(where.signals === undefined ? {} : { signals: where.signals }),
      ...(where.bucket === undefined ? {} : { bucket: where.bucket }),
      ...(this.microBatch === 0 ? {} : { microBatch: this.microBatch }),
    };
  }

  private push(instruction: Instruction): void {
    this.list.push(instruction);
  }
}

export class ProgramBuilder {
  private id = 0;
  /** By group, how many collectives it has had. */
  private readonly sequence = new Map<Group['id'], number>();
  readonly lanes: readonly LaneBuilder[];

  constructor(
    readonly mesh: DeviceMesh,
    ops: OpTable,
  ) {
    this.lanes = mesh.rankOfDevice.map(
      (rank, device) => new LaneBuilder(device, rank, mesh.dataIndex(rank), ops, () => this.id++),
    );
  }

  lane(device: DeviceIndex): LaneBuilder {
    return must(this.lanes[device], `lane of cuda:${device}`);
  }

  /** What follows, on all lanes, belongs to that micro-batch of the Program (from 0, in ascending order). */
  startMicroBatch(microBatch: number): void {
    for (const lane of this.lanes) lane.startMicroBatch(microBatch);
  }

  /** The device of a rank that drives one. */
  deviceOf(rank: Rank): DeviceIndex {
    return must(this.mesh.devicesOf(rank)[0], `device of rank ${rank}`);
  }

  /** Lanes of the ranks of a group, in its order. */
  lanesOf({ ranks }: Group): readonly LaneBuilder[] {
    return ranks.map((rank) => this.lane(this.deviceOf(rank)));
  }

  /** Position of the group's next collective in its sequence within the step. */
  nextSeq({ id }: Group = this.mesh.world): number {
    const seq = this.sequence.get(id) ?? 0;
    this.sequence.set(id, seq + 1);
    return seq;
  }

  /** A matching send and recv. The tag is made unique. */
  transfer(from: Endpoint, to: Endpoint, what: Message): void {
    this.exchange([{ from, to, what }]);
  }

  /**
   * Transfers that belong together, as one round of a ring: every device posts its sends before it waits for what it
   * receives.
   */
  exchange(transfers: readonly Exchanged[]): void {
    const tagged = transfers.map((transfer, i) => ({
      ...transfer,
      tag: `${transfer.what.name}:${transfer.from.device}>${transfer.to.device}#${this.id + i}`,
    }));
    for (const { from, to, what, tag } of tagged) {
      const { payload, collective } = what;
      const message = { peer: to.device, slice: from.slice, tag, payload, ...(collective ? { collective } : {}) };
      this.lane(from.device).send(message, from.where);
    }
    for (const { from, to, what, tag, received } of tagged) {
      const { payload, collective, apply = 'put' } = what;
      const message = {
        peer: from.device,
        slice: to.slice,
        apply,
        tag,
        payload,
        ...(collective ? { collective } : {}),
      };
      this.lane(to.device).recv(message, to.where);
      received?.(this.lane(to.device));
    }
  }

  finish(mode: string, kind: StepKind = ALONE): Program {
    const lanes = this.lanes.map((lane) => lane.finish());
    const views = new Map(this.lanes.map((lane) => [lane.device, lane.views]));
    return { mode, kind, lanes: expandViews(lanes, views, () => this.id++) };
  }
}
