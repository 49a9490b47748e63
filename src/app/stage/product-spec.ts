/**
 * A computing event as a line of matrices: its operands, its result, and the signs between. A linear layer is input ×
 * weightᵀ = output; its weight's gradient is δᵀ·h, with the result first and large. The line of other kernels follows
 * from their operands. Pure; called once for each event that a room shows.
 */
import { plural } from '../../base/plural';
import type { SessionInfo } from '../../protocol/session-info';
import { capturedElements, type MemoryCategory, type StepTrace, type TraceEvent } from '../../protocol/trace';
import { castOf, tensorName } from '../../trace/buffer-words';
import { type PartCut, partsIn, shareWords } from '../../trace/tensor-parts';
import { kernelWords, moduleWords } from '../../trace/words';

export interface ProductPart {
  readonly buffer: string;
  readonly shape: readonly number[];
  readonly category: MemoryCategory;
  readonly transposed: boolean;
  /** Set if the rank has only a part of the tensor. */
  readonly cut?: PartCut;
  /** Longest first. */
  readonly labels: readonly string[];
  /** The vector beside the matrix: a bias, or a bias's gradient. */
  readonly bias?: { readonly buffer: string; readonly shape: readonly number[]; readonly cut?: PartCut | undefined };
  readonly made: boolean;
}

export interface ProductSpec {
  readonly key: string;
  readonly parts: readonly ProductPart[];
  /** The signs between the parts. */
  readonly signs: readonly string[];
  /** Whether the first part is the result, which takes the most room. */
  readonly lead: boolean;
  /** The result in words, longest first, if a line fits. */
  readonly words: readonly string[];
}

export type ShapeOf = (buffer: string) => KnownTensor | undefined;

interface KnownTensor {
  readonly shape: readonly number[];
  readonly category: MemoryCategory;
  /** The elements have 16 bits. */
  readonly half?: true;
  /** Set if the buffer is a part of a whole tensor. */
  readonly cut?: PartCut | undefined;
}

/** The bytes of one element. */
export const elementBytes = (tensor: Pick<KnownTensor, 'half'> | undefined): number => (tensor?.half ? 2 : 4);

export function shapesOf(info: SessionInfo, trace: StepTrace): (device: number) => ShapeOf {
  const known = new Map(info.buffers.map((b) => [`${b.device} ${b.name}`, b]));
  // A Program of an unusual step kind may have additional buffers.
  const lengths = new Map<string, number>();
  for (const { device, captured } of trace.events)
    for (const { buffer, offset, values } of captured) {
      const key = `${device} ${buffer}`;
      lengths.set(key, Math.max(lengths.get(key) ?? 0, offset + values.length));
    }
  const partOf = partsIn(trace);
  return (device) => (buffer) => {
    const key = `${device} ${buffer}`;
    const length = lengths.get(key);
    const tensor = known.get(key);
    if (!tensor) return length === undefined ? undefined : { shape: [length], category: 'activation' };
    const { shape, half } = tensor;
    const { category } = known.get(`${device} ${castOf(buffer)}`) ?? tensor;
    const cut = partOf(device, buffer);
    return {
      shape: category === 'activation' || category === 'data' ? rowsOfBatch(shape, length) : shape,
      category,
      ...(half ? { half } : {}),
      ...(cut ? { cut } : {}),
    };
  };
}

/** The last batch of an epoch may be shorter than the buffer: leaves out rows that this step did not write. */
function rowsOfBatch(shape: readonly number[], captured: number | undefined): readonly number[] {
  const [, ...row] = shape;
  const sample = row.reduce((n, d) => n * d, 1);
  return captured === undefined || captured === 0 || captured >= capturedElements(shape) || captured % sample !== 0
    ? shape
    : [captured / sample, ...row];
}

const size = (shape: readonly number[]): string => shape.join(' × ');

function labelled(name: string, shape: readonly number[], short: string): readonly string[] {
  return [`${name}, ${size(shape)}`, name, ...(short === '' || short === name ? [] : [short])];
}

