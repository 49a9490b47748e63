/** The frames of tensor groups enclose only their own rooms, do not touch each other, and stay inside the stage. */
import { expect, test } from 'vitest';
import { parseConfig } from '../../config/parse-config';
import { contains } from '../draw/geometry';
import { groupFrames } from './group-frames';
import { layoutStage } from './layout';
import { stackOf } from './stack-of';

const stageOf = (config: ReturnType<typeof parseConfig>, width = 900, height = 560) =>
  layoutStage({
    width,
    height,
    devices: config.worldSize,
    largest: { width: 440, height: 440 },
    links: [],
    stack: stackOf(config),
  });

test.each([
  [{ mode: 'tensor', worldSize: 2 }, [[0, 1]]],
  [
    { mode: 'tensor', worldSize: 4, mesh: { dpReplicate: 2 } },
    [
      [0, 1],
      [2, 3],
    ],
  ],
  [
    { mesh: { pp: 2, dpReplicate: 2, tp: 2 } },
    [
      [0, 1],
      [2, 3],
      [4, 5],
      [6, 7],
    ],
  ],
  [{ mode: 'tensor', worldSize: 8 }, [[0, 1, 2, 3, 4, 5, 6, 7]]],
] as const)('%j: one for each group, with all its rooms and no other', (input, groups) => {
  for (const [width, height] of [
    [900, 560],
    [380, 900],
  ] as const) {
    const config = parseConfig(input);
    const layout = stageOf(config, width, height);
    const frames = groupFrames(config, layout);
    expect(frames).toHaveLength(groups.length);
    for (const [i, frame] of frames.entries()) {
      const inside = layout.rooms.flatMap((room, rank) => (contains(frame, room) ? [rank] : []));
      expect(inside).toEqual(groups[i]);
      expect(frame.x).toBeGreaterThanOrEqual(0);
      expect(frame.y).toBeGreaterThanOrEqual(0);
      expect(frame.x + frame.width).toBeLessThanOrEqual(width);
      expect(frame.y + frame.height).toBeLessThanOrEqual(height);
    }
  }
});

test('none where each rank has whole layers', () => {
  for (const mode of ['ddp', 'pipeline', 'single'] as const) {
    const config = parseConfig({ mode, worldSize: 2 });
    expect(groupFrames(config, stageOf(config))).toEqual([]);
  }
});
