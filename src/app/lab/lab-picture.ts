/**
 * The lab's figure as a picture to save: draws the elements of its SVG with their styles on the page. Called by
 * lab.tsx; the saved file adds a caption and a link (picture/write-picture).
 */
import type { LabResult } from '../../protocol/lab';
import { ALGORITHMS } from '../../protocol/words/algorithms';
import type { Point } from '../draw/geometry';
import type { Ink } from '../draw/ink';
import { arrowHead, box, line } from '../draw/shapes';
import type { SavedFigure } from '../picture/figure-picture';
import { labSentence } from './lab-sentence';
import { OP_WORDS } from './lab-words';

const MARGIN = 16;
/** The pixels between two points on a curve. */
const STEP = 2;
const HEAD = 6;

/** `svgOf`: the figure as it is on the page. */
export const labFigure = (
  svgOf: () => SVGSVGElement | null | undefined,
  result: LabResult,
  position: number,
): SavedFigure => ({
  async picture() {
    const svg = svgOf();
    if (!svg) return undefined;
    const { width, height } = svg.getBoundingClientRect();
    const what = `${OP_WORDS[result.request.op]} by ${ALGORITHMS[result.algorithm].name}, ${result.request.worldSize} ranks`;
    return {
      width: width + 2 * MARGIN,
      height: height + MARGIN,
      paint(ink) {
        ink.context.translate(MARGIN, MARGIN);
        for (const element of svg.querySelectorAll<SVGGraphicsElement>('rect, text, path')) paint(ink, element);
      },
      caption: () => `${what}. ${labSentence(result, position)}`,
    };
  },
});

function paint(ink: Ink, element: SVGGraphicsElement): void {
  // Shapes within these elements are not visible themselves.
  if (element.closest('clipPath, marker')) return;
  if (element instanceof SVGRectElement) paintRect(ink, element);
  if (element instanceof SVGTextElement) paintText(ink, element);
  if (element instanceof SVGPathElement) paintWay(ink, element);
}

const seen = (colour: string): boolean => colour !== 'none' && colour !== '';

function paintRect({ context }: Ink, rect: SVGRectElement): void {
  const { fill, stroke, strokeWidth, strokeDasharray } = getComputedStyle(rect);
  const lineWidth = Number.parseFloat(strokeWidth);
  const of = (length: SVGAnimatedLength) => length.baseVal.value;
  const grown = seen(stroke) ? lineWidth / 2 : 0;
  box(
    context,
    {
      x: of(rect.x) - grown,
      y: of(rect.y) - grown,
      width: of(rect.width) + 2 * grown,
      height: of(rect.height) + 2 * grown,
    },
    {
      radius: of(rect.rx),
      ...(seen(fill) ? { fill } : {}),
      ...(seen(stroke) && lineWidth > 0 ? { stroke, lineWidth } : {}),
      ...(strokeDasharray === 'none' ? {} : { dash: [3, 3] }),
    },
  );
}

const ALIGN: Readonly<Record<string, CanvasTextAlign>> = { middle: 'center', end: 'right' };

function paintText({ context }: Ink, text: SVGTextElement): void {
  const { fill, fontSize, fontFamily, fontWeight, textAnchor } = getComputedStyle(text);
  const at = (list: SVGAnimatedLengthList) => list.baseVal[0]?.value ?? 0;
  context.save();
  context.translate(at(text.x), at(text.y));
  if (text.hasAttribute('transform')) context.rotate(-Math.PI / 2);
  context.font = `${fontWeight} ${fontSize} ${fontFamily}`;
  context.textAlign = new Map(Object.entries(ALIGN)).get(textAnchor) ?? 'left';
  context.fillStyle = fill;
  context.fillText(text.textContent ?? '', 0, 0);
  context.restore();
}

/** Whether to keep a point: the ends, and points at which the way turns. */
function turns({ x, y }: Point, index: number, points: readonly Point[]): boolean {
  const [before, after] = [points[index - 1], points[index + 1]];
  return !before || !after || Math.abs((x - before.x) * (after.y - y) - (y - before.y) * (after.x - x)) > 1e-3;
}

function paintWay({ context }: Ink, path: SVGPathElement): void {
  const { stroke, strokeWidth } = getComputedStyle(path);
  if (!seen(stroke)) return;
  const length = path.getTotalLength();
  const count = Math.max(1, Math.ceil(length / STEP));
  const points: Point[] = Array.from({ length: count + 1 }, (_, i) => path.getPointAtLength((i * length) / count));
  line(context, points.filter(turns), { colour: stroke, width: Number.parseFloat(strokeWidth) });
  if (path.hasAttribute('marker-end')) arrowHead(context, points, 1, HEAD, stroke);
}
