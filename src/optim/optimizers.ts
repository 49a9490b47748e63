/**
 * The rows of the optimisers by their names. A run of the page loads SGD and Adam at once; the others, one file each in
 * late/, are fetched for runs with one of them (training/load-parts).
 */

import { must } from '../base/invariant';
import { Part } from '../base/part';
import type { OptimizerConfig } from '../protocol/config';
import { adamRow } from './adam';
import type { OptimizerRow } from './optimizer-row';
import { sgdRow } from './sgd';

const FIRST: readonly OptimizerRow[] = [sgdRow, adamRow];

export const LATE_OPTIMIZERS = new Part(
  'The other optimisers',
  async () => (await import('./late-optimizers')).LATE_ROWS,
);

if (!globalThis.LOCKSTEP_SITE) await LATE_OPTIMIZERS.load();

/** Whether every run has the optimiser's code, without LATE_OPTIMIZERS. */
export const isFirst = (type: OptimizerConfig['type']): boolean => FIRST.some(({ types }) => types.includes(type));

const rowIn = (rows: readonly OptimizerRow[], type: OptimizerConfig['type']): OptimizerRow | undefined =>
  rows.find(({ types }) => types.includes(type));

export const rowOf = ({ type }: OptimizerConfig): OptimizerRow =>
  rowIn(FIRST, type) ?? must(rowIn(LATE_OPTIMIZERS.get(), type), `the optimiser ${type}`);
