/** The lines of mixed precision: torch.autocast around the forward pass, and a GradScaler's calls in a step. */
import { type Config, DEFAULT_CONFIG } from '../../protocol/config';
import { batchNorms } from '../../protocol/config/layer-kinds';
import { HALF_NAMES } from '../../protocol/half-names';
import { autocastHalf, modelHalf } from '../../protocol/half-of';
import { type CodeLine, codeLine as line } from './code-line';

/** `with ...:` around the forward pass; undefined: it computes in float32. `device`: a Python expression. */
export function autocastLine({ precision }: Config, device: string): string | undefined {
  const half = autocastHalf(precision);
  const type = device === 'device' ? 'device.type' : `torch.device(${device}).type`;
  return half && `with torch.autocast(${type}, dtype=${dtypeOf(half)}):`;
}

/** The forward pass: a model in half precision takes samples in its type, and its output goes to float32. */
export function forwardCall({ precision, data }: Config): string {
  const half = modelHalf(precision);
  if (half === undefined) return 'model(x)';
  const x = data.type === 'sequence' || data.type === 'text' ? 'x' : `x.to(${dtypeOf(half)})`;
  return `${precision === 'bf16' ? 'model' : 'low'}(${x}).float()`;
}

const dtypeOf = (half: 'bf16' | 'f16'): string => `torch.${HALF_NAMES[half]}`;

/** Lines after the model. */
export function modelTypeLines({ precision }: Config): readonly CodeLine[] {
  const half = modelHalf(precision);
  if (half === undefined) return [];
  if (precision === 'bf16') return [line(`model.to(${dtypeOf(half)})`)];
  return [line(`low = copy.deepcopy(model).to(${dtypeOf(half)})  # computes; model has the float32 master weights`)];
}

/** Imports for a float32 master. */
export const masterImports = ({ precision }: Config): readonly string[] =>
  hasMaster(precision) ? ['import copy'] : [];

const hasMaster = (precision: Config['precision']): boolean =>
  modelHalf(precision) !== undefined && precision !== 'bf16';

/** Lines before clipping and the step: the copy's gradients become the master's. */
export const toMasterLines = ({ precision }: Config): readonly CodeLine[] =>
  hasMaster(precision)
    ? [
        line('for master, own in zip(model.parameters(), low.parameters()):'),
        line('    if own.grad is not None:'),
        line('        master.grad, own.grad = own.grad.float(), None'),
      ]
    : [];

/** Lines after the step: the copy takes the master's weights, and the master the copy's running statistics. */
export const fromMasterLines = ({ precision, model }: Config): readonly CodeLine[] =>
  hasMaster(precision)
    ? [
        line('with torch.no_grad():'),
        line('    for master, own in zip(model.parameters(), low.parameters()):'),
        line('        own.copy_(master)'),
        ...(batchNorms(model.layers) > 0
          ? [
              line('    for master, own in zip(model.buffers(), low.buffers()):'),
              line('        master.copy_(own)  # of batch norm, which only low runs'),
            ]
          : []),
      ]
    : [];

/** Lines after the optimiser. */
export function scalerCode({ gradScaler }: Config, scaler = 'torch.amp.GradScaler'): readonly string[] {
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
  return enabled ? [`scaler = ${scaler}(device.type${given})`] : [];
}

/** loss.backward(), divided by the number of micro-batches if there are several. */
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
