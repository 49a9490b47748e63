/** Refuses a plan that states a wrong layout of a module's input or output. Called by partition.ts. */
import { LockstepError } from '../../base/errors';
import { type Placement, REPLICATE } from '../../sharding/placement';
import type { GraphValue } from '../graph';
import { fromLast, type LayoutsOf, type Plan } from './plan';
import { samePlacement, wordsOf } from './rule';

/** torch trusts the plan's layouts: with a wrong layout it treats a part as the whole, or the whole as a part. */
export function checkLayout(
  { layouts }: Plan,
  side: keyof LayoutsOf,
  module: string,
  { type }: GraphValue,
  held: Placement | undefined,
): void {
  const stated = fromLast(layouts?.get(module)?.[side], type.shape);
  const actual = held?.kind === 'partial' ? REPLICATE : held;
  if (stated === undefined || actual === undefined || samePlacement(stated, actual)) return;
  const name = `${side}Layouts`;
  throw new LockstepError(
    'config',
    `${name} of ${module} is ${wordsOf(stated)}, but the ranks hold ${wordsOf(actual)}: torch does not check that, and would compute with a wrong layout.`,
    `Leave ${name} out, or write how the ranks hold the tensor.`,
  );
}
