/**
 * What sharded ranks send: each gather and each reduce-scatter of a unit, with its padding. Called through compiler.ts.
 */
import { at } from '../../base/invariant';
import { algorithmFor } from '../../collectives/algorithms';
import type { DeviceMesh } from '../../mesh/device-mesh';
import { parameterList } from '../../nn/model';
import type { ClosedForm } from '../../protocol/closed-form';
import type { CollectiveOp } from '../../protocol/collective';
import type { Axis } from '../../protocol/mesh';
import { bytesOf, tensorBytes } from '../../tensor/shape';
import { closedForm, type FormPass, type RunSizes } from '../closed-form';
import { ddpForm } from '../ddp/closed-form';
import { unitLayout } from './unit-layout';
import { unitsOf } from './units';
import { partitionOf } from './zero-one';

export function shardedForm(run: RunSizes, pass: FormPass, mesh: DeviceMesh): ClosedForm {
  const { config } = run;
  const { stage, reshardAfterForward } = config.sharded;
  if (stage < 2) {
    const reduced = ddpForm(run, pass);
    return stage === 1 && pass.steps ? withBroadcasts(run, reduced, mesh) : reduced;
  }
  const ranks = mesh.shape.dpShard;
  const units = unitsOf(config).filter(({ parameters }) => parameters.length > 0);
  const perDevice = mesh.devices.map((device) => {
    const rank = at(mesh.rankOfDevice, device);
    const sent = (op: CollectiveOp, axis: Axis, elements: number): number => {
      const group = mesh.group(axis, rank);
      const { bytesSent } = algorithmFor(config.ddp.algorithm, op).cost({
        op,
        worldSize: group.ranks.length,
        bytes: elements * bytesOf('f32'),
      });
      return at(bytesSent, group.ranks.indexOf(rank));
    };
    return units.reduce((bytes, { path, parameters }) => {
      const { perRank } = unitLayout(parameters, ranks);
      const gathers = stage === 3 && (path !== '' || reshardAfterForward === true) ? 2 : 1;
      const reduced = pass.reduces
        ? sent('reduceScatter', 'dpShard', ranks * perRank) + sent('allReduce', 'dpReplicate', perRank)
        : 0;
      return bytes + gathers * sent('allGather', 'dpShard', perRank) + reduced;
    }, 0);
  });
  const text =
    stage === 3
      ? '3 (N-1)/N × P: gathered in forward and in backward, gradients scattered'
      : '2 (N-1)/N × P: gathered once, gradients scattered';
  return closedForm(perDevice, text);
}

/** What a rank has stepped goes to every other rank of its shard group. */
function withBroadcasts({ config }: RunSizes, reduced: ClosedForm, mesh: DeviceMesh): ClosedForm {
  const ranks = mesh.shape.dpShard;
  if (ranks === 1) return reduced;
  const own = partitionOf(parameterList(config.model.layers), ranks).map((part) =>
    part.reduce((bytes, { shape }) => bytes + tensorBytes({ shape }), 0),
  );
  const perDevice = mesh.rankOfDevice.map(
    (rank, device) => at(reduced.perDevice, device) + (ranks - 1) * at(own, mesh.coordinate(rank).dpShard),
  );
  return closedForm(perDevice, `${reduced.text}; and each rank sends what it has stepped to N-1 others`, {
    exact: reduced.exact,
  });
}
