/** What is worth saying of a run in shards before it starts. Called through compiler.ts. */
import { replicasOf } from '../../protocol/mesh-sizes';
import type { Notice } from '../../protocol/notice';
import { ignoredDdpNotices } from '../ddp/around-parts';
import type { NoticeInput } from '../mode';
import { NO_DDP } from './no-ddp';

export const shardedNotices = (input: NoticeInput): readonly Notice[] => [
  ...rowNotices(input),
  ...ignoredDdpNotices(input.given, NO_DDP),
];

function rowNotices({ config, rows }: NoticeInput): readonly Notice[] {
  const ranks = replicasOf(config);
  const { batchSize, accumulate } = config;
  const used = (rows[0] ?? 0) * ranks * accumulate;
  if (used >= batchSize || batchSize % (ranks * accumulate) === 0) return [];
  return [
    {
      level: 'info',
      id: 'batch-uneven',
      text: `A batch of ${batchSize} does not divide by ${ranks} ranks: each trains on ${rows[0]} rows, ${(rows[0] ?? 0) * ranks} together.`,
      hint: `Choose a multiple of ${ranks} to compare with the other modes sample for sample.`,
    },
  ];
}
