/**
 * The slots of a bucket: runs of neighbouring parameters with a gradient, and gaps for parameters without gradient,
 * which count as zeros. Called by reducer.ts.
 */
import { must } from '../../base/invariant';
import { elements, type Shape } from '../../tensor/shape';
import type { ParameterRef } from '../stage-graph';

interface Run {
  /** In elements. */
  readonly start: number;
  readonly parameters: readonly ParameterRef[];
}

interface Gap {
  readonly start: number;
  readonly length: number;
  readonly parameter: ParameterRef;
}

export interface BucketSlots {
  readonly length: number;
  readonly runs: readonly Run[];
  readonly gaps: readonly Gap[];
}

export function slotsOf(
  bucket: readonly ParameterRef[],
  shapes: ReadonlyMap<string, Shape>,
  unused: ReadonlySet<string>,
): BucketSlots {
  const runs: { start: number; parameters: ParameterRef[] }[] = [];
  const gaps: Gap[] = [];
  let offset = 0;
  let open: { start: number; parameters: ParameterRef[] } | undefined;
  for (const parameter of bucket) {
    const length = elements(must(shapes.get(parameter.name), parameter.name));
    if (unused.has(parameter.name)) {
      gaps.push({ start: offset, length, parameter });
      open = undefined;
    } else if (open) open.parameters.push(parameter);
    else {
      open = { start: offset, parameters: [parameter] };
      runs.push(open);
    }
    offset += length;
  }
  return { length: offset, runs, gaps };
}
