/**
 * Filled figures anywhere in the picture, of any size and turn: circle, square, triangle, cross, star, ring. Bright on
 * dark, 0 to 1, [1, size, size]; classes repeat in this order. Their positions do not depend on their class, so a
 * linear model fails where a convolution does well.
 */
import { at } from '../../../base/invariant';
import type { DataConfig } from '../../../protocol/config';
import { SHAPE_NAMES } from '../../../protocol/config/rule-made';
import type { Generator } from '../../../tensor/generator';
import { addNoise, between } from '../../drawing/noise';
import { cross, disc, type OutlineFigure, regular, ring, star } from '../../drawing/outline';
import { dataFamily, type Rows } from '../../family';
import { checkSize } from '../../limits';

/** Radii that make the figures about equally large. */
const FIGURES: Readonly<Record<(typeof SHAPE_NAMES)[number], readonly [radius: number, figure: OutlineFigure]>> = {
  circle: [0.86, disc],
  square: [1.05, regular(4)],
  triangle: [1.15, regular(3)],
  cross: [1.05, cross(0.3)],
  star: [1.15, star(5, 0.42)],
  ring: [0.95, ring(0.5)],
};

function shapes(generator: Generator, config: Extract<DataConfig, { type: 'shapes' }>): Rows {
  const { samples, size, noise } = config;
  checkSize(config.type, samples, size * size, 'Use fewer samples or smaller images.');
  const inputs = new Float32Array(samples * size * size);
  const values = Int32Array.from({ length: samples }, (_, i) => i % SHAPE_NAMES.length);
  for (const [i, label] of values.entries()) {
    const [radius, figure] = FIGURES[at(SHAPE_NAMES, label)];
    drawFigure(generator, inputs.subarray(i * size * size, (i + 1) * size * size), size, figure, radius);
  }
  addNoise(generator, inputs, noise);
  return {
    kind: 'image',
    inputs,
    inputShape: [1, size, size],
    targets: { kind: 'labels', classes: SHAPE_NAMES.length, values, names: SHAPE_NAMES },
  };
}

function drawFigure(
  generator: Generator,
  image: Float32Array,
  size: number,
  figure: OutlineFigure,
  scale: number,
): void {
  const radius = scale * between(generator, 0.26, 0.4) * size;
  const room = Math.max(0, size / 2 - radius);
  const centreX = size / 2 + between(generator, -room, room);
  const centreY = size / 2 + between(generator, -room, room);
  const turn = between(generator, 0, 2 * Math.PI);
  const brightness = between(generator, 0.6, 1);
  const [cos, sin] = [Math.cos(turn) / radius, Math.sin(turn) / radius];
  const reach = (radius + 0.5) ** 2;
  for (let row = 0; row < size; row++) {
    for (let column = 0; column < size; column++) {
      const x = column + 0.5 - centreX;
      const y = row + 0.5 - centreY;
      if (x * x + y * y > reach) continue;
      const outside = radius * figure(cos * x + sin * y, cos * y - sin * x);
      image[row * size + column] = brightness * Math.min(1, Math.max(0, 0.5 - outside));
    }
  }
}

export const family = dataFamily({
  type: 'shapes',
  rows: ({ config, generator }) => shapes(generator, config),
});
