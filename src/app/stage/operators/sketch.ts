/**
 * The drawing tools of an operator's picture: maps of tensors or of values computed from them, words, lines and boxes,
 * collected as data of the scene. The painters draw this data on the canvas and into SVG; the sketch knows no canvas.
 */

import { formatSize } from '../../draw/format';
import type { Path, Rect } from '../../draw/geometry';
import type { HeatCells } from '../../draw/heat-map';
import { powerOfTen, unitOf } from '../../draw/value-scale';
import { PRINTED } from '../chunk-layout';
import { elements } from '../devices';
import type { MadeMap } from '../matrix-scene';
import type { Tiles } from '../matrix-window';
import { elementBytes } from '../product-spec';
import type { RoomInput } from '../room-input';
import type { SceneItem, SceneTone, ShapeScene, SignScene, WordsScene } from '../scene-types';
import type { DrawnOperand, OperatorDrawing } from './drawn';

/** Which elements of a tensor are drawn as cells. */
export type Cells = Omit<HeatCells, 'values' | 'end'> & {
  readonly end?: number;
  /** Small matrices that are consecutive in memory, set in a grid. */
  readonly tiles?: Tiles | undefined;
};

/** Values computed from tensors, drawn as cells. */
export interface Derived {
  /** The tooltip's title: 'softmax of 9.out'. */
  readonly title: string;
  readonly values: Float32Array | undefined;
  readonly end: number;
  readonly shape: readonly number[];
  readonly facts?: readonly (readonly [string, string])[];
  readonly made: boolean;
}

const WORD_LINE = 15;
const PRINTED_HEIGHT = 15;

export class Sketch {
  private readonly maps: MadeMap[] = [];
  private readonly words: WordsScene[] = [];
  private readonly signs: SignScene[] = [];
  private readonly below: ShapeScene[] = [];
  private readonly above: ShapeScene[] = [];
  private readonly items: SceneItem[] = [];
  private readonly sentences: string[] = [];

  constructor(
    private readonly input: RoomInput,
    private readonly index: number,
  ) {}

  get drawing(): OperatorDrawing | undefined {
    const { maps, words, signs, below, above, items, sentences } = this;
    return maps.length + below.length + above.length === 0
      ? undefined
      : { maps, words, signs, under: below, over: above, items, said: sentences };
  }

  /**
   * Draws cells of a tensor; an empty frame until it has been computed. `what` distinguishes several maps of one
   * tensor.
   */
  map(operand: DrawnOperand, rect: Rect, cells: Cells, what = ''): void {
    const { buffer, name, shape, event, end } = operand;
    const { tiles, ...own } = cells;
    const values = operand.values && tiles ? this.input.tiledValues(operand.values, tiles) : operand.values;
    this.add(`${buffer}${what === '' ? '' : ` ${what}`}`, rect, values && { ...own, values, end: cells.end ?? end }, {
      title: `${name} on ${this.input.place.title}`,
      event,
      made: operand.made,
      facts: [
        ['shape', shape.join('×')],
        [
          'size',
          formatSize(elementBytes(this.input.facts.step?.shapesOf(this.input.place.device)(buffer)) * elements(shape)),
        ],
        ...(what === '' ? [] : ([['shown', what]] as const)),
      ],
    });
  }

  /** Draws values that the picture computes from tensors, as cells. */
  derived(id: string, { title, values, end, shape, facts = [], made }: Derived, rect: Rect, cells: Cells): void {
    this.add(`=${id}`, rect, values && { ...cells, values, end }, {
      title: `${title} on ${this.input.place.title}`,
      event: made ? this.index : undefined,
      made,
      facts: [['shape', shape.join('×')], ...facts],
    });
  }

  private add(
    id: string,
    rect: Rect,
    cells: HeatCells | undefined,
    { title, event, made, facts }: Pick<SceneItem, 'event'> & { title: string; made: boolean; facts: Facts },
  ): void {
    const { facts: now, place } = this.input;
    const tile = cells?.tile ?? cells;
    const width = cells ? rect.width / cells.columns : 0;
    const prints = cells !== undefined && width >= PRINTED && rect.height / cells.rows >= PRINTED_HEIGHT;
    const unit = cells ? unitOf(cells.end) : 0;
    const single = cells !== undefined && tile !== undefined && cells.rows * cells.columns === 1;
    this.maps.push({
      map: {
        rect,
        cells,
        fresh: made && now.fresh(event),
        under: made && now.under(this.index),
        unit: prints ? (single ? Number.NaN : unit) : undefined,
      },
      item: {
        id: `${place.device} ${id}`,
        rect,
        device: place.device,
        event,
        tip: () => ({
          title,
          facts: [
            ...facts,
            ...(cells ? [] : ([['values', 'not computed yet in this step']] as const)),
            ...(prints && !single ? ([['printed', `in units of ${powerOfTen(unit)}`]] as const) : []),
          ],
          ...(cells ? { cells } : {}),
        }),
      },
    });
  }

  /** Writes the first of the texts that fits, or none, as one line at the lower edge of the rectangle. */
  word(
    at: Rect,
    texts: string | readonly string[],
    { tone = 'soft', align = 'left' }: { tone?: WordsScene['tone']; align?: WordsScene['align'] } = {},
  ): void {
    if (at.height >= WORD_LINE - 4)
      this.words.push({ at, texts: [...(typeof texts === 'string' ? [texts] : texts), ''], tone, align });
  }

  sign(text: string, x: number, y: number): void {
    this.signs.push({ text, x, y });
  }

  line(path: Path, tone: SceneTone, { width = 1, dash, alpha, below = false }: LineLook = {}): void {
    (below ? this.below : this.above).push({
      shape: 'line',
      path,
      tone,
      width,
      ...(dash ? { dash } : {}),
      ...(alpha === undefined ? {} : { alpha }),
    });
  }

  box(rect: Rect, look: BoxLook): void {
    const { below = false, ...rest } = look;
    (below ? this.below : this.above).push({ shape: 'box', rect, ...rest });
  }

  area(path: Path, tone: SceneTone, alpha: number): void {
    this.below.push({ shape: 'area', path, tone, alpha });
  }

  /** Fills a surface over the maps. */
  surface(path: Path, tone: SceneTone, alpha: number): void {
    this.above.push({ shape: 'area', path, tone, alpha });
  }

  dots(points: Path, radius: number, tone: SceneTone, alpha = 1): void {
    this.above.push({ shape: 'dots', points, radius, tone, alpha });
  }

  /** Adds a place with a tooltip that is not a map. */
  point(id: string, rect: Rect, title: string, facts: Facts): void {
    const { device } = this.input.place;
    this.items.push({ id: `${device} =${id}`, rect, device, event: this.index, tip: () => ({ title, facts }) });
  }

  say(sentence: string): void {
    this.sentences.push(sentence);
  }
}

type Facts = readonly (readonly [name: string, value: string])[];

interface LineLook {
  readonly width?: number;
  readonly dash?: readonly number[];
  readonly alpha?: number;
  readonly below?: boolean;
}

type BoxLook = Omit<Extract<ShapeScene, { shape: 'box' }>, 'shape' | 'rect'> & { readonly below?: boolean };
