/**
 * The result's sequential colour scale for shares from 0 to 1: the upper half of the page's diverging scale, by the
 * square root, so that a few per cent differ visibly from none.
 */
import type { Palette } from '../../draw/theme';

const place = (share: number): number => Math.sqrt(Math.min(Math.max(share, 0), 1));

export const shareColour = (palette: Palette, share: number): string => palette.diverging(place(share));

/** Writes the colour as bytes into `target` at pixel `pixel`. */
export function putShare(palette: Palette, share: number, target: Uint8ClampedArray, pixel: number): void {
  const entry = 4 * Math.round(((place(share) + 1) / 2) * 255);
  target.set(palette.divergingRgba.subarray(entry, entry + 4), 4 * pixel);
}

const LIGHT_ABOVE = 0.3;

const linear = (byte: number): number => (byte / 255) ** 2.2;

/** The colour of words on a cell with this share. */
export function textOnShare(palette: Palette, share: number): string {
  const entry = 4 * Math.round(((place(share) + 1) / 2) * 255);
  const [r = 0, g = 0, b = 0] = palette.divergingRgba.subarray(entry, entry + 3);
  const light = 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b) > LIGHT_ABOVE;
  return light === palette.dark ? palette.onAccent : palette.ink;
}
