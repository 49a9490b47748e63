/** Reads from recorded runs which rows each rank read in each epoch, for the drawing `deal`. */
import { isConstruct } from '../../app/state/kept-run';
import { must } from '../../base/invariant';
import type { Deal } from '../drawing/kinds/deal';
import type { Recorded } from './record-run';

/** The runs are named by the values of the drawing's knobs; an epoch is one step. */
export const dealsOf = (runs: ReadonlyMap<string, Recorded>): readonly Deal[] =>
  [...runs].map(([name, { store }]) => {
    const { traces, info } = store.getState();
    const steps = traces.filter((trace) => !isConstruct(trace));
    return {
      name,
      rows: must(info, 'a run').dataset.rows,
      read: steps.map(({ samples }) => samples.map((rows) => [...rows])),
    };
  });
