/** Settings that are legal and perhaps not meant. */
import { expect, test } from 'vitest';
import type { ConfigInput } from '../protocol/config';
import { optimizerNotices } from './optimizer-notices';
import { parseConfig } from './parse-config';

const NAMES = ['0.weight', '0.bias'];
const ids = (config: ConfigInput) => optimizerNotices(parseConfig(config), NAMES).map(({ id }) => id);

test('nothing to say of a plain optimiser, or of groups that are all used', () => {
  expect(ids({})).toEqual([]);
  expect(ids({ paramGroups: [{ match: '*.bias', lr: 0.1 }, { match: '*' }] })).toEqual([]);
});

test('a group that no parameter is left for', () => {
  expect(ids({ paramGroups: [{ match: '*' }, { match: '*.bias' }] })).toEqual(['empty-group-1']);
  const [notice] = optimizerNotices(parseConfig({ paramGroups: [{ match: 'bias' }] }), NAMES);
  expect(notice?.text).toBe('paramGroups.0: no parameter is left that matches "bias".');
});

test('the type of a norm that is not clipped', () => {
  expect(ids({ clipGradNormType: 'inf', clipGradValue: 1 })).toEqual(['norm-type-alone']);
  expect(ids({ clipGradNormType: 'inf', clipGradNorm: 1 })).toEqual([]);
});

test('OneCycleLR ends, and knows one rate only', () => {
  const scheduler = { type: 'OneCycleLR', maxLr: 0.1, totalSteps: 60 } as const;
  expect(ids({ scheduler })).toEqual(['one-cycle-end']);
  expect(ids({ scheduler, paramGroups: [{ match: '*', lr: 1 }] })).toEqual(['one-cycle-end', 'group-rate-overridden']);
  const [notice] = optimizerNotices(parseConfig({ scheduler }), NAMES);
  expect(notice?.hint).toContain('Tried to step 62 times. The specified number of total steps is 60');
});
