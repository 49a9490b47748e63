/**
 * Where torch puts FSDP's calls into the order of a rank. The parameters of the next three stages are kept whole: a
 * stage is gathered (UNSHARD) ahead of its use and resharded (RESHARD) when it is not among them; its gradients are
 * reduced (REDUCE_GRAD) right after its last backward pass. Source: _add_unshard_reshard, _add_reduce_grad.
 */
import { partsOf, type ScheduleCell } from './cell';
import type { LoweredCell } from './lowered-cell';

const MOST_WHOLE = 3;

export function withParameterCalls(order: readonly ScheduleCell[], microBatches: number): readonly LoweredCell[] {
  const coming = upcomingStages(order);
  const whole = new Set<number>();
  const backwards = new Map<number, number>();
  const lowered: LoweredCell[] = [];
  const reshard = (stage: number): void => {
    whole.delete(stage);
    lowered.push({ stage, call: 'RESHARD' });
  };
  for (const [index, cell] of order.entries()) {
    const next = coming(index);
    for (const stage of [...whole].toSorted((a, b) => a - b)) if (!next.includes(stage)) reshard(stage);
    for (const stage of next.filter((stage) => !whole.has(stage))) {
      whole.add(stage);
      lowered.push({ stage, call: 'UNSHARD' });
    }
    lowered.push(cell);
    for (const { stage, kind } of partsOf(cell)) {
      if (kind !== 'B' && kind !== 'W') continue;
      const done = (backwards.get(stage) ?? 0) + 1;
      backwards.set(stage, done);
      if (done === microBatches) lowered.push({ stage, call: 'REDUCE_GRAD' });
    }
  }
  for (const stage of [...whole].toSorted((a, b) => a - b)) reshard(stage);
  return lowered;
}

/**
 * For ascending positions: the next stages from there on, the nearest first; both stages of a pair, even if that makes
 * four.
 */
function upcomingStages(order: readonly ScheduleCell[]): (index: number) => readonly number[] {
  const uses = new Map<number, number[]>();
  for (const [index, cell] of order.entries()) {
    for (const [part, { stage }] of partsOf(cell).entries()) {
      const list = uses.get(stage);
      if (list) list.push(2 * index + part);
      else uses.set(stage, [2 * index + part]);
    }
  }
  const next = new Map<number, number>();
  return (index) => {
    const stages = [...uses].flatMap(([stage, list]) => {
      let at = next.get(stage) ?? 0;
      while ((list[at] ?? Number.POSITIVE_INFINITY) < 2 * index) at++;
      next.set(stage, at);
      const use = list[at];
      return use === undefined ? [] : [{ stage, use }];
    });
    const nearest = stages.toSorted((a, b) => a.use - b.use);
    const last = nearest[MOST_WHOLE - 1]?.use ?? Number.POSITIVE_INFINITY;
    return nearest.filter(({ use }) => Math.floor(use / 2) <= Math.floor(last / 2)).map(({ stage }) => stage);
  };
}
