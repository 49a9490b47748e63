/**
 * Digits that look handwritten: one of the digit's handwritings (`drawing/digit-glyphs.ts`) with jittered points,
 * rotated, slanted, scaled, moved, drawn with a pen of random width and pressure, plus noise. White on black, 0 to 1,
 * [1, size, size]; classes 0 1 2 ... 9 0 1 ... so that a batch in order is balanced. Not MNIST, and torch cannot draw
 * them: the random numbers follow torch's generator, but only Lockstep makes these pictures.
 */
import { at } from '../../../base/invariant';
import type { DataConfig } from '../../../protocol/config';
import { DIGIT_CLASSES } from '../../../protocol/config/rule-made';
import type { Generator } from '../../../tensor/generator';
import { DIGIT_GLYPHS } from '../../drawing/digit-glyphs';
import { addNoise, between, spread } from '../../drawing/noise';
import { drawStroke } from '../../drawing/stroke';
import { dataFamily, type Rows } from '../../family';
import { checkSize } from '../../limits';

/** The jitter, as a fraction of the box. */
const TREMBLE = 0.035;
const SHIFT = 0.09;
/** Radians. */
const TURN = 0.24;

function digits(generator: Generator, config: Extract<DataConfig, { type: 'digits' }>): Rows {
  const { samples, size, noise } = config;
  checkSize(config.type, samples, size * size, 'Use fewer samples or smaller images.');
  const inputs = new Float32Array(samples * size * size);
  const values = Int32Array.from({ length: samples }, (_, i) => i % DIGIT_CLASSES);
  for (const [i, digit] of values.entries())
    drawDigit(generator, inputs.subarray(i * size * size, (i + 1) * size * size), size, digit);
  addNoise(generator, inputs, noise);
  const names = Array.from({ length: DIGIT_CLASSES }, (_, digit) => String(digit));
  return {
    kind: 'image',
    inputs,
    inputShape: [1, size, size],
    targets: { kind: 'labels', classes: DIGIT_CLASSES, values, names },
  };
}

function drawDigit(generator: Generator, image: Float32Array, size: number, digit: number): void {
  const hands = at(DIGIT_GLYPHS, digit);
  const glyph = at(hands, Math.floor(generator.uniform24() * hands.length));
  const turn = TURN * spread(generator);
  const slant = between(generator, -0.15, 0.4);
  const width = between(generator, 0.8, 1.15) * size;
  const height = between(generator, 0.85, 1.1) * size;
  const moveX = SHIFT * spread(generator) * size;
  const moveY = SHIFT * spread(generator) * size;
  const pen = Math.max(0.5, between(generator, 0.03, 0.055) * size);
  const ink = between(generator, 0.75, 1);
  const [cos, sin] = [Math.cos(turn), Math.sin(turn)];
  for (const stroke of glyph) {
    const points = stroke.map(({ x, y, corner }) => {
      const v = y - 0.5 + TREMBLE * spread(generator);
      const u = x - 0.5 + TREMBLE * spread(generator) - slant * v;
      return {
        x: size / 2 + moveX + cos * u * width - sin * v * height,
        y: size / 2 + moveY + sin * u * width + cos * v * height,
        radius: pen * (1 + 0.2 * spread(generator)),
        corner,
      };
    });
    drawStroke(image, size, points);
  }
  for (let i = 0; i < image.length; i++) image[i] = ink * (image[i] as number);
}

export const family = dataFamily({
  type: 'digits',
  rows: ({ config, generator }) => digits(generator, config),
});
