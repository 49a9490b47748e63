/**
 * The chunk tiles of a bucket on one device: the values that stand in each chunk at the cursor, of how many ranks they
 * are the sum, which parameters lie in it, and whether it is on its way out. Pure; the values are those of the buffer.
 */
import { CAPTURE_LIMIT, type Slice } from '../../protocol/trace';
import type { Content } from '../../trace/contents';
import { formatSize } from '../draw/format';
import type { Rect } from '../draw/geometry';
import type { HeatCells } from '../draw/heat-map';
import { type BucketPlace, parametersIn } from './devices';
import type { RoomInput } from './room-input';
import type { RoomLayout } from './room-layout';
import type { RoomScene, SceneItem, TileScene } from './scene-types';

const CELL = 8;

/** As many cells as fit in a tile, in two rows when the chunk is long; undefined when nothing of it was captured. */
function tileCells(content: Content, known: number, { offset }: Slice, rect: Rect): HeatCells | undefined {
  if (known === 0) return undefined;
  const fit = Math.max(1, Math.floor((rect.width - 8) / CELL));
  const rows = known > fit ? 2 : 1;
  const columns = Math.min(fit, Math.ceil(known / rows));
  return { values: content.values, offset, stride: columns, rows, columns, count: known };
}

const sameStretch = (a: Slice, b: Slice): boolean => a.buffer === b.buffer && a.offset === b.offset;

/** All of the chunk in lines of eight, for the tooltip. */
const readable = (count: number) => ({
  stride: Math.min(count, 8),
  columns: Math.min(count, 8),
  rows: Math.ceil(count / 8),
});

const sumText = (summed: number): readonly string[] =>
  summed === 0 ? [''] : [`Σ of ${summed}`, `Σ${summed}`, String(summed)];

/**
 * Where a chunk comes to hold the sum over all ranks, it is a mean: the gradients were divided before they were packed.
 */
function meaning(summed: number, world: number): string {
  if (summed === 0) return 'empty until its gradients are packed';
  if (summed >= world) return `sum over all ${world} ranks: the mean gradient`;
  return `sum of ${summed} of ${world} ranks`;
}

function tile(
  { place: { device }, facts, info: { worldSize: world } }: RoomInput,
  bucket: BucketPlace,
  index: number,
  slice: Slice,
  rect: Rect,
): { tile: TileScene; item: SceneItem } {
  const content = facts.content(device, bucket.buffer);
  const inThisStep = content?.event === undefined ? undefined : content;
  const summed = inThisStep ? facts.summed(device, slice) : 0;
  // A bucket that was captured whole holds every chunk.
  const known = bucket.length <= CAPTURE_LIMIT ? slice.length : facts.known(device, slice);
  const cells = inThisStep && tileCells(inThisStep, known, slice, rect);
  const out = facts.transits.some(({ packet }) => packet.from === device && sameStretch(packet.source, slice));
  const fresh = inThisStep !== undefined && facts.wrote(device, slice);
  return {
    tile: { rect, cells, chunk: index, summed, caption: sumText(summed), sending: out, fresh },
    item: {
      id: `${device} ${bucket.buffer}[${index}]`,
      rect,
      device,
      event: inThisStep?.event,
      tip: () => ({
        title: `${bucket.buffer}, chunk ${index} on rank ${device}`,
        facts: [
          ['holds', meaning(summed, world)],
          ['parameters', parametersIn(bucket, slice).join(', ')],
          ['elements', `${slice.offset} to ${slice.offset + slice.length - 1} of ${bucket.length}`],
          ['size', formatSize(4 * slice.length)],
          ...(out ? [['moving', 'on its way to the next rank'] as const] : []),
        ],
        ...(inThisStep && !cells ? { note: 'too far into the bucket: these values were not captured' } : {}),
        ...(cells?.count ? { cells: { ...cells, ...readable(cells.count) } } : {}),
      }),
    },
  };
}

type BucketAt = NonNullable<RoomLayout['bucket']>;

export function tileScenes(
  input: RoomInput,
  bucket: BucketPlace,
  at: BucketAt,
): { readonly scene: NonNullable<RoomScene['bucket']>; readonly items: readonly SceneItem[] } {
  const made = bucket.chunks.flatMap((slice, i) => {
    const rect = at.tiles[i];
    return rect ? [tile(input, bucket, i, slice, rect)] : [];
  });
  const name = `bucket ${bucket.index}`;
  const of = input.buckets > 1 ? `${name} (of ${input.buckets})` : name;
  const chunks = bucket.chunks.length > 1 ? `${bucket.chunks.length} chunks` : 'in one piece';
  const size = formatSize(4 * bucket.length);
  const labels = [`${of} · ${chunks} · ${size}`, `${of} · ${chunks}`, `${name} · ${size}`, name];
  return { scene: { labelAt: at.label, labels, tiles: made.map((m) => m.tile) }, items: made.map((m) => m.item) };
}
