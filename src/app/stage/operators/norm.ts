/**
 * Normalisation: the distribution of each channel (BatchNorm), token (LayerNorm) or group (GroupNorm) before and after,
 * one ridge below the other, with the mean as a line and the spread as a bar. Before, ridges stand where they stand;
 * after, all have mean 0 and spread 1, times weight plus bias. Mean and spread are those of the trace, over the whole
 * batch where it is a BatchNorm; the ridges are histograms of the values that were captured. In backward the ridges are
 * those of the gradient, with the gradients of weight and bias beside them.
 */
import { formatTick } from '../../draw/format';
import type { Rect } from '../../draw/geometry';
import type { Operand } from './drawn';
import type { Operation, OperatorPicture } from './operator-picture';
import { captioned, columns, footed, LINE } from './places';
import { ridge } from './ridge';
import type { Sketch } from './sketch';
import { mostOf, product, rangeOf } from './tensors';

/** The values that are normalised together. */
interface Groups {
  readonly noun: 'channel' | 'row' | 'group';
  readonly count: number;
  valuesOf(operand: Operand, group: number): Float32Array;
}

function groupsOf(kind: 'batch' | 'layer' | 'group', x: Operand, groups: number): Groups {
  const { shape } = x;
  const known = x.values?.length ?? 0;
  const cut = (operand: Operand, from: number, length: number) =>
    operand.values?.subarray(from, from + length) ?? new Float32Array();
  if (kind === 'layer') {
    const width = shape.at(-1) ?? 1;
    const rows = Math.floor(known / width);
    return { noun: 'row', count: rows || product(shape) / width, valuesOf: (o, g) => cut(o, g * width, width) };
  }
  const channels = shape[1] ?? 1;
  const plane = product(shape.slice(2));
  if (kind === 'group') {
    const span = (channels / groups) * plane;
    const there = Math.floor(known / span);
    return { noun: 'group', count: Math.min(groups, there || groups), valuesOf: (o, g) => cut(o, g * span, span) };
  }
  // Of features [N, C] a channel is a column; of images the plane of sample 1.
  if (plane === 1)
    return {
      noun: 'channel',
      count: channels,
      valuesOf: (o, c) => (o.values ?? new Float32Array()).filter((_, i) => i % channels === c),
    };
  const there = Math.floor(known / plane);
  return {
    noun: 'channel',
    count: Math.min(channels, there || channels),
    valuesOf: (o, c) => cut(o, c * plane, plane),
  };
}

const KINDS = {
  'batch-norm': 'batch',
  'sync-batch-norm': 'batch',
  'layer-norm': 'layer',
  'group-norm': 'group',
} as const;

const kindOf = (name: string): 'batch' | 'layer' | 'group' =>
  Object.entries(KINDS).find(([start]) => name.startsWith(`norm/${start}`))?.[1] ?? 'batch';

interface Moments {
  readonly mean: Operand | undefined;
  /** One over the spread; of a running variance, the variance. */
  readonly inverse: Operand | undefined;
  readonly variance: boolean;
}

function momentsOf({ reads, writes }: Operation): Moments {
  const all = [...writes, ...reads];
  const ends = (...names: readonly string[]) =>
    all.find(({ buffer }) => names.some((n) => buffer === n || buffer.endsWith(`.${n}`)));
  const inverse = ends('invstd', 'rstd');
  return inverse
    ? { mean: ends('mean'), inverse, variance: false }
    : { mean: ends('running_mean'), inverse: ends('running_var'), variance: true };
}

function spreadOf({ inverse, variance }: Moments, group: number): number | undefined {
  const value = inverse?.values?.[group];
  if (value === undefined) return undefined;
  return variance ? Math.sqrt(value) : 1 / value;
}

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
  shows: 'the distribution of each channel, row or group before and after, with mean and spread as lines',
  draw(operation, sketch) {
    const { event, area, detail, layer } = operation;
    const kind = kindOf(event.name);
    const large = (o: Operand) => o.shape.length > 1 && (o.category === 'activation' || o.category === 'data');
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
        if (words) sketch.word(heads(right), ['gradients: weight, bias', 'weight, bias'], { tone: 'ink' });
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
        sketch.word(heads(right), y ? [AFTER[kind], 'after: mean 0, spread 1', 'after'] : ['mean and spread', 'mean'], {
          tone: 'ink',
        });
      }
      sketch.word(foot, footWords(operation, kind, shown, moments));
    }
    say(operation, sketch, groups.noun, moments, count);
  },
};

