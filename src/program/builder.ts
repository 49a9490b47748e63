/**
 * What compilers write Programs with: one LaneBuilder a device, ids and tags over the whole mesh. It fills in bytes and
 * flops from the op table and checks nothing else; the verifier does.
 */

import { LockstepError } from '../base/errors';
import { invariant, must } from '../base/invariant';
import type { Attrs, OpTable, TensorType } from '../graph/op';
import type { DeviceMesh } from '../mesh/device-mesh';
import { ALONE, type StepKind } from '../protocol/step-kind';
import type { Apply, CollectiveRef, DeviceIndex, Payload, Phase, Queue, Rank, Slice } from '../protocol/trace';
import { elements } from '../tensor/shape';
import { expandViews } from './expand-views';
import type { BufferSpec, Instruction, Lane, Load, Program, Recv, Send } from './instruction';

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
  private loss: string | undefined;
  readonly views = new Map<string, readonly string[]>();

  constructor(
    readonly device: DeviceIndex,
    readonly rank: Rank,
    /** Whose batch it takes. */
    readonly dataIndex: number,
    private readonly ops: OpTable,
    private readonly nextId: () => number,
  ) {}

  /** Declares a buffer; the same name again must be the same buffer. */
  buffer(spec: BufferSpec): void {
    if (!this.specs.has(spec.name)) this.specs.set(spec.name, spec);
  }

  spec(name: string): BufferSpec {
    return must(this.specs.get(name), `buffer ${name} on cuda:${this.device}`);
  }

  has(name: string): boolean {
    return this.specs.has(name);
  }

  /** The whole buffer as a slice. */
  whole(name: string): Slice {
    return { buffer: name, offset: 0, length: elements(this.spec(name).shape) };
  }

  /**
   * A name for buffers one after the other, for transfers: has no memory of its own, and the finished Program names the
   * parts.
   */
  view(name: string, parts: readonly string[]): void {
    const length = parts.reduce((n, part) => n + elements(this.spec(part).shape), 0);
    this.buffer({ name, shape: [length], dtype: 'f32', category: 'bucket', persistent: false });
    this.views.set(name, parts);
  }

  lossIn(name: string): void {
    this.loss = name;
  }

  /** attrs.view: PyTorch takes a view there, and copies nothing. */
  compute(op: string, inputs: readonly string[], outputs: readonly string[], attrs: Attrs, where: Where): void {
    const def = this.ops.get(op);
    if (!def) throw new LockstepError('program', `Unknown operator ${op}.`);
    const type = (name: string): TensorType => this.spec(name);
    const types = { inputs: inputs.map(type), outputs: outputs.map(type), attrs };
    const touched = attrs.view === true ? [] : [...new Set([...inputs, ...outputs])];
    const bytes = 4 * touched.reduce((sum, name) => sum + elements(this.spec(name).shape), 0);
    this.push({ kind: 'compute', op, inputs, outputs, attrs, ...this.base(where, bytes, def.flops(types)) });
  }

  load(load: Pick<Load, 'buffer' | 'source' | 'start' | 'count' | 'p'>, where: Where): void {
    const { dataIndex } = this;
    this.push({ kind: 'load', ...load, dataIndex, ...this.base(where, 4 * elements(this.spec(load.buffer).shape), 0) });
  }

  wait(event: string, where: Where): void {
    this.push({ kind: 'wait', event, ...this.base(where, 0, 0) });
  }

  send(message: Sent, where: Where): void {
    this.push({ kind: 'send', ...message, ...this.base(where, 4 * message.slice.length, 0) });
  }

  recv(message: Received, where: Where): void {
    const { slice, apply } = message;
    const base = this.base(where, 4 * slice.length, apply === 'put' ? 0 : slice.length);
    this.push({ kind: 'recv', ...message, ...base });
  }

  /** The other queue may wait for everything emitted so far on `queue`: sets an event on its last instruction. */
  signal(queue: Queue, event: string): void {
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
    this.signal(from, event);
    this.wait(event, { ...where, queue: to });
  }

  finish(): Lane {
    const lane = { device: this.device, rank: this.rank, buffers: [...this.specs.values()], instructions: this.list };
    return this.loss === undefined ? lane : { ...lane, loss: this.loss };
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
    };
  }

  private push(instruction: Instruction): void {
    this.list.push(instruction);
  }
}

export class ProgramBuilder {
  private id = 0;
  private seq = 0;
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

  /** Position of the next collective in the sequence of the step. */
  nextSeq(): number {
    return this.seq++;
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
