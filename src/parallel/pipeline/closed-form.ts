/**
 * The bytes of a pipeline: the activations of every micro-batch at each border, and the same again for their gradients;
 * once per step the gradients of shared weights; and what tp and the data axes add. Called by axes/stages.
 */
import { at, must } from '../../base/invariant';
import { initDeviceMesh } from '../../mesh/device-mesh';
import type { ClosedForm } from '../../protocol/closed-form';
import { meshSizes, replicasOf } from '../../protocol/mesh-sizes';
import type { DeviceIndex } from '../../protocol/trace';
import { chosenSchedule } from '../../schedules/chosen';
import type { Schedule } from '../../schedules/schedule';
import { tensorBytes } from '../../tensor/shape';
import { borderBytes, bordersText, closedForm, type FormPass, type RunSizes } from '../closed-form';
import { byDevice, overAxes } from '../over-axes';
import { partitionOf } from '../step/partition-of';
import { formInside } from '../tensor/inside-groups';
import { shapesOn } from '../tensor/pieces';
import { planIn } from '../tensor/plan';
import type { AroundStages } from './around-stages';
import { createStageGraphs, devicesOfStage, replicaGroupsOfStage } from './stage-graphs';
import { type Tie, tiesOf } from './ties';

/** `parts`: for each part of the layers, the devices that hold this part of every stage. */
interface Placed {
  readonly run: RunSizes;
  readonly pass: FormPass;
  readonly schedule: Schedule;
  readonly parts: readonly (readonly (readonly DeviceIndex[])[])[];
}

/** The form of one micro-batch. The last one includes the reduction over the data axes. */
export function pipelineForm(run: RunSizes, pass: FormPass, around: AroundStages): ClosedForm {
  const { config } = run;
  const { pp, tp } = meshSizes(config);
  // Unchecked, because this runs once per micro-batch; the check ran before the mode compiled.
  const { microBatches = config.pipeline.microBatches } = pass;
  const schedule = chosenSchedule({ ...config.pipeline, microBatches }, pp);
  const groupsOf = Array.from({ length: schedule.stages }, (_, stage) => replicaGroupsOfStage(config, schedule, stage));
  const parts = at(groupsOf, 0).map((_, part) => groupsOf.map((groups) => at(groups, part)));
  const placed = { run, pass, schedule, parts };
  const ties = tiesOf(config);
  return overAxes([
    formOfBorders(placed),
    ...(tp > 1 ? [formOfCuts(placed)] : []),
    ...(ties.length > 0 ? [formOfTies(placed, ties)] : []),
    ...(replicasOf(config) > 1 ? [around.closedForm(run, pass, schedule)] : []),
  ]);
}

function formOfBorders({ run, pass: { rows }, schedule, parts }: Placed): ClosedForm {
  const sent = byDevice(run.devices);
  const [crossing = []] = parts.map((stageDevices) =>
    run.transfers.borderRowBytes.flatMap((rowBytes, stage) => {
      const [here, next] = [at(stageDevices, stage), at(stageDevices, stage + 1)];
      if (here[0] === next[0]) return [];
      for (const [replica, device] of here.entries())
        for (const side of [device, at(next, replica)]) sent.add(side, borderBytes(rowBytes, at(rows, side)));
      return [borderBytes(rowBytes, at(rows, at(here, 0)))];
    }),
  );
  const each = `in each of ${schedule.microBatches} micro-batches`;
  const text =
    crossing.length === 0
      ? '0 between stages: they are on one rank'
      : `activations forward and as many gradients back ${each}: ${bordersText(crossing)}`;
  return closedForm(sent.bytes, text);
}

function formOfCuts({ run: { config, input }, pass, schedule }: Placed): ClosedForm {
  const mesh = initDeviceMesh(meshSizes(config));
  const graphOf = createStageGraphs(must(input, 'the shapes of the data'), schedule);
  const cuts = partitionOf(planIn(config), mesh);
  const stages = Array.from({ length: schedule.stages }, (_, stage) => ({
    devices: devicesOfStage(config, schedule, stage),
    graphOf: (device: DeviceIndex) =>
      graphOf(stage, {
        rows: at(pass.rows, device),
        gradients: pass.gradients,
        partition: cuts(at(mesh.rankOfDevice, device)),
      }),
  }));
  return formInside(config, mesh, stages, pass.steps);
}

/** Shared weights: among the ranks of each replica that have them, then over the replicas. */
function formOfTies({ run, pass, parts }: Placed, ties: readonly Tie[]): ClosedForm {
  const sent = byDevice(run.devices);
  const shapeOn = shapesOn(run.config);
  for (const stageDevices of pass.steps ? parts : [])
    for (const { stages, ...tied } of ties) {
      // Stages on one rank have the same devices.
      const holders = [...new Map(stages.map((s) => at(stageDevices, s)).map((own) => [own[0], own])).values()];
      const bytes = tensorBytes({ shape: shapeOn(tied, at(at(holders, 0), 0)) });
      const replicas = at(holders, 0).map((_, k) => holders.map((own) => at(own, k)).sort((a, b) => a - b));
      for (const group of [...replicas, ...holders])
        if (group.length > 1)
          // All bytes go through the first rank.
          for (const [place, device] of group.entries())
            sent.add(device, place === 0 ? (group.length - 1) * bytes : bytes);
    }
  return closedForm(sent.bytes, 'once per step the gradients of shared weights');
}
