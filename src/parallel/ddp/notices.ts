/**
 * Notices about DDP before a run starts, about batches, loss and nodes. Notices about settings that few runs have are
 * in setting-notices.ts and hook-notices.ts. Called by axes/.
 */
import { lookup } from '../../base/lookup';
import type { Config } from '../../protocol/config';
import type { Notice } from '../../protocol/notice';
import { ALGORITHMS } from '../../protocol/words/algorithms';
import type { NoticeInput } from '../facets/mode-checks';
import { HOOK_NOTICES, hasHookNotices, hasOwnSettings, SETTING_NOTICES } from './rare-parts';

export function ddpNotices(input: NoticeInput): readonly Notice[] {
  const { config, schedule, rows } = input;
  const sizes = schedule.stretches.map(({ from }) => lookup(schedule.sizes, schedule.sizeAt(from)) ?? []);
  const mixed = sizes.some((some) => new Set(some.filter((n) => n > 0)).size > 1);
  return [
    ...(hasHookNotices(config) ? HOOK_NOTICES.get().hookNotices(config) : []),
    ...batchNotices(config, { rows: rows[0] ?? 0, mixed }),
    ...(hasOwnSettings(config) ? SETTING_NOTICES.get().settingNotices(input) : []),
  ];
}

interface Batches {
  /** Rows of a rank in a batch. */
  readonly rows: number;
  /** Ranks have different numbers of rows in some steps. */
  readonly mixed: boolean;
}

/** Notices about the batch size, the loss and the nodes. */
function batchNotices(config: Config, { rows, mixed }: Batches): readonly Notice[] {
  const { batchSize, worldSize, loss, nodes, hardware, ddp } = config;
  const notices: Notice[] = [];
  const used = rows * worldSize;
  if (used < batchSize && batchSize % worldSize !== 0)
    notices.push({
      level: 'info',
      id: 'batch-uneven',
      text: `A batch of ${batchSize} does not divide by ${worldSize} ranks: each rank trains on ${rows === 1 ? 'one row' : `${rows} rows`}, which is ${used} in all.`,
      hint: `Choose a multiple of ${worldSize} to compare with the other modes sample for sample.`,
    });
  if (nodes > 1 && hardware !== 'ethernet10g' && ddp.algorithm !== 'hierarchical')
    notices.push({
      level: 'info',
      id: 'nodes-flat',
      text: `The ${ALGORITHMS[ddp.algorithm].name} ignores nodes: any of its messages may go over the slow links between nodes.`,
      hint: 'The hierarchical all-reduce sends most of its bytes inside the nodes.',
    });
  if (mixed && loss.reduction !== 'sum')
    notices.push({
      level: 'info',
      id: 'mean-of-means',
      text: 'Ranks have batches of different sizes in some steps: DDP gives the mean of their means, which is not the mean over all samples.',
      hint: 'Multiply each loss by rows * world size / all rows, or give every rank equally many rows.',
    });
  if (loss.reduction === 'sum' && worldSize > 1)
    notices.push({
      level: 'warning',
      id: 'sum-loss',
      text: `DDP averages gradients, so a summed loss gives 1/${worldSize} of the single-device gradient.`,
      hint: 'Use reduction "mean", or multiply the loss by the world size.',
    });
  return notices;
}
