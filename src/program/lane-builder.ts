/**
 * Writes one lane of a Program: its buffers, and its instructions in the order in which they are emitted. It fills in
 * bytes and flops from the op table and checks nothing else; the verifier does. ids come from the ProgramBuilder.
 */
import { LockstepError } from '../base/errors';
import { invariant, must } from '../base/invariant';
import type { Attrs, OpTable, TensorType } from '../graph/op';
import type { PipelineAction } from '../protocol/pipeline';
import type { DeviceIndex, Phase, Queue, Rank, Slice } from '../protocol/trace';
import { bytesOf, elements, tensorBytes } from '../tensor/shape';
import type { BufferSpec, Instruction, Lane, LaneLoss, Load, Recv, Send } from './instruction';

/** Where an instruction belongs: the queue that runs it, its phase, module and PyTorch line. */
export interface Where {
  readonly phase: Phase;
  readonly anchor: string;
  readonly module?: string;
  readonly queue?: Queue;
  readonly signals?: string;
  readonly bucket?: number;
}

/** A message to a peer; the peer's recv has the same tag. */
type Sent = Pick<Send, 'peer' | 'slice' | 'tag' | 'payload' | 'collective'>;
type Received = Sent & Pick<Recv, 'apply'>;

/** Bytes that a kernel moves if it reads or writes the whole buffer. */
const movedBytes = (spec: BufferSpec): number =>
  spec.asHalf ? 2 * elements(spec.halves?.shape ?? spec.shape) : tensorBytes(spec);

export class LaneBuilder {
  private readonly specs = new Map<string, BufferSpec>();
  private readonly list: Instruction[] = [];
  private readonly losses: LaneLoss[] = [];
  readonly views = new Map<string, readonly string[]>();
  private microBatch = 0;
  private action: PipelineAction | undefined;
  /** For each later micro-batch, the buffers that only it uses. */
  private readonly ownOf = new Map<number, Set<string>>();
  /** How often the buffer of a name was renewed. */
  private readonly lives = new Map<string, number>();

  constructor(
    readonly device: DeviceIndex,
    readonly rank: Rank,
    /** Index of the batch that the lane takes. */
    readonly dataIndex: number,
    private readonly ops: OpTable,
    private readonly nextId: () => number,
  ) {}

  /** From here on, instructions belong to this micro-batch, which declares its own buffers and events. */
  startMicroBatch(microBatch: number): void {
    this.microBatch = microBatch;
    this.action = undefined;
  }

  /** What follows belongs to that action of a pipeline's schedule, and to its micro-batch. */
  startAction(action: PipelineAction): void {
    this.startMicroBatch(action.microBatch);
    this.action = action;
  }

  private get own(): Set<string> {
    const found = this.ownOf.get(this.microBatch);
    if (found) return found;
    const made = new Set<string>();
    this.ownOf.set(this.microBatch, made);
    return made;
  }

  /**
   * Declares a buffer; declaring the name again must give the same spec. A later micro-batch gets its own buffer, such
   * as '3.out@1', to which the name then refers; `shared`: all micro-batches use the same buffer.
   */
  buffer(spec: BufferSpec, { shared = spec.persistent }: { readonly shared?: boolean } = {}): void {
    if (this.microBatch > 0 && !shared) this.own.add(spec.name);
    const name = this.named(spec.name);
    const known = this.specs.get(name);
    if (known) {
      if (known.dtype !== spec.dtype || known.shape.join() !== spec.shape.join())
        throw new LockstepError(
          'internal',
          `cuda:${this.device} declares buffer ${name} twice: [${known.shape}] ${known.dtype}, then [${spec.shape}] ${spec.dtype}`,
        );
      return;
    }
    this.specs.set(name, name === spec.name ? spec : { ...spec, name, insteadOf: spec.name });
  }

  /**
   * Ends the life of a buffer: from here on the name refers to a new buffer, such as '0.unsharded.weight~1', whose
   * memory is allocated at its first use. For contents that are dropped and computed again later.
   */
  renew(name: string): void {
    const old = this.spec(name);
    const key = this.inMicroBatch(name);
    this.lives.set(key, (this.lives.get(key) ?? 0) + 1);
    const renewed = this.named(name);
    this.specs.set(renewed, { ...old, name: renewed, insteadOf: old.insteadOf ?? old.name });
  }

  spec(name: string): BufferSpec {
    return must(this.specs.get(this.named(name)), `buffer ${name} on cuda:${this.device}`);
  }

  has(name: string): boolean {
    return this.specs.has(this.named(name));
  }

  /** Whether this micro-batch itself has declared the name, not only an earlier one. */
  hasOwn(name: string): boolean {
    return this.microBatch > 0 ? this.own.has(name) : this.specs.has(name);
  }

