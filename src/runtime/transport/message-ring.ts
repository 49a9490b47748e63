/**
 * A ring of messages in memory that two threads share: one thread writes, the other reads, and neither waits. Two
 * counters say how many words have been written and read; a message counts as written only when it is complete. The
 * first message with a tag spells the tag out, later ones have its number. Part of shared-transport.ts.
 */
import { must } from '../../base/invariant';
import { bitsOf } from '../../tensor/bits';
import type { MessageSpace } from '../executor';

/** Words before the messages: the counters, in cache lines of their own. */
export const RING_HEADER = 32;
const WRITTEN = 0;
const READ = 16;
/** Words before a message: its length in words, its number, the number of its tag, and the length of a new tag. */
const MESSAGE_HEADER = 4;
/** A loop copies this many words faster than `set`, which needs a view. */
const FEW = 32;

export interface NumberedMessage {
  /** The number of the message among all between the two devices, those by port included. */
  readonly order: number;
  readonly tag: string;
  readonly data: Float32Array;
}

export interface Ring {
  /** `bits`: of the elements of the message. False: there is no room for the message. */
  write(order: number, tag: string, bits: Int32Array): boolean;
  /** Removes and returns the next message, if its number is this; copied into `space` if the lengths are equal. */
  read(order: number, space?: MessageSpace): NumberedMessage | undefined;
}

/** After the header, the memory has a power of two of words. */
export function ringOver(memory: Int32Array): Ring {
  const words = memory.subarray(RING_HEADER);
  const size = words.length;
  const numberOf = new Map<string, number>();
  const tags: string[] = [];
  // The counters are 32-bit integers that overflow. Because `size` divides 2 ** 32, places and differences stay right.
  const place = (counter: number): number => counter & (size - 1);
  return {
    write(order, tag, bits) {
      const known = numberOf.get(tag);
      const spelled = known === undefined ? tag.length : 0;
      const length = MESSAGE_HEADER + spelled + bits.length;
      const written = memory[WRITTEN] ?? 0;
      if (length > size - ((written - Atomics.load(memory, READ)) >>> 0)) return false;
      const number = known ?? numberOf.size;
      if (known === undefined) numberOf.set(tag, number);
      let at = place(written);
      const put = (word: number) => {
        words[at] = word;
        at = place(at + 1);
      };
      put(length);
      put(order);
      put(number);
      put(spelled);
      for (let c = 0; c < spelled; c++) put(tag.charCodeAt(c));
      copyIn(words, at, bits);
      Atomics.store(memory, WRITTEN, (written + length) | 0);
      return true;
    },
    read(order, space) {
      const read = memory[READ] ?? 0;
      if (Atomics.load(memory, WRITTEN) === read) return undefined;
      let at = place(read);
      const next = (): number => {
        const word = must(words[at], 'a word');
        at = place(at + 1);
        return word;
      };
      const length = next();
      if (next() !== order) return undefined;
      const number = next();
      const spelled = next();
      if (spelled > 0) tags[number] = String.fromCharCode(...Array.from({ length: spelled }, next));
      const elements = length - MESSAGE_HEADER - spelled;
      const fits = space?.data.length === elements ? space : undefined;
      const data = fits?.data ?? new Float32Array(elements);
      copyOut(words, at, fits?.bits ?? bitsOf(data));
      Atomics.store(memory, READ, (read + length) | 0);
      return { order, tag: must(tags[number], 'the tag'), data };
    },
  };
}

function copyIn(words: Int32Array, at: number, data: Int32Array): void {
  if (data.length <= FEW) {
    for (let i = 0; i < data.length; i++) words[(at + i) & (words.length - 1)] = data[i] as number;
    return;
  }
  const first = Math.min(data.length, words.length - at);
  if (first === data.length) words.set(data, at);
  else {
    words.set(data.subarray(0, first), at);
    words.set(data.subarray(first), 0);
  }
}

function copyOut(words: Int32Array, at: number, data: Int32Array): void {
  if (data.length <= FEW) {
    for (let i = 0; i < data.length; i++) data[i] = words[(at + i) & (words.length - 1)] as number;
    return;
  }
  const first = Math.min(data.length, words.length - at);
  data.set(words.subarray(at, at + first));
  if (first < data.length) data.set(words.subarray(0, data.length - first), first);
}
