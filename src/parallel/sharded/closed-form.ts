/**
 * The bytes that sharded ranks send: each gather and each reduce-scatter of a unit, with its padding. Called by
 * axes/.
 */
import { at } from '../../base/invariant';
import { algorithmFor } from '../../collectives/algorithms';
import type { DeviceMesh } from '../../mesh/device-mesh';
import { parameterList } from '../../nn/model';
import type { ClosedForm } from '../../protocol/closed-form';
import type { CollectiveOp } from '../../protocol/collective';
import { paramHalf, reduceHalf } from '../../protocol/half-of';
import type { Axis } from '../../protocol/mesh';
import { bytesOf, tensorBytes } from '../../tensor/shape';
import { closedForm, type FormPass, type RunSizes, uncounted } from '../closed-form';
import { ddpForm } from '../ddp/closed-form';
import { cutGraphs } from '../tensor/closed-form';
import { layersOf, sentForPartials, sentInside } from '../tensor/inside-groups';
import { unitsOn } from './emitter-of-parts';
import { unitLayout } from './unit-layout';
import { type ShardedUnit, trainedIn, unitsOf } from './units';
import { partitionOf } from './zero-one';

/** Stages 0 and 1: DDP's bytes, and in stage 1 the broadcasts after the step. */
export function zeroForm(run: RunSizes, pass: FormPass, mesh: DeviceMesh): ClosedForm {
  const reduced = ddpForm(run, pass);
  return run.config.sharded.stage === 1 && pass.steps ? withBroadcasts(run, reduced, mesh) : reduced;
}

/** Stages 2 and 3. */
export function shardedForm(run: RunSizes, pass: FormPass, mesh: DeviceMesh): ClosedForm {
  const { config } = run;
  const { stage, reshardAfterForward, reshardTo } = config.sharded;
  const ranks = mesh.shape.dpShard;
  const trained = trainedIn(config);
  const units = unitsOf(config).filter((unit) => trained(unit).length > 0);
  const onDevice = unitsOn(config);
  const inside = mesh.shape.tp > 1 ? sentByGroups(run, pass, mesh) : undefined;
  const perDevice = mesh.devices.map((device) => {
    const rank = at(mesh.rankOfDevice, device);
    const sentIn = (op: CollectiveOp, worldSize: number, place: number, places: number): number => {
      const bytes = places * bytesOf('f32');
      const cost = { op, worldSize, bytes, halves: reduceHalf(config) };
      return at(algorithmFor(config.ddp.algorithm, op).cost(cost).bytesSent, place);
    };
    const sent = (op: CollectiveOp, axis: Axis, places: number): number =>
      sentIn(op, mesh.shape[axis], mesh.coordinate(rank)[axis], places);
    /** The gather for the backward pass: from all shards, or (reshardTo) from the parts that fewer ranks have kept. */
    const gatheredAgain = (unit: ShardedUnit, places: number): number => {
      if (stage < 3 || (unit.path === '' && reshardAfterForward !== true)) return 0;
      if (reshardTo === undefined || unit.path === '') return sent('allGather', 'dpShard', places);
      const few = unitLayout(unit.parameters, reshardTo, paramHalf(config)).places;
      return sentIn('allGather', reshardTo, mesh.coordinate(rank).dpShard % reshardTo, few);
    };
    const own = units.map((unit) => onDevice(unit, device));
    return own.reduce((bytes, unit) => {
      const { places } = unitLayout(unit.parameters, ranks, paramHalf(config));
      const part = unitLayout(trained(unit), ranks, reduceHalf(config)).places;
      const reduced = pass.reduces
        ? sent('reduceScatter', 'dpShard', ranks * part) + sent('allReduce', 'dpReplicate', part)
        : 0;
      return bytes + sent('allGather', 'dpShard', places) + gatheredAgain(unit, places) + reduced;
    }, inside?.bytes[device] ?? 0);
  });
  const left = uncounted(config);
  const exact = left === '';
  const text = sentText(config, mesh, pass.reduces);
  if (!inside) return closedForm(perDevice, `${text}${left}`, { exact });
  const { layers } = inside;
  return closedForm(perDevice, `${text}; inside each tensor group the collectives of its layers${left}`, {
    exact,
    layers,
  });
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

/** The bytes that ranks of a tensor group send to each other, by device and by layer. */
function sentByGroups(run: RunSizes, pass: FormPass, mesh: DeviceMesh) {
  const graphOf = cutGraphs(run, pass, mesh);
  const { algorithm } = run.config.ddp;
  const sent = mesh.devices.map((device) => {
    const [graph, rank] = [graphOf(device), { mesh, algorithm, device }];
    return { ...sentInside(graph, rank), partials: pass.reduces ? sentForPartials(graph, rank) : 0 };
  });
  return {
    bytes: sent.map(({ bytes, partials }) => bytes + partials),
    layers: layersOf(sent, graphOf(0).graph),
  };
}

/** Adds ZeRO-1's broadcasts: each rank sends the parameters that it stepped to every other rank of its shard group. */
function withBroadcasts({ config, transfers }: RunSizes, reduced: ClosedForm, mesh: DeviceMesh): ClosedForm {
  const ranks = mesh.shape.dpShard;
  // If rank 0 also broadcasts running statistics, DDP's form covers only the reductions.
  if (ranks === 1 || transfers.bufferBytes > 0) return reduced;
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
