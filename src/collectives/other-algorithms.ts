/**
 * The algorithms that only runs with one of them load (algorithms.ts): every file of late/, in the order of the names.
 * The lab and process groups load all.
 */
import { ALGORITHM_NAMES } from '../protocol/collective';
import type { Algorithm } from './collective';

const files = import.meta.glob<Algorithm>(['./late/*.ts', '!./late/*.test.ts'], { eager: true, import: 'ALGORITHM' });

export const OTHER_ALGORITHMS: readonly Algorithm[] = Object.values(files).toSorted(
  (a, b) => ALGORITHM_NAMES.indexOf(a.name) - ALGORITHM_NAMES.indexOf(b.name),
);
