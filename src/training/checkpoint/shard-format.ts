/**
 * A checkpoint as a folder, as in torch.distributed.checkpoint: one file per rank with that rank's tensors, and an
 * index with the place of each piece of each tensor. Any world can load it. Shared by shard-files.ts, which writes it,
 * join-shards.ts, and the command line.
 */
import * as v from 'valibot';
import { LIMITS } from '../../protocol/config';
import type { Piece } from '../../sharding/piece';
import type { Shape } from '../../tensor/shape';

export const INDEX = 'index.json';
export const SHARDS_FORMAT = 'lockstep sharded checkpoint';
export const SHARDS_VERSION = '1';

export const rankFile = (rank: number): string => `rank${rank}.safetensors`;

/**
 * The metadata of a rank's file: the place of each piece in its tensor, by the key under which
 * torch.distributed.checkpoint's HuggingFaceStorageReader looks for it. It knows only blocks. A piece that is no block
 * (several runs of indices, or an addend of a sum) gets a place outside its tensor, so that torch refuses the tensor.
 */
export const torchMetadata = (
  places: ReadonlyMap<string, { readonly shape: Shape; readonly piece: Piece | undefined }>,
): Readonly<Record<string, string>> => ({
  DCP_SHARDING_INFO: JSON.stringify(
    Object.fromEntries([...places].map(([name, { shape, piece }]) => [name, { saved_offsets: startOf(shape, piece) }])),
  ),
});

function startOf(shape: Shape, piece: Piece | undefined): Shape {
  if (!piece) return shape.map(() => 0);
  const { ranges, flat, addend } = piece;
  const isBlock = !flat && addend === undefined && ranges.every((runs) => runs.length <= 1);
  return isBlock ? ranges.map(([run]) => run?.start ?? 0) : shape;
}

const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const run = v.tuple([count, count]);

/**
 * The place of a piece of a tensor, and the elements of the whole that it has; without `ranges` it is the whole tensor.
 */
const pieceSchema = v.strictObject({
  file: v.string(),
  /** First index and length of each run of indices, for each dimension. */
  ranges: v.optional(v.array(v.array(run))),
  /** Only this run of these elements, in row-major order. */
  flat: v.optional(run),
  addend: v.optional(count),
});

/** The tensors and the metadata of one of the two files of a checkpoint. */
const fileSchema = v.strictObject({
  metadata: v.record(v.string(), v.string()),
  tensors: v.record(
    v.string(),
    v.strictObject({ shape: v.pipe(v.array(count), v.readonly()), pieces: v.array(pieceSchema) }),
  ),
});

export const indexSchema = v.strictObject({
  format: v.literal(SHARDS_FORMAT),
  version: v.literal(SHARDS_VERSION),
  ranks: v.pipe(count, v.minValue(1), v.maxValue(LIMITS.worldSize)),
  model: fileSchema,
  state: fileSchema,
});

type StoredPiece = v.InferOutput<typeof pieceSchema>;
export type StoredFile = v.InferOutput<typeof fileSchema>;
export type ShardedTensor = StoredFile['tensors'][string];
export type ShardIndex = v.InferOutput<typeof indexSchema>;

export const asStored = ({ ranges, flat, addend }: Piece): Omit<StoredPiece, 'file'> => ({
  ranges: ranges.map((runs) => runs.map(({ start, length }): [number, number] => [start, length])),
  ...(flat ? { flat: [flat.start, flat.length] as [number, number] } : {}),
  ...(addend === undefined ? {} : { addend }),
});

export const asPiece = ({ ranges = [], flat, addend }: Omit<StoredPiece, 'file'>): Piece => ({
  ranges: ranges.map((runs) => runs.map(([start, length]) => ({ start, length }))),
  ...(flat ? { flat: { start: flat[0], length: flat[1] } } : {}),
  ...(addend === undefined ? {} : { addend }),
});
