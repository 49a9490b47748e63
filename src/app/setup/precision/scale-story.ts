/** What a GradScaler did, step by step: the scale that a step ran with, and whether the step was skipped. Pure. */
import type { Config } from '../../../protocol/config';
import type { LossRecord } from '../../../protocol/trace';

export interface ScaledStep {
  /** The step's number as on the page: the first is 1. */
  readonly step: number;
  /** The factor by which the loss was multiplied. */
  readonly scale: number;
  readonly skipped: boolean;
  /** The scale from the next step on. */
  readonly next: number;
}

export interface ScaleStory {
  readonly steps: readonly ScaledStep[];
  readonly skipped: number;
}

/** The scale's history; undefined before the first step, and in runs without a GradScaler. */
export function scaleStory(
  losses: readonly LossRecord[],
  { gradScaler }: Pick<Config, 'gradScaler'>,
): ScaleStory | undefined {
  let before = gradScaler.initScale;
  const steps = losses.flatMap(({ step, scaler }): readonly ScaledStep[] => {
    if (!scaler) return [];
    const scale = before;
    before = scaler.scale;
    return [{ step: step + 1, scale, skipped: scaler.skipped, next: scaler.scale }];
  });
  if (steps.length === 0) return undefined;
  return { steps, skipped: steps.filter(({ skipped }) => skipped).length };
}
