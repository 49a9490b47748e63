/**
 * An all-reduce within one memory space as one step. Where a buffer of a step is only ever moved (a bucket: packed,
 * passed round a ring, unpacked), or a collective passes persistent buffers round, what arrives in the persistent ones
 * is worked out here as sums of what they held: each element is then read, added in the algorithm's order and written
 * to every replica at once, with the same bits as round by round. Executors run that when nobody looks; a traced step
 * runs the rounds. It leaves alone what has no such form (maxima), or what something else touches meanwhile.
 */

import { at, must } from '../base/invariant';
import type { OpTable } from '../graph/op';
import type { DeviceIndex } from '../protocol/trace';
import { elements } from '../tensor/shape';
import { collectiveKey } from './collective-key';
import type { BufferSpec, Instruction, Program } from './instruction';
import { accessedBuffers, writtenBuffers } from './instruction-access';
import type { LinearStep } from './linearize';
import type { Placed } from './ready-heads';
import { type BufferPlace, fromTheLeft, keyOf, SymbolicMemory } from './symbolic-memory';

/** Elements 0 .. length - 1: the sum of the terms, each times `scale`, goes to every target. */
export interface Fold {
  readonly length: number;
  readonly terms: readonly BufferPlace[];
  /** Where the sum is not taken from the left: see Stretch. */
  readonly joins?: readonly number[];
  readonly scale: number;
  readonly targets: readonly BufferPlace[];
}

export interface FoldStep {
  readonly kind: 'fold';
  /** Independent of each other. */
  readonly items: readonly Fold[];
  /** What it stands for. */
  readonly ran: readonly Placed<Instruction>[];
}

interface Movement {
  readonly source: BufferPlace;
  readonly target: BufferPlace;
  readonly length: number;
  readonly add: boolean;
  readonly scale: number;
}

/** `memoryOf`: which allocation a buffer lies in; the places of a fold lie in one. */
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
  for (const members of movedBuffers(steps, specs, ops).values()) {
    const step = foldOf(members, steps, { specs, ops, memoryOf });
    if (!step) continue;
    for (const member of members) replaced.set(member, undefined);
    replaced.set(members.at(-1) ?? 0, step);
  }
  const result: (LinearStep | FoldStep)[] = [];
  steps.forEach((step, i) => {
    const other = replaced.has(i) ? replaced.get(i) : step;
    const last = result.at(-1);
    const both = other?.kind === 'fold' && last?.kind === 'fold' ? [...last.items, ...other.items] : undefined;
    if (other?.kind === 'fold' && last?.kind === 'fold' && both && independent(both) && inOneMemory(both, memoryOf))
      result[result.length - 1] = { ...last, items: both, ran: [...last.ran, ...other.ran] };
    else if (other) result.push(other);
  });
  return result;
}

/** Every instruction that a step completes. */
export const instructionsOf = (step: LinearStep | FoldStep): readonly Placed<Instruction>[] =>
  step.kind === 'fold'
    ? step.ran
    : step.kind === 'transfer'
      ? step.items.flatMap(({ send, recv }) => [send, recv])
      : step.items;

type Specs = ReadonlyMap<string, BufferSpec>;
export type MemoryOf = (place: Pick<BufferPlace, 'device' | 'buffer'>) => unknown;
interface Context {
  readonly specs: Specs;
  readonly ops: OpTable;
  readonly memoryOf: MemoryOf;
}

const persists = (specs: Specs, device: DeviceIndex, buffer: string): boolean =>
  specs.get(keyOf({ device, buffer }))?.persistent === true;

/**
 * Names of buffers of a step that nothing but movements touch, and collectives that touch persistent buffers alone,
 * with the positions of their steps. One step moves one of them.
 */
function movedBuffers(
  steps: readonly LinearStep[],
  specs: Specs,
  ops: OpTable,
): ReadonlyMap<string, readonly number[]> {
  const found = new Map<string, number[]>();
  const refused = new Set<string>();
  steps.forEach((step, i) => {
    const names = new Set(
      instructionsOf(step).flatMap(({ device, instruction }) =>
        accessedBuffers(instruction).filter((name) => !persists(specs, device, name)),
      ),
    );
    const collective = names.size === 0 ? collectiveOf(step) : undefined;
    const moves = (names.size === 1 || collective !== undefined) && movementsOf(step, specs, ops) !== undefined;
    if (moves && collective !== undefined) found.set(collective, [...(found.get(collective) ?? []), i]);
    for (const name of names) {
      if (moves) found.set(name, [...(found.get(name) ?? []), i]);
      else refused.add(name);
    }
  });
  for (const name of refused) found.delete(name);
  return found;
}

/** The one collective that all transfers of a step belong to. */
function collectiveOf(step: LinearStep): string | undefined {
  if (step.kind !== 'transfer') return undefined;
  const [first, ...others] = new Set(
    step.items.map(({ recv }) => {
      const { collective } = recv.instruction;
      return collective && `collective ${collectiveKey(collective)}`;
    }),
  );
  return others.length > 0 ? undefined : first;
}

