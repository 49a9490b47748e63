/**
 * The override JOIN of the kernels comm/transfer*: how they combine a received element with the target's. Called where
 * transfers are planned.
 */
import type { Apply } from '../../protocol/trace';
import type { DType } from '../../tensor/shape';

export type JoinCode = number;

export const PUT: JoinCode = 0;
export const ADD: JoinCode = 1;

const FLOATS: Readonly<Record<Apply, JoinCode>> = {
  put: PUT,
  add: ADD,
  multiply: 2,
  min: 3,
  max: 4,
  band: 5,
  bor: 6,
  bxor: 7,
};
const INTEGERS: Readonly<Record<Apply, JoinCode>> = { ...FLOATS, add: 8, multiply: 9, min: 10, max: 11 };

export const joinCode = (apply: Apply, dtype: DType): JoinCode => (dtype === 'f32' ? FLOATS : INTEGERS)[apply];
