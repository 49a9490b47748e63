/**
 * Writes frames as an animated PNG, which every browser and GitHub's READMEs show. For each frame it stores only the
 * rectangle that changed, and in this rectangle only the pixels that changed; fast-png compresses them. Called by
 * picture.mjs.
 *
 * The format is a PNG with the chunks acTL (number of frames), fcTL (one before each frame) and fdAT (IDAT of later
 * frames): https://www.w3.org/TR/png-3/#apng-frame-based-animation.
 */
import { crc32 } from 'node:zlib';
import { decode, encode } from 'fast-png';

/** @typedef {{png: Uint8Array, ms: number}} Frame a screenshot, and how long it is shown */
/** @typedef {{x: number, y: number, width: number, height: number}} Rect */

const CHANNELS = 4;
/** Blend mode "over": a pixel of alpha 0 keeps the pixel of the frame before. */
const BLEND_OVER = 1;
const BLEND_SOURCE = 0;

/** @param {readonly Frame[]} frames all of one size @returns {Uint8Array} */
export function animatedPng(frames) {
  const images = frames.map(({ png }) => rgba(png));
  const [first] = images;
  if (!first) throw new Error('An animation needs a frame.');
  const { width, height } = first;
  const whole = { x: 0, y: 0, width, height };
  const [signature, ihdr, ...rest] = parts(encode({ ...first, channels: CHANNELS, depth: 8 }));
  let sequence = 0;
  const control = (/** @type {Rect} */ rect, /** @type {number} */ ms, /** @type {number} */ blend) => {
    const data = new DataView(new ArrayBuffer(26));
    const numbers = [sequence++, rect.width, rect.height, rect.x, rect.y];
    numbers.forEach((number, i) => void data.setUint32(4 * i, number));
    data.setUint16(20, ms);
    data.setUint16(22, 1000);
    data.setUint8(25, blend);
    return chunk('fcTL', new Uint8Array(data.buffer));
  };
  const counts = new DataView(new ArrayBuffer(8));
  counts.setUint32(0, frames.length);
  const out = [signature, ihdr, chunk('acTL', new Uint8Array(counts.buffer))];
  out.push(control(whole, frames[0]?.ms ?? 0, BLEND_SOURCE), ...rest.filter((part) => nameOf(part) === 'IDAT'));
  for (let i = 1; i < images.length; i += 1) {
    const [before, after] = [images[i - 1], images[i]];
    if (!before || !after) continue;
    const changed = changes(before.data, after.data, width, height);
    out.push(control(changed.rect, frames[i]?.ms ?? 0, BLEND_OVER));
    const encoded = encode({ ...changed.rect, data: changed.data, channels: CHANNELS, depth: 8 });
    for (const part of parts(encoded).filter((one) => nameOf(one) === 'IDAT')) {
      const data = new Uint8Array(part.length - 8);
      new DataView(data.buffer).setUint32(0, sequence++);
      data.set(part.subarray(8, -4), 4);
      out.push(chunk('fdAT', data));
    }
  }
  return Buffer.concat([...out.flatMap((part) => (part ? [part] : [])), chunk('IEND', new Uint8Array())]);
}

/** @param {Uint8Array} png */
function rgba(png) {
  const { width, height, data, channels } = decode(png);
  if (channels === CHANNELS) return { width, height, data: Uint8Array.from(data) };
  const out = new Uint8Array(width * height * CHANNELS).fill(255);
  for (let i = 0; i < width * height; i += 1)
    for (let c = 0; c < channels; c += 1) out[i * CHANNELS + c] = data[i * channels + c] ?? 0;
  return { width, height, data: out };
}

/**
 * The rectangle in which two images differ, with alpha 0 for pixels that are equal. At least one pixel.
 *
 * @param {Uint8Array} before
 * @param {Uint8Array} after
 * @param {number} width
 * @param {number} height
 */
function changes(before, after, width, height) {
  const a = new Uint32Array(before.buffer, before.byteOffset, width * height);
  const b = new Uint32Array(after.buffer, after.byteOffset, width * height);
  let [left, top, right, bottom] = [width, height, 0, 0];
  for (let i = 0; i < a.length; i += 1) {
    if (a[i] === b[i]) continue;
    const [x, y] = [i % width, Math.floor(i / width)];
    [left, top] = [Math.min(left, x), Math.min(top, y)];
    [right, bottom] = [Math.max(right, x + 1), Math.max(bottom, y + 1)];
  }
  if (right === 0) [left, top, right, bottom] = [0, 0, 1, 1];
  const rect = { x: left, y: top, width: right - left, height: bottom - top };
  const data = new Uint32Array(rect.width * rect.height);
  for (let y = 0; y < rect.height; y += 1)
    for (let x = 0; x < rect.width; x += 1) {
      const from = (top + y) * width + left + x;
      if (a[from] !== b[from]) data[y * rect.width + x] = b[from] ?? 0;
    }
  return { rect, data: new Uint8Array(data.buffer) };
}

/** A PNG's signature and its chunks. @param {Uint8Array} png */
function parts(png) {
  const found = [png.subarray(0, 8)];
  const view = new DataView(png.buffer, png.byteOffset, png.byteLength);
  for (let at = 8; at < png.length; ) {
    const end = at + 12 + view.getUint32(at);
    found.push(png.subarray(at, end));
    at = end;
  }
  return found;
}

/** @param {Uint8Array} part */
const nameOf = (part) => String.fromCharCode(...part.subarray(4, 8));

/** @param {string} name @param {Uint8Array} data */
function chunk(name, data) {
  const out = new Uint8Array(data.length + 12);
  const view = new DataView(out.buffer);
  view.setUint32(0, data.length);
  out.set(new TextEncoder().encode(name), 4);
  out.set(data, 8);
  view.setUint32(data.length + 8, crc32(out.subarray(4, data.length + 8)));
  return out;
}
