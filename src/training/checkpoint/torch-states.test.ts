/**
 * The state of every optimiser has the entries that torch 1.13's state_dict has, no more and no fewer, so that torch
 * loads it and goes on. What torch does with it then is held in parity/script-losses.test.ts.
 */
import { describe, expect, test } from 'vitest';
import { must } from '../../base/invariant';
import { readMetadata, readSafetensors, writeSafetensors } from '../../interop/safetensors';
import type { ConfigInput } from '../../protocol/config';
import { NET, savedAfter, withTraining } from '../testing/checkpoint-runs';
import { stateFileName } from './file-names';

/** As `optimizer.state_dict()['state'][0]` has them after a step in torch 1.13.1. */
const ENTRIES: readonly (readonly [NonNullable<ConfigInput['optimizer']>, string])[] = [
  [{ type: 'SGD' }, ''],
  [{ type: 'SGD', momentum: 0.9 }, 'momentum_buffer'],
  [{ type: 'Adam' }, 'exp_avg exp_avg_sq step'],
  [{ type: 'Adam', amsgrad: true }, 'exp_avg exp_avg_sq max_exp_avg_sq step'],
  [{ type: 'AdamW' }, 'exp_avg exp_avg_sq step'],
  [{ type: 'NAdam' }, 'exp_avg exp_avg_sq mu_product step'],
  [{ type: 'RAdam' }, 'exp_avg exp_avg_sq step'],
  [{ type: 'Adamax' }, 'exp_avg exp_inf step'],
  [{ type: 'Adagrad' }, 'step sum'],
  [{ type: 'Adadelta' }, 'acc_delta square_avg step'],
  [{ type: 'RMSprop' }, 'square_avg step'],
  [{ type: 'RMSprop', momentum: 0.9, centered: true }, 'grad_avg momentum_buffer square_avg step'],
];

const stateAfter = async (config: ConfigInput, steps: number) => {
  const files = await savedAfter(config, steps);
  return { files, state: must(files[stateFileName('run')], 'state') };
};

test.each(ENTRIES)('%j: %s', async (optimizer, entries) => {
  const { state } = await stateAfter({ ...NET, optimizer, mode: 'single' }, 2);
  const own = readSafetensors('state', state).flatMap(({ name }) => /^state\.0\.(.*)$/.exec(name)?.[1] ?? []);
  expect(own.sort().join(' ')).toBe(entries);
});

describe('mu_product of NAdam', () => {
  const config: ConfigInput = { ...NET, mode: 'single', optimizer: { type: 'NAdam', lr: 0.02 } };

  test('is the number that torch has after five steps', async () => {
    const { state } = await stateAfter(config, 5);
    const product = readSafetensors('state', state).find(({ name }) => name === 'state.1.mu_product');
    expect(product).toEqual({ name: 'state.1.mu_product', shape: [], data: Float32Array.of(0.01849803701043129) });
  });

  test('a file of an older Lockstep, which lacks it, goes on all the same', async () => {
    const { files, state } = await stateAfter(config, 5);
    const older = readSafetensors('state', state).filter(({ name }) => !name.endsWith('mu_product'));
    const resumed = (bytes: Uint8Array<ArrayBuffer>) =>
      withTraining({ ...config, resume: 'run' }, { ...files, [stateFileName('run')]: bytes }, (t) => t.run(3));
    expect(await resumed(writeSafetensors(older, readMetadata('state', state)))).toEqual(await resumed(state));
  });
});
