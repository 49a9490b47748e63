import { expect, test } from 'vitest';
import { at } from '../base/invariant';
import { pieceOf } from '../sharding/piece';
import { REPLICATE, shard } from '../sharding/placement';
import { merge } from '../sharding/slice';
import { dropoutMask } from '../tensor/distributions';
import { Generator } from '../tensor/generator';
import type { MaskDraw } from './draw-masks';
import { drawMasks } from './draw-masks';

const SHAPE = [3, 8];
const P = 0.5;

/** The masks of two tensor ranks: first for an activation divided by columns, then for a whole activation. */
const draws = (dataIndex: number): readonly MaskDraw[] =>
  [shard(1), REPLICATE].flatMap((placement, layer) =>
    [0, 1].map((index) => {
      const piece = pieceOf(SHAPE, [{ placement, index, count: 2 }]);
      const device = 2 * dataIndex + index;
      return {
        dataIndex,
        device,
        buffer: `${layer}.mask`,
        microBatch: 0,
        elements: 0,
        p: P,
        region: { shape: SHAPE, piece },
      };
    }),
  );

test('pieces of a region are cut from one draw, which equals the draw of one device', () => {
  const generator = new Generator(5);
  const masks = drawMasks(draws(0), () => generator);
  const alone = new Generator(5);
  const [cut, whole] = [dropoutMask(alone, 24, P), dropoutMask(alone, 24, P)];
  const [left, right, first, second] = masks;
  expect(left?.data).not.toEqual(right?.data);
  const held = [left, right].flatMap((mask) => (mask?.region ? [{ piece: mask.region.piece, data: mask.data }] : []));
  expect(merge(SHAPE, held)).toEqual(cut);
  expect([first?.data, second?.data]).toEqual([whole, whole]);
});

test('each data index draws for itself', () => {
  const generators = [new Generator(5), new Generator(6)];
  const masks = drawMasks([...draws(0), ...draws(1)], ({ dataIndex }) => at(generators, dataIndex));
  expect(at(masks, 2).data).toEqual(at(masks, 3).data);
  expect(at(masks, 2).data).not.toEqual(at(masks, 6).data);
});
