/**
 * The history of the difference between the run and its single-device reference: every value of the first hundred
 * steps, then those of the compared steps and a few between them, so that a run of any length keeps its beginning.
 * Pure; the store keeps the list, headline-numbers.tsx and growth-panel.tsx read it.
 */
import type { DifferenceAt } from '../../protocol/snapshot';
import { HEADLINE_STEPS, nextCompared } from '../../training/control/compared-steps';

/** After the first steps, values closer together than this factor are dropped in favour of the newest. */
const APART = 1.01;

/** `list` begins where the run began. If the step ran before, `added` replaces its value and all later ones. */
export function withDifference(list: readonly DifferenceAt[], added: DifferenceAt): readonly DifferenceAt[] {
  const before = list.filter(({ step }) => step < added.step);
  const [first] = before;
  const newest = before.at(-1);
  const older = before.at(-2);
  const crowded =
    first !== undefined &&
    newest !== undefined &&
    older !== undefined &&
    newest.step - first.step > HEADLINE_STEPS &&
    newest.step - first.step < APART * (older.step - first.step) &&
    !isCompared(newest.step - first.step);
  return [...(crowded ? before.slice(0, -1) : before), added];
}

export const isCompared = (done: number): boolean => nextCompared(done - 1) === done;

/** The first entry of the list, and the entry a hundred steps later, or the newest before that. */
export function headline(list: readonly DifferenceAt[]): (DifferenceAt & { readonly done: number }) | undefined {
  const [first] = list;
  const found = first && list.findLast(({ step }) => step <= first.step + HEADLINE_STEPS);
  return found && { ...found, done: found.step - first.step };
}
