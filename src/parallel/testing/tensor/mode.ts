/**
 * Modes for tests: tensor parallelism over the tp axis of a mesh, alone or with replicas (dpReplicate) and pipeline
 * stages (pp). They are made of a plan and the pass graph/partition; the walk, the syncs, the optimiser and everything
 * that reads weights are those of the other modes. All ranks of a tensor group take the same batch and compute the same
 * loss. The closed form is that of column/row pairs of Linear layers.
 */
import { at, must } from '../../../base/invariant';
import { Part } from '../../../base/part';
import { type Plan, placementOf } from '../../../graph/partition/plan';
import { type PlanInput, planOf } from '../../../graph/partition/styles';
import { initDeviceMesh } from '../../../mesh/device-mesh';
import { ProgramBuilder } from '../../../program/builder';
import type { Config } from '../../../protocol/config';
import { meshSizes, replicasOf } from '../../../protocol/mesh-sizes';
import { distributed, type Layout, shardMap } from '../../../sharding/shard-map';
import { ddp } from '../../ddp/mode';
import { emitDdpStep } from '../../ddp/step';
import type { ParallelMode } from '../../mode';
import { compile } from '../../pipeline/compile';
import { pipeline } from '../../pipeline/mode';
import { partitionOf } from '../../step/partition-of';
import { placeStages } from '../../step/place';
import { emitStep, oneAfterTheOther, wholeGraphs } from '../../step/step';
import { sumPartials } from '../../step/sum-partials';
import { ofReplicas, ofStages } from './closed-form';

const planFor = (plan: PlanInput, { model }: Config): Plan => planOf(plan, model.layers).plan;

const meshOf = (config: Config) => initDeviceMesh(meshSizes(config));

/** The whole model on every tensor group; DDP around it where there are several. */
export const tensorParallel = (plan: PlanInput): ParallelMode => ({
  face: ddp.face,
  listing: new Part('No script', async () => () => []),
  mesh: meshOf,
  layersOfDevice: (config) => meshOf(config).devices.map(() => [...config.model.layers.keys()]),
  shards: (config, tensors) => shardMap(tensors, ({ name, shape }) => cutOver(plan, config)(name, shape)),
  sampler: (config) => (replicasOf(config) > 1 ? 'distributed' : undefined),
  rowsOfDevice: pipeline.rowsOfDevice,
  accumulationPolicy: must(ddp.accumulationPolicy, 'DDP'),
  compile(input, kind) {
    const { config } = input;
    const builder = new ProgramBuilder(meshOf(config), input.ops);
    const stages = placeStages(builder, [0]);
    const cuts = partitionOf(planFor(plan, config), builder.mesh);
    const sums = sumPartials({ builder, algorithm: config.ddp.algorithm, stages });
    if (replicasOf(config) > 1) emitDdpStep({ builder, stages, input, partitionOf: cuts, syncsBehind: [sums] }, kind);
    else {
      const graphOf = wholeGraphs(input, kind, { partitionOf: cuts });
      emitStep({ builder, input, kind, stages, order: oneAfterTheOther(kind), syncs: [sums], graphOf });
    }
    return builder.finish('tensor', kind);
  },
  closedForm: (run, pass) => ofReplicas(plan, run, pass),
});

/** Each stage of a pipeline on a tensor group of its own. */
export const tensorPipeline = (plan: PlanInput): ParallelMode => ({
  ...pipeline,
  mesh: meshOf,
  shards(config, tensors) {
    const whole = pipeline.shards(config, tensors);
    const layoutOf = cutOver(plan, config);
    return shardMap(tensors, ({ name, shape }) => {
      const { owners } = must(whole.get(name), name);
      return layoutOf(
        name,
        shape,
        owners.map(({ device }) => device),
      );
    });
  },
  compile(input, kind) {
    const mesh = meshOf(input.config);
    return compile(input, kind, mesh, { partitionOf: partitionOf(planFor(plan, input.config), mesh) });
  },
  closedForm: (run, pass) => ofStages(plan, run, pass),
});

/** Of a tensor, on each device by its place along the plan's axis. */
function cutOver(input: PlanInput, config: Config) {
  const mesh = meshOf(config);
  const plan = planFor(input, config);
  return (name: string, shape: readonly number[], devices = mesh.devices): Layout => {
    const placement = placementOf(plan, name);
    return distributed(
      shape,
      devices.map((device) => {
        const index = mesh.coordinate(at(mesh.rankOfDevice, device))[plan.axis];
        return { device, cuts: [{ placement, index, count: mesh.shape[plan.axis] }] };
      }),
    );
  };
}
