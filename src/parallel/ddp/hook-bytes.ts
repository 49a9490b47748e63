/**
 * S of DDP's closed form: the bytes that a communication hook lets a rank all-reduce in a step, from the buckets and
 * the shapes of the parameters. Pure; called by closed-form.ts.
 */
import type { FormPass, RunSizes } from '../closed-form';

export interface HookBytes {
  readonly bytes: number;
  /** Why S differs from the bytes of the parameters; '' if it does not. */
  readonly note: string;
}

const BYTES = 4;

export function hookBytes(
  { config, parameters, buckets }: RunSizes,
  { hookPhase: phase, beforeRebuild }: FormPass,
): HookBytes {
  const sizes = parameters.map(({ shape }) => shape.reduce((n, d) => n * d, 1));
  const all = BYTES * sizes.reduce((a, b) => a + b, 0);
  const { commHook: hook } = config.ddp;
  switch (hook.type) {
    case 'allreduce':
      return { bytes: all, note: '' };
    case 'fp16Compress':
    case 'bf16Compress': {
      // Two halves per word; a bucket of odd length leaves half a word unused.
      const own = (beforeRebuild ? buckets?.initial : buckets?.rebuilt) ?? buckets?.initial;
      const words = (own ?? [{ bytes: all }]).reduce((n, { bytes }) => n + Math.ceil(bytes / 2 / BYTES), 0);
      return {
        bytes: BYTES * words,
        note: `S/2 on the wire: ${hook.type === 'fp16Compress' ? 'float16' : 'bfloat16'}`,
      };
    }
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
