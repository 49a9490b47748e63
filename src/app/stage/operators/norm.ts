/**
 * Normalisation: the distribution of each channel (BatchNorm), token (LayerNorm) or group (GroupNorm) before and after,
 * as ridges below each other, with the mean as a line and the spread as a bar. Before, each ridge has its own mean and
 * spread; after, all have mean 0 and spread 1, times weight plus bias. Mean and spread come from the trace (for
 * BatchNorm, over the whole batch); the ridges are histograms of the captured values. In backward the ridges show the
 * gradient, with the gradients of weight and bias beside them.
 */

import { formatTick } from '../../draw/format';
import type { Rect } from '../../draw/geometry';
import type { DrawnOperand } from './drawn';
import { gradientBars, parameterGradients } from './norm-gradients';
import { type Groups, groupsOf, kindOf, type NormKind } from './norm-groups';
import { type Moments, type MomentsSide, momentsOf, spreadOf, statistics, widened } from './norm-moments';
import type { Operation, OperatorPicture } from './operator-picture';
import { captioned, columns, footed, LINE } from './places';
import { ridge } from './ridge';
import type { Sketch } from './sketch';
import { product, rangeOf } from './tensors';

const ROW = { least: 11, most: 62 };
const MOST_ROWS = 12;
const LABEL = 58;

export const norm: OperatorPicture = {
  name: 'norm',
  operators: [
    'norm/batch-norm',
    'norm/batch-norm-stats',
    'norm/batch-norm-pool',
    'norm/batch-norm-eval',
    'norm/batch-norm-grad-reduce',
    'norm/batch-norm-grad-input',
    'norm/sync-batch-norm-stats',
    'norm/sync-batch-norm-gather',
    'norm/layer-norm',
    'norm/layer-norm-grad-params',
    'norm/layer-norm-grad-input',
    'norm/group-norm',
    'norm/group-norm-grad',
  ],
  shows: 'the distribution of each channel, row or group before and after the norm, with mean and spread as lines',
  draw(operation, sketch) {
    const { event, area, detail, layer } = operation;
    const kind = kindOf(event.name);
    const large = (o: DrawnOperand) => o.shape.length > 1 && (o.category === 'activation' || o.category === 'data');
    const backward = event.phase === 'backward';
    const tensors = operation.reads.filter(large);
    const x = backward ? tensors.find((t) => !t.buffer.endsWith('.grad')) : tensors[0];
    const delta = backward ? tensors.find((t) => t.buffer.endsWith('.grad')) : undefined;
    const shown = delta ?? x;
    if (!shown) return;
    const y = operation.writes.find((o) => large(o) && o.shape.join() === shown.shape.join());
    const groups = groupsOf(kind, shown, layer?.type === 'GroupNorm' ? layer.groups : 1);
    const words = detail !== 'least';
    const { foot, body } = footed(area, detail === 'full');
    const { caption, body: ridges } = captioned(body, words);
    const count = Math.max(1, Math.min(groups.count, MOST_ROWS, Math.floor(ridges.height / ROW.least)));
    const height = Math.min(ROW.most, ridges.height / count);
    const top = ridges.y + (ridges.height - height * count) / 2;
    const named = detail === 'full' && height >= 14;
    const label = named ? LABEL : 0;
    const [left = ridges, right = ridges] = columns(
      { ...ridges, x: ridges.x + label, width: ridges.width - label },
      [1, 1],
      14,
    );
    const rowAt = (place: Rect, i: number): Rect => ({ ...place, y: top + i * height, height });
    const moments = momentsOf(operation);
    for (let g = 0; g < count && named; g++)
      sketch.word({ x: ridges.x, y: top + g * height + height / 2 - LINE / 2 + 2, width: label - 4, height: LINE }, [
        `${groups.noun} ${g}`,
        String(g),
      ]);
    const all = Array.from({ length: count }, (_, g) => groups.valuesOf(shown, g));
    const range = widened(all.flatMap((v) => [...rangeOf(v)]));
    all.forEach((values, g) => {
      const own = backward ? undefined : { mean: moments.mean?.values?.[g], spread: spreadOf(moments, g) };
      ridge(sketch, values, rowAt(left, g), { range, tone: backward ? 'gradient' : 'activation', ...own });
    });
    const heads = (place: Rect) => ({ ...caption, x: place.x, width: place.width });
    if (backward) {
      const gradients = parameterGradients(operation);
      if (gradients) {
        gradientBars(sketch, gradients, { place: right, top, height, count, words: detail === 'full' });
        if (words) sketch.word(heads(right), ['gradients: weight, bias', 'weight, bias', '∇'], { tone: 'ink' });
      } else if (y) after(sketch, y, groups, { right, rowAt, count, backward });
      if (words) sketch.word(heads(left), [`δ of each ${groups.noun}`, 'δ']);
      if (words && !gradients) sketch.word(heads(right), ['δ of the input', 'δ below'], { tone: 'ink' });
      if (gradients)
        sketch.word(foot, [
          `per ${groups.noun === 'channel' ? 'channel' : 'feature'}: ∇bias = Σ δ, ∇weight = Σ δ · (x − mean) / spread`,
          '∇bias = Σ δ, ∇weight = Σ δ · x̂',
        ]);
    } else {
      if (y) after(sketch, y, groups, { right, rowAt, count, backward });
      else statistics(sketch, moments, { right, rowAt, count });
      if (words) {
        sketch.word(heads(left), [
          `before: each ${groups.noun} with its mean and spread`,
          'before: mean, spread',
          'before',
        ]);
        sketch.word(heads(right), y ? [AFTER, 'after: mean 0, spread 1', 'after'] : ['mean and spread', 'mean'], {
          tone: 'ink',
        });
      }
      sketch.word(foot, footWords(kind, shown, moments));
    }
    say(operation, sketch, groups.noun, moments, count);
  },
};

