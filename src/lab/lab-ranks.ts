/**
 * Executes the ranks of one collective on plain arrays with the CPU executor's own actions: the values of each buffer
 * and, for each element, the ranks whose values it contains. It advances round by round; lab-rounds.ts assigns messages
 * to rounds. Called by run-lab.ts.
 */
import { at, invariant, must } from '../base/invariant';
import { CpuScratch } from '../graph/cpu-scratch';
import { PROGRAM_OPS } from '../parallel/modes';
import type { Compute, Instruction, Lane, Program, Recv, Send } from '../program/instruction';
import type { Slice } from '../protocol/trace';
import { computeAction, receive, sliceOf } from '../runtime/cpu/cpu-actions';
import { allocate, elements, type HostArray } from '../tensor/shape';
import { INPUT } from './lab-program';

/** Bit r of an element: it contains a value of rank r. */
type Contributors = Uint16Array;

interface Held {
  readonly values: HostArray;
  readonly from: Contributors;
}

export interface LabRank {
  readonly buffers: ReadonlyMap<string, Held>;
}

export class LabRanks {
  readonly ranks: readonly LabRank[];
  private readonly next: number[];
  private readonly scratch = new CpuScratch();
  private readonly posted = new Map<string, Held>();

  /** `inputs[r]` is rank r's input; undefined if only the root's input counts. */
  constructor(
    private readonly program: Program,
    inputs: readonly (HostArray | undefined)[],
  ) {
    this.next = program.lanes.map(() => 0);
    this.ranks = program.lanes.map(({ rank, buffers }) => ({
      buffers: new Map(
        buffers.map(({ name, dtype, shape }) => {
          const values = allocate(dtype, elements(shape));
          const from = new Uint16Array(values.length);
          const own = name === INPUT ? inputs[rank] : undefined;
          if (own) {
            values.set(own);
            from.fill(1 << rank);
          }
          return [name, { values, from }] as const;
        }),
      ),
    }));
  }

  /** Executes everything up to the messages of this round, which arrive. */
  play(round: number, roundOf: ReadonlyMap<string, number>): void {
    this.forward();
    this.program.lanes.forEach((lane, rank) => {
      for (let i = lane.instructions[at(this.next, rank)]; i; i = lane.instructions[at(this.next, rank)]) {
        if (i.kind === 'recv' && roundOf.get(i.tag) !== round) break;
        if (i.kind === 'recv') this.take(rank, i);
        else this.local(lane, rank, i);
        this.next[rank] = at(this.next, rank) + 1;
      }
    });
    this.forward();
  }

  /** Executes what a rank can do without waiting for another: computing and posting sends. */
  forward(): void {
    this.program.lanes.forEach((lane, rank) => {
      for (let i = lane.instructions[at(this.next, rank)]; i && i.kind !== 'recv'; ) {
        this.local(lane, rank, i);
        this.next[rank] = at(this.next, rank) + 1;
        i = lane.instructions[at(this.next, rank)];
      }
    });
  }

  private local(lane: Lane, rank: number, i: Instruction): void {
    if (i.kind === 'compute') this.compute(lane, rank, i);
    if (i.kind === 'send') this.posted.set(i.tag, this.copyOf(rank, i));
  }

  finish(): void {
    const done = this.program.lanes.every((lane, rank) => this.next[rank] === lane.instructions.length);
    invariant(done, 'every instruction of the collective has run');
  }

  held(rank: number, buffer: string): Held {
    return must(at(this.ranks, rank).buffers.get(buffer), `${buffer} of rank ${rank}`);
  }

  private copyOf(rank: number, send: Send): Held {
    const { offset, length } = send.slice;
    const { values, from } = this.held(rank, send.slice.buffer);
    return { values: values.slice(offset, offset + length), from: from.slice(offset, offset + length) };
  }

  private take(rank: number, recv: Recv): void {
    const message = must(this.posted.get(recv.tag), `the message ${recv.tag}`);
    this.posted.delete(recv.tag);
    receive(
      sliceOf(recv, (name) => this.held(rank, name).values),
      message.values,
      recv,
      undefined,
    );
    const { from } = this.held(rank, recv.slice.buffer);
    join(from, recv.slice, message.from, recv.apply !== 'put');
  }

  private compute(lane: Lane, rank: number, i: Compute): void {
    const specs = new Map(lane.buffers.map((spec) => [spec.name, spec]));
    const type = (name: string) => must(specs.get(name), name);
    const moves = must(PROGRAM_OPS.get(i.op), i.op).moves?.({
      inputs: i.inputs.map(type),
      outputs: i.outputs.map(type),
      attrs: i.attrs,
    });
    computeAction(i, lane, (name) => this.held(rank, name).values, { ops: PROGRAM_OPS, scratch: this.scratch })();
    for (const { from, to, length } of moves ?? []) {
      const source = this.held(rank, at(i.inputs, from.operand)).from;
      const target = this.held(rank, at(i.outputs, to.operand)).from;
      target.set(source.slice(from.offset, from.offset + length), to.offset);
    }
    // A computing operator: each output element contains the contributors of the same input elements.
    for (const output of moves ? [] : i.outputs) {
      const target = this.held(rank, output).from;
      for (const input of i.inputs) {
        const source = this.held(rank, input).from;
        if (source.length === target.length)
          join(target, { buffer: '', offset: 0, length: target.length }, source, true);
      }
    }
  }
}

function join(target: Contributors, { offset, length }: Slice, source: Contributors, keep: boolean): void {
  for (let i = 0; i < length; i++) {
    const own = keep ? (target[offset + i] as number) : 0;
    target[offset + i] = own | (source[i] as number);
  }
}
