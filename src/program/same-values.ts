/**
 * Finds the computations that several devices of one memory space do with the same values, such as the optimiser's step
 * on the replicas of DDP. It follows the contents of all buffers through the steps of a Program. Contents are numbered,
 * so that equal numbers mean equal bits; what differs between devices, or may differ, has different numbers. An
 * executor may run such a computation on one device and copy the results to the others.
 */
import { at, must } from '../base/invariant';
import type { OpTable } from '../graph/op';
import { elements } from '../tensor/shape';
import type { Fold, FoldStep } from './fold-movements';
import type { BufferSpec, Compute, Load, Program } from './instruction';
import type { LinearStep } from './linearize';
import { type Movement, movementsOf, type Specs } from './moved-buffers';
import type { Placed } from './ready-heads';
import { type BufferPlace, keyOf } from './symbolic-memory';

/** Computations with the same results. */
export interface Repeated {
  readonly first: Placed<Compute>;
  readonly others: readonly Placed<Compute>[];
}

/** By keyOf: persistent buffers with the same number hold the same bits. */
export type SameContents = ReadonlyMap<string, number>;

export interface SameValues {
  /** By the position of a step: its computations, those with the same results together. */
  readonly repeated: ReadonlyMap<number, readonly Repeated[]>;
  /** The contents after the Program. */
  readonly after: SameContents;
}

export interface SameValuesOptions {
  /** The contents before the Program. */
  readonly before: SameContents;
  /** Whether the host gives all devices the same scalars in this step. */
  readonly sameScalars: boolean;
}

export function sameValues(
  program: Program,
  steps: readonly (LinearStep | FoldStep)[],
  ops: OpTable,
  options: SameValuesOptions,
): SameValues {
  const specs: Specs = new Map(
    program.lanes.flatMap(({ device, buffers }) => buffers.map((spec) => [keyOf({ device, buffer: spec.name }), spec])),
  );
  const values = new NumberedValues(specs, options.before);
  const repeated = new Map<number, readonly Repeated[]>();
  steps.forEach((step, position) => {
    if (step.kind === 'load') {
      for (const { device, instruction } of step.items)
        values.put({ device, buffer: instruction.buffer, offset: 0 }, undefined, nameOfLoad(instruction, options));
    } else if (step.kind === 'fold') {
      values.foldAll(step.items);
    } else {
      const movements = movementsOf(step, specs, ops);
      if (movements) values.moveAll(movements);
      else if (step.kind === 'compute') repeated.set(position, values.computeAll(step.items));
      else
        for (const { recv } of step.items)
          values.put({ device: recv.device, ...recv.instruction.slice }, recv.instruction.slice.length, undefined);
    }
  });
  return { repeated, after: values.contents(options.before) };
}

/** What makes equal loads equal; undefined: it may differ between devices. */
function nameOfLoad(load: Load, { sameScalars }: SameValuesOptions): string | undefined {
  const { source, start, count, dataIndex, microBatch = 0 } = load;
  if (source === 'scalars') return sameScalars ? `scalars ${start} ${count}` : undefined;
  return source === 'inputs' || source === 'targets'
    ? `${source} ${dataIndex} ${start} ${count} ${microBatch}`
    : undefined;
}

/** Elements [from, to) hold the elements of a value from `first` on. */
interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly value: number;
  readonly first: number;
}

const textOf = (parts: readonly Stretch[]): string =>
  parts.map(({ from, to, value, first }) => `${value}+${first}:${to - from}`).join(' ');

class NumberedValues {
  private readonly held = new Map<string, readonly Stretch[]>();
  private readonly numbers = new Map<string, number>();
  private next = 0;

  constructor(
    private readonly specs: Specs,
    before: SameContents,
  ) {
    for (const [key, number] of before) {
      const spec = specs.get(key);
      if (!spec) continue;
      this.held.set(key, [{ from: 0, to: elements(spec.shape), value: this.number(`before ${number}`), first: 0 }]);
    }
  }

  /** The number of a value with this name; without a name, a number that no other value has. */
  number(name?: string): number {
    if (name === undefined) return this.next++;
    const known = this.numbers.get(name) ?? this.next++;
    this.numbers.set(name, known);
    return known;
  }

  /** A text for the elements: equal texts mean equal bits. */
  read(place: BufferPlace, length: number): string {
    return textOf(this.partsOf(keyOf(place), place.offset, length));
  }

  /** Puts a value into `length` elements, or into the whole buffer. */
  put(place: BufferPlace, length: number | undefined, value: number | string | undefined): void {
    const number = typeof value === 'number' ? value : this.number(value);
    const to = length ?? elements(this.spec(keyOf(place)).shape);
    this.putParts(place, to, [{ from: 0, to, value: number, first: 0 }]);
  }

