/**
 * One step of one lane against a transport; see remote-run.ts. It ends when both queues have finished and all messages
 * have been given to the transport; it does not wait for the GPU.
 */
import { LockstepError } from '../../base/errors';
import { must } from '../../base/invariant';
import type { InstructionId, Recv, Send } from '../../program/instruction';
import type { LanePosition } from '../../program/reach';
import type { ProgramKey } from '../../protocol/step-kind';
import type { Feed, Stop, Transport } from '../executor';
import type { Brake } from '../rest';
import { type DispatchCommand, encodeCommands } from './bind-dispatches';
import type { GpuContext } from './context';
import type { HostRounds } from './host-rounds';
import { runLoads } from './plan-loads';
import type { RemoteAction, RemoteVariant } from './remote-plan';
import { runHostRounds } from './run-host-rounds';

/** Rounds on the host have already written the received messages. */
const NOTHING = new Float32Array(0);

/** The hooks of a traced step around each instruction. */
export interface StepObserver {
  /** Before the instruction's work is encoded. */
  begin(action: RemoteAction): void;
  /** After the instruction has been encoded; may encode copies. */
  encoded(action: RemoteAction, encoder: () => GPUCommandEncoder): void;
  /** After the instruction has been submitted; `sent` resolves when a send's message has left. */
  submitted(action: RemoteAction, sent: Promise<unknown>): Promise<void>;
}

export interface StepInput {
  readonly key: ProgramKey;
  readonly lane: RemoteVariant['lane'];
  readonly queues: RemoteVariant['queues'];
  readonly feed: Feed;
  readonly commands: (action: RemoteAction) => readonly DispatchCommand[];
  readonly stop: Stop | undefined;
  /** Set if the rank is slowed down. */
  readonly brake: Brake | undefined;
}

interface Cursor {
  readonly list: readonly RemoteAction[];
  next: number;
  arrival: Arrival | undefined;
}

/** The message that the recv at `next` waits for, or the result of rounds on the host. */
interface Arrival {
  data?: Float32Array;
  done: Promise<unknown>;
  /** The round that is waited for. */
  at?: InstructionId;
}

export class RemoteStep {
  private readonly compute: Cursor;
  private readonly comm: Cursor;
  private readonly signalled = new Set<string>();
  /** Whether the early loads have been written, before the first instruction. */
  private early = false;
  private encoder: GPUCommandEncoder | undefined;
  private pass: GPUComputePassEncoder | undefined;
  private posted: { readonly send: Send; readonly buffer: GPUBuffer; readonly bytes: number }[] = [];
  private readonly outgoing: Promise<void>[] = [];
  private readonly failed = deferred();

  constructor(
    private readonly context: GpuContext,
    private readonly transport: Transport,
    private readonly input: StepInput,
  ) {
    this.compute = { list: input.queues.compute, next: 0, arrival: undefined };
    this.comm = { list: input.queues.comm, next: 0, arrival: undefined };
  }

  async run(observer?: StepObserver): Promise<void> {
    const { ring, losses, memory } = this.context;
    this.early = observer === undefined;
    for (const { early, loads } of this.early ? [...this.compute.list, ...this.comm.list] : [])
      if (early) runLoads(loads, this.input.feed, memory);
    for (;;) {
      const cursor = [this.comm, this.compute].find((each) => this.canMove(each));
      if (cursor) {
        const action = must(cursor.list[cursor.next], 'action');
        if (action.instruction.id === this.input.stop?.instruction) await this.standStill(this.input.stop);
        observer?.begin(action);
        this.move(cursor, action);
        if (observer) {
          observer.encoded(action, () => this.openEncoder());
          const since = performance.now();
          this.flush();
          if (this.input.brake) await this.slowDown(this.input.brake, since);
          await observer.submitted(action, Promise.all(this.outgoing));
        }
        continue;
      }
      if (this.compute.next === this.compute.list.length && this.comm.next === this.comm.list.length) break;
      const since = performance.now();
      this.flush();
      if (this.input.brake) await this.slowDown(this.input.brake, since);
      await this.message();
    }
    ring.append(this.openEncoder(), must(losses.get(this.input.key), 'losses'), (buffer) => memory.buffer(buffer));
    const since = performance.now();
    this.flush();
    ring.submitted();
    if (this.input.brake) await this.slowDown(this.input.brake, since);
    await Promise.all(this.outgoing);
  }

  /** The next instruction of either queue. */
  position(): LanePosition {
    const next = ({ list, next: at, arrival }: Cursor) => arrival?.at ?? list[at]?.instruction.id;
    return { device: this.input.lane.device, compute: next(this.compute), comm: next(this.comm) };
  }

  private standStill(stop: Stop): Promise<never> {
    this.flush();
    return Promise.race([stop.reached(), this.failed.promise]);
  }

  /** A rank that is slowed down waits for what it has submitted, and rests. */
  private async slowDown(brake: Brake, since: number): Promise<void> {
    await this.context.memory.device.queue.onSubmittedWorkDone();
    await brake(1000 * (performance.now() - since));
  }

  /** Whether the head of the queue can run now. If the head is a new recv, requests its message. */
  private canMove(cursor: Cursor): boolean {
    const action = cursor.list[cursor.next];
    if (!action) return false;
    const { instruction, rounds } = action;
    if (rounds) {
      cursor.arrival ??= this.begin(rounds);
      return cursor.arrival.data !== undefined;
    }
    if (instruction.kind === 'wait') return this.signalled.has(instruction.event);
    if (instruction.kind !== 'recv') return true;
    cursor.arrival ??= this.ask(instruction);
    return cursor.arrival.data !== undefined;
  }

