/** Causes that show in the first step whose gradients differ: how gradients were scaled, clipped or sent. */

import { settingOf } from '../compare-settings';
import { greatest } from '../tolerances';
import { EXPLAINED, gradientCause } from './at-parting';
import { type Evidence, proportional, settingWords, times, totalNorm, vectors, wholeFactor } from './evidence';

export const clipped = gradientCause({
  id: 'clip',
  says: 'Only one side clips gradients (clip_grad_norm_), or the two sides clip with different limits.',
  seen(pair, evidence) {
    const { rest } = proportional(...vectors(pair, 'gradients', evidence.history.rounding));
    if (rest > EXPLAINED) return undefined;
    const limit = (side: 'a' | 'b'): number | undefined => {
      const norms = evidence.history.steps.map((each) => totalNorm(each[side]));
      const most = greatest(norms);
      // Clipped norms repeatedly equal the limit, up to rounding.
      const full = norms.filter((norm) => norm > most * (1 - 1e-4)).length;
      return norms.length >= 2 && full >= Math.max(2, norms.length / 4) ? most : undefined;
    };
    const [a, b] = [limit('a'), limit('b')];
    const words = (['A', 'B'] as const).flatMap((name, i) => {
      const own = [a, b][i];
      return own === undefined
        ? []
        : [`the total norm of the gradients of ${name} never exceeds ${times(own)}, and equals it in many steps`];
    });
    if (words.length === 0 || (a !== undefined && b !== undefined && Math.abs(a - b) < 1e-3 * a)) return undefined;
    return `At step ${pair.step} the gradients differ by one factor; ${words.join('; ')}.${settingWords(evidence, ['clipGradNorm', 'clipGradNormType'])}`;
  },
});

export const gradientScale = gradientCause({
  id: 'gradient-scale',
  says: 'Gradients are scaled differently: DDP averages over ranks, while an all-reduce by hand sums; or one side does not divide the loss by the number of accumulated micro-batches.',
  seen(pair, evidence) {
    if (clipped.test(evidence) !== undefined) return undefined;
    const { factor, rest } = proportional(...vectors(pair, 'gradients', evidence.history.rounding));
    if (rest > EXPLAINED || Math.abs(factor - 1) < EXPLAINED) return undefined;
    const size = Math.abs(factor);
    const greater = times(size >= 1 ? size : 1 / size);
    const sign = factor < 0 ? 'has the opposite sign' : '';
    const large = greater === '1' ? '' : `is ${greater} times as large${numberWords(evidence, size)}`;
    const words = [sign, large].filter((word) => word !== '').join(' and ');
    return `At step ${pair.step} the loss agrees, and every gradient of ${size >= 1 ? 'B' : 'A'} ${words}.`;
  },
});

/** Words for what the factor counts (ranks, micro-batches), if a report tells it. */
function numberWords({ a, b, losses }: Evidence, factor: number): string {
  const whole = wholeFactor(factor);
  if (whole === undefined) return '';
  const ranks = Math.max(losses.pairs[0]?.ranksA.length ?? 0, losses.pairs[0]?.ranksB.length ?? 0);
  const of = (path: string): readonly unknown[] => [a, b].map(({ config }) => settingOf(config, path));
  if (ranks === whole || of('worldSize').includes(whole)) return `: ${whole} is the number of ranks`;
  if (of('accumulate').includes(whole)) return `: ${whole} is the number of accumulated micro-batches`;
  return of('batchSize').includes(whole) ? `: ${whole} is the number of rows in a batch` : '';
}

/** The bits of the significand, including the implicit first one. */
const FORMATS = [
  ['bfloat16', 8],
  ['float16', 11],
] as const;

export const halfGradients = gradientCause({
  id: 'half-gradients',
  says: 'One side sends or computes gradients in half precision: a compression hook of DDP (fp16_compress_hook, bf16_compress_hook), or autocast.',
  seen(pair, evidence) {
    const [a, b] = vectors(pair, 'gradients').map((values) => values.filter((x) => x !== 0 && Number.isFinite(x)));
    for (const [format, bits] of FORMATS) {
      const fits = (values: readonly number[] = []): boolean =>
        values.length >= 8 && values.every((x) => fitsIn(x, bits));
      if (fits(a) === fits(b)) continue;
      return `At step ${pair.step} every gradient of ${fits(a) ? 'A' : 'B'} is a number that ${format} can hold; the gradients of ${fits(a) ? 'B' : 'A'} are not.${settingWords(evidence, ['ddp.commHook'])}`;
    }
    return undefined;
  },
});

function fitsIn(x: number, bits: number): boolean {
  const scale = 2 ** (bits - 1 - Math.floor(Math.log2(Math.abs(x))));
  return Number.isInteger(x * scale);
}

export const backward = gradientCause({
  id: 'gradients',
  says: 'Gradients are combined differently: a rank keeps its own gradients (no_sync, a bucket that is never ready), ranks with unequal batches are reduced in another way, or a part of the model is frozen or detached.',
  seen(pair, evidence) {
    if ([clipped, gradientScale, halfGradients].some(({ test }) => test(evidence) !== undefined)) return undefined;
    return `The losses of step ${pair.step} agree, but the gradients do not (${evidence.parting?.tensor?.name ?? ''} differs most), and no factor explains the difference.${settingWords(evidence, ['ddp', 'accumulate', 'mode'])}`;
  },
});