/** What a step moves; undefined when it does anything else. */
function movementsOf(step: LinearStep, specs: Specs, ops: OpTable): readonly Movement[] | undefined {
  if (step.kind === 'load') return undefined;
  if (step.kind === 'transfer') {
    if (step.items.some(({ recv }) => !['put', 'add'].includes(recv.instruction.apply))) return undefined;
    return step.items.map(({ send, recv }) => ({
      source: { device: send.device, ...send.instruction.slice },
      target: { device: recv.device, ...recv.instruction.slice },
      length: recv.instruction.slice.length,
      add: recv.instruction.apply === 'add',
      scale: 1,
    }));
  }
  const movements: Movement[] = [];
  for (const { device, instruction } of step.items) {
    const type = (name: string) => must(specs.get(keyOf({ device, buffer: name })), name);
    const { inputs, outputs, attrs } = instruction;
    const moved = ops.get(instruction.op)?.moves?.({ inputs: inputs.map(type), outputs: outputs.map(type), attrs });
    if (!moved) return undefined;
    for (const { from, to, length, scale } of moved) {
      movements.push({
        source: { device, buffer: at(inputs, from.operand), offset: from.offset },
        target: { device, buffer: at(outputs, to.operand), offset: to.offset },
        length,
        add: false,
        scale,
      });
    }
  }
  return movements;
}

/** The members (positions of steps, ascending) as one step in the place of the last. */
function foldOf(
  members: readonly number[],
  steps: readonly LinearStep[],
  { specs, ops, memoryOf }: Context,
): FoldStep | undefined {
  const lengthOf = (device: DeviceIndex, buffer: string): number | undefined => {
    const spec = specs.get(keyOf({ device, buffer }));
    return spec?.persistent && spec.dtype === 'f32' ? elements(spec.shape) : undefined;
  };
  const memory = new SymbolicMemory(lengthOf);
  const written = new Map<string, Pick<BufferPlace, 'device' | 'buffer'>>();
  /** Positions from which on others may not write, or not even read. */
  const firstRead = new Map<string, number>();
  const firstWrite = new Map<string, number>();
  for (const i of members) {
    for (const { source, target, length, add, scale } of movementsOf(at(steps, i), specs, ops) ?? []) {
      if (!memory.move(source, target, length, { add, scale })) return undefined;
      for (const place of add ? [source, target] : [source])
        if (!firstRead.has(keyOf(place))) firstRead.set(keyOf(place), i);
      if (!firstWrite.has(keyOf(target))) firstWrite.set(keyOf(target), i);
      if (lengthOf(target.device, target.buffer) !== undefined) written.set(keyOf(target), target);
    }
  }
  const own = new Set(members);
  const last = at(members, members.length - 1);
  for (let i = at(members, 0); i < last; i++) {
    if (own.has(i)) continue;
    for (const { device, instruction } of instructionsOf(at(steps, i))) {
      const since = (first: ReadonlyMap<string, number>) => (buffer: string) =>
        (first.get(keyOf({ device, buffer })) ?? i) < i;
      if (writtenBuffers(instruction).some(since(firstRead))) return undefined;
      if (accessedBuffers(instruction).some(since(firstWrite))) return undefined;
    }
  }
  const items = foldsInto([...written.values()], memory);
  if (!inOneMemory(items, memoryOf) || !independent(items) || tooLong(items)) return undefined;
  return { kind: 'fold', items, ran: members.flatMap((i) => instructionsOf(at(steps, i))) };
}

/**
 * Sums that are not taken from the left are worked out element by element; long ones are faster in rounds, four at a
 * time.
 */
const LONG = 32_768;
const tooLong = (items: readonly Fold[]): boolean =>
  items.reduce((sum, { joins, length }) => (joins ? sum + length : sum), 0) >= LONG;

/** What the buffers hold in the end and did not hold before; equal sums are one fold. */
function foldsInto(
  buffers: readonly Pick<BufferPlace, 'device' | 'buffer'>[],
  memory: SymbolicMemory,
): readonly Fold[] {
  const folds = new Map<string, Fold & { targets: BufferPlace[] }>();
  for (const { device, buffer } of buffers) {
    for (const { from, to, terms, joins, scale } of memory.stretches(device, buffer)) {
      const target = { device, buffer, offset: from };
      const [term] = terms;
      if (terms.length === 1 && term && scale === 1 && same(term, target)) continue;
      const key = `${to - from} ${scale} ${joins.join('')} ${terms.map((t) => `${keyOf(t)} ${t.offset}`).join()}`;
      const fold = folds.get(key) ?? {
        length: to - from,
        terms,
        ...(fromTheLeft(joins) ? {} : { joins }),
        scale,
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

/** A dispatch binds one allocation. */
const inOneMemory = (folds: readonly Fold[], memoryOf: MemoryOf): boolean =>
  new Set(folds.flatMap(({ terms, targets }) => [...terms, ...targets]).map(memoryOf)).size <= 1;

/**
 * Whether folds may run at once, element by element: what one writes only itself touches, and only at the same element.
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
