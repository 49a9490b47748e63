/** Buckets as DDP's own logs show them. */
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { configSchema, type LayerConfig } from '../../protocol/config';
import { elements } from '../../tensor/shape';
import fixtures from '../fixtures/buckets.json';
import { stageGraph } from '../stage-graph';
import { PROGRAM_OPS } from '../strategies';
import { assignBuckets } from './buckets';
import { bucketsOf, readyOrder } from './ready-order';

test.each(fixtures.assignment)('assigns $bytes under $limits', ({ bytes, limits, buckets }) => {
  expect(assignBuckets(bytes, limits)).toEqual(buckets);
});

describe.each(fixtures.ddp)(
  'linears $dims, cap $bucketCapMb',
  ({ dims, bucketCapMb, initial, rebuilt, indices, order }) => {
    const layers: LayerConfig[] = dims.map(([from, to]) => ({
      type: 'Linear',
      in: from ?? 0,
      out: to ?? 0,
      bias: true,
    }));
    const config = v.parse(configSchema, {
      model: { layers },
      mode: 'ddp',
      worldSize: 2,
      ddp: bucketCapMb === null ? {} : { bucketCapMb },
    });
    const outputs = dims.at(-1)?.[1] ?? 0;
    const stage = stageGraph(
      {
        config,
        ops: PROGRAM_OPS,
        inputShape: [dims[0]?.[0] ?? 0],
        inputType: 'f32',
        targetShape: [outputs],
        targetType: 'f32',
      },
      { rows: 4, withLoss: true },
    );
    const index = (name: string) => stage.parameters.findIndex((p) => p.name === name);
    const size = (name: string) => 4 * elements(stage.graph.values.find((v) => v.name === name)?.type.shape ?? []);
    const bytes = (first: boolean) =>
      bucketsOf(stage, config, !first)
        .map((bucket) => bucket.reduce((n, p) => n + size(p.name), 0))
        .join(', ');

    test('gradients become ready in the order of autograd', () => {
      expect(
        readyOrder(stage)
          .map((p) => index(p.name))
          .join(', '),
      ).toBe(order);
    });
    test('iteration 0 has one bucket', () => {
      expect(bytes(true)).toBe(initial);
    });
    test('rebuilt buckets', () => {
      expect(bytes(false)).toBe(rebuilt);
      expect(
        bucketsOf(stage, config, true)
          .map((b) => b.map((p) => index(p.name)).join(' '))
          .join(', '),
      ).toBe(indices);
    });
  },
);
