/**
 * The museum of bugs: mistakes of distributed training, each with PyTorch's message, the visible effect, and the cure.
 * mistakes.ts makes them on the real engine; museum.test.ts checks the numbers in these texts. PyTorch is 2.x; if
 * 1.13's message differs, both are quoted. Loaded by the page when the museum is opened.
 */
import { DDP_EXHIBITS } from './ddp-exhibits';
import type { Exhibit } from './exhibit';
import { HALF_EXHIBITS } from './half-exhibits';
import { SHARDED_EXHIBITS } from './sharded-exhibits';
import { TENSOR_EXHIBITS } from './tensor-exhibits';

/** In the order in which the page shows them. */
export const EXHIBITS: readonly Exhibit[] = [
  ...DDP_EXHIBITS,
  ...TENSOR_EXHIBITS,
  ...SHARDED_EXHIBITS,
  ...HALF_EXHIBITS,
];
