/**
 * S of DDP's closed form: the bytes that a communication hook lets a rank all-reduce in a step, from the buckets and
 * the shapes of the parameters. Pure; called by closed-form.ts.
 */
import { modelHalf } from '../../protocol/half-of';
import type { FormPass, RunSizes } from '../closed-form';

export interface HookBytes {
  readonly bytes: number;
  /** Why S differs from the bytes of the parameters; '' if it does not. */
  readonly note: string;
}

const BYTES = 4;

/** Buckets in half precision as whole words: two halves per word; a bucket of odd length leaves half a word unused. */
const wholeWords = (buckets: readonly number[]): number =>
  buckets.reduce((n, bytes) => n + BYTES * Math.ceil(bytes / BYTES), 0);

export function hookBytes(
  { config, parameters, buckets }: RunSizes,
  { hookPhase: phase, beforeRebuild }: FormPass,
): HookBytes {
  const sizes = parameters.map(({ shape }) => shape.reduce((n, d) => n * d, 1));
  const all = BYTES * sizes.reduce((a, b) => a + b, 0);
  const own = (beforeRebuild ? buckets?.initial : buckets?.rebuilt) ?? buckets?.initial ?? [{ bytes: all }];
  const { commHook: hook } = config.ddp;
  switch (hook.type) {
    case 'allreduce':
      return modelHalf(config.precision)
        ? { bytes: wholeWords(own.map(({ bytes }) => bytes)), note: 'bfloat16' }
        : { bytes: all, note: '' };
    case 'fp16Compress':
    case 'bf16Compress':
      return {
        bytes: wholeWords(own.map(({ bytes }) => bytes / 2)),
        note: `S/2 on the wire: ${hook.type === 'fp16Compress' ? 'float16' : 'bfloat16'}`,
      };
    case 'localSGD':
      if (phase === 'plain') return { bytes: all, note: 'before local SGD begins' };
      if (phase === 'average') return { bytes: all, note: 'parameters are averaged' };
      return { bytes: 0, note: `gradients stay local; all of S every ${hook.period} steps` };
    case 'powerSGD': {
      if (phase === 'plain') return { bytes: all, note: 'before PowerSGD begins' };
      let sent = 0;
      parameters.forEach(({ shape }, i) => {
        const size = sizes[i] ?? 0;
        const rows = shape[0] ?? 1;
        const columns = size / rows;
        const factors = (rows + columns) * Math.min(rows, columns, hook.matrixApproximationRank);
        sent += factors * hook.minCompressionRate < size ? factors : size;
      });
      return { bytes: BYTES * sent, note: `factors of rank ${hook.matrixApproximationRank}, ${all} B without them` };
    }
  }
}
