/**
 * A matrix in a room as cells, with its tooltip. It is empty until the shown step has computed it; only parameters are
 * there from the start. Pure.
 */

import type { MemoryCategory } from '../../protocol/trace';
import { bufferWords } from '../../trace/buffer-words';
import type { Content } from '../../trace/contents';
import { formatSize } from '../draw/format';
import type { Rect } from '../draw/geometry';
import type { HeatCells } from '../draw/heat-map';
import { powerOfTen, unitOf } from '../draw/value-scale';
import { PRINTED } from './chunk-layout';
import { elements } from './devices';
import type { MatrixWindow } from './matrix-window';
import { elementBytes } from './product-spec';
import type { RoomInput } from './room-input';
import type { AwaitedCells, MapScene, SceneItem } from './scene-types';

export interface MatrixPart {
  readonly buffer: string;
  readonly shape: readonly number[];
  readonly category: MemoryCategory;
  readonly rect: Rect;
  readonly window: MatrixWindow;
  /** Index of the first element that is drawn; absent: 0. */
  readonly offset?: number;
}

export interface MadeMap {
  readonly map: MapScene;
  readonly item: SceneItem;
}

const WORDS: Readonly<Partial<Record<MemoryCategory, string>>> = {
  parameter: 'parameter',
  gradient: 'gradient',
  data: 'batch',
  activation: 'activation',
};

/**
 * The buffer's content in this step. Before backward, .grad is None because zero_grad() has run; replicas and
 * activations do not exist yet either, although memory still holds the previous step's values.
 */
function contentOf({ place, facts }: RoomInput, part: MatrixPart): Content | undefined {
  const content = facts.content(place.device, part.buffer);
  const lasts = part.category === 'parameter' && place.keeps;
  return content?.event === undefined && !lasts ? undefined : content;
}

export function endOf({ facts }: RoomInput, buffer: string): number {
  const scales = facts.step?.scales;
  return scales?.end(scales.kindOf(buffer)) ?? 1;
}

/** The width of a number with all its digits. */
const NUMBER_WIDTH = 56;

/** Whether the matrix is one element with room for its number. */
const single = ({ window: { rows, columns }, rect }: MatrixPart): boolean =>
  rows * columns === 1 && rect.width >= NUMBER_WIDTH;

const whatOf = ({ category, buffer }: MatrixPart): string =>
  category === 'activation' && buffer.endsWith('.grad')
    ? 'gradient with respect to an activation'
    : (WORDS[category] ?? category);

const NOT_YET: Readonly<Partial<Record<MemoryCategory, string>>> = {
  parameter: 'not copied yet',
  data: 'not loaded yet',
};

/** The cells to come; for filters and images, one cell per matrix. */
function awaitedOf({ place, facts }: RoomInput, { buffer, category, window }: MatrixPart): AwaitedCells {
  const { rows, columns, tiles } = window;
  const now = facts.step?.trace.events[facts.now(place.device).event ?? -1];
  const loads = now?.kind === 'load' && now.writes.includes(buffer);
  return {
    rows: tiles ? rows / tiles.rows : rows,
    columns: tiles ? columns / tiles.columns : columns,
    words: loads ? ['being loaded', 'loading'] : [NOT_YET[category] ?? 'not computed yet', 'empty'],
  };
}

export function matrixScene(input: RoomInput, part: MatrixPart): MadeMap {
  const { device } = input.place;
  const content = contentOf(input, part);
  const { rows, columns, stride, step, tiles } = part.window;
  const end = endOf(input, part.buffer);
  const cells: HeatCells | undefined = content && {
    values: tiles ? input.tiledValues(content.values, tiles) : content.values,
    offset: part.offset ?? 0,
    stride,
    ...(step === undefined ? {} : { step }),
    rows,
    columns,
    end,
    ...(tiles ? { tile: { rows: tiles.rows, columns: tiles.columns } } : {}),
  };
  const unit = unitOf(end);
  const width = part.rect.width / columns;
  const prints = width >= PRINTED && part.rect.height / rows >= 15;
  const made = content?.event;
  return {
    map: {
      rect: part.rect,
      cells,
      ...(cells ? {} : { awaited: awaitedOf(input, part) }),
      fresh: input.facts.fresh(made),
      under: false,
      unit: prints ? (single(part) ? Number.NaN : unit) : undefined,
    },
    item: {
      id: `${device} ${part.buffer}${part.offset ? ` ${part.offset}` : ''}`,
      rect: part.rect,
      device,
      event: made,
      tip: () => ({
        title: `${bufferWords(part.buffer)} on ${input.place.title}`,
        facts: [
          ['what', whatOf(part)],
          ['shape', part.shape.join('×')],
          ['size', formatSize(elementBytes(input.facts.step?.shapesOf(device)(part.buffer)) * elements(part.shape))],
          ...(cells ? [] : [['values', 'not computed yet in this step'] as const]),
          ...(prints && cells && !single(part) ? [['printed', `in units of ${powerOfTen(unit)}`] as const] : []),
        ],
        ...(cells ? { cells } : {}),
        ...(part.window.label ? { note: part.window.label } : {}),
      }),
    },
  };
}
