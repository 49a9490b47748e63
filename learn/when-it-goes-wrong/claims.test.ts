/** What the lesson on failures says, held against runs; those that fail, on sessions of their own. */
import { describe, expect, test } from 'vitest';
import type { Facts } from '../../src/lessons/facts/facts';
import { linkOf, readLink } from '../../src/lessons/run-link';
import { claimsOf } from '../../src/lessons/testing/claims';
import type { ConfigInput } from '../../src/protocol/config';
import { openTestSession, type TestSession } from '../../src/session/testing/open-session';
import { lesson } from './lesson';

const { value, facts, run } = claimsOf(lesson);
const { survive, cure } = lesson.tasks;
const slowBy = (factor: number) => ({ slow: `!(rank(rank:2,factor:${factor}))` });

const configOf = (figure: 'kill' | 'uneven', changes = {}): ConfigInput =>
  readLink(linkOf(lesson.figures[figure]?.run ?? '', changes)).config;

async function steps(s: TestSession, count: number): Promise<readonly number[]> {
  const losses: number[] = [];
  for (let step = 0; step < count; step++) losses.push((await s.api.traceStep()).losses.loss);
  return losses;
}

const lastNotice = ({ events }: TestSession) => events.findLast((event) => event.type === 'notice')?.notice;

test('a killed rank: all are started again, and the losses are those of a run without the failure', async () => {
  const s = await openTestSession(configOf('kill', { restarts: '3' }));
  await steps(s, 5);
  const back = s.until('notice', ({ notice }) => notice.id === 'rank-failed' && notice.text.includes('continues'));
  await s.api.killRank(3);
  await back;
  const after = await steps(s, 5);
  const weights = await s.api.saveWeights();
  await s.close();
  const { app } = await facts('kill');
  expect(after).toEqual(app.losses.slice(5, 10).map(({ loss }) => loss));
  const undisturbed = await openTestSession(configOf('kill'));
  await steps(undisturbed, 10);
  expect(await undisturbed.api.saveWeights()).toEqual(weights);
  await undisturbed.close();
});

test('without restarts the job ends', async () => {
  const s = await openTestSession(configOf('kill', { restarts: '0' }));
  await s.api.traceStep();
  const failed = s.until('state', ({ state }) => state === 'failed');
  await s.api.killRank(3);
  await failed;
  expect(lastNotice(s)?.level).toBe('error');
  await s.close();
});

test('one batch more on rank 0: the step after the others have run out waits for them in an all-reduce', async () => {
  const s = await openTestSession(configOf('uneven', { timeout: '0.3' }));
  await steps(s, 4);
  const failed = s.until('state', ({ state }) => state === 'failed');
  await expect(s.api.traceStep()).rejects.toThrow(/all_reduce/);
  await failed;
  await s.close();
});

test('with join() the run goes past the end of the epoch', async () => {
  const { info } = await facts('uneven', { join: '1', at: '6' });
  expect(info?.batchesPerEpoch).toBe(5);
  expect(await value('stepsDone', 'uneven', { join: '1', at: '6' })).toBe(6);
});

test('a rank of half the speed makes the step about twice as long', async () => {
  const even = await value('stepTime', 'slow', slowBy(1));
  const late = await value('stepTime', 'slow', slowBy(2));
  expect(late / even).toBeGreaterThan(1.7);
  expect(late / even).toBeLessThan(2.1);
  const { guess } = lesson.predictions['late'] ?? {};
  const answer = await facts('slow', slowBy(2));
  const right = guess?.kind === 'choice' ? guess.choices.map((choice) => choice.right(late, answer)) : [];
  expect(right).toEqual([false, true, false]);
});

test('the straggler is the only rank that never waits, and spends least on communication', async () => {
  const { metrics } = await facts('slow', slowBy(5));
  const use = metrics?.use ?? [];
  const [, , straggler] = use;
  expect(straggler?.idle).toBeLessThan(0.01);
  for (const other of use.filter((one) => one !== straggler)) {
    expect(other.idle).toBeGreaterThan(0.5);
    expect(other.commUs).toBeGreaterThan(straggler?.commUs ?? 0);
  }
});

test('the replicas are alike after the restart, as before', async () => {
  expect(await value('divergence', 'kill')).toBe(0);
});

describe('tasks', () => {
  const withNotice = (begin: Facts, text: string): Facts => ({
    ...begin,
    pressed: ['kill'],
    app: { ...begin.app, notices: [{ level: 'warning', id: 'rank-failed', text, hint: '' }] },
  });

  test('survive: done when the restarted ranks go on', async () => {
    const begin = await facts('kill');
    expect(survive?.done(begin)).toBe(false);
    expect(survive?.done({ ...begin, pressed: ['kill'] })).toBe(false);
    expect(survive?.done(withNotice(begin, 'Rank 3 was killed. All ranks are started again.'))).toBe(false);
    expect(survive?.done(withNotice(begin, 'Rank 3 was killed. Training continues from step 12.'))).toBe(true);
  });

  test('cure: done with join, beyond the epoch', async () => {
    expect(cure?.done((await run('uneven')).facts)).toBe(false);
    expect(cure?.done(await facts('uneven', { join: '1' }))).toBe(false);
    expect(cure?.done(await facts('uneven', { join: '1', at: '6' }))).toBe(true);
  });
});
