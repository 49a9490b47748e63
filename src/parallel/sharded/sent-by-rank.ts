/**
 * The bytes that a rank sends in one collective of fully_shard, from the number of float32 values of the unit. Called
 * by the closed forms of the modes sharded and pipeline.
 */
import { at } from '../../base/invariant';
import { algorithmFor } from '../../collectives/algorithms';
import type { DeviceMesh } from '../../mesh/device-mesh';
import type { CollectiveOp } from '../../protocol/collective';
import type { Config } from '../../protocol/config';
import { reduceHalf } from '../../protocol/half-of';
import type { Axis } from '../../protocol/mesh';
import type { DeviceIndex } from '../../protocol/trace';
import { bytesOf } from '../../tensor/shape';

export interface SentByRank {
  /** Among the ranks along an axis. */
  sent(op: CollectiveOp, axis: Axis, places: number): number;
  /** Among `worldSize` ranks, of which this rank is the one with index `place`. */
  sentIn(op: CollectiveOp, worldSize: number, place: number, places: number): number;
}

export function sentByRank(config: Config, mesh: DeviceMesh, device: DeviceIndex): SentByRank {
  const coordinate = mesh.coordinate(at(mesh.rankOfDevice, device));
  const sentIn: SentByRank['sentIn'] = (op, worldSize, place, places) => {
    const cost = { op, worldSize, bytes: places * bytesOf('f32'), halves: reduceHalf(config) };
    return at(algorithmFor(config.ddp.algorithm, op).cost(cost).bytesSent, place);
  };
  return { sentIn, sent: (op, axis, places) => sentIn(op, mesh.shape[axis], coordinate[axis], places) };
}
