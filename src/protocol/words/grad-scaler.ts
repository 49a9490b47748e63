/** Words of the settings of torch.amp.GradScaler. */
import type { Config } from '../config';
import { type NameIn, settings } from './setting';

export const GRAD_SCALER = settings<NameIn<Config['gradScaler']>>('gradScaler', {
  enabled: [
    'Scale the loss',
    'torch.amp.GradScaler: multiplies the loss by a scale before backward, so that small gradients do not become 0 in float16, and divides the gradients by the scale before the optimiser. A step whose gradients are not all finite is skipped.',
  ],
  initScale: ['First scale', 'init_scale: the scale of the first step.'],
  growthFactor: [
    'Growth factor',
    'growth_factor: the scale is multiplied by this factor after growth_interval steps in a row with finite gradients.',
  ],
  backoffFactor: ['Backoff factor', 'backoff_factor: the scale is multiplied by this factor after a skipped step.'],
  growthInterval: [
    'Growth interval',
    'growth_interval: number of steps in a row with finite gradients after which the scale grows.',
  ],
  unscaleBeforeClip: [
    'Unscale before clipping',
    'scaler.unscale_(optimizer) before clip_grad_norm_; off: the scaled gradients are clipped, so the limit is too strict, by the factor of the scale.',
  ],
});
