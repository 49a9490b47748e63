/** A later life of a buffer is the same tensor to a reader, in any micro-batch. */
import { expect, test } from 'vitest';
import { bufferWords } from './buffer-words';

test('a buffer that is gathered again has the same name in words', () => {
  expect(bufferWords('1.out~1')).toBe(bufferWords('1.out'));
  expect(bufferWords('1.out@2~1')).toBe(bufferWords('1.out@2'));
  expect(bufferWords('0.weight.halves~3')).toBe('0.weight, kept as halves');
});
