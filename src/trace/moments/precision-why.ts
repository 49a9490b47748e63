/** Explains casts and a GradScaler. undefined: the moment's sentence is enough. Called by moment-why.ts. */
import type { StepTrace, TraceEvent } from '../../protocol/trace';
import { isSkippedStep } from './precision-sentence';

export function precisionWhy(trace: StepTrace, e: TraceEvent): string | undefined {
  if (e.name === 'precision/cast' && e.phase === 'backward' && e.module !== '')
    return 'The layer computed in half precision, and so did its backward pass. The parameters are float32, and the optimiser reads float32 gradients: elements that became 0 or inf in half precision stay 0 or inf.';
  if (e.name === 'scaler/scale-loss')
    return 'In float16, numbers below 3e-8 become 0, and many gradients are that small. A factor on the loss is a factor on every gradient; scaler.unscale_() divides by it again.';
  if (e.name === 'scaler/unscale')
    return 'Backward began with the loss times the scale, so that small gradients do not become 0 in float16. All gradients are too large by this factor; clipping and the optimiser need the unscaled gradients.';
  if (e.name === 'scaler/update')
    return 'A scale as large as possible keeps the most small gradients. After enough good steps the scale grows, until a gradient overflows; then it shrinks.';
  if (isSkippedStep(trace, e))
    return 'With an infinite gradient the weights would become infinite or NaN. The weights and the states of the optimiser stay as they were.';
  return undefined;
}
