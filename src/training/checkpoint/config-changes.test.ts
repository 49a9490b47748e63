/** Which settings a resumed run is said to have changed. */
import { expect, it } from 'vitest';
import { parseConfig } from '../../config/parse-config';
import { PARALLEL_MODES } from '../../parallel/modes';
import type { ConfigInput } from '../../protocol/config';
import { configChanges } from './config-changes';

const RUN: ConfigInput = { mode: 'sharded', worldSize: 2 };
const namesOf = (saved: Readonly<Record<string, unknown>>, now: ConfigInput) =>
  configChanges(saved, parseConfig(now), {
    face: PARALLEL_MODES.sharded.face,
    ...PARALLEL_MODES.sharded.facets(parseConfig(now)),
  }).names;

it('finds none in a checkpoint of a version that had fewer settings', () => {
  const { threads: _threads, gradScaler: _scaler, sharded, ...older } = parseConfig(RUN);
  const { cpuOffload: _offload, paramDtype: _type, ...olderSharded } = sharded;
  expect(namesOf({ ...older, sharded: olderSharded }, RUN)).toEqual([]);
});

it('leaves out what moves no number, and names the rest', () => {
  const saved = { ...parseConfig(RUN) };
  expect(namesOf(saved, { ...RUN, threads: 4, fuse: true, sharded: { cpuOffload: true } })).toEqual([]);
  expect(namesOf(saved, { ...RUN, batchSize: 16, sharded: { stage: 2 } }).toSorted()).toEqual(['batchSize', 'sharded']);
});
