/**
 * Serves Load instructions from the dataset: gathers the rows of a device's part of the batch into arrays that are
 * reused.
 */
import { at, must } from '../../base/invariant';
import { gatherRows } from '../../data/gather-rows';
import type { Load } from '../../program/instruction';
import type { DeviceIndex } from '../../protocol/trace';
import { allocate, type HostArray } from '../../tensor/shape';
import type { Feed } from '../executor';
import type { DatasetTable, StepFeed } from './world';

export function createTableFeed(table: DatasetTable): (step: StepFeed) => Feed {
  const sources = {
    inputs: { source: table.inputs, width: table.inputWidth, dtype: table.inputType },
    targets: { source: table.targets, width: table.targetWidth, dtype: table.targetType },
  } as const;
  // Keyed by the instruction object, because instructions of different Programs may have the same number.
  const staging = new Map<Load, HostArray>();
  let current: StepFeed | undefined;

  const feed: Feed = (load: Load, device: DeviceIndex) => {
    const step = must(current, 'a step feed');
    if (load.source === 'scalars')
      return (step.scalarsOf?.[load.dataIndex] ?? step.scalars).subarray(load.start, load.start + load.count);
    const fed = at(step.microBatches, load.microBatch ?? 0);
    if (load.source === 'mask' || load.source === 'noise') {
      const { draw = load.buffer } = load;
      const mask = fed.masks.find((m) => m.device === device && m.buffer === draw);
      return must(mask, `mask ${draw} of cuda:${device}`).data;
    }
    const { source, width, dtype } = sources[load.source];
    const { dataIndex, start, count } = load;
    let target = staging.get(load);
    if (!target) {
      target = allocate(dtype, count * width);
      staging.set(load, target);
    }
    const batch = at(fed.rows, dataIndex);
    // Avoids a view, which costs as much as gathering a small batch.
    const rows = start === 0 && count === batch.length ? batch : batch.subarray(start, start + count);
    gatherRows(source, width, rows, target);
    return target;
  };
  return (step) => {
    current = step;
    return feed;
  };
}
