/** The feed of a Program that takes nothing from the host, as DDP's constructor. */
import { programKey, type StepKind } from '../../protocol/step-kind';
import type { StepFeed } from './world';

export const emptyFeed = (kind: StepKind): StepFeed => ({
  program: programKey(kind),
  microBatches: [],
  scalars: new Float32Array(0),
});
