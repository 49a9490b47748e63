/**
 * Attention: the weights of each head as a matrix, one row per query, one column per key, heads side by side; cells
 * that the causal mask excludes are hatched. The kernel does not store weights: the picture computes them from the
 * queries, keys and log-sums of sample 1 in the trace, as the kernel's gradient does. In backward the matrices are the
 * gradients of the scores.
 */
import { formatValue } from '../../draw/canvas-numbers';
import type { Rect } from '../../draw/geometry';
import { endOfScale } from '../../draw/value-scale';
import type { DrawnOperand } from './drawn';
import type { Operation, OperatorPicture } from './operator-picture';
import { captioned, columns, footed, LINE, tileGrid } from './places';
import type { Sketch } from './sketch';
import { onScale } from './tensors';

interface Heads {
  /** The number of this rank's heads. */
  readonly heads: number;
  /** The number of heads of the whole tensor group, and the index of this rank's first head among them. */
  readonly all: number;
  readonly first: number;
  readonly tokens: number;
  /** The width of one head. */
  readonly size: number;
  readonly causal: boolean;
  readonly qkv: DrawnOperand;
  readonly lse: DrawnOperand | undefined;
}

function headsOf({ layer, reads, writes, event }: Operation): Heads | undefined {
  const [qkv] = reads;
  if (!qkv || (layer?.type !== 'TransformerBlock' && layer?.type !== 'MultiheadAttention')) return undefined;
  const [, tokens = 1, width = 3] = qkv.shape;
  const tensors = event.name.endsWith('-grad') ? reads : writes;
  const all = layer.heads;
  const { part, dim = 2 } = qkv.cut ?? {};
  const size = (part?.shape[dim] ?? width) / 3 / all;
  const heads = Math.round(width / 3 / size);
  const lse = tensors.find(({ shape }) => shape.length === 3 && shape[1] === heads && shape[2] === tokens);
  const first = Math.round((part?.ranges[dim]?.[0]?.start ?? 0) / size);
  return { heads, all, first, tokens, size, causal: layer.causal, qkv, lse };
}

/** A function from query `row` and key `column` to a number, here a dot product. */
type Get = (row: number, column: number) => number;

/** The weights of one head of sample 1: p = exp(q·k / √d − lse). */
function weightsOf({ tokens, size, causal, qkv, lse, heads }: Heads, head: number): Float32Array | undefined {
  const { values } = qkv;
  const sums = lse?.values;
  const width = 3 * heads * size;
  if (!values || !sums || values.length < tokens * width || sums.length < (head + 1) * tokens) return undefined;
  const scale = 1 / Math.sqrt(size);
  const result = new Float32Array(tokens * tokens);
  for (let i = 0; i < tokens; i++)
    for (let j = 0; j <= (causal ? i : tokens - 1); j++) {
      let dot = 0;
      for (let d = 0; d < size; d++)
        dot += (values[i * width + head * size + d] ?? 0) * (values[j * width + (heads + head) * size + d] ?? 0);
      result[i * tokens + j] = Math.exp(dot * scale - (sums[head * tokens + i] ?? 0));
    }
  return result;
}

/** The gradients of one head's scores: dS = p (dout·v − Σ p dout·v). */
function scoreGradients(own: Heads, head: number, dout: DrawnOperand | undefined): Float32Array | undefined {
  const weights = weightsOf(own, head);
  const { tokens, size, heads, qkv } = own;
  const width = heads * size;
  const [values, upstream] = [qkv.values, dout?.values];
  if (!weights || !values || !upstream || upstream.length < tokens * width) return undefined;
  const into: Get = (i, j) => {
    let dot = 0;
    for (let d = 0; d < size; d++)
      dot +=
        (upstream[i * width + head * size + d] ?? 0) * (values[j * 3 * width + (2 * heads + head) * size + d] ?? 0);
    return dot;
  };
  const result = new Float32Array(tokens * tokens);
  for (let i = 0; i < tokens; i++) {
    let mean = 0;
    for (let j = 0; j < tokens; j++) {
      const p = weights[i * tokens + j] ?? 0;
      if (p === 0) continue;
      const gradient = into(i, j);
      result[i * tokens + j] = gradient;
      mean += p * gradient;
    }
    for (let j = 0; j < tokens; j++) {
      const p = weights[i * tokens + j] ?? 0;
      result[i * tokens + j] = p * ((result[i * tokens + j] ?? 0) - mean);
    }
  }
  return result;
}

