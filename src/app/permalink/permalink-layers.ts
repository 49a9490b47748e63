/**
 * Layers as a readable text: `conv8k3p1-bn-relu-pool2-flatten-linear10`. A layer is its short word, its main number,
 * then letters with their values; what has PyTorch's default is not written, nor a size that follows from the layer
 * before. Residual paths are in brackets: `res(conv8k3p1-bn!conv8k1)`, and so are modules that forward does not call:
 * `unused(linear3i2)`. A name follows a colon, a tied weight `t`. The older form (`Linear(2,8),ReLU`) is still read.
 * Printer and parser share the table below.
 */

import * as v from 'valibot';
import { lookup } from '../../base/lookup';
import { type LayerConfig, type LayerType, type LeafLayer, LIMITS, layerSchema } from '../../protocol/config';
import { same } from '../model/families';
import { derivedSizes, outputOf, outputOfAll, type Source } from '../model/layer-shapes';
import { nestsTooDeep } from './permalink-values';

interface Word {
  readonly word: string;
  /** The field whose value is the number directly after the word. */
  readonly main?: string;
  readonly letters?: Readonly<Record<string, string>>;
}

const CONV = { i: 'in', k: 'kernel', s: 'stride', p: 'padding', d: 'dilation', g: 'groups', b: 'bias' };
const POOL = { s: 'stride', p: 'padding', c: 'ceilMode' };
// A lower-case e after a number would be read as an exponent.
const NORM = { f: 'features', E: 'eps', a: 'affine' };
const BATCH_NORM = { ...NORM, m: 'momentum' };

const WORDS: Readonly<Record<LeafLayer['type'], Word>> = {
  Linear: { word: 'linear', main: 'out', letters: { i: 'in', b: 'bias', t: 'tied' } },
  ReLU: { word: 'relu' },
  Tanh: { word: 'tanh' },
  Sigmoid: { word: 'sigmoid' },
  GELU: { word: 'gelu', letters: { a: 'approximate' } },
  LeakyReLU: { word: 'leakyrelu', main: 'negativeSlope' },
  ELU: { word: 'elu', main: 'alpha' },
  SiLU: { word: 'silu' },
  Softplus: { word: 'softplus' },
  Softmax: { word: 'softmax' },
  LogSoftmax: { word: 'logsoftmax' },
  Dropout: { word: 'dropout', main: 'p' },
  Flatten: { word: 'flatten' },
  Conv2d: { word: 'conv', main: 'out', letters: CONV },
  MaxPool2d: { word: 'pool', main: 'kernel', letters: POOL },
  AvgPool2d: { word: 'avgpool', main: 'kernel', letters: { ...POOL, n: 'countIncludePad' } },
  AdaptiveAvgPool2d: { word: 'adaptivepool', main: 'output' },
  BatchNorm1d: { word: 'bn1d', letters: BATCH_NORM },
  BatchNorm2d: { word: 'bn', letters: BATCH_NORM },
  LayerNorm: { word: 'ln', letters: { ...NORM, b: 'bias' } },
  GroupNorm: { word: 'gn', main: 'groups', letters: { c: 'channels', E: 'eps', a: 'affine' } },
  Embedding: { word: 'embedding', main: 'width', letters: { v: 'vocab', p: 'paddingIdx' } },
  TokenEmbedding: { word: 'tokens', main: 'width', letters: { v: 'vocab', c: 'context' } },
  MultiheadAttention: { word: 'attention', letters: { h: 'heads', w: 'width', b: 'bias', c: 'causal' } },
  TransformerBlock: { word: 'block', letters: { h: 'heads', w: 'width', m: 'expansion', c: 'causal', d: 'dropout' } },
};
const RESIDUAL = 'res';
const UNUSED = 'unused';
const TYPES = Object.keys(WORDS) as readonly LeafLayer['type'][];
/** Longest word first, so that bn1d is not read as bn. */
const BY_LENGTH = TYPES.toSorted((a, b) => WORDS[b].word.length - WORDS[a].word.length);

