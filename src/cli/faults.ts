/** What `--kill` and `--hang` say: 'rank@step', several with commas between. Called by train-usage.ts. */
import type { PlannedFault } from '../training/failures/fault-plan';

/** Undefined where the text is not of this form. */
export function parseFaults(what: PlannedFault['what'], text: string): readonly PlannedFault[] | undefined {
  const faults = text.split(',').map((part): PlannedFault | undefined => {
    const [, rank, step] = /^(\d{1,3})@(\d{1,9})$/.exec(part.trim()) ?? [];
    return rank === undefined ? undefined : { what, rank: Number(rank), step: Number(step) };
  });
  const good = faults.filter((fault) => fault !== undefined);
  return good.length === faults.length ? good : undefined;
}
