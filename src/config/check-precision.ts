/** Refuses half precision, and a GradScaler, in modes whose runs have none. Called by parse-config. */
import { type Refusal, refusedSettings } from '../base/refused-settings';
import { PARALLEL_MODES } from '../parallel/modes';
import type { Config } from '../protocol/config';

export function checkPrecision(config: Config): void {
  const refused = inHalf(config) ?? withScaler(config);
  if (refused) throw refusedSettings(refused);
}

function inHalf(config: Config): Refusal | undefined {
  const { mode, precision } = config;
  const { precisions = ['float32'], title } = PARALLEL_MODES[mode].face;
  if (precisions.includes(precision)) return precision === 'bf16' ? ofBfloat16(config) : undefined;
  const own = precisions.map((name) => `"${name}"`).join(' or ');
  return {
    settings: { mode, precision },
    why: `${title} does not compute in that precision in this playground`,
    hint: `Set precision to ${own}.`,
  };
}

/** model.to(torch.bfloat16) works only with optimisers that support it. */
function ofBfloat16({ precision, optimizer }: Config): Refusal | undefined {
  const { type } = optimizer;
  const amsgrad = 'amsgrad' in optimizer && optimizer.amsgrad;
  if (['SGD', 'Adam', 'AdamW'].includes(type) && !amsgrad) return undefined;
  return {
    settings: { 'optimizer.type': type, ...(amsgrad ? { 'optimizer.amsgrad': true } : {}), precision },
    why: 'this playground has no bfloat16 step of this optimiser',
    hint: 'Choose SGD, Adam or AdamW, or precision "bf16-master".',
  };
}

function withScaler({ mode, gradScaler }: Config): Refusal | undefined {
  const { gradScaler: takesScaler, title } = PARALLEL_MODES[mode].face;
  if (!gradScaler.enabled || takesScaler) return undefined;
  return {
    settings: { mode, 'gradScaler.enabled': true },
    why: `torch.amp.GradScaler unscales the gradients of the optimiser of its own process, and in mode ${title} the optimiser steps in another process`,
    hint: 'Set gradScaler.enabled to false, or choose another mode.',
  };
}
