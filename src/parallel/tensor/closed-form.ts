/**
 * The bytes that the ranks of a tensor group send to each other, and that DDP sends over the replicas for each rank's
 * parts. Called by axes/cuts.
 */
import { at, must } from '../../base/invariant';
import type { DeviceMesh } from '../../mesh/device-mesh';
import type { ClosedForm } from '../../protocol/closed-form';
import { DATA_AXES } from '../../protocol/mesh';
import type { DeviceIndex } from '../../protocol/trace';
import { closedForm, type FormPass, type RunSizes, uncounted } from '../closed-form';
import { ddpForm } from '../ddp/closed-form';
import { type StageGraph, stageGraph } from '../stage-graph';
import { partitionOf } from '../step/partition-of';
import { layersOf, sentForPartials, sentInside } from './inside-groups';
import { planIn } from './plan';

export function tensorForm(run: RunSizes, pass: FormPass, mesh: DeviceMesh): ClosedForm {
  const graphOf = cutGraphs(run, pass, mesh);
  const { algorithm } = run.config.ddp;
  const inside = mesh.devices.map((device) => sentInside(graphOf(device), { mesh, algorithm, device }));
  const ofReplicas =
    mesh.dataIndices > 1 ? mesh.devices.map((device) => reductionOf(run, pass, { graphOf, mesh, device })) : undefined;
  const perDevice = mesh.devices.map(
    (device) =>
      at(inside, device).bytes +
      (pass.steps ? sentForPartials(graphOf(device), { mesh, algorithm, device }) : 0) +
      (ofReplicas === undefined ? 0 : at(ofReplicas, device).bytes),
  );
  const { length } = at(inside, 0).collectives;
  const text = `inside each tensor group ${length} ${length === 1 ? 'collective' : 'collectives'} of activations and their gradients`;
  const layers = layersOf(inside, graphOf(0).graph);
  if (!ofReplicas) return closedForm(perDevice, text, { layers });
  const left = uncounted(run.config);
  return closedForm(perDevice, `${text}; over the replicas ${at(ofReplicas, 0).form.text}${left}`, {
    exact: left === '' && ofReplicas.every(({ form }) => form.exact),
    layers,
  });
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

/** The reduction of the gradients of the device's parts. */
function reductionOf(
  run: RunSizes,
  pass: FormPass,
  { graphOf, mesh, device }: { readonly graphOf: GraphOf; readonly mesh: DeviceMesh; readonly device: DeviceIndex },
): { readonly bytes: number; readonly form: ClosedForm } {
  const rank = at(mesh.rankOfDevice, device);
  const { ranks } = mesh.plane(DATA_AXES, rank);
  const { graph, registered } = graphOf(device);
  const types = new Map(graph.values.map(({ name, type }) => [name, type]));
  const parameters = registered.map(({ name }) => must(types.get(name), name));
  const form = ddpForm({ ...run, devices: ranks.length, parameters, buckets: undefined }, pass);
  return { bytes: at(form.perDevice, ranks.indexOf(rank)), form };
}
