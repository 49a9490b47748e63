/**
 * The groups of values that a normalisation normalises together: a channel of the batch (BatchNorm), a row or token
 * (LayerNorm), a group of channels of one sample (GroupNorm). For images, the captured values of sample 1. Called by
 * norm.ts.
 */
import type { DrawnOperand } from './drawn';
import { product } from './tensors';

export type NormKind = 'batch' | 'layer' | 'group';

/** The values that are normalised together. */
export interface Groups {
  readonly noun: 'channel' | 'row' | 'group';
  readonly count: number;
  valuesOf(operand: DrawnOperand, group: number): Float32Array;
}

export function groupsOf(kind: NormKind, x: DrawnOperand, groups: number): Groups {
  const { shape } = x;
  const known = x.values?.length ?? 0;
  const cut = (operand: DrawnOperand, from: number, length: number) =>
    operand.values?.subarray(from, from + length) ?? new Float32Array();
  if (kind === 'layer') {
    const width = shape.at(-1) ?? 1;
    const rows = Math.floor(known / width);
    return { noun: 'row', count: rows || product(shape) / width, valuesOf: (o, g) => cut(o, g * width, width) };
  }
  const channels = shape[1] ?? 1;
  const plane = product(shape.slice(2));
  if (kind === 'group') {
    const span = (channels / groups) * plane;
    const there = Math.floor(known / span);
    return { noun: 'group', count: Math.min(groups, there || groups), valuesOf: (o, g) => cut(o, g * span, span) };
  }
  // A channel of features [N, C] is a column; a channel of images is a plane of sample 1.
  if (plane === 1)
    return {
      noun: 'channel',
      count: channels,
      valuesOf: (o, c) => (o.values ?? new Float32Array()).filter((_, i) => i % channels === c),
    };
  const there = Math.floor(known / plane);
  return {
    noun: 'channel',
    count: Math.min(channels, there || channels),
    valuesOf: (o, c) => cut(o, c * plane, plane),
  };
}

const KINDS = {
  'batch-norm': 'batch',
  'sync-batch-norm': 'batch',
  'layer-norm': 'layer',
  'group-norm': 'group',
} as const;

export const kindOf = (name: string): NormKind =>
  Object.entries(KINDS).find(([start]) => name.startsWith(`norm/${start}`))?.[1] ?? 'batch';
