/** The precision in which layers compute, and the gradient scaler, if the mode supports them. */
import { FACES } from '../../parallel/faces';
import type { Config } from '../../protocol/config';
import { halfOf } from '../../protocol/half-of';
import { GRAD_SCALER } from '../../protocol/words/grad-scaler';
import { RUN } from '../../protocol/words/run';
import { loadedPanel } from '../boundary/loaded-panel';
import { ChoiceSetting, FlagSetting, NumberSetting } from '../fields/settings';
import { useApp } from '../state/use-app';

const WORDS: Readonly<Record<Config['precision'], string>> = {
  float32: 'float32',
  'autocast-bf16': 'autocast, bfloat16',
  'autocast-fp16': 'autocast, float16',
  'bf16-master': 'bfloat16, float32 master',
  'fp16-master': 'float16, float32 master',
  bf16: 'bfloat16 alone',
};

const PrecisionPanel = loadedPanel(
  'The gradients in half precision',
  async () => (await import('./precision/precision-panel')).PrecisionPanel,
);

export function PrecisionFields() {
  const config = useApp((app) => app.config);
  const { precisions, gradScaler } = FACES[config.mode];
  if (!precisions) return null;
  const words = Object.fromEntries(precisions.map((precision) => [precision, WORDS[precision]]));
  return (
    <>
      <ChoiceSetting {...RUN.precision} words={words} />
      {gradScaler && <FlagSetting {...GRAD_SCALER.enabled} />}
      {gradScaler && config.gradScaler.enabled && (
        <>
          <NumberSetting {...GRAD_SCALER.initScale} />
          <NumberSetting {...GRAD_SCALER.growthFactor} />
          <NumberSetting {...GRAD_SCALER.backoffFactor} />
          <NumberSetting {...GRAD_SCALER.growthInterval} />
          <FlagSetting {...GRAD_SCALER.unscaleBeforeClip} />
        </>
      )}
      {(halfOf(config) || config.gradScaler.enabled) && <PrecisionPanel />}
    </>
  );
}
