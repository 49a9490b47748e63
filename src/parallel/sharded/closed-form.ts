/**
 * The bytes that sharded ranks send: each gather and each reduce-scatter of a unit, with its padding. Called by
 * axes/.
 */
import { at } from '../../base/invariant';
import type { DeviceMesh } from '../../mesh/device-mesh';
import { parameterList } from '../../nn/model';
import type { ClosedForm } from '../../protocol/closed-form';
import { modelHalf, paramHalf, reduceHalf } from '../../protocol/half-of';
import { type Shape, tensorBytes } from '../../tensor/shape';
import { closedForm, type FormPass, type RunSizes, uncounted } from '../closed-form';
import { ddpForm } from '../ddp/closed-form';
import { overAxes } from '../over-axes';
import { storedAs } from '../stored';
import { cutGraphs } from '../tensor/closed-form';
import { formInside } from '../tensor/inside-groups';
import { unitsOn } from './emitter-of-parts';
import { sentByRank } from './sent-by-rank';
import { unitLayout } from './unit-layout';
import { type ShardedUnit, trainedIn, unitsOf } from './units';
import { partitionOf } from './zero-one';

/** Stages 0 and 1: DDP's bytes, and in stage 1 the broadcasts after the step. */
export function zeroForm(run: RunSizes, pass: FormPass, mesh: DeviceMesh): ClosedForm {
  const reduced = ddpForm(run, pass);
  // If rank 0 also broadcasts running statistics, DDP's form covers only the reductions.
  const broadcasts = run.config.sharded.stage === 1 && pass.steps && run.transfers.bufferBytes === 0;
  return broadcasts && mesh.shape.dpShard > 1 ? overAxes([reduced, broadcastForm(run, mesh)]) : reduced;
}

/** Stages 2 and 3. */
export function shardedForm(run: RunSizes, pass: FormPass, mesh: DeviceMesh): ClosedForm {
  const ofUnits = unitsForm(run, pass, mesh);
  if (mesh.shape.tp === 1) return ofUnits;
  const cut = { devices: mesh.devices, graphOf: cutGraphs(run, pass, mesh) };
  return overAxes([formInside(run.config, mesh, [cut], pass.reduces), ofUnits]);
}

function unitsForm({ config }: RunSizes, pass: FormPass, mesh: DeviceMesh): ClosedForm {
  const { stage, reshardAfterForward, reshardTo } = config.sharded;
  const ranks = mesh.shape.dpShard;
  const trained = trainedIn(config);
  const units = unitsOf(config).filter((unit) => trained(unit).length > 0);
  const onDevice = unitsOn(config);
  const perDevice = mesh.devices.map((device) => {
    const { sent, sentIn } = sentByRank(config, mesh, device);
    /** The gather for the backward pass: from all shards, or (reshardTo) from the parts that fewer ranks have kept. */
    const gatheredAgain = (unit: ShardedUnit, places: number): number => {
      if (stage < 3 || (unit.path === '' && reshardAfterForward !== true)) return 0;
      if (reshardTo === undefined || unit.path === '') return sent('allGather', 'dpShard', places);
      const few = unitLayout(unit.parameters, reshardTo, paramHalf(config)).places;
      const { dpShard } = mesh.coordinate(at(mesh.rankOfDevice, device));
      return sentIn('allGather', reshardTo, dpShard % reshardTo, few);
    };
    const own = units.map((unit) => onDevice(unit, device));
    return own.reduce((bytes, unit) => {
      const { places } = unitLayout(unit.parameters, ranks, paramHalf(config));
      const part = unitLayout(trained(unit), ranks, reduceHalf(config)).places;
      const reduced = pass.reduces
        ? sent('reduceScatter', 'dpShard', ranks * part) + sent('allReduce', 'dpReplicate', part)
        : 0;
      return bytes + sent('allGather', 'dpShard', places) + gatheredAgain(unit, places) + reduced;
    }, 0);
  });
  const left = uncounted(config);
  return closedForm(perDevice, `${sentText(config, mesh, pass.reduces)}${left}`, { exact: left === '' });
}

/** How often a rank sends its share of the parameters, P, and why. */
function sentText({ sharded }: RunSizes['config'], { shape }: DeviceMesh, reduces: boolean): string {
  const { stage, reshardAfterForward, reshardTo } = sharded;
  const replicas = shape.dpReplicate;
  const fewer = stage === 3 && reshardTo !== undefined;
  const passes = (stage === 3 && !fewer ? 2 : 1) + (reduces ? 1 : 0);
  const gathered = [
    ...(stage === 2 ? ['gathered once'] : []),
    ...(stage === 3 && !fewer ? ['gathered in forward and in backward'] : []),
    ...(fewer ? [`gathered in forward; in backward (K-1)/K × P from K = ${reshardTo} ranks`] : []),
    ...(stage === 3 && reshardAfterForward !== true ? ['(the root only in forward)'] : []),
  ].join(' ');
  const reduced = reduces ? 'gradients scattered' : 'gradients stay on their rank in this micro-batch';
  const averaged =
    reduces && replicas > 1 ? `; and 2 (M-1)/M × P/N of gradients all-reduced among M = ${replicas} replicas` : '';
  return `${passes === 1 ? '' : `${passes} `}(N-1)/N × P: ${gathered}, ${reduced}${averaged}`;
}

/** ZeRO-1's broadcasts: each rank sends the parameters that it stepped to every other rank of its shard group. */
function broadcastForm({ config }: RunSizes, mesh: DeviceMesh): ClosedForm {
  const ranks = mesh.shape.dpShard;
  const half = modelHalf(config.precision);
  const bytesOf = ({ shape }: { readonly shape: Shape }): number =>
    tensorBytes(storedAs({ shape, dtype: 'f32' }, half));
  const own = partitionOf(parameterList(config.model.layers), ranks).map((part) =>
    part.reduce((bytes, tensor) => bytes + bytesOf(tensor), 0),
  );
  const perDevice = mesh.rankOfDevice.map((rank) => (ranks - 1) * at(own, mesh.coordinate(rank).dpShard));
  return closedForm(perDevice, 'and each rank sends what it has stepped to N-1 others');
}
