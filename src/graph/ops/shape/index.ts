/** Operators that move elements and compute nothing: view, slice, concatenate, place. */
import type { OpDef } from '../../op';
import { cat } from './cat';
import { place } from './place';
import { reshape } from './reshape';
import { slice } from './slice';

export const SHAPE_OPS: readonly OpDef[] = [reshape, cat, slice, place];
