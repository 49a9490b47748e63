/**
 * Checks that the Programs of a mode match its shard map: every owner must have a buffer with its piece's shape for
 * each parameter and buffer of the map, and no device may have a buffer that the map does not give it. A failure is a
 * bug in a mode, not a user's mistake. Called by blueprint.ts.
 */
import { LockstepError } from '../../base/errors';
import type { Program } from '../../program/instruction';
import { tensorOf } from '../../program/stored-tensor';
import { pieceShape } from '../../sharding/piece';
import { pieceOn, type ShardMap } from '../../sharding/shard-map';
import { formatShape, sameShape } from '../../tensor/shape';
import { statefulBuffers } from '../world-state';

export function checkShards(shards: ShardMap, programs: readonly Program[]): void {
  if (programs.length === 0) return;
  const held = statefulBuffers(programs);
  for (const { device, spec } of held) {
    const layout = shards.get(spec.name);
    if (!layout) continue;
    const piece = pieceOn(layout, device);
    if (!piece) throw wrong(`cuda:${device} holds ${spec.name}, but the shard map gives it no part of it.`);
    const expected = pieceShape(piece);
    const { shape } = tensorOf(spec);
    if (!sameShape(expected, shape)) {
      const shapes = `${formatShape(shape)}, and ${formatShape(expected)} by the shard map`;
      throw wrong(`The piece of ${spec.name} on cuda:${device} has shape ${shapes}.`);
    }
  }
  const found = new Set(held.map(({ device, spec }) => `${device} ${spec.name}`));
  for (const [name, { owners }] of shards) {
    const lacking = owners.find(({ device }) => !found.has(`${device} ${name}`));
    if (lacking) throw wrong(`cuda:${lacking.device} does not hold its piece of ${name}.`);
  }
}

const wrong = (message: string): LockstepError => new LockstepError('internal', message, 'Report this.');
