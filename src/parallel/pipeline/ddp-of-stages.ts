/**
 * What of DDP's settings counts for the DDP around each stage: buckets, algorithm, overlap, the sampler's seed and
 * epochs. The others are those of a DDP that has the whole model, and are set to their defaults. Called by compiler.ts.
 */
import { lookup } from '../../base/lookup';
import { type Config, DEFAULT_CONFIG } from '../../protocol/config';
import type { Notice } from '../../protocol/notice';

const COUNTS: ReadonlySet<string> = new Set([
  'bucketCapMb',
  'algorithm',
  'overlap',
  'samplerSeed',
  'setEpoch',
] satisfies readonly (keyof Config['ddp'])[]);

export function withDdpOfStages(config: Config): Config {
  const { bucketCapMb, algorithm, overlap, samplerSeed, setEpoch } = config.ddp;
  const counting = { algorithm, overlap, samplerSeed, setEpoch, ...(bucketCapMb === undefined ? {} : { bucketCapMb }) };
  // Each replica keeps running statistics of its own.
  return { ...config, ddp: { ...DEFAULT_CONFIG.ddp, ...counting, broadcastBuffers: false } };
}

/** Of the configuration as it was given. */
export function ignoredDdpNotices({ ddp }: Config): readonly Notice[] {
  const given: Readonly<Record<string, unknown>> = ddp;
  const usual: Readonly<Record<string, unknown>> = DEFAULT_CONFIG.ddp;
  const ignored = Object.keys(given).filter(
    (name) => !COUNTS.has(name) && JSON.stringify(lookup(given, name)) !== JSON.stringify(lookup(usual, name)),
  );
  if (ignored.length === 0) return [];
  const names = ignored.map((name) => `ddp.${name}`).join(', ');
  return [
    {
      level: 'info',
      id: 'ddp-of-stages',
      text: `${names} ${ignored.length === 1 ? 'has' : 'have'} no effect in mode pipeline.`,
      hint: 'DDP around a stage takes bucketCapMb, algorithm, overlap, samplerSeed and setEpoch.',
    },
  ];
}
