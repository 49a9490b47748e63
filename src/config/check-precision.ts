/** Refuses half precision, and a GradScaler, in modes whose runs have none. Called by parse-config. */
import { type Refusal, refusedSettings } from '../base/refused-settings';
import { PARALLEL_MODES } from '../parallel/modes';
import type { Config } from '../protocol/config';
import { modelHalf } from '../protocol/half-of';

export function checkPrecision(config: Config): void {
  const refused = inHalf(config) ?? withScaler(config);
  if (refused) throw refusedSettings(refused);
}

function inHalf(config: Config): Refusal | undefined {
  const { mode, precision } = config;
  if (precision === 'float32') return undefined;
  const alone = ofWholeModel(config);
  if (alone) return alone;
  const { mixedPrecision, title } = PARALLEL_MODES[mode].face;
  if (mixedPrecision) return undefined;
  const hint = 'Set precision to "float32", or choose another mode.';
  return { settings: { mode, precision }, why: `${title} computes in float32 alone in this playground`, hint };
}

/** model.to() of half precision: on one device, and in bfloat16 alone with optimisers that know it. */
function ofWholeModel({ mode, precision, optimizer }: Config): Refusal | undefined {
  if (modelHalf(precision) === undefined) return undefined;
  if (!PARALLEL_MODES[mode].face.oneDevice)
    return {
      settings: { mode, precision },
      why: 'a whole model in half precision trains on one device in this playground',
      hint: 'Choose mode single, or precision "autocast-bf16".',
    };
  if (precision !== 'bf16') return undefined;
  const { type } = optimizer;
  const amsgrad = 'amsgrad' in optimizer && optimizer.amsgrad;
  if (['SGD', 'Adam', 'AdamW'].includes(type) && !amsgrad) return undefined;
  return {
    settings: { 'optimizer.type': type, ...(amsgrad ? { 'optimizer.amsgrad': true } : {}), precision },
    why: 'it has no steps in bfloat16 here',
    hint: 'Choose SGD, Adam or AdamW, or precision "bf16-master".',
  };
}

function withScaler({ mode, gradScaler }: Config): Refusal | undefined {
  const { mixedPrecision, title } = PARALLEL_MODES[mode].face;
  if (!gradScaler.enabled || mixedPrecision === 'all') return undefined;
  return {
    settings: { mode, 'gradScaler.enabled': true },
    why: `torch.amp.GradScaler unscales the gradients of one optimiser that a rank steps by itself, and ${title} is not run with one here`,
    hint: 'Set gradScaler.enabled to false, or choose mode single, ddp, sharded or tensor.',
  };
}
