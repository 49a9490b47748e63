/**
 * The run that the page opens with, and the measure of "differs from the defaults" in a permalink: a spiral on four DDP
 * ranks with a bucket cap so small that this small net has three buckets, and two of them fly while backward still
 * computes.
 */
import * as v from 'valibot';
import { type Config, configSchema } from '../../protocol/config';

export const PAGE_CONFIG: Config = v.parse(configSchema, {
  model: {
    layers: [
      { type: 'Linear', in: 2, out: 8 },
      { type: 'Tanh' },
      { type: 'Linear', in: 8, out: 8 },
      { type: 'Tanh' },
      { type: 'Linear', in: 8, out: 8 },
      { type: 'Tanh' },
      { type: 'Linear', in: 8, out: 1 },
    ],
  },
  loss: { type: 'BCEWithLogitsLoss' },
  optimizer: { type: 'Adam', lr: 0.01 },
  data: { type: 'spiral', testFraction: 0.2 },
  batchSize: 64,
  mode: 'ddp',
  worldSize: 4,
  ddp: { bucketCapMb: 0.25 / 1024 },
});
