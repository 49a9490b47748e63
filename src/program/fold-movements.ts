/**
 * Folds movements of data within one memory space into one step. If a buffer is only ever moved (a bucket that is
 * packed, passed around a ring and unpacked; the gathered shards of a unit), or a collective passes buffers around,
 * perhaps after copies into these buffers, this file computes the final contents of the other buffers as sums of
 * initial contents. The fold then reads each element, adds in the algorithm's order and writes every target at once,
 * with the same bits as the rounds. Executors run folds in untraced steps; a traced step runs the rounds. Movements
 * without such a form (maxima), or whose buffers other instructions touch meanwhile, are not folded.
 */
import { at } from '../base/invariant';
import type { OpTable } from '../graph/op';
import type { DeviceIndex } from '../protocol/trace';
import { elements } from '../tensor/shape';
import type { Instruction, Program } from './instruction';
import { accessedBuffers, writtenBuffers } from './instruction-access';
import { instructionsOf as instructionsOfRounds, type LinearStep } from './linearize';
import { movedBuffers, movementsOf, type Specs } from './moved-buffers';
import type { Placed } from './ready-heads';
import { type BufferPlace, fromTheLeft, keyOf, SymbolicMemory } from './symbolic-memory';

/**
 * For elements 0 .. length - 1: writes the sum of the terms, each times `scale`, and the sum times `after`, to every
 * target. All terms are in one allocation, and so are all targets.
 */
export interface Fold {
  readonly length: number;
  readonly terms: readonly BufferPlace[];
  /**
   * The order of additions, if not from the left: see SymbolicStretch. Terms and targets are then in one allocation.
   */
  readonly joins?: readonly number[];
  readonly scale: number;
  readonly after: number;
  readonly targets: readonly BufferPlace[];
}

export interface FoldStep {
  readonly kind: 'fold';
  /** Folds that are independent of each other. */
  readonly items: readonly Fold[];
  /** Instructions that the step stands for. */
  readonly ran: readonly Placed<Instruction>[];
}

/** `memoryOf`: the allocation of a buffer. */
export function foldMovements(
  program: Program,
  steps: readonly LinearStep[],
  ops: OpTable,
  memoryOf: MemoryOf,
): readonly (LinearStep | FoldStep)[] {
  const specs = new Map(
    program.lanes.flatMap(({ device, buffers }) => buffers.map((spec) => [keyOf({ device, buffer: spec.name }), spec])),
  );
  const replaced = new Map<number, FoldStep | undefined>();
  const { groups, hidden } = movedBuffers(steps, specs, ops);
  const uses = new Times();
  steps.forEach((step, i) => {
    for (const { device, instruction } of instructionsOfRounds(step))
      for (const buffer of accessedBuffers(instruction)) uses.note(keyOf({ device, buffer }), i);
  });
  const earlier: FoundFold[] = [];
  for (const { members, copies } of groups) {
    for (const all of copies.length > 0 ? [[...copies, ...members], members] : [members]) {
      const found = foldOf(all, steps, { specs, hidden, ops, memoryOf, uses });
      if (!found || earlier.some((other) => mayPass(found, other))) continue;
      earlier.push(found);
      for (const member of all) replaced.set(member, undefined);
      replaced.set(found.position, found.step);
      break;
    }
  }
  const result: (LinearStep | FoldStep)[] = [];
  steps.forEach((step, i) => {
    const other = replaced.has(i) ? replaced.get(i) : step;
    const last = result.at(-1);
    const both = other?.kind === 'fold' && last?.kind === 'fold' ? [...last.items, ...other.items] : undefined;
    if (other?.kind === 'fold' && last?.kind === 'fold' && both && independent(both) && alike(both, memoryOf))
      result[result.length - 1] = { ...last, items: both, ran: [...last.ran, ...other.ran] };
    else if (other) result.push(other);
  });
  return result;
}

/** Every instruction that a step completes. */
export const instructionsOf = (step: LinearStep | FoldStep): readonly Placed<Instruction>[] =>
  step.kind === 'fold' ? step.ran : instructionsOfRounds(step);

export type MemoryOf = (place: Pick<BufferPlace, 'device' | 'buffer'>) => unknown;

interface Context {
  readonly specs: Specs;
  readonly hidden: ReadonlySet<string>;
  readonly ops: OpTable;
  readonly memoryOf: MemoryOf;
  /** By buffer, when steps touch it. */
  readonly uses: Times;
}

