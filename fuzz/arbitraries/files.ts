/**
 * Files of every kind that Lockstep reads, undamaged and damaged: truncated, with bytes changed, repeated or inserted,
 * or with numbers of their headers replaced.
 */

import fc from 'fast-check';
import { encode } from 'fast-png';
import { gzipSync, zipSync } from 'fflate';
import { writeNpy } from '../../src/data/readers/npy';
import { writeSafetensors } from '../../src/interop/safetensors';
import { ODD_NAMES } from './odd';

type Bytes = Uint8Array<ArrayBuffer>;
const bytesOf = (text: string): Bytes => new TextEncoder().encode(text);

function idx(shape: readonly number[]): Bytes {
  const start = 4 + 4 * shape.length;
  const bytes = new Uint8Array(start + shape.reduce((n, d) => n * d, 1));
  bytes.set([0, 0, 8, shape.length]);
  for (const [i, size] of shape.entries()) new DataView(bytes.buffer).setUint32(4 + 4 * i, size);
  for (let i = start; i < bytes.length; i++) bytes[i] = i % 3;
  return bytes;
}

const png = (channels: 1 | 3 | 4): Bytes =>
  Uint8Array.from(
    encode({ width: 4, height: 4, channels, depth: 8, data: Uint8Array.from({ length: 16 * channels }, (_, i) => i) }),
  );

const rows = Array.from({ length: 8 }, (_, i) => `${i},${i * i},${i % 2}`).join('\n');
/** Undamaged files by the names that a configuration gives them. */
export const WHOLE: Readonly<Record<string, () => Bytes>> = {
  'a.csv': () => bytesOf(`x,y,class\n${rows}\n`),
  'quoted.csv': () => bytesOf('"a;b";"c ""d"""\n1;2\n3;4\n5;6\n'),
  'x.npy': () =>
    writeNpy(
      Float32Array.from({ length: 16 }, (_, i) => i / 3),
      [8, 2],
    ),
  'y.npy': () =>
    writeNpy(
      Int32Array.from({ length: 8 }, (_, i) => i % 2),
      [8],
    ),
  'images.idx3-ubyte': () => idx([6, 9, 9]),
  'labels.idx1-ubyte': () => idx([6]),
  'images.gz': () => Uint8Array.from(gzipSync(idx([6, 9, 9]))),
  'set.zip': () => Uint8Array.from(zipSync({ 'a/1.png': png(1), 'a/2.png': png(3), 'b/3.png': png(4) })),
  'a/1.png': () => png(1),
  'b/2.png': () => png(4),
  'note.txt': () => bytesOf('to be or not to be, that is the question\n'.repeat(3)),
  'w.safetensors': () =>
    writeSafetensors([
      { name: '0.weight', shape: [4, 2], data: new Float32Array(8).fill(0.5) },
      { name: '0.bias', shape: [4], data: new Float32Array(4) },
    ]),
};

/** Values that JSON can represent, so that a failed case can be kept. */
export interface Damage {
  readonly how: 'set' | 'cut' | 'insert' | 'double' | 'number' | 'word';
  /** The place, in thousandths of the file. */
  readonly at: number;
  readonly value: number;
}
export interface DamagedFile {
  readonly name: string;
  readonly damages: readonly Damage[];
}

const EXTREMES = [0, 1, 2, 0x7fffffff, 0x80000000, 0xffffffff, 0x10000, 255];

export function damaged({ name, damages }: DamagedFile, whole = WHOLE): Bytes {
  const bytes = (whole[name] ?? (() => new Uint8Array()))();
  return damages.reduce((now, { how, at, value }) => {
    // Headers, in which damage has the largest effect, are at the beginning.
    const place = Math.min(now.length, Math.floor((at / 1000) ** 2 * now.length));
    if (how === 'cut') return now.slice(0, place);
    const copy = Uint8Array.from(now);
    if (how === 'set') {
      copy[place] = value & 255;
      return copy;
    }
    if (how === 'number') {
      const view = new DataView(copy.buffer);
      if (place + 4 <= copy.length) view.setUint32(place, EXTREMES[value % EXTREMES.length] ?? 0, value % 2 === 0);
      return copy;
    }
    const word = how === 'word' ? bytesOf(ODD_NAMES[value % ODD_NAMES.length] ?? '') : Uint8Array.of(value & 255);
    const put = how === 'double' ? copy.slice(place, place + (value % 64)) : word;
    const out = new Uint8Array(copy.length + put.length);
    out.set(copy.subarray(0, place));
    out.set(put, place);
    out.set(copy.subarray(place), place + put.length);
    return out;
  }, bytes);
}

const damage: fc.Arbitrary<Damage> = fc.record({
  how: fc.constantFrom('set', 'cut', 'insert', 'double', 'number', 'word'),
  at: fc.nat(1000),
  value: fc.nat(255),
});
/** One of the files, damaged up to five times. */
export const anyFileOf = (names: readonly string[]): fc.Arbitrary<DamagedFile> =>
  fc.record({ name: fc.constantFrom(...names), damages: fc.array(damage, { maxLength: 5 }) });
export const anyFile = anyFileOf(Object.keys(WHOLE));
