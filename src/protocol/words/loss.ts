/** Words of the settings of the losses. */
import type { LossConfig } from '../config/loss';
import { type NameIn, settings } from './setting';

export const LOSS = settings<NameIn<LossConfig>>('loss', {
  reduction: ['Reduction', 'reduction: mean or sum over the batch.'],
  labelSmoothing: [
    'Smoothing',
    'label_smoothing: part of the target that is spread over all classes; without it none.',
  ],
  ignoreIndex: [
    'Ignored class',
    'ignore_index: rows or positions with this target count neither in the loss nor in the mean.',
  ],
  classWeights: [
    'Class weights',
    'weight: one factor for each class, as in 1, 2; without it all classes count the same.',
  ],
  beta: ['Beta', 'beta: distance below which the loss is a parabola, above it a line.'],
});
