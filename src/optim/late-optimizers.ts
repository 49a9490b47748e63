/** The optimisers other than SGD and Adam: every file of late/. Loaded by runs that have one of them. */
import type { OptimizerRow } from './optimizer-row';

const files = import.meta.glob<OptimizerRow>(['./late/*.ts', '!./late/*.test.ts'], {
  eager: true,
  import: 'optimizer',
});

export const LATE_ROWS: readonly OptimizerRow[] = Object.values(files);
