/**
 * Rooms of a run in half precision: tensors that autocast casts or backward unpacks are shown while an operator
 * computes with them, and a linear layer is drawn as in float32.
 */
import { expect, test } from 'vitest';
import { must } from '../../base/invariant';
import { openTestSession } from '../../session/testing/open-session';
import { byMoments } from '../../trace/moments/moments';
import { createTraceFacts } from './facts-at';
import { productSpec } from './product-spec';

test('halves arrive in the chunks that they are added to: a row for each chunk, in the end with the values of all', async () => {
  const session = await openTestSession({
    mode: 'tensor',
    worldSize: 4,
    precision: 'autocast-bf16',
    device: 'cpu',
    batchSize: 8,
    compareSingle: false,
  });
  const trace = byMoments(await session.api.traceStep());
  await session.close();
  const facts = createTraceFacts(session.info, trace);
  const sums = facts.packets.filter(({ collective }) => collective?.op === 'allReduce');
  expect(sums.length).toBeGreaterThan(0);
  const inHalves = sums.filter(({ target }) => /\.halves$/.test(target.buffer));
  expect(inHalves.map(({ apply }) => apply)).toContain('add');
  for (const { target, source } of inHalves) expect(target).toEqual(source);
  const last = inHalves.findLast(({ collective }) => collective?.seq === inHalves[0]?.collective?.seq);
  const end = facts.at({ event: must(last, 'a packet').recv, fraction: 1 }, 'modelled');
  for (const device of [0, 1, 2, 3]) {
    const view = facts.at({ event: must(inHalves[0], 'a packet').send, fraction: 0.5 }, 'modelled').view(device);
    if (view.shows !== 'chunks') throw new Error(`the room shows ${view.shows}`);
    const rows = must(view.exchange.rows[device], 'rows');
    expect(rows).toHaveLength(4);
    for (const row of rows) expect(end.contributors(device, row).toString(2)).toBe('1111');
  }
});

test.each([
  ['single', 'autocast-bf16'],
  ['tensor', 'autocast-bf16'],
  ['single', 'bf16'],
] as const)('%s, %s', async (mode, precision) => {
  const session = await openTestSession({
    mode,
    worldSize: mode === 'tensor' ? 2 : 1,
    precision,
    device: 'cpu',
    compareSingle: false,
  });
  const trace = byMoments(await session.api.traceStep());
  await session.close();
  const facts = createTraceFacts(session.info, trace);
  const linear = trace.events.flatMap((e, index) => (e.name.startsWith('ops/linear') ? [{ e, index }] : []));
  expect(linear.length).toBeGreaterThan(3);
  for (const { e, index } of linear) {
    const now = facts.at({ event: index, fraction: 0.5 }, 'modelled');
    const shown = must(trace.events[now.now(e.device).event ?? -1], 'an event');
    expect(shown.name).not.toMatch(/^(precision|halves)\//);
    // A separate operator puts the bias of a row-parallel layer in its place.
    for (const buffer of e.reads.filter((name) => !name.endsWith('.once')))
      expect(now.content(e.device, buffer)?.values.length, buffer).toBeGreaterThan(0);
    // The result is still empty, although a conversion writes it, too.
    for (const buffer of e.writes) expect(now.content(e.device, buffer)?.event ?? -1, buffer).toBeLessThan(index);
    const { lead, signs, parts } = must(productSpec(e, index, facts.step.shapesOf(e.device)), e.name);
    const labels = parts.map(({ labels: [first = ''] }) => first);
    if (e.phase === 'forward') {
      expect(signs).toEqual(['×', '=']);
      expect(labels[1]).toMatch(/^(half of )?\d\.weightᵀ, \d × \d$/);
    } else if (e.name.endsWith('params')) {
      expect([lead, signs]).toEqual([true, ['=', '·']]);
      expect(parts[0]?.bias?.buffer).toMatch(/bias(\.(bf16|f32))?(\.once)?\.grad$/);
    } else expect(signs).toEqual(['×', '=']);
  }
});
