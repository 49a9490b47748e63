/** The lines of mixed precision: torch.autocast around the forward pass, and what a GradScaler does in a step. */
import { type Config, DEFAULT_CONFIG } from '../../protocol/config';
import { autocastHalf } from '../../protocol/half-of';
import { type CodeLine, codeLine as line } from './code-line';

/** `with ...:` around the forward pass; undefined: it computes in float32. `device`: a Python expression. */
export function autocastLine({ precision }: Config, device: string): string | undefined {
  const half = autocastHalf(precision);
  const type = device === 'device' ? 'device.type' : `torch.device(${device}).type`;
  return half && `with torch.autocast(${type}, dtype=torch.${half === 'bf16' ? 'bfloat16' : 'float16'}):`;
}

/** Behind the optimiser. */
export function scalerCode({ gradScaler }: Config): readonly string[] {
  const { enabled, unscaleBeforeClip: _, ...settings } = gradScaler;
  const names = {
    initScale: 'init_scale',
    growthFactor: 'growth_factor',
    backoffFactor: 'backoff_factor',
    growthInterval: 'growth_interval',
  } as const;
  const own = (Object.keys(names) as (keyof typeof names)[]).filter(
    (name) => settings[name] !== DEFAULT_CONFIG.gradScaler[name],
  );
  const given = own.map((name) => `, ${names[name]}=${settings[name]}`).join('');
  return enabled ? [`scaler = torch.amp.GradScaler(device.type${given})`] : [];
}

/** loss.backward(), of a part of a step where there are several. */
export const backwardLine = ({ accumulate, gradScaler }: Config): CodeLine => {
  const loss = accumulate > 1 ? `loss / ${accumulate}` : 'loss';
  if (gradScaler.enabled) return line(`scaler.scale(${loss}).backward()`, 'backward');
  return line(accumulate > 1 ? `(${loss}).backward()` : 'loss.backward()', 'backward');
};

/** Before the gradients are clipped. */
export const unscaleLines = ({ gradScaler }: Config): readonly CodeLine[] =>
  gradScaler.enabled && gradScaler.unscaleBeforeClip ? [line('scaler.unscale_(optimizer)', 'unscale')] : [];

export const stepLines = ({ gradScaler }: Config): readonly CodeLine[] =>
  gradScaler.enabled
    ? [line('scaler.step(optimizer)', 'step'), line('scaler.update()', 'update_scale')]
    : [line('optimizer.step()', 'step')];
