/** Notices about a sharded run before it starts. Called by axes/. */
import { lookup } from '../../base/lookup';
import { DEFAULT_CONFIG } from '../../protocol/config';
import { meshSizes } from '../../protocol/mesh-sizes';
import type { Notice } from '../../protocol/notice';
import { ignoredDdpNotices } from '../ddp/around-parts';
import { unevenBatch } from '../even-mesh';
import type { NoticeInput } from '../facets/mode-checks';
import { noticesOfCuts } from '../tensor/cuts-beside';
import { NO_DDP } from './no-ddp';

const OFFLOAD: Notice = {
  level: 'info',
  id: 'cpu-offload',
  text: 'CPU offload is modelled: the memory panel and the modelled clock count shards, gradients and states in the memory of the host. On this machine they stay on the device, so measured times do not change.',
  hint: 'Choose the modelled clock to see the copies between host and device.',
};

/** Settings of fully_shard that count only in stage 3, or only with fully_shard. */
export function unusedSettings({ given }: NoticeInput): readonly Notice[] {
  const { stage } = given.sharded;
  const own: Readonly<Record<string, unknown>> = given.sharded;
  const usual: Readonly<Record<string, unknown>> = DEFAULT_CONFIG.sharded;
  const unused = (stage === 3 ? [] : stage === 2 ? OF_STAGE_3 : [...OF_STAGE_3, ...OF_FULLY_SHARD]).filter(
    (name) => JSON.stringify(lookup(own, name)) !== JSON.stringify(lookup(usual, name)),
  );
  if (unused.length === 0) return [];
  const names = unused.map((name) => `sharded.${name}`).join(', ');
  return [
    {
      level: 'info',
      id: 'unused-sharded-settings',
      text: `${names} ${unused.length === 1 ? 'has' : 'have'} no effect in stage ${stage}: ${stage === 2 ? 'parameters stay gathered until the next step' : 'the run has no fully_shard'}.`,
      hint: 'Set sharded.stage to 3.',
    },
  ];
}

const OF_STAGE_3 = ['reshardTo', 'reshardAfterForward'] as const;
const OF_FULLY_SHARD = ['prefetch', 'modules', 'syncEveryPass', 'cpuOffload'] as const;

export const shardedNotices = (input: NoticeInput): readonly Notice[] => [
  ...noticesOfCuts(input),
  ...(input.config.sharded.cpuOffload ? [OFFLOAD] : []),
  ...unevenBatch(input, meshSizes(input.config).tp > 1 ? 'tensor groups' : 'ranks'),
  ...unusedSettings(input),
  ...ignoredDdpNotices(input.given, NO_DDP),
];
