/** Notices about a sharded run before it starts. Called through compiler.ts. */
import { meshSizes } from '../../protocol/mesh-sizes';
import type { Notice } from '../../protocol/notice';
import { ignoredDdpNotices } from '../ddp/around-parts';
import { unevenBatch } from '../even-mesh';
import type { NoticeInput } from '../mode';
import { cutNotices } from '../tensor/notices';
import { NO_DDP } from './no-ddp';

const OFFLOAD: Notice = {
  level: 'info',
  id: 'cpu-offload',
  text: 'CPU offload is modelled: the memory panel and the modelled clock count shards, gradients and states in the memory of the host. On this machine they stay on the device, so measured times do not change.',
  hint: 'Choose the modelled clock to see the copies between host and device.',
};

export const shardedNotices = (input: NoticeInput): readonly Notice[] => [
  ...(meshSizes(input.config).tp > 1 ? cutNotices(input) : []),
  ...(input.config.sharded.cpuOffload ? [OFFLOAD] : []),
  ...unevenBatch(input, meshSizes(input.config).tp > 1 ? 'tensor groups' : 'ranks'),
  ...ignoredDdpNotices(input.given, NO_DDP),
];
