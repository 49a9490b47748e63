/**
 * find_unused_parameters: after the last bucket the ranks count how many of them have used each parameter
 * (local_used_map, one number per parameter); a parameter that no rank has used keeps its `.grad`. All ranks run the
 * same model here, so a parameter is unused on all of them or none; only a rank that has run out of batches uses no
 * parameter (join). Called by reducer.ts.
 */

import { algorithmFor } from '../../collectives/algorithms';
import type { ProgramBuilder } from '../../program/builder';
import type { Where } from '../../program/lane-builder';
import type { Config } from '../../protocol/config';
import type { Group } from '../../protocol/mesh';
import type { DeviceIndex } from '../../protocol/trace';
import type { StageGraph } from '../stage-graph';
import { fill } from './fill';

const USED_MAP = 'local_used_map';

interface UsedMap {
  readonly builder: ProgramBuilder;
  readonly config: Config;
  readonly group: Group;
  readonly stage: StageGraph;
  readonly active: readonly DeviceIndex[];
  /** Prefix of the name of the map's buffer. */
  readonly prefix?: string;
}

export function reduceUsedMap(options: UsedMap, unused: ReadonlySet<string>): void {
  const { builder, config, group, stage, active, prefix = '' } = options;
  const buffer = `${prefix}${USED_MAP}`;
  const { length } = stage.registered;
  const where: Where = { phase: 'reduce', anchor: 'allreduce', queue: 'comm' };
  for (const lane of builder.lanesOf(group)) {
    lane.buffer({ name: buffer, shape: [length], dtype: 'f32', category: 'bucket', persistent: false });
    const slice = { buffer, offset: 0, length };
    fill(lane, slice, active.includes(lane.device) ? 1 : 0, where);
    stage.registered.forEach(({ name }, offset) => {
      if (unused.has(name)) fill(lane, { ...slice, offset, length: 1 }, 0, where);
    });
  }
  if (group.ranks.length === 1) return;
  algorithmFor(config.ddp.algorithm, 'allReduce').emit({
    builder,
    op: 'allReduce',
    group,
    input: buffer,
    length,
    payload: 'gradient',
    where,
  });
}
