/**
 * Quantities of half precision: how many gradients became 0 or inf in the step at the cursor, and the GradScaler's
 * scale and skipped steps.
 */
import { type AllGradients, gradientSizes, ofAllLayers } from '../../trace/gradient-sizes';
import type { Facts } from './facts';
import type { Quantity } from './quantity';

/** Gradients of one layer (`zeroGradients:4`) or of all layers; up to 1,024 elements of each tensor count. */
function gradientsIn({ info, trace }: Facts, module: string): AllGradients | undefined {
  if (!info || !trace) return undefined;
  const layers = gradientSizes(trace, info).filter((layer) => module === '' || layer.module === module);
  return layers.length === 0 ? undefined : ofAllLayers(layers);
}

export const PRECISION_QUANTITIES = {
  gradients: { label: 'gradients', format: 'count', of: (facts, module) => gradientsIn(facts, module)?.count },
  zeroGradients: {
    label: 'gradients that are 0',
    format: 'count',
    of: (facts, module) => gradientsIn(facts, module)?.zeros,
  },
  infiniteGradients: {
    label: 'gradients that are inf or NaN',
    format: 'count',
    of: (facts, module) => gradientsIn(facts, module)?.notFinite,
  },
  /** The scale for the next step. */
  scale: { label: 'scale of the loss', format: 'count', of: ({ app }) => app.losses.at(-1)?.scaler?.scale },
  skippedSteps: {
    label: 'steps skipped so far',
    format: 'count',
    of: ({ app }) => app.losses.at(-1)?.scaler?.skippedSteps,
  },
} satisfies Readonly<Record<string, Quantity>>;
