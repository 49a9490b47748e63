/**
 * A schedule with its messages, as torch 2.13 executes it. Schedules with several stages per rank are lowered: in
 * rounds over the ranks, each rank places its next action; if another rank needs the result, the send follows the
 * action, and the receive is appended to the other rank's current list. So a rank posts its receives in the order in
 * which the others send. GPipe and 1F1B have their own loops. Source: _add_send_recv, _step_microbatches.
 */
import { must } from '../base/invariant';
import type { PipelineAction } from '../protocol/pipeline';
import { keyOf, partsOf } from './cell';
import { checkSchedule } from './check-schedule';
import { placesOf } from './dependencies';
import { isComputation, type LoweredCell, type LoweredMessage } from './lowered-cell';
import { receiveBefore, transferAfter } from './messages';
import { withParameterCalls } from './parameter-calls';
import type { Schedule } from './schedule';

/** Returns one list per rank, with FSDP's calls. Throws if the schedule cannot run (check-schedule.ts). */
export function lower(schedule: Schedule): readonly (readonly LoweredCell[])[] {
  checkSchedule(schedule);
  const { name } = schedule;
  if (name !== 'GPipe' && name !== '1F1B') return inRounds(schedule);
  return schedule.orders.map((order) => ownLoop(order.flatMap(partsOf), schedule, name === '1F1B'));
}

function inRounds(schedule: Schedule): readonly (readonly LoweredCell[])[] {
  const { dependenciesOf } = placesOf(schedule);
  const queues = schedule.orders.map((order) => withParameterCalls(order, schedule.microBatches));
  const lowered: readonly LoweredCell[][] = queues.map(() => []);
  const next = queues.map(() => 0);
  const done = new Set<number>();
  const isReady = (cell: LoweredCell): boolean =>
    !isComputation(cell) ||
    partsOf(cell).every((part) => dependenciesOf(part).every((needed) => done.has(keyOf(needed))));

  for (let left = queues.length; left > 0; ) {
    left = 0;
    for (const [rank, queue] of queues.entries()) {
      const index = next[rank] ?? 0;
      const cell = queue[index];
      if (cell === undefined) continue;
      left++;
      if (!isReady(cell)) continue;
      next[rank] = index + 1;
      lowered[rank]?.push(cell);
      for (const part of isComputation(cell) ? partsOf(cell) : []) {
        done.add(keyOf(part));
        const transfer = transferAfter(part, schedule);
        if (!transfer) continue;
        lowered[rank]?.push(transfer.send);
        must(lowered[transfer.toRank], 'receiving rank').push(transfer.receive);
      }
    }
  }
  return lowered;
}

/**
 * Receive, compute, send. When 1F1B switches between forward and backward, the send of one action and the receive of
 * the next are posted together.
 */
function ownLoop(order: readonly PipelineAction[], schedule: Schedule, turnsTogether: boolean): readonly LoweredCell[] {
  const lowered: LoweredCell[] = [];
  let sent: LoweredMessage | undefined;
  for (const [index, part] of order.entries()) {
    const received = receiveBefore(part, schedule);
    const turns = turnsTogether && part.kind !== order[index - 1]?.kind;
    if (sent && received && turns) lowered.push({ together: [sent, received] });
    else lowered.push(...[sent, received].filter((message) => message !== undefined));
    lowered.push(part);
    sent = transferAfter(part, schedule)?.send;
  }
  if (sent) lowered.push(sent);
  const stage = order[0]?.stage;
  return stage === undefined ? lowered : [...lowered, { stage, call: 'REDUCE_GRAD' }];
}
