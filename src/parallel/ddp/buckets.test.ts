/**
 * Buckets as DDP's own logs show them, in every setting that decides about them. The rows were logged by PyTorch
 * 1.13.1. Where a cap is given, PyTorch 2.x builds other buckets (pull request 121640: the cap holds for the first one,
 * too), and Lockstep follows it: such rows have what 2.x builds, and under torch113 what 1.13.1 logged. Logged by 2.13
 * itself: the cap of 4 MiB and find_unused_parameters with a cap of 3 MiB; the two others follow from its source.
 */
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { at, must } from '../../base/invariant';
import { type ConfigInput, configSchema, type LayerInput } from '../../protocol/config';
import { elements } from '../../tensor/shape';
import fixtures from '../fixtures/buckets.json';
import { PROGRAM_OPS } from '../modes';
import { type ParameterRef, type StageGraph, stageGraph } from '../stage-graph';
import { assignBuckets, FIRST_BUCKET_BYTES } from './buckets';
import { bucketsOf, initialBuckets, passesBeforeRebuild, readyOrder, rebuilds } from './ready-order';

interface Logged {
  readonly dims: readonly (readonly number[])[];
  readonly ddp: ConfigInput['ddp'];
  readonly initial: string;
  readonly rebuilt: string | null;
  readonly indices: string | null;
  readonly order: string;
  readonly passesBeforeRebuild: number | null;
  /** A Linear(300, 1000) that forward does not call is before that layer. */
  readonly unusedAt?: number;
  /** Layers in the order in which they are constructed, where forward calls them in another one. */
  readonly registered?: readonly number[];
  /** What PyTorch 1.13.1 logged, where 2.x differs. */
  readonly torch113?: Pick<Logged, 'initial' | 'rebuilt'>;
}

test.each(fixtures.assignment)('assigns $bytes under $limits', ({ bytes, limits, buckets }) => {
  expect(assignBuckets(bytes, limits)).toEqual(buckets);
});

function build({ dims, ddp, unusedAt, registered }: Logged) {
  const layers: LayerInput[] = dims.map(([from = 0, to = 0]) => ({ type: 'Linear', in: from, out: to }));
  if (unusedAt !== undefined)
    layers.splice(unusedAt, 0, { type: 'Unused', layers: [{ type: 'Linear', in: 300, out: 1000 }] });
  const config = v.parse(configSchema, { model: { layers }, mode: 'ddp', worldSize: 2, ddp });
  const inputShape = [at(at(dims, 0), 0)];
  const targetShape = [at(at(dims, dims.length - 1), 1)];
  const types = { inputType: 'f32', targetType: 'f32' } as const;
  const stage = stageGraph(
    { config, ops: PROGRAM_OPS, inputShape, targetShape, ...types },
    { rows: 4, withLoss: true },
  );
  const inOrder = registered?.flatMap((layer) => [2 * layer, 2 * layer + 1].map((i) => at(stage.registered, i)));
  const shapes = new Map(stage.graph.values.map((value) => [value.name, value.type.shape]));
  const bytesOf = ({ name }: ParameterRef) => 4 * elements(must(shapes.get(name), name));
  const bytes = (buckets: readonly (readonly ParameterRef[])[]) =>
    buckets.map((bucket) => bucket.reduce((n, p) => n + bytesOf(p), 0)).join(', ');
  const own = inOrder ? ({ ...stage, registered: inOrder } satisfies StageGraph) : stage;
  return { config, stage: own, bytes, bytesOf };
}

describe.each(fixtures.ddp as readonly Logged[])('linears $dims, $ddp, unused at $unusedAt', (logged) => {
  const { config, stage, bytes } = build(logged);
  const index = (name: string) => stage.registered.findIndex((p) => p.name === name);

  test('gradients become ready in the order of autograd', () => {
    const order = readyOrder(stage).map((p) => index(p.name));
    expect(order.join(', ')).toBe(logged.order);
  });
  test('the constructor builds', () => {
    expect(bytes(initialBuckets(stage, config))).toBe(logged.initial);
  });
  test('rebuilt buckets', () => {
    const after = bucketsOf(stage, config, true);
    expect(bytes(after)).toBe(logged.rebuilt ?? logged.initial);
    if (logged.indices !== null)
      expect(after.map((b) => b.map((p) => index(p.name)).join(' ')).join(', ')).toBe(logged.indices);
    expect(rebuilds(config) ? passesBeforeRebuild(config) : null).toBe(logged.passesBeforeRebuild);
  });
});

const CAPPED = (fixtures.ddp as readonly Logged[]).filter(({ torch113 }) => torch113 !== undefined);

test.each(CAPPED)('PyTorch 1.13.1 closed the first bucket at 1 MiB: linears $dims, $ddp', (logged) => {
  const { config, stage, bytes, bytesOf } = build(logged);
  const { initial, rebuilt } = must(logged.torch113, 'what 1.13.1 logged');
  const limits = [FIRST_BUCKET_BYTES, must(config.ddp.bucketCapMb, 'a cap') * 1024 * 1024];
  const order = rebuilt === null ? stage.registered : readyOrder(stage);
  const buckets = assignBuckets(order.map(bytesOf), limits).map((indices) => indices.map((i) => at(order, i)));
  expect(bytes(rebuilt === null ? buckets.reverse() : buckets)).toBe(rebuilt ?? initial);
  expect(bytes(bucketsOf(stage, config, true))).not.toBe(rebuilt ?? initial);
});