const letter = (text: string): string => (text === '\n' ? '⏎' : text === ' ' ? '␣' : text);

/** The tokens of sample 1 as text, if the model reads letters. */
function tokensOf({ info, operand }: Operation, count: number): readonly string[] {
  const ids = operand('x')?.values;
  const { vocabulary } = info.dataset;
  if (!ids || vocabulary.length === 0) return [];
  return [...ids.subarray(0, count)].map((id) => letter(vocabulary[id] ?? String(id)));
}

const READABLE = 12;

export const attention: OperatorPicture = {
  name: 'attention',
  operators: [
    'attention/self-attention',
    'attention/self-attention-grad',
    'attention/attention',
    'attention/attention-grad',
  ],
  shows: 'the weights of each head as a matrix of queries and keys with the causal mask, heads side by side',
  draw(operation, sketch) {
    const own = headsOf(operation);
    if (!own) return;
    const { area, detail, event, reads } = operation;
    const { tokens, all: allHeads, first, causal } = own;
    const backward = event.name.endsWith('-grad');
    const words = detail !== 'least';
    const { foot, body: all } = footed(area, words);
    const wide = detail === 'full' && all.width > 1.25 * all.height;
    const [body = all, resultAt] = wide ? columns(all, [1.55, 1], 34) : [all];
    const gap = words ? 12 : 4;
    const head = words ? LINE : 0;
    // The caption of a head is part of its tile.
    const per = { rows: tokens, columns: tokens };
    const grid = tileGrid({ ...body, height: body.height - head }, allHeads, per, {
      gap: gap + head,
      smallest: 1.2,
      largest: 20,
    });
    const text = tokensOf(operation, tokens);
    const dout = backward ? reads.at(-1) : undefined;
    // Other ranks compute the other heads.
    const isOwn = (h: number) => h >= first && h < first + own.heads;
    const made = grid.tiles.map((_, h) => {
      if (!isOwn(h)) return undefined;
      return backward ? scoreGradients(own, h - first, dout) : weightsOf(own, h - first);
    });
    // In backward, shown only after the event: its inputs exist before it runs.
    const done = operation.writes.some(({ values }) => values !== undefined);
    const end = backward ? endOfScale(Float32Array.from(made.flatMap((m) => (m ? [...m] : [])).map(Math.abs))) : 1;
    grid.tiles.forEach((tile, h) => {
      const rect = { ...tile, y: tile.y + head };
      if (head > 0)
        sketch.word({ ...rect, y: tile.y - 1, height: LINE, width: rect.width + gap }, [
          isOwn(h) ? `head ${h}` : `head ${h}: another rank`,
          `head ${h}`,
          String(h),
        ]);
      if (!isOwn(h)) {
        sketch.box(rect, { stroke: 'soft', dash: [3, 3] });
        return;
      }
      const values = done ? made[h] : undefined;
      sketch.derived(
        `head ${h}`,
        {
          title: backward ? `gradient of the scores, head ${h}` : `attention weights, head ${h}`,
          values,
          end,
          shape: [tokens, tokens],
          made: true,
          facts: [['rows and columns', 'queries and keys of sample 1']],
        },
        rect,
        { offset: 0, stride: tokens, rows: tokens, columns: tokens },
      );
      if (causal) mask(sketch, rect, tokens);
      if (grid.cell >= READABLE && h === first) letters(sketch, rect, text);
    });
    if (resultAt) result(sketch, operation, resultAt);
    const scale = `√${own.size}`;
    const of = (own.qkv.shape[0] ?? 1) > 1 ? `, sample 1 of ${own.qkv.shape[0]}` : '';
    const masked = causal ? '; grey: the mask, later tokens' : '';
    sketch.word(
      foot,
      backward
        ? [`gradient of each score, ± ${formatValue(end)}${of}`, 'gradients of the scores']
        : [
            ...(own.heads < allHeads
              ? [`${own.heads} of ${allHeads} heads are of this rank; softmax(q·k / ${scale})${masked}${of}`]
              : []),
            `rows: queries, columns: keys; softmax(q·k / ${scale})${masked}${of}`,
            `row: query, column: key; softmax(q·k / ${scale})`,
            'row: query, column: key',
          ],
    );
    say(operation, sketch, own, done ? made[first] : undefined, text);
  },
};

