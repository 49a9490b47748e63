/**
 * What the modes of this folder send: the sums inside each tensor group, beside what DDP or the pipeline sends for the
 * parts that a rank has. Called by mode.ts.
 */
import { at, must } from '../../../base/invariant';
import { algorithmFor } from '../../../collectives/algorithms';
import { placementOf } from '../../../graph/partition/plan';
import { type PlanInput, planOf } from '../../../graph/partition/styles';
import { initDeviceMesh } from '../../../mesh/device-mesh';
import { parameterList, parametersOfLayer } from '../../../nn/model';
import type { ClosedForm } from '../../../protocol/closed-form';
import type { Config } from '../../../protocol/config';
import { DATA_AXES } from '../../../protocol/mesh';
import { meshSizes } from '../../../protocol/mesh-sizes';
import type { DeviceIndex } from '../../../protocol/trace';
import { pieceOf, pieceShape } from '../../../sharding/piece';
import type { TensorSpec } from '../../../sharding/shard-map';
import { closedForm, type FormPass, type RunSizes } from '../../closed-form';
import { ddpForm } from '../../ddp/closed-form';
import { pipelineForm } from '../../pipeline/closed-form';
import { pipeline } from '../../pipeline/mode';

const meshOf = (config: Config) => initDeviceMesh(meshSizes(config));

/** Without a pipeline. */
export function ofReplicas(plan: PlanInput, run: RunSizes, pass: FormPass): ClosedForm {
  const { config, devices } = run;
  const mesh = meshOf(config);
  const layers = [...config.model.layers.keys()];
  const perDevice = sumsOf(plan, run, pass, () => layers);
  if (mesh.dataIndices > 1)
    for (let device = 0; device < devices; device++) {
      const { ranks } = mesh.plane(DATA_AXES, device);
      const parameters = parameterList(config.model.layers).map((parameter) => ({
        shape: shapeOn(plan, config)(parameter, device),
      }));
      const form = ddpForm({ ...run, devices: ranks.length, parameters, buckets: undefined }, pass);
      perDevice[device] = at(perDevice, device) + at(form.perDevice, ranks.indexOf(device));
    }
  return closedForm(perDevice, 'sums inside tensor groups, gradients over the replicas');
}

export function ofStages(plan: PlanInput, run: RunSizes, pass: FormPass): ClosedForm {
  const { config } = run;
  const layers = pipeline.layersOfDevice(config);
  const form = pipelineForm(run, pass, shapeOn(plan, config));
  const sums = sumsOf(plan, run, pass, (device) => at(layers, device));
  return closedForm(
    form.perDevice.map((bytes, device) => bytes + at(sums, device)),
    `sums inside tensor groups; ${form.text}`,
    { exact: form.exact },
  );
}

function shapeOn(input: PlanInput, config: Config) {
  const mesh = meshOf(config);
  const { plan } = planOf(input, config.model.layers);
  return ({ name, shape }: TensorSpec, device: DeviceIndex) => {
    const [index, count] = [mesh.coordinate(device)[plan.axis], mesh.shape[plan.axis]];
    return pieceShape(pieceOf(shape, [{ placement: placementOf(plan, name), index, count }]));
  };
}

function sumsOf(
  plan: PlanInput,
  { config, devices }: RunSizes,
  { rows }: FormPass,
  layersOf: (device: DeviceIndex) => readonly number[],
): number[] {
  const mesh = meshOf(config);
  return Array.from({ length: devices }, (_, device) => {
    const { ranks } = mesh.group(plan.axis, device);
    return layersOf(device)
      .flatMap((layer) => summedWidths(plan, config, layer))
      .reduce((total, width) => {
        const request = { op: 'allReduce', worldSize: ranks.length, bytes: 4 * at(rows, device) * width } as const;
        const { bytesSent } = algorithmFor(config.ddp.algorithm, 'allReduce').cost(request);
        return total + must(bytesSent[ranks.indexOf(device)], 'rank');
      }, 0);
  });
}

/** Widths of what is summed over the ranks: outputs of rowwise layers, and gradients of inputs of colwise layers. */
function summedWidths({ styles }: PlanInput, { model: { layers } }: Config, i: number): readonly number[] {
  const layer = at(layers, i);
  const style = styles.find(([module]) => module === String(i))?.[1].style;
  if (layer.type !== 'Linear' || style === undefined) return [];
  if (style === 'RowwiseParallel') return [layer.out];
  // Data need no gradient.
  return layers.slice(0, i).some((before, k) => parametersOfLayer(before, k).length > 0) ? [layer.in] : [];
}