/** 'tanh' of 'ops/tanh-grad', 'max-pool2d' of 'conv/max-pool2d'. */
const kernelWord = (name: string): string => name.replace(/^.*\//, '').replace(/-grad.*$/, '');

/** Makes the parts of a line, and the line; undefined if a buffer has no known shape. */
function lineOf(event: number, shapeOf: ShapeOf) {
  return {
    part(
      buffer: string | undefined,
      more: Partial<ProductPart> & { readonly name?: string; readonly short?: string } = {},
    ): ProductPart | undefined {
      const info = buffer === undefined ? undefined : shapeOf(buffer);
      if (!info || buffer === undefined) return undefined;
      const { name = tensorName(buffer), short = '', ...rest } = more;
      const shape = info.shape.length === 0 ? [1] : info.shape;
      const { cut } = info;
      const said = cut ? `${shareWords(cut)} of ${/^(in|out)put$/.test(name) ? 'the ' : ''}${name}` : name;
      const brief = cut?.part.addend !== undefined ? 'addend' : cut && short === '' ? 'part' : short;
      const labels = labelled(said, rest.transposed ? [...shape].reverse() : shape, brief);
      const whole = { buffer, shape, category: info.category, transposed: false, labels, made: false, ...rest };
      return cut ? { ...whole, cut } : whole;
    },
    made(
      parts: readonly (ProductPart | undefined)[],
      signs: readonly string[],
      more: Partial<ProductSpec> = {},
    ): ProductSpec | undefined {
      const there = parts.flatMap((p) => (p ? [p] : []));
      if (there.length !== parts.length || there.length === 0) return undefined;
      return { key: `${event}`, parts: there, signs, lead: false, words: [], ...more };
    },
  };
}

/** '0.weight' for its cast '0.weight.bf16~1'; '2.bias' for '2.bias.once', which one rank of a tensor group adds. */
const castFrom = (buffer: string): string => castOf(buffer.replace(/\.once(?=~|$)/, ''));

/** Whether the buffer is the gradient of a weight or a bias, or of its cast. */
const isGradientOf = (kind: 'weight' | 'bias', buffer: string): boolean =>
  buffer.endsWith('.grad') && castFrom(buffer.slice(0, -'.grad'.length)).endsWith(kind);

interface WeightGradient {
  readonly e: TraceEvent;
  readonly event: number;
  /** The buffer of the weight's gradient. */
  readonly result: string;
  /** The activations and activation gradients that the event reads. */
  readonly flows: readonly string[];
}

/** A weight's gradient, with the bias's beside it, as the product of δ and the layer's input. */
function weightGradient({ e, event, result, flows }: WeightGradient, shapeOf: ShapeOf): ProductSpec | undefined {
  const { part, made } = lineOf(event, shapeOf);
  const bias = e.writes.find((w) => isGradientOf('bias', w) && w !== result);
  const biasShape = bias === undefined ? undefined : shapeOf(bias)?.shape;
  const lead = part(result, {
    made: true,
    short: 'grad',
    ...(bias !== undefined && biasShape?.length === 1 && shapeOf(result)?.shape[0] === biasShape[0]
      ? { bias: { buffer: bias, shape: biasShape, cut: shapeOf(bias)?.cut } }
      : {}),
  });
  const delta = flows.find((f) => f.endsWith('.grad'));
  const input = flows.find((f) => !f.endsWith('.grad'));
  const rows = delta === undefined ? undefined : shapeOf(delta)?.shape[0];
  const linear = kernelWord(e.name) === 'linear';
  const operands = [
    part(delta, { name: 'δ' }),
    part(input, { name: linear || input === undefined ? 'h' : tensorName(input) }),
  ];
  return (
    made([lead, ...operands], ['=', linear ? '·' : ','], {
      lead: true,
      words:
        linear && rows !== undefined
          ? [`δᵀh, a sum over ${plural(rows, 'sample')}`, `δᵀh over ${plural(rows, 'sample')}`, 'δᵀh']
          : [],
    }) ?? made([lead], [], { lead: true })
  );
}

export function productSpec(e: TraceEvent, event: number, shapeOf: ShapeOf): ProductSpec | undefined {
  const { part, made } = lineOf(event, shapeOf);
  const is = (buffer: string, ...categories: readonly MemoryCategory[]): boolean => {
    const category = shapeOf(buffer)?.category;
    return category !== undefined && categories.includes(category);
  };
  const matrices = e.reads.filter((r) => (shapeOf(r)?.shape.length ?? 0) > 1);
  const held = matrices.filter((r) => is(castFrom(r), 'parameter'));
  const flows = matrices.filter((r) => is(r, 'activation', 'data') && !held.includes(r));
  const result = e.writes.find((w) => is(w, 'activation', 'gradient'));
  const weight = held[0];
  const word = kernelWord(e.name);
  if (e.phase === 'backward' && result !== undefined && isGradientOf('weight', result))
    return weightGradient({ e, event, result, flows }, shapeOf);
  if (weight !== undefined && word === 'linear' && e.phase === 'forward')
    return made(
      [
        part(flows[0], { name: 'input', short: 'in' }),
        part(weight, { name: `${castFrom(weight)}ᵀ`, transposed: shapeOf(weight)?.shape.length === 2, short: 'Wᵀ' }),
        part(result, { name: 'output', short: 'out', made: true }),
      ],
      ['×', '='],
    );
  const ends = { name: e.phase === 'forward' ? 'output' : result === undefined ? '' : deltaName(result), made: true };
  if (weight !== undefined && flows[0] !== undefined && e.phase !== 'loss')
    return made(
      [
        part(flows[0], { name: e.phase === 'forward' ? 'input' : 'δ' }),
        part(weight, { short: 'W' }),
        part(result, ends),
      ],
      [word === 'conv2d' ? '∗' : '×', '='],
    );
  if (weight !== undefined) return made([part(weight), part(result, ends)], ['→']);
  const operands = flows.slice(0, 2);
  const first = operands[0];
  if (first === undefined) return result === undefined ? undefined : made([part(result, { made: true })], []);
  const nameOf = (buffer: string): string =>
    e.phase === 'backward' && buffer.endsWith('.grad')
      ? deltaName(buffer)
      : operands.length === 1
        ? 'input'
        : tensorName(buffer);
  const sign = word === 'add' ? '+' : ',';
  return made(
    [...operands.map((o) => part(o, { name: nameOf(o) })), part(result, e.phase === 'loss' ? { made: true } : ends)],
    [...operands.slice(1).map(() => sign), operands.length > 1 && word === 'add' ? '=' : `→ ${kernelWords(e.name)}`],
  );
}

/** The name of a gradient: 'δ of layer 2' for a layer's output, words for other tensors that a layer makes. */
function deltaName(buffer: string): string {
  const of = buffer.replace(/@\d+$/, '').replace(/\.grad(\..*)?$/, '');
  const layer = of.replace(/\.out$/, '');
  return `δ of ${layer === '' || layer === 'out' ? 'input' : layer === of ? tensorName(of) : moduleWords(layer)}`;
}
