/**
 * DualPipeV: two stages per rank in a V. In the middle a forward pass of one stage and a backward pass of the other are
 * paired, so that the messages of one can hide behind the computation of the other; near the ends backward passes are
 * split. Source: ScheduleDualPipeV, DeepSeek's DualPipe cut in half.
 */
import type { PipelineAction } from '../../protocol/pipeline';
import type { ActionPair } from '../cell';
import { count, type OrderMaker, stageActions } from './order-maker';

export const dualPipeV: OrderMaker = ({ ranks, microBatches }, rank) => {
  const low = backwardsCounted(rank);
  const high = backwardsCounted(2 * ranks - 1 - rank);
  /** Split backward passes whose W is pending. */
  const weights: PipelineAction[] = [];
  const input = (stage: StageCounters): PipelineAction => {
    const { I, W } = stage.split();
    weights.push(W);
    return I;
  };
  const oldestWeights = (): readonly PipelineAction[] => weights.splice(0, 1);
  const pair = (forward: StageCounters, backward: StageCounters): ActionPair => ({
    pair: [forward.forward(), backward.whole()],
  });
  const after = ranks - 1 - rank;
  const half = Math.floor((rank + 1) / 2);
  // In a turn of the sixth step the high stage's backward pass is first: on odd ranks it is split one turn earlier.
  const isSplit = (turn: number, side: 'low' | 'high'): boolean =>
    side === 'high' && rank % 2 === 0 ? turn > half : turn >= half;

  const order = [
    count(2 * after).map(low.forward),
    count(rank + 1).map(() => [low.forward(), high.forward()]),
    count(after).map(() => [input(high), ...oldestWeights(), high.forward()]),
    count(microBatches - 2 * ranks + rank + 1).map((turn) => [
      // Unpaired, because then the backward pass of the last rank's first turn starts earlier.
      ...(turn === 0 && rank === ranks - 1 ? [low.forward(), high.whole()] : [pair(low, high)]),
      pair(high, low),
    ]),
    count(after).map(() => [high.whole(), pair(high, low)]),
    count(rank + 1).map((turn) => [
      isSplit(turn, 'high') ? input(high) : high.whole(),
      isSplit(turn, 'low') ? input(low) : low.whole(),
    ]),
    count(after).map(() => [...oldestWeights(), input(low)]),
    count(rank + 1).map(oldestWeights),
  ];
  return order.flat(2);
};

interface StageCounters {
  readonly forward: () => PipelineAction;
  readonly whole: () => PipelineAction;
  readonly split: () => { readonly I: PipelineAction; readonly W: PipelineAction };
}

/** Whole and split backward passes of a stage share one count of micro-batches. */
function backwardsCounted(stage: number): StageCounters {
  const { F: forward, B: whole } = stageActions(stage);
  const split = (): { readonly I: PipelineAction; readonly W: PipelineAction } => {
    const action = whole();
    return { I: { ...action, kind: 'I' }, W: { ...action, kind: 'W' } };
  };
  return { forward, whole, split };
}
