import { expect, test } from 'vitest';
import { pieceOf } from '../sharding/piece';
import { REPLICATE, shard } from '../sharding/placement';
import { dropoutMask } from '../tensor/distributions';
import { Generator } from '../tensor/generator';
import type { MaskDraw } from './draw-masks';
import { drawMasks } from './draw-masks';

const SHAPE = [3, 8];
const P = 0.3;

/** The masks of two tensor ranks: first for an activation that is cut by columns, then for a whole activation. */
const draws: readonly MaskDraw[] = [shard(1), REPLICATE].flatMap((placement, layer) =>
  [0, 1].map((device): MaskDraw => {
    const region = { shape: SHAPE, piece: pieceOf(SHAPE, [{ placement, index: device, count: 2 }]) };
    const elements = layer === 0 ? 12 : 24;
    return { dataIndex: 0, device, buffer: `${layer}.mask`, microBatch: 0, elements, p: P, region };
  }),
);

test('ranks with a generator each draw the masks of their own parts', () => {
  const generators = [new Generator(5), new Generator(5)];
  const masks = drawMasks(draws, ({ device }) => generators[device] as Generator);
  const alone = new Generator(5);
  const [part, whole] = [dropoutMask(alone, 12, P), dropoutMask(alone, 24, P)];
  expect(masks.map(({ data }) => data)).toEqual([part, part, whole, whole]);
  expect(masks.map(({ region }) => region?.dataIndex)).toEqual([0, 0, 0, 0]);
});

test('a layer in bfloat16 rounds 1 / (1 - p) to bfloat16', () => {
  const [mask] = drawMasks([{ ...(draws[0] as MaskDraw), half: 'bf16' }], () => new Generator(5));
  expect(new Set(mask?.data)).toEqual(new Set([0, 1.4296875]));
});
