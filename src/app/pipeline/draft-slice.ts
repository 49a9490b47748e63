/** The pipeline schedule that the user builds; it outlives runs and modes. */
import { sliceOf } from '../state/store-slice';
import type { Draft } from './draft';

export const DRAFT = sliceOf<Draft | undefined>('draft of a schedule', undefined);
