/** The channels of a batch's first sample as tiles. Called by the pictures of convolutions and pooling. */
import type { Rect } from '../../draw/geometry';
import { tileGrid } from './places';
import type { Sketch } from './sketch';
import { channelCells, type Images, imageWords, knownChannels, onScale } from './tensors';

/**
 * Draws the channels of sample 1 as tiles; returns the tiles' places, and words for which part of the batch they are.
 */
export function channelTiles(
  sketch: Sketch,
  images: Images,
  area: Rect,
  most = 16,
): { readonly tiles: readonly Rect[]; readonly words: string } {
  const { tiles } = tileGrid(area, Math.max(1, Math.min(most, knownChannels(images))), images);
  const { operand, note } = onScale(images.operand);
  for (const [c, tile] of tiles.entries())
    sketch.map(operand, tile, channelCells(images, c), `channel ${c} of sample 1`);
  return { tiles, words: `${imageWords(images, tiles.length)}${note}` };
}
