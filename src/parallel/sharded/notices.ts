/** What is worth saying of a run in shards before it starts. Called through compiler.ts. */
import type { Notice } from '../../protocol/notice';
import { ignoredDdpNotices } from '../ddp/around-parts';
import { unevenBatch } from '../even-mesh';
import type { NoticeInput } from '../mode';
import { NO_DDP } from './no-ddp';

export const shardedNotices = (input: NoticeInput): readonly Notice[] => [
  ...unevenBatch(input, 'ranks'),
  ...ignoredDdpNotices(input.given, NO_DDP),
];
