/** An embed posts to the embedding page the same values as it shows, and only those that docs/embedding.md lists. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parseConfig } from '../../config/parse-config';
import { openTestSession } from '../../session/testing/open-session';
import { DEFAULT_VIEW } from '../permalink/permalink-view';
import { createAppStore } from '../state/store';
import { messageOf, tellState } from './tell-state';

test('numbers of the shown step; missing numbers are omitted', async () => {
  const session = await openTestSession({ mode: 'ddp', worldSize: 2, device: 'cpu', compareSingle: false });
  const store = createAppStore(session.info.config, { ...DEFAULT_VIEW, embed: true, hide: new Set(['bar']) });
  expect(messageOf(store.getState())).toMatchObject({ state: 'loading', microBatch: 0, hidden: undefined });
  store.getState().setInfo(session.info);
  const trace = await session.api.traceStep();
  store.getState().addTrace(trace);
  store.getState().addLosses([trace.losses], 0);
  await session.close();
  const posted: unknown[] = [];
  tellState(store, (message) => posted.push(message));
  expect(posted).toHaveLength(1);
  expect(posted[0]).toMatchObject({ type: 'lockstep:state', mode: 'ddp', worldSize: 2, microBatch: 1 });
  const { loss, bytesPerRank, hidden, stepUs, link } = messageOf(store.getState());
  expect(loss).toBe(trace.losses.loss);
  expect(bytesPerRank).toBeGreaterThan(0);
  expect(stepUs).toBeGreaterThan(0);
  expect(hidden).toBeGreaterThanOrEqual(0);
  expect(link).toMatch(/^seed=0&/);
  expect(link).toContain('world=2');
  expect(link).not.toMatch(/embed|hide/);
});

test('docs/embedding.md lists the fields of the message', () => {
  const docs = readFileSync(new URL('../../../docs/embedding.md', import.meta.url), 'utf8');
  const [, table = ''] = /`\{ type: 'lockstep:state'[\s\S]*?(\n\|[\s\S]*?)\n\n/.exec(docs) ?? [];
  const listed = table.split('\n').flatMap((row) => (row.split('|')[1] ?? '').match(/(?<=`)\w+(?=`)/g) ?? []);
  const { type: _, ...fields } = messageOf(createAppStore(parseConfig({}), DEFAULT_VIEW).getState());
  expect(listed.sort()).toEqual(Object.keys(fields).sort());
});
