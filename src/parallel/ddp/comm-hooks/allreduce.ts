/**
 * default_hooks.allreduce_hook, and what DDP does without a hook: gradients are divided by the world size as they are
 * copied into the bucket, then summed.
 */
import { algorithmFor } from '../../../collectives/algorithms';
import type { CommHook } from './comm-hook';

export const allreduce: CommHook = {
  name: 'allreduce',
  scale: (worldSize) => 1 / worldSize,
  emit({ builder, config, group, buffer, length, index, where }) {
    if (group.ranks.length === 1) return;
    algorithmFor(config.ddp.algorithm, 'allReduce').emit({
      builder,
      op: 'allReduce',
      group,
      input: buffer,
      length,
      payload: 'gradient',
      bucket: index,
      where,
    });
  },
};
