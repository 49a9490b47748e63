/**
 * Draws the views of a recorded figure as SVG files, with the playground's painters, in both themes. Views that are
 * tables have no picture.
 */
import type { ReactElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import type { Size } from '../../app/draw/geometry';
import type { Ink } from '../../app/draw/ink';
import type { MeasureText } from '../../app/draw/text';
import type { Palette } from '../../app/draw/theme';
import type { ThemeColours, ThemeName, Themes } from '../../app/draw/theme-sheet';
import { Picture } from '../../app/lab/figure';
import labClasses from '../../app/lab/figure.module.css';
import type { FigurePicture } from '../../app/picture/figure-picture';
import { bareSvgOf } from '../../app/picture/write-picture';
import { LOSS_PICTURE, paintLosses } from '../../app/result/loss-picture';
import { lossSeries } from '../../app/result/loss-series';
import { fieldShade, paintPoints } from '../../app/result/paint-field';
import { RangeFigure, rangeHeight, shownRange } from '../../app/setup/precision/range-figure';
import { ScaleFigure, scaleHeight } from '../../app/setup/precision/scale-figure';
import { scaleStory } from '../../app/setup/precision/scale-story';
import { shownCurve } from '../../app/setup/sharding/curve';
import { CurveFigure, figureHeight } from '../../app/setup/sharding/curve-figure';
import { paintStage } from '../../app/stage/paint-stage';
import { createStageModel } from '../../app/stage/stage-model';
import type { App } from '../../app/state/app-state';
import { paintTimeline } from '../../app/timeline/paint-timeline';
import { marksOf } from '../../app/timeline/timeline-marks';
import { createTimelineModel } from '../../app/timeline/timeline-model';
import { must } from '../../base/invariant';
import { FIELD_SIZE } from '../../protocol/snapshot';
import { FIGURE_WIDTH, type FigureShape, NARROW_WIDTH, stageHeight } from '../figure-size';
import type { FigureSpec, View } from '../lesson';
import { compactSvg } from './compact-svg';
import type { Recorded } from './record-run';
import { editorPicture, schedulePicture } from './schedule-picture';

export interface PictureFile {
  readonly width: number;
  readonly height: number;
  readonly svg: Readonly<Record<ThemeName, string>>;
}

/** Estimates the width of a text, as saved pictures do: the build has no browser to measure it. */
const guessed: MeasureText = (text, { size }) => 0.55 * size * text.length;

type Painted = Omit<FigurePicture, 'caption'>;

/** Themes and style sheets of the pictures. */
export interface Looks {
  readonly themes: Themes;
  /** The text of app/lab/figure.module.css. */
  readonly labCss: string;
}

/** Space left and right of a timeline, a curve or a lab within the frame, both sides together. */
const BESIDE: Readonly<Record<FigureShape, number>> = { wide: 40, narrow: 24 };
const WIDTH: Readonly<Record<FigureShape, number>> = { wide: FIGURE_WIDTH, narrow: NARROW_WIDTH };

/** Undefined if the view is a table, or has no separate layout for narrow pages. */
export function pictureOf(
  { view, shape }: { readonly view: View; readonly shape: FigureShape },
  spec: FigureSpec,
  run: Recorded,
  looks: Looks,
): PictureFile | undefined {
  if (view === 'lab') return labPicture(run, looks, shape);
  const width = WIDTH[shape] - BESIDE[shape];
  if (view === 'curve') return curvePicture(run, looks, width);
  if (view === 'range') return rangePicture(run, looks, width);
  if (view === 'scale') return scalePicture(run, looks, width);
  const app = run.store.getState();
  const painted = paintedView(view, spec, app, shape);
  if (!painted) return undefined;
  const draw = (theme: ThemeName) => compactSvg(bareSvgOf(painted, looks.themes[theme].palette, guessed));
  return { width: painted.width, height: painted.height, svg: { light: draw('light'), dark: draw('dark') } };
}

function paintedView(view: View, spec: FigureSpec, app: App, shape: FigureShape): Painted | undefined {
  if (view === 'stage') return stageView(spec, app, shape);
  if (view === 'timeline') return timelineView(app, shape);
  if (view === 'schedule') return schedulePicture(app, WIDTH[shape]);
  if (view === 'editor') return editorPicture(app, WIDTH[shape]);
  if (shape === 'narrow') return undefined;
  if (view === 'loss') return lossView(app);
  if (view === 'field') return fieldView(app);
  return undefined;
}

function stageView(spec: FigureSpec, app: App, shape: FigureShape): Painted {
  const size = { width: WIDTH[shape], height: stageHeight(spec, app.info?.worldSize ?? 1, shape) };
  const scene = must(createStageModel().look(app, size), 'a step on the stage');
  return { ...size, paint: (ink) => paintStage(ink, scene, { hovered: [], pinned: [] }) };
}

function timelineView(app: App, shape: FigureShape): Painted {
  const timeline = createTimelineModel();
  // The frame is 20 px wider than FIGURE_WIDTH, and the live timeline has 20 px on either side.
  const width = shape === 'wide' ? FIGURE_WIDTH - 20 : NARROW_WIDTH - BESIDE.narrow;
  const panel = { width, height: undefined };
  const { height } = timeline.layout(app, panel);
  const parts = timeline.parts(app);
  const scene = timeline.look(app, panel);
  const none = { pointed: undefined, selection: undefined, matches: undefined, path: false };
  const marks = marksOf(timeline, app, scene, none);
  const head = parts && { parts, view: timeline.view, top: 0, band: undefined };
  return { width, height, paint: (ink) => paintTimeline(ink, scene, marks, head) };
}

function lossView(app: App): Painted {
  const accumulate = (app.info?.config ?? app.config).accumulate;
  const series = lossSeries(app.losses, app.evaluations, accumulate, app.info?.lossLines);
  return { ...LOSS_PICTURE, paint: (ink) => paintLosses(ink, series, LOSS_PICTURE) };
}

const FIELD = 320;

function fieldView({ info, snapshot }: App): Painted | undefined {
  if (!info) return undefined;
  const { dataset } = info;
  const field = must(snapshot?.field, 'a decision field');
  const paint = ({ context, palette }: Ink) => {
    paintCells(context, field, dataset.task === 'classification', palette);
    paintPoints({ context: context as CanvasRenderingContext2D, size: FIELD, palette, dataset });
  };
  return { width: FIELD, height: FIELD, paint };
}

/** Number of shades on either side of the middle: neighbouring cells of one shade become one rectangle. */
const SHADES = 26;

function paintCells(context: Ink['context'], field: Float32Array, probability: boolean, palette: Palette): void {
  const cell = FIELD / FIELD_SIZE;
  const shadeAt = (index: number) => Math.round(SHADES * fieldShade(field[index] ?? 0, probability)) / SHADES;
  for (let row = 0; row < FIELD_SIZE; row++)
    for (let from = 0; from < FIELD_SIZE; ) {
      const shade = shadeAt(row * FIELD_SIZE + from);
      let to = from + 1;
      while (to < FIELD_SIZE && shadeAt(row * FIELD_SIZE + to) === shade) to++;
      context.fillStyle = palette.diverging(shade);
      context.fillRect(from * cell, row * cell, (to - from) * cell + 0.3, cell + 0.3);
      from = to;
    }
}

function labPicture({ lab, facts }: Recorded, { themes, labCss }: Looks, shape: FigureShape): PictureFile {
  const result = must(lab, 'a run of the lab');
  const draw = (theme: ThemeName) => {
    const markup = renderToStaticMarkup(
      <Picture
        result={result}
        position={facts.round}
        width={WIDTH[shape] - BESIDE[shape]}
        palette={themes[theme].palette}
      />,
    );
    return markup.replace(
      /^(<svg)([^>]*>)/,
      `$1 xmlns="http://www.w3.org/2000/svg"$2<style>${styleOf(themes[theme], labCss)}</style>`,
    );
  };
  const light = draw('light');
  const [, width = '0', height = '0'] = /^<svg[^>]*? width="([\d.]+)" height="([\d.]+)"/.exec(light) ?? [];
  return { width: Number(width), height: Number(height), svg: { light, dark: draw('dark') } };
}

function curvePicture({ store }: Recorded, looks: Looks, width: number): PictureFile {
  const { info, cursor, traces } = store.getState();
  const trace = must(cursor && traces[cursor.trace], 'a traced step');
  const curve = must(shownCurve(must(info, 'a run'), trace), 'a run in shards');
  const figure = <CurveFigure curve={curve} trace={trace} event={cursor?.event} width={width} />;
  return drawnOf(figure, { width, height: figureHeight(curve, width) }, looks);
}

function rangePicture({ facts }: Recorded, looks: Looks, width: number): PictureFile {
  const range = must(shownRange(must(facts.info, 'a run'), must(facts.trace, 'a traced step')), 'a backward pass');
  return drawnOf(<RangeFigure range={range} width={width} />, { width, height: rangeHeight(range, width) }, looks);
}

function scalePicture({ facts }: Recorded, looks: Looks, width: number): PictureFile {
  const story = must(scaleStory(facts.app.losses, must(facts.info, 'a run').config), 'a run with a GradScaler');
  return drawnOf(<ScaleFigure story={story} width={width} />, { width, height: scaleHeight(width) }, looks);
}

/** An <svg> without styles, whose colours are variables of the theme. */
function drawnOf(figure: ReactElement, size: Size, { themes }: Looks): PictureFile {
  const markup = renderToStaticMarkup(figure).replace('<svg', '<svg xmlns="http://www.w3.org/2000/svg"');
  const draw = (theme: ThemeName) =>
    markup.replace(/var\(--([a-z0-9-]+)\)/g, (_, name: string) => themes[theme].variables.get(name) ?? 'none');
  return { ...size, svg: { light: draw('light'), dark: draw('dark') } };
}

/** The style sheet of the lab's figure, with class names for this SVG and the theme's colours. */
function styleOf({ variables: own }: ThemeColours, labCss: string): string {
  const variables = [...own].map(([name, value]) => `--${name}:${value}`).join(';');
  const still = labCss.replace(/@keyframes[\s\S]*$/, '').replace(/\/\*[\s\S]*?\*\//g, '');
  const named = Object.entries(labClasses).reduce(
    (css, [name, made]) => css.replaceAll(new RegExp(`\\.${name}(?![\\w-])`, 'g'), `.${made}`),
    still,
  );
  return `svg{${variables}}${named.replace(/\s+/g, ' ')}`;
}