  private ask(recv: Recv): Arrival {
    const message = this.transport.recv(recv.peer, this.input.lane.device, recv.tag);
    const arrival: Arrival = {
      done: message.then((data) => {
        if (data.length !== recv.slice.length)
          throw new LockstepError(
            'program',
            `Message ${recv.tag} has ${data.length} elements, expected ${recv.slice.length}.`,
          );
        arrival.data = data;
      }),
    };
    // Whoever awaits it gets the failure; possibly nobody awaits it yet.
    arrival.done.catch(() => undefined);
    return arrival;
  }

  /**
   * Reads back the data of the rounds after everything encoded so far; the rounds then continue while the other queue
   * runs.
   */
  private begin(rounds: HostRounds): Arrival {
    const { staging, memory } = this.context;
    const pieces = rounds.pieces.map((bytes) => ({ bytes, buffer: staging.acquire(bytes) }));
    for (const { buffer, from, to, read } of rounds.slots) {
      if (!read || from === to) continue;
      const into = must(pieces[read.piece], 'piece').buffer;
      this.openEncoder().copyBufferToBuffer(memory.buffer(buffer), from, into, read.offset, to - from);
    }
    // Received messages are written at once, so earlier encoded work must be submitted first.
    this.flush();
    const opened = pieces.map(({ buffer, bytes }) => heard(staging.open(buffer, bytes)));
    const arrival: Arrival = { done: Promise.resolve() };
    const run = async (): Promise<void> => {
      try {
        await runHostRounds(rounds, {
          device: this.input.lane.device,
          transport: this.transport,
          pieces: opened.map((each) => heard(each.then(({ data }) => data))),
          write: (buffer, offset, data) => memory.write(buffer, offset, data),
          reached: (id) => {
            arrival.at = id;
          },
        });
        arrival.data = NOTHING;
      } finally {
        for (const each of await Promise.allSettled(opened)) if (each.status === 'fulfilled') each.value.release();
      }
    };
    arrival.done = heard(run());
    return arrival;
  }

  /** Fails a step that waits for a message, because this executor can no longer use it. */
  fail(error: LockstepError): void {
    this.failed.reject(error);
  }

  private async message(): Promise<void> {
    const waiting = [this.comm, this.compute].flatMap(({ arrival }) => (arrival ? [arrival.done] : []));
    if (waiting.length > 0) return void (await Promise.race([...waiting, this.failed.promise]));
    const stuck = [this.comm, this.compute].flatMap(({ list, next }) =>
      list.slice(next, next + 1).map((action) => JSON.stringify(action.instruction)),
    );
    throw new LockstepError(
      'program',
      `cuda:${this.input.lane.device} waits for events that nothing will signal: ${stuck.join('; ')}`,
    );
  }

  private move(cursor: Cursor, action: RemoteAction): void {
    const { instruction, slice, loads } = action;
    // Messages leave before more is encoded; consecutive sends leave together.
    if (this.posted.length > 0 && instruction.kind !== 'send') this.flush();
    if (instruction.kind === 'send' && slice) this.post(instruction, slice);
    if (loads.length > 0 && !(this.early && action.early)) {
      this.flush();
      runLoads(loads, this.input.feed, this.context.memory);
    }
    if (instruction.kind === 'recv' && slice) {
      // writeBuffer takes effect at once, so earlier encoded work must be submitted first.
      this.flush();
      this.context.memory.write(slice.buffer, slice.offset, must(cursor.arrival?.data, 'message'));
    }
    const commands = this.input.commands(action);
    if (commands.length > 0) {
      this.pass ??= this.openEncoder().beginComputePass();
      encodeCommands(this.pass, commands);
    }
    if (instruction.signals !== undefined) this.signalled.add(instruction.signals);
    cursor.arrival = undefined;
    cursor.next++;
  }

  private post(send: Send, { buffer, offset, bytes }: NonNullable<RemoteAction['slice']>): void {
    const staging = this.context.staging.acquire(bytes);
    if (bytes > 0) this.openEncoder().copyBufferToBuffer(this.context.memory.buffer(buffer), offset, staging, 0, bytes);
    this.posted.push({ send, buffer: staging, bytes });
  }

  /** The encoder, outside any pass. */
  private openEncoder(): GPUCommandEncoder {
    this.encoder ??= this.context.memory.device.createCommandEncoder();
    if (this.pass && this.encoder) this.pass.end();
    this.pass = undefined;
    return this.encoder;
  }

  private flush(): void {
    if (!this.encoder) return;
    const encoder = this.openEncoder();
    this.encoder = undefined;
    this.context.memory.device.queue.submit([encoder.finish()]);
    const { device } = this.input.lane;
    for (const { send, buffer, bytes } of this.posted) {
      const sent = this.context.staging
        .take(buffer, bytes)
        .then((data) => this.transport.send(device, send.peer, send.tag, new Float32Array(data)));
      sent.catch(() => undefined);
      this.outgoing.push(sent);
    }
    this.posted = [];
  }
}

/** Whoever awaits it gets the failure; possibly nobody awaits it yet. */
function heard<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}

/** A promise that can only reject, and that nobody has to await. */
function deferred(): { readonly promise: Promise<never>; readonly reject: (error: LockstepError) => void } {
  let reject: (error: LockstepError) => void = () => undefined;
  const promise = new Promise<never>((_, no) => {
    reject = no;
  });
  promise.catch(() => undefined);
  return { promise, reject };
}
