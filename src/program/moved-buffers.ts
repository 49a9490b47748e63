/**
 * Finds the steps of a Program that only move data, and groups them: steps belong together if they share a buffer that
 * only they touch (a bucket, a unit's gathered shards), or are the rounds of one collective, before which copies may
 * fill its buffers. Used only by fold-movements.
 */
import { at, must } from '../base/invariant';
import type { OpMove, OpTable } from '../graph/op';
import type { DeviceIndex } from '../protocol/trace';
import { collectiveKey } from './collective-key';
import type { BufferSpec } from './instruction';
import { accessedBuffers } from './instruction-access';
import { instructionsOf, type LinearStep } from './linearize';
import { type BufferPlace, keyOf } from './symbolic-memory';

/** `source` undefined: the target gets contents that a fold cannot express, such as zeros. */
export interface Movement {
  readonly source: BufferPlace | undefined;
  readonly target: BufferPlace;
  readonly length: number;
  readonly add: boolean;
  readonly scale: number;
}

export type Specs = ReadonlyMap<string, BufferSpec>;

export interface MovedGroup {
  /** Positions of steps that are folded together, ascending. */
  readonly members: readonly number[];
  /**
   * Positions, ascending and before all members, of the copies that fill the buffers of a collective. They are folded
   * with its rounds if possible.
   */
  readonly copies: readonly number[];
}

interface Moved {
  readonly groups: readonly MovedGroup[];
  /** Names of the buffers that only movements touch, on all devices. */
  readonly hidden: ReadonlySet<string>;
}

export function movedBuffers(steps: readonly LinearStep[], specs: Specs, ops: OpTable): Moved {
  const persists = (device: DeviceIndex, buffer: string): boolean =>
    specs.get(keyOf({ device, buffer }))?.persistent === true;
  const visible = new Set<string>();
  const touched = steps.map((step) => {
    const names = new Set(
      instructionsOf(step).flatMap(({ device, instruction }) =>
        accessedBuffers(instruction).filter((name) => !persists(device, name)),
      ),
    );
    const moves = movementsOf(step, specs, ops);
    if (!moves) for (const name of names) visible.add(name);
    return { names, moves };
  });
  const hidden = new Set<string>();
  const joined = new Joined();
  const members: (readonly [position: number, name: string])[] = [];
  const collectives = new Map<number, string>();
  touched.forEach(({ names, moves }, i) => {
    if (!moves) return;
    const own = [...names].filter((name) => !visible.has(name));
    for (const name of own) hidden.add(name);
    const collective = own.length === 0 ? collectiveOf(at(steps, i)) : undefined;
    if (collective !== undefined) collectives.set(i, collective);
    const [first, ...others] = collective === undefined ? own : [collective];
    if (first === undefined) return;
    for (const other of others) joined.join(first, other);
    members.push([i, first]);
  });
  const groups = new Map<string, { members: number[]; copies: number[] }>();
  for (const [position, name] of members) {
    const key = joined.of(name);
    const group = groups.get(key) ?? { members: [], copies: [] };
    groups.set(key, group);
    group.members.push(position);
  }
  for (const [position, round] of copiesBefore(steps, collectives, (i) => at(touched, i).moves)) {
    const group = groups.get(joined.of(must(collectives.get(round), 'collective')));
    if (group && position < at(group.members, 0)) group.copies.unshift(position);
  }
  return { groups: [...groups.values()], hidden };
}

/**
 * Pairs [position of a copy, position of a round]: nothing touches what the copy writes before that round of a
 * collective does. The last pair comes first.
 */
function copiesBefore(
  steps: readonly LinearStep[],
  collectives: ReadonlyMap<number, string>,
  movesOf: (position: number) => readonly Movement[] | undefined,
): readonly (readonly [copy: number, round: number])[] {
  const pairs: (readonly [number, number])[] = [];
  /** The first position, from here on, at which a buffer is touched. */
  const next = new Map<string, number>();
  for (let i = steps.length - 1; i >= 0; i--) {
    const step = at(steps, i);
    if (step.kind === 'compute' && !collectives.has(i)) {
      const rounds = new Set((movesOf(i) ?? []).map(({ target }) => next.get(keyOf(target))));
      const [round, ...others] = rounds;
      if (round !== undefined && others.length === 0 && collectives.has(round)) pairs.push([i, round]);
    }
    for (const { device, instruction } of instructionsOf(step))
      for (const buffer of accessedBuffers(instruction)) next.set(keyOf({ device, buffer }), i);
  }
  return pairs;
}

/** Union-find of names that a step has joined, directly or through others. */
class Joined {
  private readonly parents = new Map<string, string>();

  of(name: string): string {
    let found = name;
    for (let next = this.parents.get(found); next !== undefined; next = this.parents.get(found)) found = next;
    return found;
  }

  join(a: string, b: string): void {
    const [one, other] = [this.of(a), this.of(b)];
    if (one !== other) this.parents.set(other, one);
  }
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

/** The movements of a step; undefined if it does anything else. */
export function movementsOf(step: LinearStep, specs: Specs, ops: OpTable): readonly Movement[] | undefined {
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
    const types = { inputs: inputs.map(type), outputs: outputs.map(type), attrs };
    const op = ops.get(instruction.op);
    const filled = op?.fills?.(types);
    const moved = op?.moves?.(types);
    if (!filled && !moved) return undefined;
    const targetOf = ({ operand, offset }: OpMove['to']) => ({ device, buffer: at(outputs, operand), offset });
    for (const { to, length } of filled ?? [])
      movements.push({ source: undefined, target: targetOf(to), length, add: false, scale: 1 });
    for (const { from, to, length, scale } of moved ?? []) {
      const source = { device, buffer: at(inputs, from.operand), offset: from.offset };
      movements.push({ source, target: targetOf(to), length, add: false, scale });
    }
  }
  return movements;
}
