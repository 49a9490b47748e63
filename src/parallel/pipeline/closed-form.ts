/**
 * The bytes of a pipeline: the activations of every micro-batch at each border, and the same again for their gradients;
 * with replicas, an all-reduce of each stage's gradients once per step. Called by axes/stages.
 */
import { at, must } from '../../base/invariant';
import { initDeviceMesh } from '../../mesh/device-mesh';
import { parametersOfLayer } from '../../nn/model';
import type { ClosedForm, LayerForm } from '../../protocol/closed-form';
import type { Config } from '../../protocol/config';
import { meshSizes, replicasOf, shardsParameters } from '../../protocol/mesh-sizes';
import type { DeviceIndex } from '../../protocol/trace';
import { chosenSchedule } from '../../schedules/chosen';
import type { Schedule } from '../../schedules/schedule';
import type { TensorSpec } from '../../sharding/shard-map';
import { type Shape, tensorBytes } from '../../tensor/shape';
import { borderBytes, bordersText, closedForm, type FormPass, type RunSizes, sum, uncounted } from '../closed-form';
import { ddpForm } from '../ddp/closed-form';
import { hasHook } from '../ddp/rare-parts';
import { partitionOf } from '../step/partition-of';
import { layersOf, sentForPartials, sentInside } from '../tensor/inside-groups';
import { shapesOn } from '../tensor/pieces';
import { planIn } from '../tensor/plan';
import { addShards } from './closed-form-of-shards';
import { layerRanges } from './split';
import { createStageGraphs, devicesOfStage, replicaGroupsOfStage } from './stages';
import { type Tie, tiesOf } from './ties';

/** The shape of a device's part of a parameter. */
type ShapeOn = (parameter: TensorSpec, device: DeviceIndex) => Shape;

/** The form of one micro-batch. The last one includes the reduction over replicas. */
export function pipelineForm(run: RunSizes, pass: FormPass): ClosedForm {
  const { config, devices } = run;
  const { pp, tp } = meshSizes(config);
  const shapeOn = shapesOn(config);
  const replicas = replicasOf(config);
  // Unchecked, because this runs once per micro-batch; the check ran before the mode compiled.
  const { microBatches = config.pipeline.microBatches } = pass;
  const schedule = chosenSchedule({ ...config.pipeline, microBatches }, pp);
  const groupsOf = Array.from({ length: schedule.stages }, (_, stage) => replicaGroupsOfStage(config, schedule, stage));
  /** For each part of the layers, the devices that hold this part of every stage. */
  const parts = at(groupsOf, 0).map((_, part) => groupsOf.map((groups) => at(groups, part)));
  const perDevice: number[] = Array.from({ length: devices }, () => 0);
  const [crossing = []] = parts.map((stageDevices) => addBorders(perDevice, run, pass, stageDevices));
  const each = `in each of ${schedule.microBatches} micro-batches`;
  const border =
    crossing.length === 0
      ? '0 between stages: they are on one rank'
      : `activations forward and as many gradients back ${each}: ${bordersText(crossing)}`;
  const ties = tiesOf(config);
  if (pass.steps) for (const stageDevices of parts) addTies(perDevice, ties, stageDevices, shapeOn);
  const cut = tp > 1 ? { layers: addInsideGroups(perDevice, run, pass, schedule) } : {};
  const inside = tp > 1 ? '; inside each tensor group the collectives of its stages' : '';
  const left = uncounted(config);
  const shared = `${inside}${ties.length === 0 ? '' : '; once per step the gradients of shared weights'}`;
  if (replicas === 1) return closedForm(perDevice, `${border}${shared}`, cut);
  if (shardsParameters(config)) {
    if (pass.steps) addShards(perDevice, config, schedule);
    return closedForm(
      perDevice,
      `${border}${shared}; the units of each stage, gathered when a micro-batch needs them, and once per step their gradients, scattered${left}`,
      { exact: left === '', ...cut },
    );
  }
  if (pass.steps) for (const stageDevices of parts) addReductions(perDevice, run, pass, { stageDevices, shapeOn });
  const exact = config.ddp.algorithm === 'naive' && !hasHook(config) && !config.ddp.findUnusedParameters && left === '';
  return closedForm(
    perDevice,
    `${border}${shared}; once per step the gradients of each stage over its ${replicas} replicas${left}`,
    { exact, ...cut },
  );
}

