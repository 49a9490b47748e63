/** The feed of a Program that needs nothing from the host, such as DDP's constructor. */
import { programKey, type StepKind } from '../../protocol/step-kind';
import type { StepFeed } from './world';

export const emptyFeed = (kind: StepKind): StepFeed => ({
  program: programKey(kind),
  microBatches: [],
  scalars: new Float32Array(0),
});