interface FoundFold extends Touched, Span {
  readonly step: FoldStep;
  readonly position: number;
}

/** Whether two folds might change their order: their steps mingle, and one writes what the other touches. */
const mayPass = (a: FoundFold, b: FoundFold): boolean =>
  a.from <= b.to && b.from <= a.to && (writesFor(a, b) || writesFor(b, a));

const writesFor = ({ writes }: FoundFold, other: FoundFold): boolean =>
  [...writes.spans.keys()].some((key) => other.reads.spans.has(key) || other.writes.spans.has(key));

/** Folds the members (positions of steps, ascending) into one step; also returns the position that the step takes. */
function foldOf(
  members: readonly number[],
  steps: readonly LinearStep[],
  { specs, hidden, ops, memoryOf, uses }: Context,
): FoundFold | undefined {
  const lengthOf = (device: DeviceIndex, buffer: string): number | undefined => {
    const spec = specs.get(keyOf({ device, buffer }));
    return spec && !hidden.has(spec.name) && spec.dtype === 'f32' ? elements(spec.shape) : undefined;
  };
  const memory = new SymbolicMemory(lengthOf);
  const written = new Map<string, Pick<BufferPlace, 'device' | 'buffer'>>();
  const [reads, writes] = [new Times(), new Times()];
  for (const i of members) {
    for (const { source, target, length, add, scale } of movementsOf(at(steps, i), specs, ops) ?? []) {
      if (source === undefined) memory.forget(target, length);
      else if (!memory.move(source, target, length, { add, scale })) return undefined;
      for (const place of [...(source ? [source] : []), ...(add ? [target] : [])])
        if (!hidden.has(place.buffer)) reads.note(keyOf(place), i);
      if (hidden.has(target.buffer)) continue;
      writes.note(keyOf(target), i);
      if (lengthOf(target.device, target.buffer) === undefined) return undefined;
      written.set(keyOf(target), target);
    }
  }
  const position = positionOf(members, { reads, writes, specs, uses });
  if (position === undefined || othersTouch(members, steps, { reads, writes, position })) return undefined;
  const items = foldsInto([...written.values()], memory, memoryOf);
  if (!items?.every((fold) => canRun(fold, memoryOf)) || !independent(items) || tooLong(items)) return undefined;
  return {
    step: { kind: 'fold', items, ran: members.flatMap((i) => instructionsOfRounds(at(steps, i))) },
    position,
    ...{ reads, writes, from: at(members, 0), to: at(members, members.length - 1) },
  };
}

interface Span {
  from: number;
  to: number;
}

/** The positions at which buffers are first and last touched, by keyOf. */
class Times {
  readonly spans = new Map<string, Span>();

  note(key: string, position: number): void {
    const span = this.spans.get(key);
    if (!span) this.spans.set(key, { from: position, to: position });
    else if (position < span.from) span.from = position;
    else if (position > span.to) span.to = position;
  }

  /** Whether a position lies between a buffer's times and `other`. */
  isBetween(key: string, position: number, other: number): boolean {
    const span = this.spans.get(key);
    return span !== undefined && position > Math.min(span.from, other) && position < Math.max(span.to, other);
  }
}

interface Touched {
  readonly reads: Times;
  readonly writes: Times;
}

/** As late as possible: a buffer of the step owns its memory only from its first write to its last use. */
function positionOf(
  members: readonly number[],
  { reads, writes, specs, uses }: Touched & Pick<Context, 'specs' | 'uses'>,
): number | undefined {
  const ofTheStep = ({ spans }: Times) => [...spans].filter(([key]) => specs.get(key)?.persistent !== true);
  const position = Math.min(at(members, members.length - 1), ...ofTheStep(reads).map(([, { from }]) => from));
  // If nobody reads what a round received, the buffer's memory can belong to another buffer by then.
  const owns = ([key, { from }]: readonly [string, Span]): boolean =>
    from <= position && position <= (uses.spans.get(key)?.to ?? 0);
  return ofTheStep(writes).every(owns) ? position : undefined;
}

/**
 * Whether another step would read data that the members have not written yet, or change data that they still have to
 * read.
 */
