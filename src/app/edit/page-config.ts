/**
 * The measure of "differs from the defaults" in a permalink: a spiral on four DDP ranks with a bucket cap so small that
 * this small net has three buckets, and two of them fly while backward still computes. And the run that the page opens
 * with where there is no link, which may change without a link changing its meaning.
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

/**
 * The modelled machine is one for which this net is work. On an A100 each of its kernels is 4 us of launch however many
 * rows it has, so four devices would take longer than one (117 us and 88 us); four transputers take 15.4 ms, one takes
 * 54.4 ms, and nine tenths of the communication are hidden (opening-config.test.ts).
 */
export const OPENING_CONFIG: Config = { ...PAGE_CONFIG, hardware: 'transputer' };
