/**
 * The bytes that the ranks of a tensor group send to each other, and that DDP sends over the replicas for each rank's
 * parts. Called by axes/cuts.
 */
import { at, must } from '../../base/invariant';
import type { DeviceMesh } from '../../mesh/device-mesh';
import type { ClosedForm } from '../../protocol/closed-form';
import { DATA_AXES } from '../../protocol/mesh';
import type { DeviceIndex } from '../../protocol/trace';
import type { FormPass, RunSizes } from '../closed-form';
import { ddpFormOfGroups } from '../ddp/closed-form-of-groups';
import { overAxes } from '../over-axes';
import { type StageGraph, stageGraph } from '../stage-graph';
import { partitionOf } from '../step/partition-of';
import { formInside } from './inside-groups';
import { planIn } from './plan';

export function tensorForm(run: RunSizes, pass: FormPass, mesh: DeviceMesh): ClosedForm {
  const graphOf = cutGraphs(run, pass, mesh);
  const inside = formInside(run.config, mesh, [{ devices: mesh.devices, graphOf }], pass.steps);
  return mesh.dataIndices === 1 ? inside : overAxes([inside, formOfReplicas(run, pass, { graphOf, mesh })]);
}

type GraphOf = (device: DeviceIndex) => StageGraph;

/** One graph for all ranks with the same index on tp. */
export function cutGraphs({ input, config }: RunSizes, { rows, gradients }: FormPass, mesh: DeviceMesh): GraphOf {
  const cuts = partitionOf(planIn(config), mesh);
  const made = new Map<string, StageGraph>();
  return (device) => {
    const partition = cuts(at(mesh.rankOfDevice, device));
    const key = `${partition.part} ${rows[device]}`;
    const options = { rows: at(rows, device), withLoss: true, gradients, partition };
    const graph = made.get(key) ?? stageGraph(must(input, 'the shapes of the data'), options);
    made.set(key, graph);
    return graph;
  };
}

function formOfReplicas(
  run: RunSizes,
  pass: FormPass,
  { graphOf, mesh }: { readonly graphOf: GraphOf; readonly mesh: DeviceMesh },
): ClosedForm {
  const firsts = mesh.world.ranks.filter((rank) => mesh.dataIndex(rank) === 0);
  const groups = firsts.map((rank) => {
    const { graph, registered } = graphOf(rank);
    const types = new Map(graph.values.map(({ name, type }) => [name, type]));
    const parameters = registered.map(({ name }) => must(types.get(name), name));
    return { devices: mesh.plane(DATA_AXES, rank).ranks, parameters };
  });
  return ddpFormOfGroups(run, pass, groups, (text) => `over the replicas ${text}`);
}
