/**
 * `with model.join()`: in each forward pass the ranks count how many still have a batch, agree on the rank that
 * broadcasts its buffers (the largest rank with a batch) and on whether gradients will be reduced. A rank without
 * batches shadows these collectives, and each bucket, with zeros. When all have run out, the count is zero, and the
 * last rank to join (the largest, if several) broadcasts its model. Source: torch/distributed/algorithms/join.py and
 * DistributedDataParallel's _DDPJoinHook. Emitted into the communication queues; called by ddp-sync.ts.
 */
import { algorithmFor } from '../../collectives/algorithms';
import type { ProgramBuilder } from '../../program/builder';
import type { Where } from '../../program/lane-builder';
import type { ReduceOp } from '../../protocol/collective';
import type { Config } from '../../protocol/config';
import type { Group } from '../../protocol/mesh';
import type { DeviceIndex } from '../../protocol/trace';
import { broadcast } from './broadcast';
import { fill } from './fill';

export interface Joining {
  readonly builder: ProgramBuilder;
  readonly config: Config;
  readonly group: Group;
  /** Devices that have a batch. */
  readonly active: readonly DeviceIndex[];
}

const where = (anchor: string): Where => ({ phase: 'broadcast', anchor, queue: 'comm' });

/** One number per rank, all-reduced. */
function agree(
  joining: Joining,
  name: string,
  numberOf: (device: DeviceIndex) => number,
  reduceOp: ReduceOp = 'sum',
): void {
  const { builder, config, group } = joining;
  const at = where('join');
  for (const lane of builder.lanesOf(group)) {
    lane.buffer({ name, shape: [1], dtype: 'f32', category: 'communication', persistent: false });
    fill(lane, { buffer: name, offset: 0, length: 1 }, numberOf(lane.device), at);
  }
  if (group.ranks.length === 1) return;
  algorithmFor(config.ddp.algorithm, 'allReduce').emit({
    builder,
    op: 'allReduce',
    group,
    input: name,
    length: 1,
    reduceOp,
    payload: 'parameter',
    where: at,
  });
}

/** notify_join_context: a rank with a batch gives 1, the others give 0. */
export function notifyJoinContext(joining: Joining): void {
  agree(joining, 'num_nonjoined', (device) => Number(joining.active.includes(device)));
}

/** _find_common_rank: the largest rank among the candidates. */
export function commonRank(joining: Joining, name: string, candidates: readonly DeviceIndex[]): DeviceIndex {
  agree(joining, name, (device) => (candidates.includes(device) ? device : -1), 'max');
  return Math.max(...candidates);
}

/** _check_global_requires_backward_grad_sync. */
export function notifyBackwardSync(joining: Joining, reduces: boolean): void {
  agree(joining, 'requires_sync', (device) => Number(reduces && joining.active.includes(device)));
}

/** After the last batch of all ranks: they notice it, and the last rank to join broadcasts its model. */
export function endJoin(joining: Joining, names: readonly string[]): void {
  const { builder, group, active } = joining;
  for (const lane of builder.lanesOf(group)) lane.handOver('compute', 'comm', where('join'));
  agree(joining, 'num_nonjoined.end', () => 0);
  const source = commonRank(joining, 'last_joiner', active);
  broadcast({ builder, group, source }, names, where('join'));
  for (const lane of builder.lanesOf(group)) lane.handOver('comm', 'compute', where('join'));
}
