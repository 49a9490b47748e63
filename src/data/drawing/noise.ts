/**
 * What the drawn images share: a symmetric random number, a random placement, and the noise over the finished pixels.
 */
import type { Generator } from '../../tensor/generator';

/** Uniform from -1 to 1. */
export const spread = (generator: Generator): number => 2 * generator.uniform24() - 1;

/** Uniform from `low` to `high`. */
export const between = (generator: Generator, low: number, high: number): number =>
  low + (high - low) * generator.uniform24();

/** Adds up to `noise` up or down to every pixel and keeps it within 0 and 1. Nothing is drawn without noise. */
export function addNoise(generator: Generator, pixels: Float32Array, noise: number): void {
  if (noise === 0) return;
  for (let i = 0; i < pixels.length; i++) {
    pixels[i] = Math.min(1, Math.max(0, (pixels[i] as number) + noise * spread(generator)));
  }
}
