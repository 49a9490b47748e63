/**
 * torch's scale_grads: at the end of a step each gradient, which is the sum over the micro-batches, is divided by their
 * number. Called by compile.ts.
 */
import { at } from '../../base/invariant';
import type { Where } from '../../program/lane-builder';
import type { Schedule } from '../../schedules/schedule';
import type { Sync } from '../step/sync';
import type { Step } from '../step/walk';

const SCALE: Where = { phase: 'backward', anchor: 'scale_grads' };

/** `optimized`: the rank's part of a stage's gradients; absent: all. */
export const scaleGrads = (
  { stages, optimized = (_lane, own) => own }: Pick<Step, 'stages' | 'optimized'>,
  { microBatches }: Pick<Schedule, 'microBatches'>,
): Sync => ({
  finish(parameters) {
    // Two stages of one rank may share a gradient.
    const scaled = new Set<string>();
    for (const [stage, { lanes }] of stages.entries()) {
      for (const lane of lanes) {
        for (const { gradient } of optimized(lane, at(parameters, stage))) {
          if (scaled.has(`${lane.device} ${gradient}`)) continue;
          scaled.add(`${lane.device} ${gradient}`);
          const { length } = lane.whole(gradient);
          lane.compute('comm/scale', [gradient], [gradient], { from: 0, length, scale: 1 / microBatches }, SCALE);
        }
      }
    }
  },
});
