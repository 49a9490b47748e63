/**
 * The stage before the code that draws a traced step is loaded: rooms with their names and the shapes of their layers.
 * The rooms are at their final places, as far as these are known before the step's transfers are. Called by
 * stage-place.tsx.
 */

import type { Brush } from '../draw/brush';
import { grow, type Size } from '../draw/geometry';
import { box } from '../draw/shapes';
import { placeDevices } from './devices';
import type { RunShape } from './expected-run';
import { layoutLayers } from './layer-layout';
import { layoutStage } from './layout';
import { paintCard, paintHead } from './paint-card';
import { frameRoom } from './room-layout';
import { largestRoom } from './room-size';
import { stackOf } from './stack-of';

export function firstPicture(brush: Brush, info: RunShape, size: Size): void {
  if (size.width <= 0) return;
  const { palette, context } = brush;
  const stack = stackOf(info.config);
  const largest = largestRoom(info.worldSize);
  const { rooms } = layoutStage({ ...size, devices: info.worldSize, largest, links: [], stack });
  for (const { device, layers, title, subtitles } of placeDevices(info, undefined)) {
    const rect = rooms[device];
    if (!rect) continue;
    const frame = frameRoom(rect);
    paintCard(brush, rect, { fill: palette.card, stroke: palette.line });
    paintHead(brush, { device, rect, frame, title, subtitles });
    const specs = layers.map(({ weight, bias }) => ({ weight: weight.shape, bias: bias !== undefined }));
    for (const { weight, bias } of layoutLayers(specs, frame.body) ?? [])
      for (const at of bias ? [weight, bias] : [weight])
        box(context, grow(at, 0.5), { stroke: palette.hair, fill: palette.track, radius: 1 });
  }
}