/** The result: weights times values, one row per token; in backward the gradients of queries, keys and values. */
function result(sketch: Sketch, { writes, event }: Operation, area: Rect): void {
  const [made] = writes;
  if (!made) return;
  const backward = event.name.endsWith('-grad');
  const { operand, note } = onScale(made);
  const { caption, body } = captioned(area);
  const { shape, values } = operand;
  const [, tokens = 1, width = 1] = shape;
  const rows = Math.min(tokens, values ? Math.floor(values.length / width) : tokens);
  const columns_ = Math.min(width, Math.max(1, Math.floor(body.width / 2)));
  const height = Math.min(body.height, rows * 20);
  const rect = { ...body, y: body.y + (body.height - height) / 2, height };
  sketch.map(operand, rect, { offset: 0, stride: width, rows, columns: columns_ }, 'sample 1');
  sketch.sign(backward ? '→' : '· v =', area.x - 17, rect.y + height / 2 + 5);
  const what = backward ? ['gradients of q, k and v', 'q, k, v'] : ['output: weights · values', 'output'];
  sketch.word({ ...caption, y: rect.y - LINE - 1 }, [`${what[0]}, ${tokens} × ${width}${note}`, ...what], {
    tone: 'ink',
  });
}

/** Hatches the keys after each query, as a staircase. */
function mask(sketch: Sketch, { x, y, width, height }: Rect, tokens: number): void {
  const [w, h] = [width / tokens, height / tokens];
  const steps = Array.from({ length: tokens }, (_, i) => [
    { x: x + (i + 1) * w, y: y + i * h },
    { x: x + (i + 1) * w, y: y + (i + 1) * h },
  ]).flat();
  sketch.surface([...steps, { x: x + width, y }], 'track', 1);
  sketch.line(steps, 'line');
}

/** Writes the queries at the left of a head, one letter per row, if there is room. */
function letters(sketch: Sketch, rect: Rect, text: readonly string[]): void {
  const h = rect.height / Math.max(1, text.length);
  text.forEach((token, i) => {
    // In the mask, at the end of each row, stands the row's key.
    if (i < text.length - 1)
      sketch.word(
        {
          x: rect.x + ((i + 1.15) * rect.width) / text.length,
          y: rect.y + i * h + h / 2 - LINE / 2 + 1,
          width: 14,
          height: LINE,
        },
        [token],
      );
  });
}

function say(
  { event }: Operation,
  sketch: Sketch,
  { tokens, first: head }: Heads,
  first: Float32Array | undefined,
  text: readonly string[],
): void {
  if (!first) {
    sketch.say(`${event.name}: not computed yet`);
    return;
  }
  const last = first.subarray((tokens - 1) * tokens, tokens * tokens);
  const best = last.reduce((b, v, i) => (v > (last[b] ?? 0) ? i : b), 0);
  sketch.say(
    event.name.endsWith('-grad')
      ? `${event.name}: gradients of the scores of ${tokens} queries and keys`
      : `${event.name}: in head ${head} the last query (token ${tokens - 1}${text.length > 0 ? `, ${text.at(-1)}` : ''}) gives the weight ${formatValue(last[best] ?? 0)} to token ${best}${text[best] === undefined ? '' : `, ${text[best]}`}`,
  );
}
