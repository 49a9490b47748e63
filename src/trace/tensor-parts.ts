/**
 * A device's part of a tensor that a tensor group shares: the dimension of the cut, and the share of the whole. Used by
 * the sentences and the stage's pictures. Pure.
 */
import type { DeviceIndex, StepTrace, TensorPart } from '../protocol/trace';

export interface PartCut {
  readonly part: TensorPart;
  /** The dimension that is cut; undefined: an addend of whole size. */
  readonly dim: number | undefined;
}

/** The name without the micro-batch ('@1') and without the life of the buffer ('~1'). */
const withoutMicroBatch = (buffer: string): string => buffer.replace(/~\d+$/, '').replace(/@\d+$/, '');
/** '2.weight' of '2.weight.grad': the gradient of a piece is a piece of the gradient. */
const ofGradient = (buffer: string): string => buffer.replace(/\.grad(\.(part\d+|micro))?$/, '');

export type PartOf = (device: DeviceIndex, buffer: string) => PartCut | undefined;

export function partsIn({ parts = [] }: Pick<StepTrace, 'parts'>): PartOf {
  const known = new Map(parts.map((part) => [`${part.device} ${part.buffer}`, { part, dim: cutDim(part) }]));
  return (device, buffer) => {
    const name = withoutMicroBatch(buffer);
    const own = known.get(`${device} ${name}`);
    if (own) return own;
    const of = known.get(`${device} ${ofGradient(name)}`);
    return of?.dim === undefined ? undefined : of;
  };
}

const lengthOf = (ranges: TensorPart['ranges'][number]): number => ranges.reduce((n, { length }) => n + length, 0);

function cutDim({ shape, ranges }: TensorPart): number | undefined {
  const dim = ranges.findIndex((own, d) => lengthOf(own) < (shape[d] ?? 0));
  return dim < 0 ? undefined : dim;
}

const SHARES = ['whole', 'whole', 'half', 'third', 'quarter', 'fifth', 'sixth', 'seventh', 'eighth'];

/** 'half', 'quarter'; 'part' if the pieces differ in size. */
export function shareWords({ part: { shape, ranges }, dim }: PartCut): string {
  if (dim === undefined) return 'addend';
  const [whole, own] = [shape[dim] ?? 0, lengthOf(ranges[dim] ?? [])];
  return (whole % own === 0 ? SHARES[whole / own] : undefined) ?? 'part';
}

/** Whether the ranks of the step gather whole parameters from shards. */
export const gathersUnits = ({ events }: Pick<StepTrace, 'events'>): boolean =>
  events.some(({ name }) => name.startsWith('fsdp/'));

/** Whether ranks compute with parts of layers; ranks that only keep shards compute with whole layers. */
export const cutsLayers = (trace: StepTrace): boolean =>
  trace.parts !== undefined && (!gathersUnits(trace) || trace.parts.some(({ buffer }) => UNSHARDED.test(buffer)));

/** Gathered parameters with which a rank computes; a part of the layer if tp has cut it. */
const UNSHARDED = /(^|\.)unsharded\./;
