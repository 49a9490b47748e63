/**
 * Writes a figure as a file: on its background colour, with caption and link below. For SVG the page's painter draws
 * into svg-recorder.ts; for PNG it draws on a canvas of twice the size. Loaded when a picture is saved.
 */
import { must } from '../../base/invariant';
import { createBrush } from '../draw/brush';
import { type HatchStyle, linesOf } from '../draw/hatch';
import { createHeat } from '../draw/heat-map';
import { type Ink, inkOf } from '../draw/ink';
import { openSurface } from '../draw/surface';
import { createMeasure, drawText, type MeasureText } from '../draw/text';
import type { Palette } from '../draw/theme';
import type { FigurePicture } from './figure-picture';
import { SvgDocument } from './svg-document';
import { SvgRecorder } from './svg-recorder';
import { wrapped } from './svg-text';

const MARGIN = 16;
const CAPTION = { size: 13, line: 19 } as const;
const LINK = { size: 9, line: 12 } as const;
const PNG_SCALE = 2;

/** The picture with its caption as text. */
export type CaptionedPicture = Omit<FigurePicture, 'caption'> & { readonly caption: string };

interface Page {
  readonly width: number;
  readonly height: number;
  readonly caption: readonly string[];
  readonly link: readonly string[];
}

/** Lays out the figure, its caption and the link. */
function layOut(picture: CaptionedPicture, href: string, measure: MeasureText): Page {
  const inside = picture.width - 2 * MARGIN;
  const caption = wrapped(picture.caption, inside, (text) => measure(text, CAPTION));
  const link = wrapped(href, inside, (text) => measure(text, { ...LINK, mono: true }));
  const below = caption.length * CAPTION.line + 6 + link.length * LINK.line;
  return { width: picture.width, height: picture.height + MARGIN / 2 + below + MARGIN, caption, link };
}

function paintPage(ink: Ink, picture: CaptionedPicture, page: Page, link: (draw: () => void) => void): void {
  const { context, palette } = ink;
  context.fillStyle = palette.paper;
  context.fillRect(0, 0, page.width, page.height);
  context.save();
  picture.paint(ink);
  context.restore();
  let y = picture.height + MARGIN / 2;
  for (const text of page.caption) {
    y += CAPTION.line;
    drawText(ink, text, { x: MARGIN, y: y - 5 }, { size: CAPTION.size, colour: palette.ink });
  }
  y += 6;
  link(() => {
    for (const text of page.link) {
      y += LINK.line;
      drawText(ink, text, { x: MARGIN, y: y - 3 }, { size: LINK.size, mono: true, colour: palette.soft });
    }
  });
}

const inkInto = (svg: SvgDocument, palette: Palette, measure: MeasureText): Ink => ({
  context: new SvgRecorder(measure, svg).context,
  palette,
  measure,
  pixelRatio: 1,
  // A new heat painter, which draws cell by cell; the page's may already have a bitmap.
  heat: createHeat(palette),
  hatch: createSvgHatch(svg),
});

/** The figure without a background, title or caption. */
export function bareSvgOf(picture: Omit<FigurePicture, 'caption'>, palette: Palette, measure: MeasureText): string {
  const svg = new SvgDocument();
  picture.paint(inkInto(svg, palette, measure));
  return svg.toSvg({ width: picture.width, height: picture.height, title: '' });
}

export function svgOf(picture: CaptionedPicture, palette: Palette, href: string, measure: MeasureText): string {
  const svg = new SvgDocument();
  const ink = inkInto(svg, palette, measure);
  const page = layOut(picture, href, measure);
  paintPage(ink, picture, page, (draw) => svg.link(href, draw));
  return svg.toSvg({ width: page.width, height: page.height, title: picture.caption });
}

export async function pngOf(picture: CaptionedPicture, palette: Palette, href: string): Promise<Blob> {
  const canvas = document.createElement('canvas');
  const measure = createMeasure(must(canvas.getContext('2d'), 'a canvas to draw on'), palette);
  const page = layOut(picture, href, measure);
  const surface = must(openSurface(canvas, page, PNG_SCALE), 'a canvas to draw on');
  paintPage(inkOf(createBrush(surface, palette)), picture, page, (draw) => draw());
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('The browser made no PNG.'))), 'image/png');
  });
}

/** The patterns of hatch.ts in SVG. */
function createSvgHatch(svg: SvgDocument): Ink['hatch'] {
  const made = new Map<string, string>();
  return (style) => {
    const key = JSON.stringify(style);
    const known = made.get(key) ?? `url(#${svg.define((id) => patternOf(id, style))})`;
    made.set(key, known);
    return known;
  };
}

function patternOf(id: string, { pattern, ground, ink, pitch = 6, width = 1.4 }: HatchStyle): string {
  const mark =
    pattern === 'waiting'
      ? `<circle cx="${pitch / 2}" cy="${pitch / 2}" r="${width / 2}" fill="${ink}"/>`
      : `<path d="${linesOf(pattern, pitch)
          .map(([fromX, fromY, toX, toY]) => `M${fromX} ${fromY}L${toX} ${toY}`)
          .join('')}" stroke="${ink}" stroke-width="${width}"/>`;
  return (
    `<pattern id="${id}" width="${pitch}" height="${pitch}" patternUnits="userSpaceOnUse">` +
    `<rect width="${pitch}" height="${pitch}" fill="${ground}"/>${mark}</pattern>`
  );
}

export function measureOf(palette: Palette): MeasureText {
  return createMeasure(must(document.createElement('canvas').getContext('2d'), 'a canvas to measure on'), palette);
}