function addBorders(
  perDevice: number[],
  { transfers }: RunSizes,
  { rows }: FormPass,
  stageDevices: readonly (readonly DeviceIndex[])[],
): readonly number[] {
  return transfers.borderRowBytes.flatMap((rowBytes, stage) => {
    const [here, next] = [at(stageDevices, stage), at(stageDevices, stage + 1)];
    if (here[0] === next[0]) return [];
    here.forEach((device, replica) => {
      for (const side of [device, at(next, replica)])
        perDevice[side] = at(perDevice, side) + borderBytes(rowBytes, at(rows, side));
    });
    return [borderBytes(rowBytes, at(rows, at(here, 0)))];
  });
}

/** Adds what the ranks that share the layers of a stage send to each other; returns it layer by layer. */
function addInsideGroups(
  perDevice: number[],
  { config, input }: RunSizes,
  pass: FormPass,
  schedule: Schedule,
): readonly LayerForm[] {
  const mesh = initDeviceMesh(meshSizes(config));
  const graphOf = createStageGraphs(must(input, 'the shapes of the data'), schedule);
  const cuts = partitionOf(planIn(config), mesh);
  return Array.from({ length: schedule.stages }, (_, stage) => {
    const sent = devicesOfStage(config, schedule, stage).map((device) => {
      const rank = { mesh, algorithm: config.ddp.algorithm, device };
      const own = { rows: at(pass.rows, device), gradients: pass.gradients };
      const stageGraph = graphOf(stage, { ...own, partition: cuts(at(mesh.rankOfDevice, device)) });
      const inside = sentInside(stageGraph, rank);
      const partials = pass.steps ? sentForPartials(stageGraph, rank) : 0;
      perDevice[device] = at(perDevice, device) + inside.bytes + partials;
      return { ...inside, graph: stageGraph.graph };
    });
    return layersOf(sent, at(sent, 0).graph);
  }).flat();
}

function addReductions(
  perDevice: number[],
  run: RunSizes,
  pass: FormPass,
  { stageDevices, shapeOn }: { readonly stageDevices: readonly (readonly DeviceIndex[])[]; readonly shapeOn: ShapeOn },
): void {
  stageDevices.forEach((group, stage) => {
    const parameters = parametersOfStage(run.config, stage).map((parameter) => ({
      shape: shapeOn(parameter, at(group, 0)),
    }));
    const gradientBytes = sum(parameters.map(tensorBytes));
    const transfers = { ...run.transfers, gradientBytes, parameterBytes: gradientBytes };
    const form = ddpForm({ ...run, devices: group.length, parameters, transfers, buckets: undefined }, pass);
    group.forEach((device, place) => {
      perDevice[device] = at(perDevice, device) + at(form.perDevice, place);
    });
  });
}

/** Shared weights: between the two ranks of each replica, then over the replicas; all bytes go through one rank. */
function addTies(
  perDevice: number[],
  ties: readonly Tie[],
  stageDevices: readonly (readonly DeviceIndex[])[],
  shapeOn: ShapeOn,
): void {
  const add = (device: DeviceIndex, bytes: number) => {
    perDevice[device] = at(perDevice, device) + bytes;
  };
  for (const { owner, user, ...tied } of ties) {
    const [owners, users] = [at(stageDevices, owner), at(stageDevices, user)];
    const bytes = tensorBytes({ shape: shapeOn(tied, at(owners, 0)) });
    const onOneRank = owners[0] === users[0];
    if (!onOneRank) for (const device of [...owners, ...users]) add(device, bytes);
    for (const group of onOneRank ? [owners] : [owners, users])
      group.forEach((device, place) => {
        if (group.length > 1) add(device, place === 0 ? (group.length - 1) * bytes : bytes);
      });
  }
}

/** Parameters that the stage itself reduces: not those that forward does not use, nor shared weights. */
function parametersOfStage(config: Config, stage: number) {
  const { start, end } = at(layerRanges(config), stage);
  const shared = new Set(tiesOf(config).map(({ name }) => name));
  return config.model.layers
    .slice(start, end)
    .flatMap((layer, i) => (layer.type === 'Unused' ? [] : parametersOfLayer(layer, start + i)))
    .filter(({ name }) => !shared.has(name));
}