const escaped = (text: string): string =>
  Array.from(text, (c) => (/[A-Za-z0-9_.]/.test(c) ? c : `~${(c.codePointAt(0) ?? 0).toString(16)}~`)).join('');
const unescaped = (text: string): string =>
  text.replace(/~([0-9a-f]{1,6})~/g, (_, hex: string) =>
    String.fromCodePoint(Math.min(0x10ffff, Number.parseInt(hex, 16))),
  );

function printValue(value: unknown): string {
  if (typeof value === 'boolean') return value ? '1' : '0';
  if (Array.isArray(value)) return value.map(String).join('x');
  return typeof value === 'string' ? `'${escaped(value)}'` : String(value);
}

type Fields = Readonly<Record<string, unknown>>;
const fieldsOf = ({ word: _, main, letters = {} }: Word): readonly (readonly [letter: string, field: string])[] => [
  ...(main === undefined ? [] : [['', main] as const]),
  ...Object.entries(letters),
];

/** The schema's default values; `undefined` for a required field. */
function defaultsOf(type: LayerType, given: Fields): Fields {
  const parsed = v.safeParse(layerSchema, given);
  return parsed.success ? { ...parsed.output } : { type };
}

function printLayer(layer: LayerConfig, source: Source | undefined): string {
  const name = layer.name === undefined ? '' : `:${escaped(layer.name)}`;
  if (layer.type === 'Residual') {
    const inner = printLayers(layer.layers, source);
    return `${RESIDUAL}(${inner}${layer.shortcut ? `!${printLayers(layer.shortcut, source)}` : ''})${name}`;
  }
  if (layer.type === 'Unused') return `${UNUSED}(${printLayers(layer.layers, undefined)})${name}`;
  const row = WORDS[layer.type];
  const own: Fields = { ...layer };
  const derived: Fields = source ? derivedSizes(layer.type, source) : {};
  let text = row.word;
  for (const [letter, field] of fieldsOf(row)) {
    const value = lookup(own, field);
    const { [field]: _, ...rest } = own;
    const silent = lookup(derived, field) ?? lookup(defaultsOf(layer.type, rest), field);
    if (value !== undefined && !same(value, silent)) text += `${letter}${printValue(value)}`;
  }
  return text + name;
}

export function printLayers(layers: readonly LayerConfig[], source: Source | undefined): string {
  let now = source;
  return layers
    .map((layer) => {
      const text = printLayer(layer, now);
      const shape = now && outputOf(layer, now.shape);
      now = shape && { shape };
      return text;
    })
    .join('-');
}

/** Splits at a mark outside brackets; an exponent's minus is not a mark. */
function cut(text: string, mark: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '(') depth++;
    if (text[i] === ')') depth--;
    const exponent = mark === '-' && /\de$/.test(text.slice(Math.max(0, i - 2), i)) && /\d/.test(text[i + 1] ?? '');
    if (text[i] !== mark || depth !== 0 || exponent) continue;
    parts.push(text.slice(start, i));
    start = i + 1;
  }
  return [...parts, text.slice(start)];
}

const NUMBER = String.raw`\d+(?:\.\d+)?(?:e[+-]?\d+)?`;
const VALUE = new RegExp(`^(?:'([^']*)'|(${NUMBER})x(${NUMBER})|(${NUMBER}))`);
const BOOLEANS = new Set(['bias', 'affine', 'causal', 'ceilMode', 'countIncludePad']);

/** The value at the start of a text, and the rest of the text. */
function readValue(field: string, text: string): readonly [value: unknown, rest: string] | undefined {
  const found = VALUE.exec(text);
  if (!found) return undefined;
  const [whole, quoted, first, second, single] = found;
  const rest = text.slice(whole.length);
  if (quoted !== undefined) return [unescaped(quoted), rest];
  if (first !== undefined) return [[Number(first), Number(second)], rest];
  return [BOOLEANS.has(field) ? (single === '1' ? true : single === '0' ? false : single) : Number(single), rest];
}

