/**
 * What DDP's constructor sends is a trace of its own, for the page: rank 0's values on every rank, and as many bytes as
 * the closed form says.
 */
import { expect, test } from 'vitest';
import { at, must } from '../base/invariant';
import type { ConfigInput } from '../protocol/config';
import { stepWords } from '../protocol/micro-batches';
import { openTestSession } from '../session/testing/open-session';
import { contentsAt } from '../trace/contents';
import { metricsOf } from '../trace/metrics';
import { sentenceOf } from '../trace/sentence';

const ddp: ConfigInput = {
  device: 'cpu',
  mode: 'ddp',
  worldSize: 3,
  data: { type: 'xor', samples: 48 },
  batchSize: 12,
  ddp: { rankSeeds: 'beforeModel' },
};

test('ranks that drew weights of their own have those of rank 0 after it', async () => {
  const s = await openTestSession(ddp);
  const trace = must(s.info.construct, 'a trace of the constructor');
  expect(trace.microBatch).toBe(-1);
  expect(stepWords(trace.microBatch, trace)).toBe('construct');
  const weight = (rank: number) =>
    must(
      at(trace.initial, rank).captured.find((c) => c.buffer === '0.weight'),
      'weight',
    );
  expect(weight(1).values).not.toEqual(weight(0).values);
  const end = contentsAt(trace, trace.events.length - 1);
  for (const rank of [1, 2]) expect(end.get(rank)?.get('0.weight')?.values).toEqual(weight(0).values);
  expect(metricsOf(trace, 'modelled', s.info).bytesAgree).toBe(true);
  for (const [index] of trace.events.entries())
    expect(sentenceOf(trace, index, 'modelled')).not.toMatch(/undefined|NaN/);
  // The first step starts from there.
  const first = await s.api.traceStep();
  expect(first.microBatch).toBe(0);
  const start = at(first.initial, 2).captured.find((c) => c.buffer === '0.weight');
  expect(start?.values).toEqual(weight(0).values);
  await s.close();
});

test.each([{ mode: 'single' }, { mode: 'dataParallel' }, { ddp: { initSync: false } }] satisfies ConfigInput[])(
  'there is none where nothing is sent: %o',
  async (settings) => {
    const s = await openTestSession({ ...ddp, ...settings });
    expect(s.info.construct).toBeUndefined();
    await s.close();
  },
);
