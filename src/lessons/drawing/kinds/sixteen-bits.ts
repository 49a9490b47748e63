/**
 * The drawing `sixteen-bits`: one number in float32, bfloat16 and float16, bit by bit, with the rounded value in each
 * format; below, the range of each format in powers of two. Rounded at build by the code that rounds in runs
 * (record/sixteen-bits.ts). Drawn in the lesson on half precision.
 */
import { must } from '../../../base/invariant';
import type { DrawAsked, DrawingKind, Drawn } from '../drawing';
import { shape, svg, text, widthOf } from '../svg';

export interface NumberFormat {
  readonly name: string;
  /** Number of bits of the exponent and of the fraction; the sign takes one more. */
  readonly exponent: number;
  readonly fraction: number;
  /** Powers of two: the smallest number, the smallest with all digits, and the power below which all numbers are. */
  readonly smallest: number;
  readonly full: number;
  readonly end: number;
}

export const FORMATS = {
  float32: { name: 'float32', exponent: 8, fraction: 23, smallest: -149, full: -126, end: 128 },
  bfloat16: { name: 'bfloat16', exponent: 8, fraction: 7, smallest: -133, full: -126, end: 128 },
  float16: { name: 'float16', exponent: 5, fraction: 10, smallest: -24, full: -14, end: 16 },
} as const satisfies Readonly<Record<string, NumberFormat>>;

/** The knob's values. */
export const NUMBERS = ['1e-10', '1e-8', '1e-6', '0.1', '3.14159', '257', '2049', '65504', '70000', '1e38'] as const;

/** A number in one format. */
export interface StoredNumber {
  readonly number: string;
  readonly format: keyof typeof FORMATS;
  /** '1' and '0', the sign first. */
  readonly bits: string;
  /** The value of the bits; null: infinite, which JSON lacks. */
  readonly value: number | null;
}

interface Stored {
  readonly format: NumberFormat;
  readonly bits: string;
  readonly value: number;
}

const storedNumbers = (data: unknown, asked: string): readonly Stored[] =>
  (must(data, 'recorded numbers') as readonly StoredNumber[])
    .filter(({ number }) => number === asked)
    .map(({ format, bits, value }) => ({ format: FORMATS[format], bits, value: value ?? Number.POSITIVE_INFINITY }));

const written = (value: number): string => {
  if (!Number.isFinite(value)) return 'inf';
  return value === 0 ? '0' : String(Number(value.toPrecision(8)));
};

const errorOf = (stored: number, number: number): number => Math.abs(stored / number - 1);

/** 'off by 0.39 %' */
function errorWords({ value }: Stored, number: number): string {
  if (!Number.isFinite(value)) return 'overflows';
  if (value === 0) return 'vanishes';
  const error = errorOf(value, number);
  if (error === 0) return 'exact';
  return error < 1e-6 ? 'off by less than a millionth' : `off by ${Number((100 * error).toPrecision(2))} %`;
}

const GAP = 18;
const LABEL = 18;
const AXIS = { from: -152, to: 132 } as const;

const fillOf = (bit: number, { exponent }: NumberFormat): string => {
  if (bit === 0) return 'var(--memory-data)';
  return bit <= exponent ? 'var(--memory-activation)' : 'var(--memory-parameter)';
};

function draw({ settings, width, data }: DrawAsked): Drawn {
  const asked = must(settings['number'], 'a number');
  const number = Number(asked);
  const stored = storedNumbers(data, asked);
  const cell = Math.min(22, Math.floor((width - 2) / 32));
  const parts: string[] = [];
  let y = LABEL;
  for (const own of stored) {
    const { name } = own.format;
    const bad = !Number.isFinite(own.value) || own.value === 0;
    parts.push(
      text(name, { x: 0, y: y - 5, 'font-weight': 600 }),
      text(`${written(own.value)}, ${errorWords(own, number)}`, {
        ...{ x: widthOf('bfloat16') + 18, y: y - 5, fill: bad ? 'var(--bad)' : 'var(--ink)' },
      }),
    );
    for (const [bit, digit] of [...own.bits].entries()) {
      const x = 1 + bit * cell;
      const box = { x, y, width: cell - 1, height: 20, fill: fillOf(bit, own.format) };
      parts.push(
        shape('rect', { ...box, 'fill-opacity': digit === '1' ? 1 : 0.35 }),
        text(digit, { x: x + (cell - 1) / 2, y: y + 14.5, 'text-anchor': 'middle', 'font-size': cell < 12 ? 11 : 12 }),
      );
    }
    y += 20 + GAP + LABEL;
  }
  parts.push(...legend(y - GAP, width));
  y += GAP + 8;
  const power = Math.log2(number);
  const x = (of: number): number => ((of - AXIS.from) / (AXIS.to - AXIS.from)) * width;
  parts.push(text('how far each format reaches', { x: 0, y, fill: 'var(--soft)' }));
  y += 12;
  const top = y;
  for (const { format } of stored) {
    const bar = { y, height: 14 };
    parts.push(
      shape('rect', {
        ...{ ...bar, x: x(format.smallest), width: x(format.full) - x(format.smallest) },
        ...{ fill: 'var(--memory-activation)', 'fill-opacity': 0.4 },
      }),
      shape('rect', {
        ...{ ...bar, x: x(format.full), width: x(format.end) - x(format.full), fill: 'var(--memory-activation)' },
      }),
      text(format.name, { x: (format.full > -100 ? x(format.end) : x(format.full)) + 6, y: y + 11, 'font-size': 11 }),
    );
    y += 18;
  }
  parts.push(
    shape('line', {
      ...{ key: 'number', x1: x(power), x2: x(power), y1: top - 4, y2: y + 2 },
      ...{ stroke: 'var(--bad)', 'stroke-width': 2 },
    }),
    ...[-126, -14, 16, 128].map((tick) =>
      text(tick === -126 ? '1e-38' : tick === -14 ? '6e-5' : tick === 16 ? '65504' : '3e38', {
        ...{ x: x(tick), y: y + 16, fill: 'var(--soft)', 'font-size': 11 },
        'text-anchor': tick === 128 ? 'end' : tick === -14 ? 'end' : 'middle',
      }),
    ),
  );
  const says = stored.map((own) => `${own.format.name}: ${written(own.value)} (${errorWords(own, number)})`).join('; ');
  return {
    svg: svg({ width, height: y + 22, label: `${asked} in three formats. ${says}.` }, ...parts),
    says: `${asked} in ${says}.`,
    values: stored.flatMap(({ format, value }) => [
      { id: format.name, label: `${asked} in ${format.name}`, value, format: 'plain' as const },
      {
        id: `${format.name}Error`,
        label: `error in ${format.name}`,
        value: errorOf(value, number),
        format: 'percent' as const,
      },
    ]),
  };
}

function legend(y: number, width: number): readonly string[] {
  const entries = [
    ['sign', 'var(--memory-data)'],
    ['exponent: the range', 'var(--memory-activation)'],
    ['fraction: the digits', 'var(--memory-parameter)'],
  ] as const;
  let x = 1;
  return entries.flatMap(([words, fill]) => {
    const here = x;
    x += widthOf(words) + (width < 400 ? 20 : 34);
    return [
      shape('rect', { x: here, y: y - 8, width: 10, height: 10, fill }),
      text(words, { x: here + 14, y: y + 1, fill: 'var(--soft)', 'font-size': width < 400 ? 11 : 12.5 }),
    ];
  });
}

export const kind: DrawingKind = {
  knobs: () => [{ key: 'number', label: 'Number', values: NUMBERS }],
  start: () => ({ number: '0.1' }),
  draw,
};