  /** The whole buffer as a slice. */
  whole(name: string): Slice {
    return { buffer: this.named(name), offset: 0, length: elements(this.spec(name).shape) };
  }

  /**
   * Names consecutive buffers as one view for transfers: it has no memory of its own, and the finished Program names
   * the parts.
   */
  view(name: string, parts: readonly string[]): void {
    const length = parts.reduce((n, part) => n + elements(this.spec(part).shape), 0);
    const dtype = parts[0] === undefined ? 'f32' : this.spec(parts[0]).dtype;
    this.buffer({ name, shape: [length], dtype, category: 'bucket', persistent: false });
    this.views.set(
      this.named(name),
      parts.map((part) => this.named(part)),
    );
  }

  lossIn(name: string): void {
    this.losses.push({ microBatch: this.microBatch, buffer: this.named(name) });
  }

  /** attrs.view: PyTorch takes a view here and copies nothing. */
  compute(op: string, inputs: readonly string[], outputs: readonly string[], attrs: Attrs, where: Where): void {
    const def = this.ops.get(op);
    if (!def) throw new LockstepError('program', `Unknown operator ${op}.`);
    const type = (name: string): TensorType => this.spec(name);
    const types = { inputs: inputs.map(type), outputs: outputs.map(type), attrs };
    const touched = attrs.view === true ? [] : [...new Set([...inputs, ...outputs])];
    const bytes = def.isConversion ? 0 : touched.reduce((sum, name) => sum + movedBytes(this.spec(name)), 0);
    const inHalf = outputs.some((name) => this.spec(name).asHalf) ? { inHalf: true as const } : {};
    const onHost = touched.some((name) => this.spec(name).onHost)
      ? { onHost: def.moves?.(types) ? ('copied' as const) : ('computed' as const) }
      : {};
    const names = { inputs: inputs.map((name) => this.named(name)), outputs: outputs.map((name) => this.named(name)) };
    const flops = def.isConversion ? 0 : def.flops(types);
    this.push({ kind: 'compute', op, ...names, attrs, ...inHalf, ...onHost, ...this.base(where, bytes, flops) });
  }

  load(load: Pick<Load, 'buffer' | 'source' | 'start' | 'count' | 'p' | 'region'>, where: Where): void {
    const { dataIndex } = this;
    const buffer = this.named(load.buffer);
    const isDrawn = load.source === 'mask' || load.source === 'noise';
    const draw = isDrawn && buffer !== load.buffer ? { draw: load.buffer } : {};
    const base = this.base(where, tensorBytes(this.spec(buffer)), 0);
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
      ...this.base(where, this.sliceBytes(message.slice), 0),
    });
  }

  recv(message: Received, where: Where): void {
    const { slice, apply } = message;
    const base = this.base(where, this.sliceBytes(slice), apply === 'put' ? 0 : slice.length);
    this.push({ kind: 'recv', ...message, slice: this.sliced(message.slice), ...base });
  }

  /** Lets the other queue wait for everything emitted so far on `queue`: sets an event on its last instruction. */
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
    const event = this.mark(from);
    if (event !== undefined) this.waitFor(event, { ...where, queue: to });
  }

  /** An event for everything emitted so far on a queue, for a later wait of the other queue. */
  mark(queue: Queue): string | undefined {
    const last = this.list.findLast((i) => i.queue === queue);
    if (!last) return undefined;
    const event = last.signals ?? `${queue}.${last.id}`;
    this.setEvent(queue, event);
    return event;
  }

  /** Waits for an event from `mark`. */
  await(event: string, where: Where): void {
    this.waitFor(event, where);
  }

  finish(): Lane {
    const { device, rank, list: instructions, losses } = this;
    return { device, rank, buffers: [...this.specs.values()], instructions, losses };
  }

  private waitFor(event: string, where: Where): void {
    this.push({ kind: 'wait', event, ...this.base(where, 0, 0) });
  }

  /** The buffer that a name refers to in this micro-batch and its current life. */
  private named(name: string): string {
    const key = this.inMicroBatch(name);
    const life = this.lives.get(key);
    return life === undefined ? key : `${key}~${life}`;
  }

  private inMicroBatch(name: string): string {
    return this.own.has(name) ? this.ofMicroBatch(name) : name;
  }

  private ofMicroBatch(name: string): string {
    return this.microBatch > 0 ? `${name}@${this.microBatch}` : name;
  }

  private sliceBytes({ buffer, length }: Slice): number {
    return length * bytesOf(this.spec(buffer).dtype);
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
      ...(this.action === undefined ? {} : { action: this.action }),
    };
  }

  private push(instruction: Instruction): void {
    this.list.push(instruction);
  }
}
