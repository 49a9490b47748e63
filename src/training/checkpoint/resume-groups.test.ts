/**
 * Parameter groups with settings of their own: a run resumes where one group has states that another has not, and the
 * file says what each group has.
 */
import { expect, test } from 'vitest';
import { must } from '../../base/invariant';
import { parseConfig } from '../../config/parse-config';
import { readMetadata, readSafetensors } from '../../interop/safetensors';
import type { ConfigInput } from '../../protocol/config';
import { NET, SAME_BITS, savedAfter, stateOf, withTraining } from '../testing/checkpoint-runs';

const CASES: readonly (readonly [NonNullable<ConfigInput['optimizer']>, object])[] = [
  [{ type: 'SGD', lr: 0.1 }, { momentum: 0.9 }],
  [{ type: 'SGD', lr: 0.1, momentum: 0.9 }, { momentum: 0 }],
  [{ type: 'RMSprop' }, { centered: true, momentum: 0.5 }],
  [
    { type: 'Adam', lr: 0.01 },
    { amsgrad: true, beta1: 0.5 },
  ],
];

test.each(CASES)('%o with a group of %o', async (optimizer, own) => {
  const config: ConfigInput = { ...NET, mode: 'ddp', optimizer, paramGroups: [{ match: '*.bias', ...own }] };
  const straight = await withTraining(config, {}, async (t) => {
    await t.run(9);
    return stateOf(t);
  });
  const files = await savedAfter(config, 4);
  const resumed = await withTraining({ ...config, resume: 'run' }, files, async (t) => {
    expect(t.blueprint.notices.find(({ id }) => id === 'resumed')?.text).toMatch(SAME_BITS);
    await t.run(5);
    return stateOf(t);
  });
  expect(resumed).toEqual(straight);
  const state = must(files['run.state.safetensors'], 'state');
  const groups = JSON.parse(must(readMetadata('s', state)['param_groups'], 'groups')) as readonly object[];
  const { beta1, ...rest } = own as { readonly beta1?: number };
  expect(groups[0]).toMatchObject(beta1 === undefined ? rest : { ...rest, betas: [beta1, 0.999] });
  expect(groups[1]).not.toMatchObject(rest);
  const names = readSafetensors('s', state).map(({ name }) => name);
  // The first group has parameter 0, the second the last one.
  const withMomentum = names.filter((name) => /^state\.\d+\.momentum_buffer$/.test(name));
  if (optimizer.type === 'SGD')
    expect(withMomentum.some((name) => name.startsWith('state.0.'))).toBe('momentum' in own && own.momentum !== 0);
});

test('a setting that the optimizer has not is refused', () => {
  expect(() => parseConfig({ optimizer: { type: 'Adam' }, paramGroups: [{ match: '*', momentum: 0.5 }] })).toThrow(
    'paramGroups.0.momentum is 0.5 and optimizer.type is "Adam": Adam has no setting of that name.',
  );
});
