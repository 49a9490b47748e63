/**
 * The default configuration of permalinks, which contain only differences from it: a spiral on four DDP ranks with a
 * bucket cap so small that this small net has three buckets, two of which are reduced while backward still computes.
 * Also the run with which the page opens without a link; that one may change without changing any link's meaning.
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
 * The modelled machine is slow enough for this net. On an A100 every kernel takes 4 us to launch, for any number of
 * rows, so four devices would take longer than one (117 us and 88 us); four transputers take 15.4 ms, one takes 54.4
 * ms, and nine tenths of the communication are hidden (opening-config.test.ts).
 */
export const OPENING_CONFIG: Config = { ...PAGE_CONFIG, hardware: 'transputer' };
