/**
 * Knows which persistent buffers of the hosted devices hold the same bits: what the host has written, and what the
 * Programs have made of it since. So a step can compute on one device what several devices would compute with the same
 * values (program/same-values), such as the optimiser's step of DDP's replicas. If a replica differs from the others,
 * because nobody has made them equal or a fault has changed one, each device computes for itself. Owned by the runs of
 * devices that share a memory: webgpu/shared-run and cpu/cpu-shared-run, which decide when copying is faster.
 */
import { must } from '../base/invariant';
import type { OpTable } from '../graph/op';
import type { FoldStep } from '../program/fold-movements';
import type { Load, Program } from '../program/instruction';
import type { LinearStep } from '../program/linearize';
import { programOf } from '../program/program-of';
import type { Placed } from '../program/ready-heads';
import { type Repeated, type SameContents, sameValues } from '../program/same-values';
import { keyOf } from '../program/symbolic-memory';
import type { ProgramKey } from '../protocol/step-kind';
import type { DeviceIndex } from '../protocol/trace';
import type { HostArray } from '../tensor/shape';
import type { Feed } from './executor';

/** By the position of a step. */
export type RepeatedSteps = ReadonlyMap<number, readonly Repeated[]>;

export interface ReplicasOptions {
  readonly programs: readonly Program[];
  readonly ops: OpTable;
  /** The steps that run; a step has the computations of several devices. */
  steps(program: Program): readonly (LinearStep | FoldStep)[];
  /** Whether copying the results of the first computation to the others is faster than computing them again. */
  isWorthCopying(key: ProgramKey, repeated: Repeated): boolean;
}

export interface Replicated {
  /** Computations that several devices do with the same values, where copying the results is faster. */
  readonly repeated: RepeatedSteps;
  /** Equal texts mean equal `repeated`. */
  readonly signature: string;
}

interface Known extends Replicated {
  readonly after: SameContents;
}

interface OfProgram {
  readonly program: Program;
  readonly steps: readonly (LinearStep | FoldStep)[];
  /** Loads of the same scalars on several devices. */
  readonly scalars: readonly (readonly Placed<Load>[])[];
  /** By contents before the step. */
  readonly known: Map<string, Known>;
}

export class Replicas {
  /** Made when they are first needed. */
  private readonly programs = new Map<ProgramKey, OfProgram>();
  private contents: SameContents;
  /** A text of `contents`, made when it is needed. */
  private text: string | undefined;
  /** The next number for new contents; numbers that a Program gives are smaller than the number of buffers. */
  private next: number;
  /** By name of the buffer, the words that the host has written last since the last step. */
  private readonly written = new Map<string, { readonly words: Int32Array; readonly number: number }>();
  /** The contents, if they belong to this object alone. */
  private own: Map<string, number> | undefined;

  constructor(private readonly options: ReplicasOptions) {
    const { programs } = options;
    const fills = new Map<string, number>();
    this.contents = new Map(
      programs.flatMap(({ lanes }) =>
        lanes.flatMap(({ device, buffers }) =>
          buffers.flatMap((spec) => {
            if (!spec.persistent) return [];
            const content = `${spec.name} ${spec.fill ?? 0}`;
            fills.set(content, fills.get(content) ?? fills.size);
            return [[keyOf({ device, buffer: spec.name }), must(fills.get(content), content)] as const];
          }),
        ),
      ),
    );
    this.next = this.contents.size;
  }

  /** What the Program's steps repeat if all replicas are equal, as they usually are. */
  usual(key: ProgramKey): Replicated {
    return this.find(key, this.contents, true);
  }

  /** What the step that now runs repeats. */
  step(key: ProgramKey, feed: Feed): Replicated {
    this.written.clear();
    const { scalars } = this.ofProgram(key);
    const sameScalars = scalars.every(([first, ...others]) => {
      const values = first && feed(first.instruction, first.device);
      return others.every(({ device, instruction }) => values && sameNumbers(values, feed(instruction, device)));
    });
    this.text ??= textOf(this.contents);
    const found = this.find(key, this.contents, sameScalars, this.text);
    if (this.contents !== found.after) {
      this.contents = found.after;
      this.text = undefined;
    }
    this.own = undefined;
    return found;
  }

  /** The host has written the buffer. */
  wrote(device: DeviceIndex, buffer: string, data: HostArray): void {
    const words = new Int32Array(data.buffer, data.byteOffset, data.length);
    let last = this.written.get(buffer);
    if (!last || !sameWords(last.words, words)) {
      last = { words: words.slice(), number: this.next++ };
      this.written.set(buffer, last);
    }
    this.changing().set(keyOf({ device, buffer }), last.number);
  }

  /** A fault may have changed any buffer. */
  forget(): void {
    const contents = this.changing();
    for (const key of contents.keys()) contents.set(key, this.next++);
  }

  private changing(): Map<string, number> {
    this.own ??= new Map(this.contents);
    this.contents = this.own;
    this.text = undefined;
    return this.own;
  }

  private ofProgram(key: ProgramKey): OfProgram {
    const found = this.programs.get(key);
    if (found) return found;
    const { programs, steps } = this.options;
    const program = programOf(programs, key);
    const made = { program, steps: steps(program), scalars: scalarsOf(program), known: new Map() };
    this.programs.set(key, made);
    return made;
  }

  private find(key: ProgramKey, before: SameContents, sameScalars: boolean, text = textOf(before)): Known {
    const { ops, isWorthCopying } = this.options;
    const { program, steps, known } = this.ofProgram(key);
    const name = `${sameScalars} ${text}`;
    const found = known.get(name);
    if (found) return found;
    const { repeated, after } = sameValues(program, steps, ops, { before, sameScalars });
    const worth = new Map(
      [...repeated].filter(([, groups]) => groups.some((g) => g.others.length > 0 && isWorthCopying(key, g))),
    );
    const made = { repeated: worth, signature: signatureOf(worth), after: textOf(after) === text ? before : after };
    known.set(name, made);
    return made;
  }
}

/** Canonical: the buffers with equal contents have the number of the first of them. */
function textOf(contents: SameContents): string {
  const firsts = new Map<number, number>();
  return [...contents.values()]
    .map((number, k) => {
      const first = firsts.get(number) ?? k;
      firsts.set(number, first);
      return first;
    })
    .join();
}

const signatureOf = (repeated: RepeatedSteps): string =>
  [...repeated]
    .map(([position, groups]) => {
      const devices = groups.map(({ first, others }) => [first, ...others].map(({ device }) => device).join('='));
      return `${position}: ${devices.join()}`;
    })
    .join('; ');

function scalarsOf({ lanes }: Program): readonly (readonly Placed<Load>[])[] {
  const loads = new Map<string, Placed<Load>[]>();
  for (const { device, instructions } of lanes) {
    for (const instruction of instructions) {
      if (instruction.kind !== 'load' || instruction.source !== 'scalars') continue;
      const key = `${instruction.start} ${instruction.count}`;
      loads.set(key, [...(loads.get(key) ?? []), { device, instruction }]);
    }
  }
  return [...loads.values()].filter((same) => same.length > 1);
}

const sameNumbers = (a: HostArray, b: HostArray): boolean =>
  (a.buffer === b.buffer && a.byteOffset === b.byteOffset) || a.every((n, i) => Object.is(n, b[i]));

function sameWords(a: Int32Array, b: Int32Array): boolean {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return a.length === b.length;
}
