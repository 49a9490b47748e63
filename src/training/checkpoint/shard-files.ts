/**
 * Cuts a checkpoint into one file per rank and an index. The rank that trains a piece stores it; among replicas, the
 * rank with the fewest bytes so far, so that the files are about equally large. State that no device trains (samplers,
 * generators) is stored by its process. join-shards.ts reassembles the files. Called by headless-run.ts.
 */
import { at } from '../../base/invariant';
import { type NamedTensor, readMetadata, readSafetensors, writeSafetensors } from '../../interop/safetensors';
import type { CheckpointFiles, Files } from '../../protocol/session';
import type { DeviceIndex, Rank } from '../../protocol/trace';
import { type Piece, pieceShape } from '../../sharding/piece';
import { type Layout, replicasOf, type ShardMap } from '../../sharding/shard-map';
import { slice } from '../../sharding/slice';
import type { HostArray, Shape } from '../../tensor/shape';
import type { Blueprint } from '../blueprint';
import { IN_MODEL, isOwn, REFERENCE_PREFIX, type ValueMap } from './checkpoint-format';
import {
  asStored,
  INDEX,
  rankFile,
  SHARDS_FORMAT,
  SHARDS_VERSION,
  type ShardedTensor,
  type ShardIndex,
  type StoredFile,
  torchMetadata,
} from './shard-format';

/** A tensor of the two files: its shards, or the rank that has it whole. */
interface Holding {
  readonly layout: Layout | undefined;
  readonly devices: readonly DeviceIndex[];
}

/** Returns the index and the ranks' files, by name. */
export function shardFiles(
  { model, state }: CheckpointFiles,
  { shards, rankOfDevice }: Pick<Blueprint, 'shards' | 'rankOfDevice'>,
): Files {
  const ranks = 1 + Math.max(...rankOfDevice);
  const ofRanks = Array.from({ length: ranks }, (): NamedTensor[] => []);
  const bytes = ofRanks.map(() => 0);
  const rankOf = (device: DeviceIndex): Rank => rankOfDevice[device] ?? 0;
  const metadata = readMetadata('', state);
  const holdings = holdingsIn(metadata, shards);

  const places = ofRanks.map(() => new Map<string, { readonly shape: Shape; readonly piece: Piece | undefined }>());
  const put = (rank: Rank, tensor: NamedTensor, shape: Shape, piece?: Piece): string => {
    at(ofRanks, rank).push(tensor);
    at(places, rank).set(tensor.name, { shape, piece });
    bytes[rank] = at(bytes, rank) + tensor.data.byteLength;
    return rankFile(rank);
  };
  const fewest = (among: readonly Rank[]): Rank => among.reduce((a, b) => (at(bytes, b) < at(bytes, a) ? b : a));

  const store = (tensor: NamedTensor, prefix: string): ShardedTensor => {
    const { shape, data } = tensor;
    const name = prefix + tensor.name;
    const { layout, devices } = holdings.get(name) ?? { layout: undefined, devices: [] };
    if (!layout || isOwn(name) || !(data instanceof Float32Array || data instanceof Int32Array)) {
      const holders = devices.length > 0 ? devices.map(rankOf) : [processOf(tensor.name, ranks)];
      return { shape, pieces: [{ file: put(fewest(holders), { ...tensor, name }, shape) }] };
    }
    const pieces = replicasOf(layout).map((replicas) => {
      const { piece } = replicas[0];
      const own: HostArray = slice(data, layout.shape, piece);
      const rank = fewest(replicas.map(({ device }) => rankOf(device)));
      const file = put(rank, { name, shape: pieceShape(piece), data: own }, shape, piece);
      return { file, ...asStored(piece) };
    });
    return { shape, pieces };
  };
  const stored = (file: Uint8Array<ArrayBuffer>, prefix: string): StoredFile => ({
    metadata: readMetadata('', file),
    tensors: Object.fromEntries(readSafetensors('', file).map((tensor) => [tensor.name, store(tensor, prefix)])),
  });
  const index: ShardIndex = {
    format: SHARDS_FORMAT,
    version: SHARDS_VERSION,
    ranks,
    model: stored(model, IN_MODEL),
    state: stored(state, ''),
  };
  return {
    [INDEX]: new Uint8Array(new TextEncoder().encode(JSON.stringify(index))),
    ...Object.fromEntries(
      ofRanks.map((tensors, rank) => [rankFile(rank), writeSafetensors(tensors, torchMetadata(at(places, rank)))]),
    ),
  };
}

/** Holdings by tensor name. The single-device reference's tensors are whole. */
function holdingsIn(metadata: Readonly<Record<string, string>>, shards: ShardMap): ReadonlyMap<string, Holding> {
  const values = JSON.parse(metadata['values'] ?? '{}') as ValueMap;
  return new Map(
    Object.entries(values).flatMap(([buffer, held]) =>
      Object.entries(held).map(([tensor, devices]) => {
        const layout = tensor.startsWith(REFERENCE_PREFIX) ? undefined : shards.get(buffer);
        return [tensor, { layout, devices }] as const;
      }),
    ),
  );
}

/** The process whose batches or generator a tensor describes; rank 0 stores shared tensors. */
function processOf(name: string, ranks: number): Rank {
  const [, process] = /^(?:sampler\.|rng_state\.(?:rank)?)(\d+)/.exec(name) ?? [];
  return Math.min(Number(process ?? 0), ranks - 1);
}
