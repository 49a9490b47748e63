/** Paints the strokes and surfaces of an operator's picture, in the colours of the theme. Decides nothing. */
import type { Ink } from '../draw/ink';
import { box, line } from '../draw/shapes';
import type { SceneTone, ShapeScene } from './scene-types';

function colourOf({ palette }: Ink, tone: SceneTone): string {
  if (tone === 'positive') return palette.diverging(0.9);
  if (tone === 'negative') return palette.diverging(-0.9);
  if (tone === 'loss') return palette.phase.loss.edge;
  if (tone === 'data' || tone === 'activation' || tone === 'gradient' || tone === 'parameter')
    return palette.payload[tone];
  return palette[tone];
}

export function paintShape(ink: Ink, shape: ShapeScene): void {
  const { context } = ink;
  context.save();
  if (shape.alpha !== undefined) context.globalAlpha *= shape.alpha;
  if (shape.shape === 'line') {
    const { path, tone, width, dash } = shape;
    line(context, path, { colour: colourOf(ink, tone), width, ...(dash ? { dash } : {}) });
  } else if (shape.shape === 'box') {
    const { rect, fill, stroke, lineWidth, dash, radius = 1 } = shape;
    box(context, rect, {
      radius,
      ...(fill ? { fill: colourOf(ink, fill) } : {}),
      ...(stroke ? { stroke: colourOf(ink, stroke) } : {}),
      ...(lineWidth === undefined ? {} : { lineWidth }),
      ...(dash ? { dash } : {}),
    });
  } else if (shape.shape === 'area') {
    context.fillStyle = colourOf(ink, shape.tone);
    context.beginPath();
    for (const { x, y } of shape.path) context.lineTo(x, y);
    context.closePath();
    context.fill();
  } else {
    context.fillStyle = colourOf(ink, shape.tone);
    context.beginPath();
    for (const { x, y } of shape.points) {
      context.moveTo(x + shape.radius, y);
      context.arc(x, y, shape.radius, 0, 2 * Math.PI);
    }
    context.fill();
  }
  context.restore();
}
