/** Operators that move elements and compute nothing: permute, slice, concatenate, gather, scatter ... */
import type { OpDef } from '../../op';
import { cat, stack } from './cat';
import { chunk } from './chunk';
import { expand } from './expand';
import { gather } from './gather';
import { indexSelect, indexSelectGrad } from './index-select';
import { pad, place } from './place';
import { flatten, reshape } from './reshape';
import { gatherGrad, scatter, scatterAdd, scatterGrad } from './scatter';
import { slice } from './slice';
import { permute, transpose } from './transpose';

export const SHAPE_OPS: readonly OpDef[] = [
  transpose,
  permute,
  reshape,
  flatten,
  cat,
  stack,
  slice,
  chunk,
  place,
  pad,
  expand,
  gather,
  gatherGrad,
  scatter,
  scatterGrad,
  scatterAdd,
  indexSelect,
  indexSelectGrad,
];
