/**
 * A parallel mode made by hand, for tests of everything that reads or writes weights: every device holds the piece of
 * each parameter that the given layout gives it, and a step is nothing but the optimiser on these pieces, with the
 * parameter itself as its gradient. So a step is the same for every element, however the tensors are cut.
 */
import { Part } from '../../base/part';
import { parameterList } from '../../nn/model';
import { closedForm } from '../../parallel/closed-form';
import { dataParallel } from '../../parallel/data-parallel/mode';
import { emitOptimizer } from '../../parallel/emit-optimizer';
import type { ParallelMode } from '../../parallel/mode';
import { ProgramBuilder } from '../../program/builder';
import type { DeviceIndex } from '../../protocol/trace';
import { pieceShape } from '../../sharding/piece';
import { type Layout, pieceOn, type ShardMap, shardMap, type TensorSpec } from '../../sharding/shard-map';
import { elements } from '../../tensor/shape';

export type LayoutOf = (tensor: TensorSpec, devices: readonly DeviceIndex[], tensors: readonly TensorSpec[]) => Layout;

export function shardedMode(layoutOf: LayoutOf): ParallelMode {
  const devicesOf = (worldSize: number) => Array.from({ length: worldSize }, (_, d) => d);
  const shards = (worldSize: number, tensors: readonly TensorSpec[]): ShardMap =>
    shardMap(tensors, (tensor) => layoutOf(tensor, devicesOf(worldSize), tensors));
  return {
    face: dataParallel.face,
    mesh: dataParallel.mesh,
    layersOfDevice: ({ worldSize, model }) => devicesOf(worldSize).map(() => [...model.layers.keys()]),
    shards: ({ worldSize }, tensors) => shards(worldSize, tensors),
    listing: new Part('No script', async () => () => []),
    closedForm: ({ devices }) =>
      closedForm(
        devicesOf(devices).map(() => 0),
        '0: every device steps by itself',
      ),
    rowsOfDevice: ({ worldSize }, [rows = 0]) => devicesOf(worldSize).map(() => [0, rows] as const),
    compile(input, kind) {
      const { worldSize, model } = input.config;
      const builder = new ProgramBuilder(dataParallel.mesh(input.config), input.ops);
      const map = shards(worldSize, parameterList(model.layers));
      for (const lane of builder.lanes) {
        const own = [...map].flatMap(([name, layout]) => {
          const piece = pieceOn(layout, lane.device);
          const shape = piece && pieceShape(piece);
          return shape ? [{ name, shape, gradient: `${name}.grad` }] : [];
        });
        for (const { name, shape, gradient } of own) {
          const base = { shape, dtype: 'f32', persistent: true } as const;
          lane.buffer({ ...base, name, category: 'parameter', pool: 'parameters' });
          lane.buffer({ ...base, name: gradient, category: 'gradient', pool: 'gradients' });
          const attrs = { from: 0, to: 0, length: elements(shape) };
          lane.compute('ops/copy', [name], [gradient], attrs, { phase: 'backward', anchor: 'backward' });
        }
        emitOptimizer(lane, input, own);
      }
      return builder.finish('dataParallel', kind);
    },
  };
}