  moveAll(movements: readonly Movement[]): void {
    const moved = movements.map(({ source, target, length, add, scale }): readonly Stretch[] => {
      if (source && !add && scale === 1) return this.partsOf(keyOf(source), source.offset, length);
      const own = add ? this.read(target, length) : '';
      const name = source && `${add ? 'add' : 'scale'} ${scale} ${own} ${this.read(source, length)}`;
      return [{ from: 0, to: length, value: this.number(name), first: 0 }];
    });
    movements.forEach(({ target, length }, k) => {
      this.putParts(target, length, at(moved, k));
    });
  }

  foldAll(folds: readonly Fold[]): void {
    const sums = folds.map(({ terms, length, joins, scale, after }): readonly Stretch[] => {
      const [term, ...others] = terms;
      // A plain copy holds what its source holds.
      if (term && others.length === 0 && scale === 1 && after === 1)
        return this.partsOf(keyOf(term), term.offset, length);
      const name = `fold ${scale} ${after} ${joins?.join() ?? ''} ${terms.map((place) => this.read(place, length))}`;
      return [{ from: 0, to: length, value: this.number(name), first: 0 }];
    });
    folds.forEach(({ targets, length }, k) => {
      for (const target of targets) this.putParts(target, length, at(sums, k));
    });
  }

  /** Puts computations with the same results together. */
  computeAll(items: readonly Placed<Compute>[]): readonly Repeated[] {
    const groups = new Map<string, { first: Placed<Compute>; others: Placed<Compute>[] }>();
    for (const item of items) {
      const name = this.nameOf(item);
      const group = groups.get(name);
      if (group) group.others.push(item);
      else groups.set(name, { first: item, others: [] });
    }
    for (const [name, { first, others }] of groups) {
      for (const { device, instruction } of [first, ...others])
        instruction.outputs.forEach((buffer, k) => {
          this.put({ device, buffer, offset: 0 }, undefined, `${name} -> ${k}`);
        });
    }
    return [...groups.values()];
  }

  private nameOf({ device, instruction }: Placed<Compute>): string {
    const { op, attrs, inputs, outputs } = instruction;
    // An operator may write a part of an output only, so what the output held before belongs to the name.
    const older = outputs.filter((buffer) => this.held.has(keyOf({ device, buffer })));
    const values = [...inputs, ...older].map((buffer) => {
      const { shape } = this.spec(keyOf({ device, buffer }));
      return `${shape} ${this.read({ device, buffer, offset: 0 }, elements(shape))}`;
    });
    const shapes = outputs.map((buffer) => this.spec(keyOf({ device, buffer })).shape.join('x'));
    return `${this.number(`${op} ${JSON.stringify(attrs)} ${shapes.join()} | ${values.join(' | ')}`)}`;
  }

  contents(before: SameContents): SameContents {
    const known = new Map<string, number>();
    return new Map(
      [...before].map(([key, number]) => {
        const spec = this.specs.get(key);
        const value = spec ? textOf(this.partsOf(key, 0, elements(spec.shape))) : `untouched ${number}`;
        const found = known.get(value) ?? known.size;
        known.set(value, found);
        return [key, found];
      }),
    );
  }

  /** What the elements hold, counted from `start`; elements that nothing has written are a value of their own. */
  private partsOf(key: string, start: number, length: number): readonly Stretch[] {
    const end = start + length;
    const parts: Stretch[] = [];
    for (const s of this.held.get(key) ?? []) {
      if (s.to <= start || s.from >= end) continue;
      const from = Math.max(s.from, start);
      const part = { from: from - start, to: Math.min(s.to, end) - start };
      const { value, first } = { value: s.value, first: s.first + from - s.from };
      const last = parts.at(-1);
      if (last && last.value === value && last.to === part.from && last.first + last.to - last.from === first)
        parts[parts.length - 1] = { ...last, to: part.to };
      else parts.push({ ...part, value, first });
    }
    const covered = parts.reduce((sum, { from, to }) => sum + to - from, 0);
    return covered === length ? parts : [{ from: 0, to: length, value: this.number(), first: 0 }];
  }

  private putParts(place: BufferPlace, length: number, parts: readonly Stretch[]): void {
    const key = keyOf(place);
    const [start, end] = [place.offset, place.offset + length];
    const kept = (this.held.get(key) ?? []).flatMap((s) => [
      ...(s.from < start ? [{ ...s, to: Math.min(s.to, start) }] : []),
      ...(s.to > end ? [{ ...s, from: Math.max(s.from, end), first: s.first + Math.max(s.from, end) - s.from }] : []),
    ]);
    const placed = parts.map((s) => ({ ...s, from: s.from + start, to: s.to + start }));
    this.held.set(
      key,
      [...kept, ...placed].sort((a, b) => a.from - b.from),
    );
  }

  private spec(key: string): BufferSpec {
    return must(this.specs.get(key), key);
  }
}
