import { decode, decodeApng, encode } from 'fast-png';
import { expect, it } from 'vitest';
import { animatedPng } from './apng.mjs';

const [WIDTH, HEIGHT] = [7, 5];
const WHITE = [255, 255, 255, 255];
/** A white picture in which some pixels have other colours. */
const picture = (colours: Readonly<Record<number, readonly number[]>>): Uint8Array =>
  Uint8Array.from(Array.from({ length: WIDTH * HEIGHT }, (_, i) => colours[i] ?? WHITE).flat());
const png = (data: Uint8Array): Uint8Array => encode({ width: WIDTH, height: HEIGHT, data, channels: 4, depth: 8 });

/** The frames as a browser shows them: each frame's pixels over the frame before, except transparent pixels. */
function shown(animation: Uint8Array): Uint8Array[] {
  const view = new DataView(animation.buffer, animation.byteOffset, animation.byteLength);
  const frames: Uint8Array[] = [];
  let rect = { x: 0, y: 0, width: 0, height: 0 };
  for (let at = 8; at < animation.length; ) {
    const length = view.getUint32(at);
    const name = String.fromCharCode(...animation.subarray(at + 4, at + 8));
    const number = (offset: number): number => view.getUint32(at + 8 + offset);
    if (name === 'fcTL') rect = { width: number(4), height: number(8), x: number(12), y: number(16) };
    if (name === 'IDAT' || name === 'fdAT') {
      const data = animation.slice(at + (name === 'IDAT' ? 8 : 12), at + 8 + length);
      frames.push(drawnOver(frames.at(-1), rect, pixelsOf(data, rect)));
    }
    at += 12 + length;
  }
  return frames;
}

function drawnOver(before: Uint8Array | undefined, { x = 0, y = 0, width = 0 }, pixels: Uint8Array): Uint8Array {
  const frame = before?.slice() ?? new Uint8Array(4 * WIDTH * HEIGHT);
  for (let i = 0; i < pixels.length; i += 4) {
    if (pixels[i + 3] === 0) continue;
    const at = (y + Math.floor(i / 4 / width)) * WIDTH + x + ((i / 4) % width);
    frame.set(pixels.subarray(i, i + 4), 4 * at);
  }
  return frame;
}

/** The compressed data of a frame, decoded as a PNG: the PNG of a blank picture, with this data instead. */
function pixelsOf(data: Uint8Array, { width, height }: { readonly width: number; readonly height: number }) {
  const blank = encode({ width, height, data: new Uint8Array(4 * width * height), channels: 4, depth: 8 });
  const head = blank.subarray(0, 33);
  const chunk = new Uint8Array(12 + data.length);
  new DataView(chunk.buffer).setUint32(0, data.length);
  chunk.set(new TextEncoder().encode('IDAT'), 4);
  chunk.set(data, 8);
  return Uint8Array.from(decode(Buffer.concat([head, chunk, blank.subarray(-12)])).data);
}

it('contains each frame unchanged, and its duration', () => {
  const pictures = [
    picture({ 3: [255, 0, 0, 255] }),
    picture({ 9: [0, 0, 255, 255], 24: [1, 2, 3, 255] }),
    // This frame equals the frame before.
    picture({ 9: [0, 0, 255, 255], 24: [1, 2, 3, 255] }),
    picture({}),
  ];
  const animation = animatedPng(pictures.map((data, i) => ({ png: png(data), ms: 100 + i })));
  expect(shown(animation)).toEqual(pictures);
  const { frames, width, height, numberOfFrames } = decodeApng(animation, { checkCrc: true });
  expect([width, height, numberOfFrames]).toEqual([WIDTH, HEIGHT, pictures.length]);
  expect(frames.map(({ delayNumber, delayDenominator }) => delayNumber / delayDenominator)).toEqual([
    0.1, 0.101, 0.102, 0.103,
  ]);
});