function othersTouch(
  members: readonly number[],
  steps: readonly LinearStep[],
  { reads, writes, position }: Touched & { readonly position: number },
): boolean {
  const own = new Set(members);
  for (let i = at(members, 0); i < at(members, members.length - 1); i++) {
    if (own.has(i)) continue;
    for (const { device, instruction } of instructionsOfRounds(at(steps, i))) {
      const during = (times: Times) => (buffer: string) => times.isBetween(keyOf({ device, buffer }), i, position);
      if (writtenBuffers(instruction).some(during(reads))) return true;
      if (accessedBuffers(instruction).some(during(writes))) return true;
    }
  }
  return false;
}

/**
 * Sums that are not from the left are computed element by element; long ones are faster in rounds, four elements at a
 * time.
 */
const LONG = 32_768;
const tooLong = (items: readonly Fold[]): boolean =>
  items.reduce((sum, { joins, length }) => (joins ? sum + length : sum), 0) >= LONG;

/**
 * The folds for everything that the buffers hold at the end and not before; equal sums into one allocation are one
 * fold. Undefined if a buffer holds something that is not a sum.
 */
function foldsInto(
  buffers: readonly Pick<BufferPlace, 'device' | 'buffer'>[],
  memory: SymbolicMemory,
  memoryOf: MemoryOf,
): readonly Fold[] | undefined {
  const folds = new Map<string, Fold & { targets: BufferPlace[] }>();
  const memories = new Map<unknown, number>();
  for (const { device, buffer } of buffers) {
    const home = memoryOf({ device, buffer });
    if (!memories.has(home)) memories.set(home, memories.size);
    for (const { from, to, terms, joins, scale, after } of memory.stretches(device, buffer)) {
      const target = { device, buffer, offset: from };
      const [term] = terms;
      if (!term) return undefined;
      if (terms.length === 1 && scale === 1 && after === 1 && same(term, target)) continue;
      const sum = `${to - from} ${scale} ${after} ${joins.join('')}`;
      const key = `${memories.get(home)} ${sum} ${terms.map((t) => `${keyOf(t)} ${t.offset}`).join()}`;
      const fold = folds.get(key) ?? {
        length: to - from,
        terms,
        ...(fromTheLeft(joins) ? {} : { joins }),
        scale,
        after,
        targets: [],
      };
      fold.targets.push(target);
      folds.set(key, fold);
    }
  }
  return [...folds.values()];
}

const same = (a: BufferPlace, b: BufferPlace): boolean =>
  a.device === b.device && a.buffer === b.buffer && a.offset === b.offset;

/**
 * A dispatch binds one allocation, or reads one and writes another; only the kernel with one allocation supports sums
 * of sums.
 */
function canRun({ terms, targets, joins, after }: Fold, memoryOf: MemoryOf): boolean {
  const [sources, homes] = [terms, targets].map((places) => new Set(places.map(memoryOf)));
  if (sources?.size !== 1 || homes?.size !== 1) return false;
  return joins === undefined || (after === 1 && [...sources][0] === [...homes][0]);
}

/** Whether all folds read the same allocation, and write the same one. */
const alike = (folds: readonly Fold[], memoryOf: MemoryOf): boolean =>
  [(fold: Fold) => fold.terms, (fold: Fold) => fold.targets].every(
    (places) => new Set(folds.flatMap(places).map(memoryOf)).size <= 1,
  );

/**
 * Whether folds may run in parallel, element by element: only a fold itself touches its targets, and only at the same
 * element.
 */
function independent(folds: readonly Fold[]): boolean {
  const uses = new Map<string, { fold: Fold; from: number; to: number; write: boolean }[]>();
  for (const fold of folds) {
    const note = (write: boolean) => (place: BufferPlace) => {
      const list = uses.get(keyOf(place)) ?? [];
      uses.set(keyOf(place), list);
      list.push({ fold, from: place.offset, to: place.offset + fold.length, write });
    };
    fold.terms.forEach(note(false));
    fold.targets.forEach(note(true));
  }
  for (const list of uses.values()) {
    list.sort((a, b) => a.from - b.from);
    for (const [i, a] of list.entries()) {
      for (let k = i + 1; k < list.length; k++) {
        const b = at(list, k);
        if (b.from >= a.to) break;
        if ((a.write || b.write) && (a.fold !== b.fold || a.from !== b.from)) return false;
      }
    }
  }
  return true;
}
