/**
 * For the claims of a lesson (learn/NAME/claims.test.ts): what a statement says is asked of runs. Runs are kept for the
 * file that asks, so that many claims may speak of one.
 */
import type { Facts } from '../facts/facts';
import { measure } from '../facts/quantities';
import type { Changes, Lesson, ValueOf } from '../lesson';
import { type Recorded, recordRun } from '../record/record-run';
import { linkOf } from '../run-link';

export interface Claims {
  /** The figure's run at the moment at which it begins, with some settings changed. */
  run(figure: string, changes?: Changes): Promise<Recorded>;
  facts(figure: string, changes?: Changes): Promise<Facts>;
  /** Of a quantity that the run must have. */
  value(of: ValueOf, figure: string, changes?: Changes): Promise<number>;
}

export function claimsOf(lesson: Lesson): Claims {
  const runs = new Map<string, Promise<Recorded>>();
  const run = (figure: string, changes: Changes = {}): Promise<Recorded> => {
    const spec = Object.hasOwn(lesson.figures, figure) ? lesson.figures[figure] : undefined;
    if (!spec) throw new Error(`The lesson has no figure "${figure}".`);
    const link = linkOf(spec.run, changes);
    const kept = runs.get(link) ?? recordRun(link);
    runs.set(link, kept);
    return kept;
  };
  const facts = async (figure: string, changes?: Changes) => (await run(figure, changes)).facts;
  return {
    run,
    facts,
    async value(of, figure, changes) {
      const value = measure(await facts(figure, changes), of);
      if (value === undefined) throw new Error(`The run of figure "${figure}" has no ${of}.`);
      return value;
    },
  };
}
