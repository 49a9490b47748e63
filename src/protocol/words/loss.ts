/** Words of the settings of the losses. */
import type { LossConfig } from '../config/loss';
import { type NameIn, settings } from './setting';

export const LOSS = settings<NameIn<LossConfig>>('loss', {
  reduction: ['Reduction', 'reduction: mean or sum over the batch.'],
  labelSmoothing: [
    'Smoothing',
    'label_smoothing: share of the target that is spread evenly over all classes; without it 0.',
  ],
  ignoreIndex: [
    'Ignored class',
    'ignore_index: rows or positions with this target add nothing to the loss, and the mean does not count them.',
  ],
  classWeights: [
    'Class weights',
    'weight: one factor for each class, as in 1, 2; without it every class has weight 1.',
  ],
  posWeight: [
    'Positive weight',
    'pos_weight: factor for targets of 1, one for each output or one for all, as in 3; without it 1.',
  ],
  beta: ['Beta', 'beta: distance below which the loss is a parabola, above it a line.'],
  delta: ['Delta', 'delta: distance below which the loss is a parabola, above it a line with slope delta.'],
});
