/**
 * The dispatch order of one step. Computations stay where the linearizer put them. A move joins an earlier dispatch of
 * moves between the same buffers if neither that dispatch nor anything since touches the move's memory. So
 * DataParallel's 24 messages of gradients are a few dispatches, not 24, and every element still sees the same additions
 * in the same order.
 */
import { at } from '../../base/invariant';
import type { CopiesAfter, CopySpec } from './copies';
import type { DispatchSpec } from './dispatch';
import { type JoinCode, PUT } from './join-code';
import type { MemoryLayout } from './memory-layout';
import { planTransfers, type TransferMove } from './plan-transfer';

/** A stretch of a buffer, in words. */
export interface Access {
  readonly buffer: number;
  readonly from: number;
  readonly to: number;
  readonly write: boolean;
}

interface Slot {
  readonly dispatches: readonly DispatchSpec[];
  /** Copies after the dispatches. */
  readonly copies: readonly CopySpec[];
  readonly moves: TransferMove[];
  readonly join: JoinCode;
  readonly accesses: Access[];
}

export class DispatchSchedule {
  private readonly slots: Slot[] = [];
  private readonly arrivals: { readonly tag: string; readonly slot: Slot }[] = [];

  /** `copies` run after the dispatches; `accesses` are those of both. */
  compute(dispatches: readonly DispatchSpec[], accesses: readonly Access[], copies: readonly CopySpec[] = []): void {
    this.slots.push({ dispatches, copies, moves: [], join: PUT, accesses: [...accesses] });
  }

  move(move: TransferMove, join: JoinCode, tag?: string): void {
    const accesses: readonly Access[] = [
      { buffer: move.source, from: move.from, to: move.from + move.length, write: false },
      { buffer: move.target, from: move.to, to: move.to + move.length, write: true },
    ];
    let home: Slot | undefined;
    for (let i = this.slots.length - 1; i >= 0; i--) {
      const slot = at(this.slots, i);
      if (slot.accesses.some((a) => accesses.some((b) => conflict(a, b)))) break;
      const first = slot.moves[0];
      if (first && slot.join === join && first.source === move.source && first.target === move.target) home = slot;
    }
    if (!home) {
      home = { dispatches: [], copies: [], moves: [], join, accesses: [] };
      this.slots.push(home);
    }
    home.moves.push(move);
    home.accesses.push(...accesses);
    if (tag !== undefined) this.arrivals.push({ tag, slot: home });
  }

  /** `arrived`: the number of dispatches after which the transfer with that tag is complete. */
  finish(layout: MemoryLayout): {
    readonly dispatches: readonly DispatchSpec[];
    readonly copies: readonly CopiesAfter[];
    readonly arrived: ReadonlyMap<string, number>;
  } {
    const dispatches: DispatchSpec[] = [];
    const copies: CopiesAfter[] = [];
    const ends = new Map<Slot, number>();
    for (const slot of this.slots) {
      dispatches.push(...slot.dispatches, ...planTransfers(slot.moves, slot.join, layout));
      if (slot.copies.length > 0) copies.push({ dispatches: dispatches.length, copies: slot.copies });
      ends.set(slot, dispatches.length);
    }
    return { dispatches, copies, arrived: new Map(this.arrivals.map(({ tag, slot }) => [tag, ends.get(slot) ?? 0])) };
  }
}

const conflict = (a: Access, b: Access): boolean =>
  (a.write || b.write) && a.buffer === b.buffer && a.from < b.to && b.from < a.to;