const AFTER = 'after: mean 0, spread 1, then × weight + bias';

function after(
  sketch: Sketch,
  y: DrawnOperand,
  groups: Groups,
  { right, rowAt, count, backward }: MomentsSide & { backward: boolean },
): void {
  const all = Array.from({ length: count }, (_, g) => groups.valuesOf(y, g));
  const [low, high] = widened(all.flatMap((v) => [...rangeOf(v)]));
  const reach = Math.max(Math.abs(low), Math.abs(high));
  // Centred on 0, so that the reader sees that all means are 0.
  const range = [-reach, reach] as const;
  for (const [g, values] of all.entries())
    ridge(sketch, values, rowAt(right, g), { range, tone: backward ? 'gradient' : 'activation', zero: true });
}

function footWords(kind: NormKind, x: DrawnOperand, moments: Moments): readonly string[] {
  const ticks = '│ mean, ━ spread';
  if (kind !== 'batch')
    return [`${ticks}, each over ${kind === 'layer' ? 'the features of one row' : 'one group of channels'}`, ticks];
  const plane = product(x.shape.slice(2));
  const n = (x.shape[0] ?? 1) * plane;
  const from = moments.variance ? 'the running mean and variance' : `all ${n} values of a channel in the batch`;
  const of = plane > 1 ? '; ridges: sample 1' : '';
  return [`${ticks} of ${from}${of}`, `${ticks} over ${n} values`, ticks];
}

function say({ event }: Operation, sketch: Sketch, noun: string, moments: Moments, count: number): void {
  const one = (g: number): string => {
    const [mean, spread] = [moments.mean?.values?.[g], spreadOf(moments, g)];
    return mean === undefined || spread === undefined
      ? `${noun} ${g}: not computed yet`
      : `${noun} ${g}: mean ${formatTick(mean)}, spread ${formatTick(spread)}`;
  };
  sketch.say(`${event.name}: ${Array.from({ length: Math.min(4, count) }, (_, g) => one(g)).join('; ')}`);
}
