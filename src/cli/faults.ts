/** Parses the values of `--kill` and `--hang`: 'rank@step', several separated by commas. Called by train-usage.ts. */
import type { PlannedFault } from '../training/failures/fault-plan';

/** Undefined if the text does not have this form. */
export function parseFaults(what: PlannedFault['what'], text: string): readonly PlannedFault[] | undefined {
  const faults = text.split(',').map((part): PlannedFault | undefined => {
    const [, rank, step] = /^(\d{1,3})@(\d{1,9})$/.exec(part.trim()) ?? [];
    return rank === undefined ? undefined : { what, rank: Number(rank), step: Number(step) };
  });
  const good = faults.filter((fault) => fault !== undefined);
  return good.length === faults.length ? good : undefined;
}
