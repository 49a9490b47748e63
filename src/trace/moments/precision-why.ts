/** Explains casts and a GradScaler. undefined: the moment's sentence is enough. Called by moment-why.ts. */
import { plural } from '../../base/plural';
import type { StepTrace, TraceEvent } from '../../protocol/trace';
import { isSkippedStep } from './precision-sentence';

export function precisionWhy(trace: StepTrace, e: TraceEvent): string | undefined {
  if (e.name === 'precision/cast' && e.phase === 'backward' && e.module !== '')
    return 'The layer computed in half precision, and so did its backward pass. The parameters are float32, and the optimiser reads float32 gradients: elements that became 0 or inf in half precision stay 0 or inf.';
  if (e.name === 'scaler/scale-loss')
    return `In float16, numbers below 3e-8 become 0. ${lostWords(trace, e)}A factor on the loss is a factor on every gradient; scaler.unscale_() divides by it again.`;
  if (e.name === 'scaler/unscale')
    return 'Backward began with the loss times the scale, so that small gradients do not become 0 in float16. All gradients are too large by this factor; clipping and the optimiser need the unscaled gradients.';
  if (e.name === 'scaler/update')
    return 'A scale as large as possible keeps the most small gradients. After enough good steps the scale grows, until a gradient overflows; then it shrinks.';
  if (isSkippedStep(trace, e))
    return 'With an infinite gradient the weights would become infinite or NaN. The weights and the states of the optimiser stay as they were.';
  return undefined;
}

/** Half of float16's smallest positive number: this number and smaller ones are rounded to 0. */
const MOST_LOST = 2 ** -25;

/** How many of the step's recorded gradient elements only the scale keeps above 0; '' if none were recorded. */
function lostWords({ events, accumulate }: StepTrace, { device, captured }: TraceEvent): string {
  const scale = (captured[0]?.values[0] ?? 0) * accumulate;
  const rounded = events.filter((e) => e.device === device && e.phase === 'backward' && e.name === 'precision/round');
  const gradients = rounded.flatMap((e) => e.captured.flatMap(({ values }) => [...values].filter(Number.isFinite)));
  if (scale === 0 || gradients.length === 0) return '';
  const lost = gradients.filter((value) => value !== 0 && Math.abs(value / scale) <= MOST_LOST).length;
  const all = plural(gradients.length, 'recorded gradient element');
  return `Without the scale, ${lost === 0 ? 'none' : lost} of the ${all} of this step would become 0. `;
}
