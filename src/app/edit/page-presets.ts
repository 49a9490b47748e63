/**
 * The page's presets: the shared presets with the page's additions (a test split, four DDP ranks, a bucket cap that
 * divides each model into a few buckets). The page opens with the first. Choosing a preset keeps the user's mode,
 * devices, seed and hardware.
 */
import * as v from 'valibot';
import { type Config, configSchema } from '../../protocol/config';
import { PRESETS, type PresetName } from '../../protocol/presets';
import { withMode } from './edit-config';
import { PAGE_CONFIG } from './page-config';

export const PRESET_NAMES = Object.keys(PRESETS) as readonly PresetName[];

/** In KiB; each gives three to five buckets. */
const BUCKET_CAPS: Readonly<Record<PresetName, number>> = { mlp: 0.25, deepMlp: 0.5, wideMlp: 1024, cnn: 12, gpt: 128 };

function pageConfig(name: PresetName): Config {
  if (name === 'mlp') return PAGE_CONFIG;
  const { config } = PRESETS[name];
  return v.parse(configSchema, {
    ...config,
    data: { ...config.data, ...(config.data.type === 'text' ? { testFraction: 0.1 } : {}) },
    mode: PAGE_CONFIG.mode,
    worldSize: PAGE_CONFIG.worldSize,
    ddp: { bucketCapMb: BUCKET_CAPS[name] / 1024 },
  });
}

export const PAGE_PRESETS: Readonly<Record<PresetName, Config>> = {
  mlp: pageConfig('mlp'),
  deepMlp: pageConfig('deepMlp'),
  wideMlp: pageConfig('wideMlp'),
  cnn: pageConfig('cnn'),
  gpt: pageConfig('gpt'),
};

/** Sets the preset's model and training; mode, devices and hardware stay. */
export function withPreset(config: Config, name: PresetName): Config {
  const { split: _, ...modelParallel } = config.modelParallel;
  const { split: _stages, ...pipeline } = config.pipeline;
  const {
    scheduler: _s,
    clipGradNorm: _c,
    clipGradNormType: _t,
    clipGradValue: _v,
    checkpointSegments: _k,
    weights: _w,
    ...kept
  } = config;
  const preset = PAGE_PRESETS[name];
  const next: Config = {
    ...kept,
    model: preset.model,
    loss: preset.loss,
    optimizer: preset.optimizer,
    paramGroups: preset.paramGroups,
    ...(preset.clipGradNorm === undefined ? {} : { clipGradNorm: preset.clipGradNorm }),
    data: preset.data,
    batchSize: preset.batchSize,
    accumulate: preset.accumulate,
    ddp: { ...config.ddp, ...(preset.ddp.bucketCapMb === undefined ? {} : { bucketCapMb: preset.ddp.bucketCapMb }) },
    modelParallel,
    pipeline,
  };
  // Reduces the devices if the model has fewer layers to place.
  return withMode(next, next.mode);
}

const KIND = { vector: ['mlp'], image: ['cnn', 'mlp'], tokens: ['gpt'] } as const;
/** The presets whose models read such rows, the best suited first. */
export const presetsFor = (kind: keyof typeof KIND): readonly PresetName[] => KIND[kind];
