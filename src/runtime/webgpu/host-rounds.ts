/**
 * The rounds of a collective on the host, as gloo runs them for GPU tensors: slices that a rank sends or adds to are
 * read back once, messages are exchanged and combined in host memory, and changed slices are written once. The bits
 * equal those of running message by message, as a traced step does. A received message is forwarded without a copy
 * where possible. This file plans which instructions of a queue become one such action; run-host-rounds.ts runs it.
 */

import { at } from '../../base/invariant';
import { collectiveKey } from '../../program/collective-key';
import type { Recv, Send } from '../../program/instruction';
import type { DType } from '../../tensor/shape';

/** A slice in GPU memory, in bytes. */
export interface Home {
  readonly buffer: number;
  readonly offset: number;
  readonly bytes: number;
  readonly dtype: DType;
}

export interface HostTransfer {
  readonly instruction: Send | Recv;
  readonly home: Home;
}

/** Slices of messages that overlap. */
export interface Slot {
  readonly buffer: number;
  readonly from: number;
  readonly to: number;
  readonly dtype: DType;
  /** All slices are the same, so a received message replaces the contents. */
  readonly whole: boolean;
  /** Where its initial contents are read to; absent: nothing needs them. */
  readonly read?: { readonly piece: number; readonly offset: number };
}

export interface HostMessage extends HostTransfer {
  readonly slot: number;
  /** From the start of the slot, bytes. */
  readonly offset: number;
  /** Send: the slot is used again later. */
  readonly keep: boolean;
  /** Recv: the last one of the slot, after which the slot is written. */
  readonly last: boolean;
}

export interface HostRounds {
  readonly messages: readonly HostMessage[];
  readonly slots: readonly Slot[];
  /** Bytes of each piece that is read back, in the order of first use. */
  readonly pieces: readonly number[];
}

/** Data is read back in several pieces, so that the first is sent while the others are read. */
const PIECE_BYTES = 256 * 1024;

/**
 * Runs of consecutive messages of one collective in a queue, if worthwhile: several messages, at least one of them
 * sent. An event that others wait for ends a run, because no other instruction may touch the collective's memory during
 * a run.
 */
export function messageRuns<A extends { readonly message?: HostTransfer | undefined }>(
  actions: readonly A[],
): readonly A[][] {
  const runs: A[][] = [];
  let last: Send | Recv | undefined;
  for (const action of actions) {
    const own = action.message?.instruction;
    const follows =
      own?.collective !== undefined &&
      last?.collective !== undefined &&
      last.signals === undefined &&
      collectiveKey(last.collective) === collectiveKey(own.collective);
    if (own && follows) runs.at(-1)?.push(action);
    else if (own) runs.push([action]);
    last = own;
  }
  return runs.filter((run) => run.length > 1 && run.some(({ message }) => message?.instruction.kind === 'send'));
}

export function planHostRounds(messages: readonly HostTransfer[]): HostRounds {
  const components = overlapping(messages);
  const slots: Slot[] = [];
  const pieces: number[] = [];
  const slotOf = new Map<HostTransfer, number>();
  // In order of first use, which is the order in which they are read.
  for (const message of messages) {
    const own = components.find((component) => component.includes(message));
    if (!own || slotOf.has(message)) continue;
    const slot = slotFor(own);
    for (const each of own) slotOf.set(each, slots.length);
    if (!wantsContents(own)) {
      slots.push(slot);
      continue;
    }
    const open = pieces.at(-1);
    if (open === undefined || open >= PIECE_BYTES) pieces.push(0);
    const piece = pieces.length - 1;
    const offset = at(pieces, piece);
    slots.push({ ...slot, read: { piece, offset } });
    pieces[piece] = offset + slot.to - slot.from;
  }
  const placed = messages.map((message, i): HostMessage => {
    const slot = slotOf.get(message) ?? 0;
    const later = messages.slice(i + 1).filter((other) => slotOf.get(other) === slot);
    const next = later[0]?.instruction;
    return {
      ...message,
      slot,
      offset: message.home.offset - at(slots, slot).from,
      keep: next !== undefined && !isPut(next),
      last: message.instruction.kind === 'recv' && later.every(({ instruction }) => instruction.kind === 'send'),
    };
  });
  return { messages: placed, slots, pieces };
}

const isPut = (instruction: Send | Recv): boolean => instruction.kind === 'recv' && instruction.apply === 'put';
const endOf = ({ home }: HostTransfer): number => home.offset + home.bytes;

/** Groups messages whose slices overlap, directly or through others. Empty messages are alone. */
function overlapping(messages: readonly HostTransfer[]): readonly (readonly HostTransfer[])[] {
  const sorted = [...messages].sort((a, b) => a.home.buffer - b.home.buffer || a.home.offset - b.home.offset);
  const result: HostTransfer[][] = [];
  let end = 0;
  for (const message of sorted) {
    const open = result.at(-1);
    const joins = open !== undefined && at(open, 0).home.buffer === message.home.buffer && message.home.offset < end;
    if (joins) open.push(message);
    else result.push([message]);
    end = joins ? Math.max(end, endOf(message)) : endOf(message);
  }
  return result;
}

function slotFor(own: readonly HostTransfer[]): Slot {
  const { buffer, dtype } = at(own, 0).home;
  const from = Math.min(...own.map(({ home }) => home.offset));
  const to = Math.max(...own.map(endOf));
  const whole = own.every((message) => message.home.offset === from && endOf(message) === to);
  return { buffer, from, to, dtype, whole };
}

/** Whether initial contents are sent or added to: `own` is in the order of the queue or of its places. */
function wantsContents(own: readonly HostTransfer[]): boolean {
  const inOrder = [...own].sort((a, b) => a.instruction.id - b.instruction.id);
  const first = at(inOrder, 0);
  const slot = slotFor(own);
  return !(isPut(first.instruction) && first.home.offset === slot.from && endOf(first) === slot.to);
}
