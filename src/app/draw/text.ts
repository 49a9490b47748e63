/**
 * Text on the canvas: measuring (remembered, because measureText is slow), cutting with an ellipsis, and drawing.
 * Layouts take the `Measure` function, so they are tested without a canvas.
 */
export type Align = 'left' | 'center' | 'right';

export interface TextStyle {
  readonly size: number;
  readonly weight?: number;
  readonly mono?: boolean;
}

/** Width of a text in CSS pixels. */
export type MeasureText = (text: string, style: TextStyle) => number;

export interface Fonts {
  readonly sans: string;
  readonly mono: string;
}

export const fontOf = (style: TextStyle, fonts: Fonts): string =>
  `${style.weight ?? 400} ${style.size}px ${style.mono ? fonts.mono : fonts.sans}`;

const REMEMBERED = 4000;
const FEWEST_LETTERS = 4;

export function createMeasure(context: CanvasRenderingContext2D, fonts: Fonts): MeasureText {
  const widths = new Map<string, number>();
  return (text, style) => {
    const font = fontOf(style, fonts);
    const key = `${font}\n${text}`;
    const known = widths.get(key);
    if (known !== undefined) return known;
    if (widths.size > REMEMBERED) widths.clear();
    context.save();
    context.font = font;
    const { width } = context.measureText(text);
    context.restore();
    widths.set(key, width);
    return width;
  };
}

/** The text, or its longest beginning that fits with an ellipsis, or '' if hardly a word would be left. */
export function ellipsize(text: string, width: number, style: TextStyle, measure: MeasureText): string {
  if (measure(text, style) <= width) return text;
  let low = 0;
  let high = text.length;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (measure(`${text.slice(0, middle).trimEnd()}…`, style) <= width) low = middle;
    else high = middle - 1;
  }
  return low < FEWEST_LETTERS ? '' : `${text.slice(0, low).trimEnd()}…`;
}

/** The first of the alternatives that fits; the last one cut when none does. */
export function firstFit(
  alternatives: readonly string[],
  width: number,
  style: TextStyle,
  measure: MeasureText,
): string {
  const fitting = alternatives.find((text) => measure(text, style) <= width);
  return fitting ?? ellipsize(alternatives.at(-1) ?? '', width, style, measure);
}

/** The context in which a drawer draws, and the page's fonts. */
export interface Pen {
  readonly context: CanvasRenderingContext2D;
  readonly palette: Fonts;
}

/** `y` is the baseline. */
export function drawText(
  { context, palette }: Pen,
  text: string,
  { x, y }: { readonly x: number; readonly y: number },
  style: TextStyle & { readonly colour: string; readonly align?: Align },
): void {
  if (text === '') return;
  context.font = fontOf(style, palette);
  context.fillStyle = style.colour;
  context.textAlign = style.align ?? 'left';
  context.fillText(text, x, y);
}
