/**
 * default_hooks.allreduce_hook, and what DDP does without a hook: gradients are divided by the world size as they are
 * copied into the bucket, then summed. The bucket of a model in bfloat16 holds halves, and the sum rounds to half after
 * every addition.
 */
import { at } from '../../../base/invariant';
import { algorithmFor } from '../../../collectives/algorithms';
import type { CommHook } from './comm-hook';

export const allreduce: CommHook = {
  name: 'allreduce',
  scale: (worldSize) => 1 / worldSize,
  emit({ builder, config, group, buffer, length, index, where }) {
    if (group.ranks.length === 1) return;
    const { halves } = at(builder.lanesOf(group), 0).spec(buffer);
    algorithmFor(config.ddp.algorithm, 'allReduce').emit({
      builder,
      op: 'allReduce',
      group,
      input: buffer,
      length: halves ? Math.ceil(length / 2) : length,
      ...(halves ? { halves: halves.format } : {}),
      payload: 'gradient',
      bucket: index,
      where,
    });
  },
};
