/**
 * What DistributedDataParallel's constructor says of models that differ between ranks, in the words that PyTorch 1.13
 * was heard to say.
 */
import { expect, test } from 'vitest';
import { verifyModels } from './verify-models';

const linear = (inputs: number, outputs: number, bias = true) => [
  { name: 'weight', shape: [outputs, inputs] },
  ...(bias ? [{ name: 'bias', shape: [outputs] }] : []),
];

test('equal models pass, whatever their values', () => {
  expect(() => verifyModels([linear(2, 2), linear(2, 2), linear(2, 2)])).not.toThrow();
});

test('another number of parameters', () => {
  expect(() => verifyModels([linear(2, 2), linear(2, 2, false)])).toThrow(
    'DDP expects same model across all ranks, but Rank 0 has 2 params, while rank 1 has inconsistent 1 params.',
  );
});

test('other sizes', () => {
  expect(() => verifyModels([linear(2, 2), linear(2, 3)])).toThrow(
    '[1]: params[0] in this process with sizes [3, 2] appears not to match sizes of the same param in process 0.',
  );
});

test('counts are compared before sizes', () => {
  expect(() => verifyModels([linear(2, 2), linear(2, 3), linear(2, 2, false)])).toThrow('while rank 2 has');
});

test('nothing to train', () => {
  expect(() => verifyModels([[], []])).toThrow(
    "DistributedDataParallel is not needed when a module doesn't have any parameter that requires a gradient.",
  );
});
