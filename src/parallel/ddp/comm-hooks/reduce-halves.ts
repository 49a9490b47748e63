/**
 * An all-reduce of a bucket in half precision: the bucket is cast, all-reduced as halves (a message has half the bytes,
 * and the sum rounds to half after every addition), and copied back. fp16_compress_hook and bf16_compress_hook divide
 * by the world size after the cast (torch/distributed/algorithms/ddp_comm_hooks/default_hooks.py). With a model in
 * bfloat16 the reducer divides, while it copies gradients into the bucket, as it does in float32.
 */
import { algorithmFor } from '../../../collectives/algorithms';
import { runAttrs, wholeRun } from '../../../collectives/copied-runs';
import { wordsOf } from '../../../collectives/halves/half-ops';
import type { HalfFormat } from '../../../tensor/half-bits';
import type { CommHook } from './comm-hook';

interface Halves {
  readonly name: CommHook['name'];
  readonly format: HalfFormat;
  /** Who divides by the world size. */
  readonly divides: 'hook' | 'reducer';
}

export function reduceHalves({ name, format, divides }: Halves): CommHook {
  return {
    name,
    scale: (worldSize) => (divides === 'reducer' ? 1 / worldSize : 1),
    emit({ builder, config, group, buffer, length, index, where }) {
      const words = `${buffer}.${format}`;
      for (const lane of builder.lanesOf(group)) {
        const spec = { name: words, shape: [wordsOf(length)], dtype: 'i32', persistent: false } as const;
        lane.buffer({ ...spec, category: 'bucket', halves: { format, shape: [length] } });
        if (divides === 'hook')
          lane.compute('halves/encode', [buffer], [words], { format, divisor: group.ranks.length }, where);
        else lane.compute('halves/copy', [buffer], [words], runAttrs([wholeRun(length)], format), where);
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
      for (const lane of builder.lanesOf(group)) {
        if (divides === 'hook') lane.compute('halves/decode', [words], [buffer], { format }, where);
        else lane.compute('precision/unpack', [words], [buffer], { format, shape: [length] }, where);
      }
    },
  };
}
