/**
 * The step of a tensor parallel run without shards: a single device's or DDP's, with each rank's own part of the graph.
 * Called by axes/cuts.
 */
import type { DeviceMesh } from '../../mesh/device-mesh';
import { ProgramBuilder } from '../../program/builder';
import type { Program } from '../../program/instruction';
import type { Config } from '../../protocol/config';
import { DATA_AXES } from '../../protocol/mesh';
import { replicasOf } from '../../protocol/mesh-sizes';
import type { TrainingKind } from '../../protocol/step-kind';
import { withDdpOfParts } from '../ddp/around-parts';
import { checkReductions } from '../ddp/checks';
import { emitDdpStep } from '../ddp/ddp-step';
import { noiseOfGroups } from '../ddp/noise-of-groups';
import { checkDevices, checkNotZeroOne } from '../even-mesh';
import type { ModeInput } from '../mode-input';
import { stageGraph } from '../stage-graph';
import { partitionOf } from '../step/partition-of';
import { placeStages } from '../step/place';
import { emitStep, oneAfterTheOther, wholeGraphs } from '../step/step';
import { sumPartials } from '../step/sum-partials';
import { settlePlan } from './check-plan';
import { DDP_OF_GROUPS } from './ddp-of-groups';
import { planIn } from './plan';
import { takenApart } from './taken-apart';

export function settleCuts(input: ModeInput): Config {
  const { config } = input;
  checkDevices(config, 'a layer');
  checkNotZeroOne(config);
  if (replicasOf(config) > 1) checkReductions(config);
  return settlePlan({ ...input, config: withDdpOfParts(config, DDP_OF_GROUPS) });
}

export function compileCuts(input: ModeInput, kind: TrainingKind, mesh: DeviceMesh): Program {
  const { config } = input;
  const builder = new ProgramBuilder(mesh, input.ops);
  const stages = placeStages(builder, [0]);
  const cuts = partitionOf(planIn(config), mesh);
  const sums = sumPartials({ builder, algorithm: config.ddp.algorithm, stages, kind });
  if (mesh.dataIndices > 1)
    emitDdpStep(
      { builder, stages, input, partitionOf: cuts, syncsBehind: [sums], seen: (graph) => takenApart(config, graph) },
      kind,
    );
  else {
    const graphOf = wholeGraphs(input, kind, { partitionOf: cuts });
    emitStep({ builder, input, kind, stages, order: oneAfterTheOther(kind), syncs: [sums], graphOf });
  }
  return builder.finish('tensor', kind);
}

/** What the hooks of the replica groups draw in a step: each group for its own parts of the gradients. */
export const noiseOfCuts = (input: ModeInput, mesh: DeviceMesh): ReturnType<typeof noiseOfGroups> => {
  const { config } = input;
  return noiseOfGroups(config, () => {
    const cuts = partitionOf(planIn(config), mesh);
    const firsts = mesh.world.ranks.filter((rank) => mesh.dataIndex(rank) === 0);
    return firsts.map((rank) => {
      const graph = stageGraph(input, { rows: 2, withLoss: true, partition: cuts(rank) });
      return { devices: mesh.plane(DATA_AXES, rank).ranks, prefix: '', graph: takenApart(config, graph) };
    });
  });
};
