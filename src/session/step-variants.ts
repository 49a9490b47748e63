/**
 * Which Programs a run needs: the batch may be a full one or the short one that ends an epoch, the first or a later micro-batch of a group whose
 * gradients add up, the first that reduces. Names: 'full', 'last'; '-set' and '-add' for micro-batches without a step; 'first', 'last-first'. A strategy may tell
 * optimiser steps apart further (Strategy.phases, as a communication hook that begins later does): 'full-plain'.
 */
import type { StepBatch } from '../data/batch-source';
import type { StepPhases, StepVariant } from '../parallel/strategy';
import type { Config } from '../protocol/config';

type Size = StepBatch['variant'];

interface Epochs {
  readonly stepsPerEpoch: number;
  /** Whether epochs end with a short batch. */
  readonly hasLast: boolean;
}

/** What of a strategy decides about variants. */
export interface Telling {
  readonly firstStepDiffers: boolean;
  readonly phases?: StepPhases | undefined;
}

/** The variant of micro-batch `step` (from 0). */
export function variantAt(
  step: number,
  size: Size,
  accumulate: number,
  { firstStepDiffers, phases }: Telling,
): StepVariant {
  const place = step % accumulate;
  const steps = place === accumulate - 1;
  const gradients = place === 0 ? 'set' : 'add';
  const first = steps && firstStepDiffers && step < accumulate;
  const name = first ? (size === 'full' ? 'first' : 'last-first') : steps ? size : `${size}-${gradients}`;
  return inPhase({ name, gradients, steps, first }, steps ? phases?.at(Math.floor(step / accumulate)) : undefined);
}

const inPhase = (variant: StepVariant, phase = ''): StepVariant =>
  phase === '' ? variant : { ...variant, name: `${variant.name}-${phase}`, phase };

/** Every variant that can occur, with the size of its batch. */
export function allVariants(
  { accumulate }: Pick<Config, 'accumulate'>,
  { stepsPerEpoch, hasLast }: Epochs,
  telling: Telling,
): readonly { readonly variant: StepVariant; readonly size: Size }[] {
  const found = new Map<string, { variant: StepVariant; size: Size }>();
  const note = (step: number) => {
    const size = hasLast && step % stepsPerEpoch === stepsPerEpoch - 1 ? 'last' : 'full';
    const own = variantAt(step, size, accumulate, { ...telling, phases: undefined });
    // The first step is in one phase; the others may come in any.
    const phases = own.steps && telling.phases ? (own.first ? [telling.phases.at(0)] : telling.phases.names) : [''];
    for (const phase of phases) {
      const variant = inPhase(own, phase);
      if (!found.has(variant.name)) found.set(variant.name, { variant, size });
    }
  };
  // Groups and epochs meet again after `accumulate` epochs at the latest; of each epoch only the start and the end can bring something new.
  const around = 2 * accumulate;
  for (let epoch = 0; epoch <= accumulate; epoch++) {
    const start = epoch * stepsPerEpoch;
    for (let i = 0; i < Math.min(stepsPerEpoch, around); i++) {
      note(start + i);
      note(start + stepsPerEpoch - 1 - i);
    }
  }
  // The one that runs most steps comes first.
  return [...found.values()].sort((a, b) => Number(b.variant.name === 'full') - Number(a.variant.name === 'full'));
}
