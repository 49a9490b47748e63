/** What is worth saying of a run in shards before it starts. Called through compiler.ts. */
import { meshSizes } from '../../protocol/mesh-sizes';
import type { Notice } from '../../protocol/notice';
import { ignoredDdpNotices } from '../ddp/around-parts';
import { unevenBatch } from '../even-mesh';
import type { NoticeInput } from '../mode';
import { cutNotices } from '../tensor/notices';
import { NO_DDP } from './no-ddp';

export const shardedNotices = (input: NoticeInput): readonly Notice[] => [
  ...(meshSizes(input.config).tp > 1 ? cutNotices(input) : []),
  ...unevenBatch(input, meshSizes(input.config).tp > 1 ? 'tensor groups' : 'ranks'),
  ...ignoredDdpNotices(input.given, NO_DDP),
];
