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
import { type ModeFacets, ONE_PROCESS } from '../../parallel/facets/mode-facets';
import type { ParallelMode } from '../../parallel/mode';
import type { ModeInput } from '../../parallel/mode-input';
import { meshOfOneProcess, modelOnFirst } from '../../parallel/one-process';
import { ProgramBuilder } from '../../program/builder';
import type { LaneBuilder } from '../../program/lane-builder';
import type { DeviceIndex } from '../../protocol/trace';
import { pieceShape } from '../../sharding/piece';
import { type Layout, pieceOn, type ShardMap, shardMap, type TensorSpec } from '../../sharding/shard-map';
import { elements } from '../../tensor/shape';

export type LayoutOf = (tensor: TensorSpec, devices: readonly DeviceIndex[], tensors: readonly TensorSpec[]) => Layout;

/** `held`: the layout by which the Programs hold the pieces, for tests in which it differs from the shard map. */
export function shardedMode(layoutOf: LayoutOf, held = layoutOf): ParallelMode {
  const devicesOf = (worldSize: number) => Array.from({ length: worldSize }, (_, d) => d);
  const mapOf = (layout: LayoutOf, worldSize: number, tensors: readonly TensorSpec[]): ShardMap =>
    shardMap(tensors, (tensor) => layout(tensor, devicesOf(worldSize), tensors));
  const facets: ModeFacets = {
    ...ONE_PROCESS,
    place: {
      ...modelOnFirst,
      shards: ({ worldSize }, tensors) => mapOf(layoutOf, worldSize, tensors),
      rowsOfDevice: ({ worldSize }, [rows = 0]) => devicesOf(worldSize).map(() => [0, rows] as const),
    },
    facts: {
      closedForm: ({ devices }) =>
        closedForm(
          devicesOf(devices).map(() => 0),
          '0: every device steps by itself',
        ),
    },
    compiler: {
      compile(input, kind) {
        const { worldSize, model } = input.config;
        const builder = new ProgramBuilder(meshOfOneProcess(input.config), input.ops);
        const map = mapOf(held, worldSize, parameterList(model.layers));
        for (const lane of builder.lanes) emitStepOn(lane, input, map);
        return builder.finish('dataParallel', kind);
      },
    },
  };
  return {
    face: dataParallel.face,
    mesh: meshOfOneProcess,
    listing: new Part('No script', async () => () => []),
    facets: () => facets,
  };
}

function emitStepOn(lane: LaneBuilder, input: ModeInput, map: ShardMap): void {
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
