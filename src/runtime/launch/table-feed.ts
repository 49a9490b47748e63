/** Serves Load instructions from the dataset: gathers the rows of a device's part of the batch into arrays that are reused. */
import { at, must } from '../../base/invariant';
import type { Load } from '../../program/instruction';
import { allocate, type HostArray } from '../../tensor/shape';
import type { Feed } from '../executor';
import type { DatasetTable, StepFeed } from './world';

export function createTableFeed(table: DatasetTable): (step: StepFeed) => Feed {
  const staging = new Map<number, HostArray>();
  let current: StepFeed | undefined;

  const gather = (load: Load, source: HostArray, width: number): HostArray => {
    const rows = at(must(current, 'a step feed').rows, load.process);
    let target = staging.get(load.id);
    if (target?.length !== load.count * width) {
      target = allocate(source instanceof Float32Array ? 'f32' : 'i32', load.count * width);
      staging.set(load.id, target);
    }
    for (let r = 0; r < load.count; r++) {
      const from = (rows[load.start + r] ?? 0) * width;
      for (let c = 0; c < width; c++) target[r * width + c] = source[from + c] ?? 0;
    }
    return target;
  };

  const feed: Feed = (load) => {
    if (load.source === 'scalars') return must(current, 'a step feed').scalars;
    return load.source === 'inputs'
      ? gather(load, table.inputs, table.inputWidth)
      : gather(load, table.targets, table.targetWidth);
  };
  return (step) => {
    current = step;
    return feed;
  };
}
