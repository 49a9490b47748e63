/** Helpers for drawn images: a symmetric random number, a random placement, and noise over the finished pixels. */
import type { Generator } from '../../tensor/generator';

/** Uniform from -1 to 1. */
export const spread = (generator: Generator): number => 2 * generator.uniform24() - 1;

/** Uniform from `low` to `high`. */
export const between = (generator: Generator, low: number, high: number): number =>
  low + (high - low) * generator.uniform24();

/** Adds random noise of at most `noise` to every pixel and clamps to 0..1. Without noise it draws nothing. */
export function addNoise(generator: Generator, pixels: Float32Array, noise: number): void {
  if (noise === 0) return;
  for (let i = 0; i < pixels.length; i++) {
    pixels[i] = Math.min(1, Math.max(0, (pixels[i] as number) + noise * spread(generator)));
  }
}