const AFTER = {
  batch: 'after: mean 0, spread 1, then × weight + bias',
  layer: 'after: mean 0, spread 1, then × weight + bias',
  group: 'after: mean 0, spread 1, then × weight + bias',
} as const;

/** A little wider than the values. */
function widened(values: readonly number[]): readonly [number, number] {
  const [low, high] = rangeOf(values);
  const more = 0.04 * (high - low) || 1;
  return [low - more, high + more];
}

interface Side {
  readonly right: Rect;
  readonly rowAt: (place: Rect, i: number) => Rect;
  readonly count: number;
}

function after(
  sketch: Sketch,
  y: Operand,
  groups: Groups,
  { right, rowAt, count, backward }: Side & { backward: boolean },
): void {
  const all = Array.from({ length: count }, (_, g) => groups.valuesOf(y, g));
  const [low, high] = widened(all.flatMap((v) => [...rangeOf(v)]));
  const reach = Math.max(Math.abs(low), Math.abs(high));
  // Around 0, so that one sees that the means are there.
  const range = [-reach, reach] as const;
  for (const [g, values] of all.entries())
    ridge(sketch, values, rowAt(right, g), { range, tone: backward ? 'gradient' : 'activation', zero: true });
}

/** Where the kernel makes the statistics alone. */
function statistics(sketch: Sketch, moments: Moments, { right, rowAt, count }: Side): void {
  const means = Array.from({ length: count }, (_, g) => moments.mean?.values?.[g]);
  const spreads = Array.from({ length: count }, (_, g) => spreadOf(moments, g));
  const [low, high] = widened(
    means.flatMap((m, g) => (m === undefined ? [] : [m - (spreads[g] ?? 0), m + (spreads[g] ?? 0)])),
  );
  for (const [g, mean] of means.entries())
    ridge(sketch, new Float32Array(), rowAt(right, g), {
      range: [low, high],
      tone: 'activation',
      mean,
      spread: spreads[g],
    });
}

function parameterGradients({
  writes,
}: Operation): { readonly weight: Operand; readonly bias: Operand | undefined } | undefined {
  const weight = writes.find(({ buffer }) => buffer.endsWith('weight.grad'));
  return weight && { weight, bias: writes.find(({ buffer }) => buffer.endsWith('bias.grad')) };
}

function gradientBars(
  sketch: Sketch,
  { weight, bias }: { readonly weight: Operand; readonly bias: Operand | undefined },
  at: {
    readonly place: Rect;
    readonly top: number;
    readonly height: number;
    readonly count: number;
    readonly words: boolean;
  },
): void {
  const halves = columns(at.place, bias ? [1, 1] : [1], 12);
  [weight, bias].forEach((operand, i) => {
    const place = halves[i];
    if (!operand || !place) return;
    const shown = Math.min(at.count, product(operand.shape));
    const cell = { ...place, y: at.top, width: Math.min(46, place.width * 0.45), height: at.height * shown };
    sketch.map(operand, cell, { offset: 0, stride: 1, rows: shown, columns: 1 });
    const wide = place.width - cell.width - 8;
    const middle = cell.x + cell.width + 8 + wide / 2;
    sketch.line(
      [
        { x: middle, y: at.top },
        { x: middle, y: at.top + cell.height },
      ],
      'line',
    );
    const most = mostOf(operand.values?.subarray(0, shown) ?? []) || 1;
    for (let g = 0; g < shown; g++) {
      const value = operand.values?.[g];
      if (value === undefined || !Number.isFinite(value)) continue;
      const reach = ((Math.abs(value) / most) * wide) / 2;
      sketch.box(
        {
          x: value < 0 ? middle - reach : middle,
          y: at.top + (g + 0.22) * at.height,
          width: Math.max(1, reach),
          height: at.height * 0.56,
        },
        { fill: value < 0 ? 'negative' : 'positive' },
      );
    }
  });
}

function footWords(
  { layer }: Operation,
  kind: 'batch' | 'layer' | 'group',
  x: Operand,
  moments: Moments,
): readonly string[] {
  const ticks = '│ mean, ━ spread';
  if (kind !== 'batch')
    return [`${ticks}, each over ${kind === 'layer' ? 'the features of one row' : 'one group of channels'}`, ticks];
  const plane = product(x.shape.slice(2));
  const n = (x.shape[0] ?? 1) * plane;
  const from = moments.variance ? 'the running mean and variance' : `all ${n} values of a channel in the batch`;
  const of = plane > 1 ? '; ridges: sample 1' : '';
  const eps = layer && 'eps' in layer ? '' : '';
  return [`${ticks} of ${from}${of}${eps}`, `${ticks} over ${n} values`, ticks];
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