function parseLayer(text: string, source: Source | undefined): LayerConfig | undefined {
  const residual = /^res\((.*)\)(?::([A-Za-z0-9_.~]*))?$/s.exec(text);
  if (residual) return parseResidual(residual[1] ?? '', residual[2], source);
  const unused = /^unused\((.*)\)(?::([A-Za-z0-9_.~]*))?$/s.exec(text);
  if (unused) return parseUnused(unused[1] ?? '', unused[2]);
  const [body = '', name] = text.split(':');
  const type = BY_LENGTH.find((known) => body.startsWith(WORDS[known].word));
  if (!type) return undefined;
  const row = WORDS[type];
  const raw = new Map<string, unknown>(Object.entries({ ...(source ? derivedSizes(type, source) : {}), type }));
  let rest = body.slice(row.word.length);
  const take = (field: string): boolean => {
    const read = readValue(field, rest);
    if (!read) return false;
    raw.set(field, read[0]);
    rest = read[1];
    return true;
  };
  if (row.main !== undefined && VALUE.test(rest)) take(row.main);
  while (rest !== '') {
    const field = lookup(row.letters, rest.charAt(0));
    rest = rest.slice(1);
    if (field === undefined || !take(field)) return undefined;
  }
  return checked(Object.fromEntries(raw), name);
}

function checked(raw: Fields, name: string | undefined): LayerConfig | undefined {
  const parsed = v.safeParse(layerSchema, name === undefined ? raw : { ...raw, name: unescaped(name) });
  return parsed.success ? parsed.output : undefined;
}

function parseResidual(inside: string, name: string | undefined, source: Source | undefined): LayerConfig | undefined {
  const [path = '', shortcutText] = cut(inside, '!');
  const layers = parseShort(path, source);
  const shortcut = shortcutText === undefined ? undefined : parseShort(shortcutText, source);
  if (!layers || (shortcutText !== undefined && !shortcut)) return undefined;
  return checked({ type: 'Residual', layers, ...(shortcut ? { shortcut } : {}) }, name);
}

/** An unused module has no input, so all its sizes are written. */
function parseUnused(inside: string, name: string | undefined): LayerConfig | undefined {
  const layers = parseShort(inside, undefined);
  return layers && checked({ type: 'Unused', layers }, name);
}

function parseShort(text: string, source: Source | undefined): LayerConfig[] | undefined {
  let now = source;
  const layers: LayerConfig[] = [];
  const parts = cut(text, '-');
  if (parts.length > 2 * LIMITS.layers) return undefined;
  for (const part of parts) {
    const layer = parseLayer(part, now);
    if (!layer) return undefined;
    layers.push(layer);
    const shape = now && outputOfAll([layer], now.shape);
    now = shape && { shape };
  }
  return layers;
}

/** The form in old links: `Linear(2,8),ReLU,Linear(8,1,nobias),GELU(tanh)`. */
function parseLong(text: string): LayerConfig[] | undefined {
  const layers = (text.match(/\w+(\([^)]*\))?/g) ?? []).map((part) => {
    const [, type, argumentText = ''] = /^(\w+)(?:\(([\w,]*)\))?$/.exec(part) ?? [];
    const args = argumentText === '' ? [] : argumentText.split(',');
    if (type === 'Linear') {
      const known = args.length === 2 || (args.length === 3 && args[2] === 'nobias');
      return known
        ? checked({ type, in: Number(args[0]), out: Number(args[1]), bias: args.length === 2 }, undefined)
        : undefined;
    }
    if (type === 'GELU' && args.length === 1) return checked({ type, approximate: args[0] }, undefined);
    return args.length === 0 ? checked({ type }, undefined) : undefined;
  });
  const known = layers.filter((layer) => layer !== undefined);
  return known.length === layers.length ? known : undefined;
}

/** Undefined if the text does not have this form, or nests too deep. */
export function parseLayerList(text: string, source: Source | undefined): LayerConfig[] | undefined {
  if (nestsTooDeep(text)) return undefined;
  return /^[A-Z]/.test(text) ? parseLong(text) : parseShort(text, source);
}
