/**
 * A mode for tests: tensor parallelism over all ranks, for nets of Linear layers and activations. It is made of a plan,
 * placement rules and a pass over the forward graph; the walk, the optimiser and everything that reads weights are
 * those of the other modes. All ranks take the same batch and compute the same loss.
 */
import { invariant, must } from '../../../base/invariant';
import { Part } from '../../../base/part';
import { algorithmFor } from '../../../collectives/algorithms';
import type { OpTable } from '../../../graph/op';
import { MORE_COLLECTIVES } from '../../../graph/ops/more-collectives';
import { initDeviceMesh } from '../../../mesh/device-mesh';
import { parametersOfLayer } from '../../../nn/model';
import { ProgramBuilder } from '../../../program/builder';
import type { Config } from '../../../protocol/config';
import { placed, shardMap } from '../../../sharding/shard-map';
import { closedForm } from '../../closed-form';
import { ddp } from '../../ddp/mode';
import type { ParallelMode } from '../../mode';
import { stageGraph } from '../../stage-graph';
import { placeOn } from '../../step/place';
import { emitStep, oneAfterTheOther } from '../../step/step';
import { partitionBy } from './partition';
import { type Plan, placementOf } from './plan';

export function tensorParallel(plan: Plan): ParallelMode {
  const meshOf = ({ worldSize }: Config) => initDeviceMesh({ [plan.axis]: worldSize });
  return {
    face: ddp.face,
    listing: new Part('No script', async () => () => []),
    mesh: meshOf,
    layersOfDevice: (config) => meshOf(config).devices.map(() => [...config.model.layers.keys()]),
    shards: (config, tensors) =>
      shardMap(tensors, ({ name, shape }) => placed(shape, placementOf(plan, name), meshOf(config).devices)),
    rowsOfDevice: (config, [rows = 0]) => meshOf(config).devices.map(() => [0, rows] as const),
    compile(input, kind) {
      const { config } = input;
      invariant(config.clipGradNorm === undefined, 'the norm over pieces of parameters is not summed here');
      const builder = new ProgramBuilder(meshOf(config), input.ops);
      const partition = partitionBy(plan, config.worldSize);
      emitStep({
        builder,
        input,
        kind,
        stages: placeOn(builder, builder.mesh.world),
        order: oneAfterTheOther(kind),
        syncs: [],
        graphOf({ microBatch }, rows) {
          const { gradients } = must(kind.microBatches[microBatch], 'micro-batch');
          return stageGraph(
            { ...input, ops: withCollectives(input.ops) },
            { rows, withLoss: true, gradients, partition },
          );
        },
      });
      return builder.finish('tensor', kind);
    },
    closedForm({ config, devices }, { rows: [rows = 0] }) {
      const widths = summedWidths(plan, config);
      const request = { op: 'allReduce', worldSize: devices } as const;
      const costs = widths.map((width) =>
        algorithmFor(config.ddp.algorithm, 'allReduce').cost({ ...request, bytes: 4 * rows * width }),
      );
      const perDevice = Array.from({ length: devices }, (_, d) =>
        costs.reduce((sum, { bytesSent }) => sum + must(bytesSent[d], 'rank'), 0),
      );
      return closedForm(perDevice, `${widths.length} all-reduces of ${rows} rows`);
    },
  };
}

/** Widths of what is summed over the ranks: outputs of rowwise layers, and gradients of inputs of colwise layers. */
function summedWidths({ styles }: Plan, { model: { layers } }: Config): readonly number[] {
  return layers.flatMap((layer, i) => {
    const style = styles.get(String(i));
    if (layer.type !== 'Linear' || style === undefined) return [];
    if (style === 'rowwise') return [layer.out];
    // Data need no gradient.
    return layers.slice(0, i).some((before, k) => parametersOfLayer(before, k).length > 0) ? [layer.in] : [];
  });
}

const withCollectives = (ops: OpTable): OpTable =>
  new Map([...ops, ...MORE_COLLECTIVES.map((op) => [op.name, op] as const)]);
