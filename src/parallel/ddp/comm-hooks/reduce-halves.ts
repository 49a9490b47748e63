/**
 * fp16_compress_hook and bf16_compress_hook: the bucket is cast, divided by the world size, all-reduced as halves (a
 * message has half the bytes, and the sum rounds to half after every addition), and cast back. Source:
 * torch/distributed/algorithms/ddp_comm_hooks/default_hooks.py.
 */
import { algorithmFor } from '../../../collectives/algorithms';
import { wordsOf } from '../../../collectives/halves/half-ops';
import type { HalfFormat } from '../../../tensor/half-bits';
import type { CommHook } from './comm-hook';

interface Halves {
  readonly name: CommHook['name'];
  readonly format: HalfFormat;
}

export function reduceHalves({ name, format }: Halves): CommHook {
  return {
    name,
    scale: () => 1,
    emit({ builder, config, group, buffer, length, index, where }) {
      const words = `${buffer}.${format}`;
      for (const lane of builder.lanesOf(group)) {
        const spec = { name: words, shape: [wordsOf(length)], dtype: 'i32', persistent: false } as const;
        lane.buffer({ ...spec, category: 'bucket', halves: { format, shape: [length] } });
        lane.compute('halves/encode', [buffer], [words], { format, divisor: group.ranks.length }, where);
      }
      if (group.ranks.length > 1) {
        algorithmFor(config.ddp.algorithm, 'allReduce').emit({
          builder,
          op: 'allReduce',
          group,
          input: words,
          length: wordsOf(length),
          halves: format,
          payload: 'gradient',
          bucket: index,
          where,
        });
      }
      for (const lane of builder.lanesOf(group)) lane.compute('halves/decode', [words], [buffer], { format }, where);
    },
  };
}
