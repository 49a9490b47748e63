import { expect, test } from 'vitest';
import { must } from '../../base/invariant';
import { bottom, overlaps, right } from '../draw/geometry';
import { layoutLayers } from './layer-layout';
import { layoutStageRoom } from './pipeline-layout';

/** A square of eight by eight weights, with its bias. */
const LAYER = [{ weight: [8, 8], bias: true }];

test.each([
  [150, 105],
  [250, 110],
  [290, 140],
])(
  'a compact room %i wide and %i high has its weights beside what is kept, so that their cells are seen',
  (...size) => {
    const [width, height] = size;
    const main = { x: 10, y: 20, width, height };
    const { weights, stage } = layoutStageRoom(main, 'compact');
    const own = must(weights, 'a place for weights');
    expect(overlaps(own, stage.kept)).toBe(false);
    expect(right(stage.kept)).toBeLessThanOrEqual(right(main));
    expect(bottom(stage.kept)).toBeLessThanOrEqual(bottom(main));
    const [layer] = must(layoutLayers(LAYER, own), 'layers');
    // In a layout with the weights above the tiles, a cell had two pixels.
    expect(must(layer, 'a layer').weight.width / 8).toBeGreaterThanOrEqual(4);
  },
);
