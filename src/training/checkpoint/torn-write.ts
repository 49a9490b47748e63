/**
 * Simulates several ranks that save to one path at the same time, and the cure. Pure: no file is written. Each rank
 * opens the path (which truncates the file), then writes its bytes block by block; the seed decides the order, like a
 * machine's scheduler. Called by the museum of mistakes.
 */
import { at } from '../../base/invariant';
import { Generator } from '../../tensor/generator';

export interface TornWrite {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Rank that wrote each byte last; -1: a hole that no rank has filled, which reads as zeros. */
  readonly writer: Int8Array<ArrayBuffer>;
  /** Calls in the order in which they happened. */
  readonly calls: readonly WriteCall[];
  /** Stretches of bytes with one writer, in order. */
  readonly stretches: readonly { readonly from: number; readonly to: number; readonly rank: number }[];
  /** Whether the file is no single rank's: it has bytes of several ranks, or a hole. */
  readonly torn: boolean;
}

export type WriteCall =
  | { readonly rank: number; readonly call: 'open' }
  | { readonly rank: number; readonly call: 'write'; readonly from: number; readonly to: number };

/** `files`: the bytes that each rank saves. `blockBytes`: bytes per write. */
export function tornWrite(files: readonly Uint8Array[], blockBytes: number, seed: number): TornWrite {
  const generator = new Generator(seed);
  const size = Math.max(0, ...files.map((file) => file.length));
  const bytes = new Uint8Array(size);
  const writer = new Int8Array(size).fill(-1);
  /** Each rank's own file offset; undefined: not yet opened. */
  const place: (number | undefined)[] = files.map(() => undefined);
  const calls: WriteCall[] = [];
  let length = 0;
  for (;;) {
    const active = files.flatMap((file, rank) => ((place[rank] ?? -1) < file.length ? [rank] : []));
    if (active.length === 0) break;
    const rank = at(active, generator.random() % active.length);
    const from = place[rank];
    if (from === undefined) {
      // O_TRUNC: the bytes that others have written are gone, but they continue at their own offsets.
      bytes.fill(0);
      writer.fill(-1);
      length = 0;
      place[rank] = 0;
      calls.push({ rank, call: 'open' });
      continue;
    }
    const block = at(files, rank).subarray(from, from + blockBytes);
    const to = from + block.length;
    bytes.set(block, from);
    writer.fill(rank, from, to);
    length = Math.max(length, to);
    place[rank] = to;
    calls.push({ rank, call: 'write', from, to });
  }
  const written = writer.slice(0, length);
  const stretches = stretchesOf(written);
  const torn = !files.some((file) => sameBytes(file, bytes.subarray(0, length)));
  return { bytes: bytes.slice(0, length), writer: written, calls, stretches, torn };
}

/**
 * The cure: only rank 0 writes, to a temporary name, and then renames; the others wait in a barrier. With any seed, the
 * path holds the old file or the new one.
 */
export const writtenByRank0 = (files: readonly Uint8Array[], blockBytes: number, seed: number): TornWrite =>
  tornWrite(files.slice(0, 1), blockBytes, seed);

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}

function stretchesOf(writer: Int8Array): TornWrite['stretches'] {
  const stretches: { from: number; to: number; rank: number }[] = [];
  for (const [i, rank] of writer.entries()) {
    const last = stretches.at(-1);
    if (last?.rank === rank) last.to = i + 1;
    else stretches.push({ from: i, to: i + 1, rank });
  }
  return stretches;
}
