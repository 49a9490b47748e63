/** Words of the settings of the losses. */
import type { LossConfig } from '../config/loss';
import { type NameIn, settings } from './setting';

export const LOSS = settings<NameIn<LossConfig>>('loss', {
  reduction: ['Reduction', 'reduction: mean or sum over the batch.'],
  labelSmoothing: [
    'Smoothing',
    'label_smoothing: share of the target that is spread evenly over all classes; by default 0.',
  ],
  ignoreIndex: [
    'Ignored class',
    'ignore_index: rows or positions with this target add nothing to the loss, and the mean does not count them.',
  ],
  classWeights: [
    'Class weights',
    'weight: one factor per class, for example 1, 2; by default every class has weight 1.',
  ],
  posWeight: [
    'Positive weight',
    'pos_weight: factor for targets of 1, one per output or one for all, for example 3; by default 1.',
  ],
  beta: ['Beta', 'beta: distance below which the loss is a parabola, above it a line.'],
  delta: ['Delta', 'delta: distance below which the loss is a parabola, above it a line with slope delta.'],
});
