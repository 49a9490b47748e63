/**
 * The places of a Program's losses after a step, and their copies into a row of the loss ring. Neighbours are one copy.
 */
import { at } from '../../base/invariant';
import type { Program } from '../../program/instruction';
import { programKey } from '../../protocol/step-kind';
import type { DeviceIndex } from '../../protocol/trace';
import type { Loss } from '../executor';
import { WORD_BYTES } from './gpu-words';
import type { Location, MemoryLayout } from './memory-layout';

export interface LossPlan {
  readonly copies: readonly {
    readonly buffer: number;
    readonly offset: number;
    readonly bytes: number;
    readonly to: number;
  }[];
  /** In lane order; `word` counts from the start of the row. */
  readonly values: readonly (Omit<Loss, 'value'> & { readonly word: number })[];
  readonly bytes: number;
}

/** A loss is one float32 (its kernels write no other type), so one word. */
const LOSS_BYTES = WORD_BYTES;

/** Two losses with at most this much padding between them are one copy. */
const MERGE_BYTES = 1024;

export function planLosses(program: Program, devices: readonly DeviceIndex[], layout: MemoryLayout): LossPlan {
  const found = program.lanes
    .filter(({ device }) => devices.includes(device))
    .flatMap(({ device, losses }) =>
      losses.map(({ microBatch, buffer }) => {
        const location = layout.locate(programKey(program.kind), device, buffer);
        return { device, microBatch, location };
      }),
    );
  const sorted = [...found].sort(
    (a, b) => a.location.buffer - b.location.buffer || a.location.offset - b.location.offset,
  );
  const copies: { buffer: number; offset: number; bytes: number; to: number }[] = [];
  const words = new Map<Location, number>();
  let bytes = 0;
  let last: Location | undefined;
  for (const { location } of sorted) {
    const joins = last?.buffer === location.buffer && location.offset - last.offset <= MERGE_BYTES;
    if (joins) {
      const copy = at(copies, copies.length - 1);
      copy.bytes = location.offset + LOSS_BYTES - copy.offset;
      bytes = copy.to + copy.bytes;
    } else {
      copies.push({ buffer: location.buffer, offset: location.offset, bytes: LOSS_BYTES, to: bytes });
      bytes += LOSS_BYTES;
    }
    words.set(location, bytes / LOSS_BYTES - 1);
    last = location;
  }
  return { copies, values: found.map(({ location, ...of }) => ({ ...of, word: words.get(location) ?? 0 })), bytes };
}
