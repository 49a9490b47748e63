import { expect, test } from 'vitest';
import { initDeviceMesh } from '../mesh/device-mesh';
import { PROGRAM_OPS } from '../parallel/modes';
import { ProgramBuilder } from './builder';

test('a buffer is declared again only with the same shape and type', () => {
  const lane = new ProgramBuilder(initDeviceMesh({}), PROGRAM_OPS).lane(0);
  const spec = { name: '0.out', shape: [2, 3], dtype: 'f32', category: 'activation', persistent: false } as const;
  lane.buffer(spec);
  lane.buffer({ ...spec, shape: [2, 3] });
  expect(() => lane.buffer({ ...spec, shape: [3, 3] })).toThrow('buffer 0.out twice: [2,3] f32, then [3,3] f32');
  expect(() => lane.buffer({ ...spec, dtype: 'i32' })).toThrow('twice');
});
